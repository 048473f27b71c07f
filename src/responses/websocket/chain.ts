import {
  isEqualJson,
  isPlainObject,
  objectsOf,
  type PlainObject,
  stringOf,
  tryParseJson,
} from '../../core/shared/json.js';

/** A finished response that the connection keeps, with the request that it answered. */
export interface Link {
  readonly id: string;
  /** The complete input of the request. */
  readonly input: readonly unknown[];
  /** All other fields of the request. */
  readonly settings: PlainObject;
  readonly output: readonly PlainObject[];
}

/** Splits a request body into its input and its other fields, without those that do not exist in a frame. */
export function splitBody(body: PlainObject): { input: readonly unknown[]; settings: PlainObject } {
  const { input, stream: _always, background: _never, ...settings } = body;
  return { input: Array.isArray(input) ? input : [], settings };
}

/**
 * Returns the items of a request that follow a response: those that the server does not have yet. Returns undefined if
 * the input does not begin with the input and the output of the response.
 */
export function toNewItems(body: PlainObject, link: Link): unknown[] | undefined {
  const { input, settings } = splitBody(body);
  if (settings.previous_response_id !== undefined || settings.conversation !== undefined) return undefined;
  const { length } = link.input;
  if (input.length <= length || !link.input.every((item, index) => isEqualJson(item, input[index])))
    return undefined;

  const missing = link.output.filter(item => !isWithoutReplay(item));
  const added: unknown[] = [];
  for (const item of input.slice(length)) {
    const [output] = missing;
    if (output === undefined || !isPlainObject(item)) added.push(item);
    else if (isReplayOf(item, output)) missing.shift();
    // Only the outputs of calls may be in front of other items of the same response.
    else if (stringOf(item.type).endsWith('_output')) added.push(item);
    else return undefined;
  }
  return missing.length === 0 && added.length > 0 ? added : undefined;
}

/**
 * Returns true if a request has the same fields as the one of a response, except for the input. Otherwise the complete
 * input is sent.
 *
 * @see https://github.com/openai/codex `codex-rs/core/src/client.rs`, which has the same rule
 */
export const hasSameSettings = (body: PlainObject, link: Link): boolean =>
  isEqualJson(splitBody(body).settings, link.settings);

/** Returns true if a response waits for outputs of calls or for approvals, so that its turn goes on. */
export const isWaiting = (link: Link): boolean =>
  /(?:_call|_request)$/.test(stringOf(link.output.at(-1)?.type));

/** Returns true for items that a request cannot or need not repeat. */
const isWithoutReplay = (item: PlainObject): boolean =>
  item.type === 'reasoning'
    ? typeof item.encrypted_content !== 'string'
    : item.type === 'message' && objectsOf(item.content).every(part => toText(part) === '');

const toText = (part: PlainObject): string => stringOf(part.text ?? part.refusal);

/** Returns true if an input item repeats an output item. It may omit fields, but none may have another value. */
function isReplayOf(item: PlainObject, output: PlainObject): boolean {
  if (item.type === 'item_reference') return item.id === output.id;
  if ((item.type ?? 'message') !== output.type) return false;
  if (output.type === 'reasoning' && item.encrypted_content !== output.encrypted_content) return false;
  if (output.type === 'message' && typeof item.content === 'string')
    return item.role === output.role && item.content === objectsOf(output.content).map(toText).join('');
  return isPart(item, output);
}

/** Fields of items that identify them, or that replays do not contain. */
const FREE_FIELDS: ReadonlySet<string> = new Set(['id', 'status', 'annotations', 'logprobs']);

function isPart(value: unknown, whole: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(whole))
    return value.length === whole.length && value.every((entry, index) => isPart(entry, whole[index]));
  if (!isPlainObject(value) || !isPlainObject(whole)) return value === whole;
  return Object.entries(value).every(([name, field]) => {
    if (FREE_FIELDS.has(name)) return true;
    if (name !== 'arguments') return isPart(field, whole[name]);
    return field === whole[name] || isSameJsonText(field, whole[name]);
  });
}

function isSameJsonText(a: unknown, b: unknown): boolean {
  const [first, second] = [tryParseJson(stringOf(a)), tryParseJson(stringOf(b))];
  return first !== undefined && isEqualJson(first, second);
}
