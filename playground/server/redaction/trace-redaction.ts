import type { PlaygroundMessage, StoredMessage } from '../../shared/playground-state.js';
import type { TraceEvent } from '../../shared/trace-event.js';
import type { JsonString, Redactor } from './redactor.js';

/** Redacts traces. The deltas of an item are searched as one text, because a secret can extend over several of them. */
export const redactTraces = <Value extends readonly (readonly TraceEvent[])[]>(
  traces: Value,
  { redactor }: { redactor: Redactor },
): Value =>
  redactor.json(traces, ({ path }) => {
    const [turn, index, part, ...rest] = path;
    const event = traces[Number(turn)]?.[Number(index)];
    if (event?.type !== 'wire' || part !== 'data') return [];
    return toDeltaGroups(event, rest).map(group => `${turn} ${event.exchange} ${group}`);
  });

/** Removes the contents of files from requests, because no search finds secrets in images and documents. */
export const withoutFiles = (trace: readonly TraceEvent[]): readonly TraceEvent[] =>
  trace.map(event => (event.type === 'request' ? { ...event, body: shortenDataUrls(event.body) } : event));

function shortenDataUrls(value: unknown): unknown {
  if (typeof value === 'string') {
    const start = /^data:[\w.+/-]+;base64,/.exec(value)?.[0];
    return start === undefined ? value : `${start}… (${value.length - start.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(shortenDataUrls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortenDataUrls(inner)]));
}

/**
 * Redacts messages of a conversation for the page, which shows them but never sends them back. Messages of the user are
 * unchanged, because the user can edit and resend them.
 */
export function redactMessages<Stored extends StoredMessage>(
  messages: readonly Stored[],
  { redactor }: { redactor: Redactor },
): readonly Stored[] {
  const responses = messages.filter(({ message }) => message.role !== 'user');
  const redacted = redactor.json(responses, ({ path }) => toPartGroups(path, responses));
  const byId = new Map(redacted.map(stored => [stored.message.id, stored]));
  return messages.map((stored): Stored => {
    const copy = byId.get(stored.message.id);
    // Ids identify messages and calls, even if they look like a secret.
    return copy === undefined
      ? stored
      : { ...copy, ...pickIds(stored), message: withIds(copy.message, stored.message) };
  });
}

const pickIds = ({ parentId, versions }: StoredMessage) => ({ parentId, versions });

const withIds = (copy: PlaygroundMessage, { id, parts }: PlaygroundMessage): PlaygroundMessage => ({
  ...copy,
  id,
  parts: copy.parts.map((part, index) => {
    const original = parts[index];
    return original !== undefined && 'toolCallId' in original && 'toolCallId' in part
      ? { ...part, toolCallId: original.toolCallId }
      : part;
  }),
});

/** The text blocks of a message are one text: a secret can continue in the next block. */
function toPartGroups(path: JsonString['path'], messages: readonly StoredMessage[]): readonly string[] {
  const [index, message, parts, part, text] = path;
  if (message !== 'message' || parts !== 'parts' || text !== 'text') return [];
  return [`${index} ${messages[Number(index)]?.message.parts[Number(part)]?.type}`];
}

/** Names of properties whose values continue in the next event of the same kind. */
const DELTA_NAME =
  /^(delta|text|content|arguments|reasoning|reasoning_content|thinking|partial_json|input|code|response|refusal|transcript)$/;

/**
 * Returns the texts that a string of an event continues: the item of the event, and all events with this name, because
 * some servers number each delta as another item.
 */
function toDeltaGroups(
  event: Extract<TraceEvent, { type: 'wire' }>,
  path: JsonString['path'],
): readonly string[] {
  const name = path.at(-1);
  if (path.length > 0 && (typeof name !== 'string' || !DELTA_NAME.test(name))) return [];
  const place = `${event.name} ${path.join('.')}`;
  const data = (typeof event.data === 'object' ? event.data : null) as Record<string, unknown> | null;
  const item = data?.item_id ?? data?.output_index;
  return item === undefined ? [place] : [place, `${place} of ${JSON.stringify([item, data?.content_index])}`];
}
