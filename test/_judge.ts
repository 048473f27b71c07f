/** The expected content of a recorded stream, from its finished items. Shares no code with the package. */
export interface Verdict {
  readonly text: string;
  readonly calls: { name: string; arguments: unknown }[];
  readonly usage: { input: unknown; output: unknown };
  readonly isBroken: boolean;
  /** The terminal response object. */
  readonly response: Json | undefined;
  /** The body up to its last terminal event. */
  readonly truncated: string;
}

type Json = Record<string, unknown>;

const TERMINAL = /^response\.(completed|incomplete|failed|done)$/;

export function judge(body: string): Verdict {
  const events = toEvents(body);
  const terminals = events.filter(({ json }) => TERMINAL.test(typeOf(json)));
  const last = terminals.at(-1);
  const response = last === undefined ? undefined : (last.json.response as Json);
  const isBroken =
    last === undefined ||
    events.some(({ json }) => typeOf(json) === 'error') ||
    response?.status === 'failed' ||
    events.slice(events.indexOf(last) + 1).some(({ json }) => typeOf(json) === 'response.created');
  const items = toItems(events.map(({ json }) => json));
  const usage = (response?.usage ?? {}) as Json;
  return {
    text: items
      .filter(item => item.type === 'message')
      .map(toText)
      .join(''),
    calls: toCalls(items),
    usage: { input: usage.input_tokens, output: usage.output_tokens },
    isBroken,
    response,
    truncated: body.slice(0, last?.start ?? body.length),
  };
}

/** Returns the complete calls with their parsed arguments. */
export const toCalls = (items: readonly Json[]) =>
  items
    .filter(item => item.type === 'function_call' && item.status !== 'incomplete')
    .map(({ name, arguments: text }) => ({ name: String(name), arguments: parse(String(text)) }));

/** Parses arguments. Servers send an empty string for a call without arguments. */
const parse = (text: string): unknown => JSON.parse(text.trim() === '' ? '{}' : text);

/** Returns the finished items in the order in which they began, and items that only the terminal response contains. */
function toItems(events: readonly Json[]): Json[] {
  const began = (item: Json) =>
    events.findIndex(
      event => event.type === 'response.output_item.added' && isSame(event.item as Json, item),
    );
  const finished = events
    .filter(({ type }) => type === 'response.output_item.done')
    .map((event, position) => ({ item: event.item as Json, position }));
  const order = ({ item, position }: (typeof finished)[number]) => {
    const at = began(item);
    return at < 0 ? Number.MAX_SAFE_INTEGER / 2 + position : at;
  };
  const streamed = finished.sort((a, b) => order(a) - order(b)).map(({ item }) => item);
  const terminal = events
    .filter(event => TERMINAL.test(typeOf(event)))
    .flatMap(event => ((event.response as Json | undefined)?.output ?? []) as Json[]);
  const lost = terminal.filter(item => !streamed.some(other => other.type === item.type));
  return [...streamed, ...lost];
}

const isSame = (a: Json, b: Json): boolean =>
  a.type === b.type && ((a.id != null && a.id === b.id) || (a.call_id != null && a.call_id === b.call_id));

const toText = (item: Json): string =>
  ((item.content ?? []) as Json[]).map(part => part.text ?? part.refusal ?? '').join('');

const typeOf = (json: Json): string =>
  typeof json.type === 'string' ? json.type : json.object === 'response' ? `response.${json.status}` : '';

/** Returns an error event for an object that was cut off. */
function parseObject(data: string): Json {
  try {
    return JSON.parse(data);
  } catch {
    return { type: 'error' };
  }
}

function toEvents(body: string): { json: Json; start: number }[] {
  const events: { json: Json; start: number }[] = [];
  for (const frame of body.matchAll(/(?:[^\n]+\n?)+/g)) {
    const data = /^data: ?(.*)$/m.exec(frame[0])?.[1];
    if (data === undefined || !data.startsWith('{')) continue;
    const json = parseObject(data);
    // A bare response object counts as an event.
    const event = json.object === 'response' && json.type === undefined ? { ...json, response: json } : json;
    events.push({ json: event, start: frame.index });
  }
  return events;
}
