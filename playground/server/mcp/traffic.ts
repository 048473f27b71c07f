import { randomUUID } from 'node:crypto';
import type { Handshake, InspectedLine, InspectedMessage } from '../../shared/mcp-inspection.js';
import type { Redactor } from '../redaction/redactor.js';

/** The messages and the standard error of one server, numbered together in the order of their arrival. */
export interface Traffic {
  /** The number of the newest message or line, 0 if there is none. */
  readonly last: number;
  /** The first exchange of the newest connection. */
  readonly handshake: Handshake | undefined;
  addMessage(message: Omit<InspectedMessage, 'number'>): void;
  addLine(text: string): void;
  /** Returns what is newer than a number. */
  since(after: number): {
    readonly messages: readonly InspectedMessage[];
    readonly stderr: readonly InspectedLine[];
  };
  /** Returns the result that the server sent for the last call of a tool after a number, with its `_meta`. */
  findResult(toolName: string, options: { after: number }): unknown;
}

const MAX_MESSAGES = 300;
const MAX_LINES = 1000;

/** Characters of all messages, and of all lines, that are kept. */
const MAX_CHARACTERS = 4_000_000;

/** The fields of a JSON-RPC message that matter here. */
interface Body {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
  readonly result?: unknown;
}

export function createTraffic(): Traffic {
  const messages = createBuffer<InspectedMessage>({ maxEntries: MAX_MESSAGES });
  const lines = createBuffer<InspectedLine>({ maxEntries: MAX_LINES });
  let last = 0;
  let greeting: { readonly id: Body['id']; readonly method: string } | undefined;
  let handshake: Handshake | undefined;

  function readHandshake(direction: InspectedMessage['direction'], { id, method, result }: Body): void {
    if (direction === 'sent' && (method === 'initialize' || method === 'server/discover')) {
      greeting = { id, method };
    } else if (
      greeting !== undefined &&
      direction === 'received' &&
      greeting.id === id &&
      result !== undefined
    ) {
      handshake = { method: greeting.method, result };
      greeting = undefined;
    }
  }

  return {
    get last() {
      return last;
    },
    get handshake() {
      return handshake;
    },
    addMessage({ direction, time, message }) {
      messages.add({ number: ++last, direction, time, message }, JSON.stringify(message).length);
      readHandshake(direction, message as Body);
    },
    addLine(text) {
      lines.add({ number: ++last, time: Date.now(), text }, text.length);
    },
    since: after => ({ messages: messages.since(after), stderr: lines.since(after) }),
    findResult(toolName, { after }) {
      const bodies = messages
        .since(after)
        .map(({ direction, message }) => ({ direction, ...(message as Body) }));
      const request = bodies.findLast(
        ({ method, params }) => method === 'tools/call' && params?.name === toolName,
      );
      if (request === undefined) return undefined;
      // Both sides count their requests, so a response to the server can have the same id.
      return bodies.findLast(
        ({ direction, id, result }) => direction === 'received' && id === request.id && result !== undefined,
      )?.result;
    },
  };
}

/** Keeps the newest entries within both limits. */
function createBuffer<Entry extends { readonly number: number }>({ maxEntries }: { maxEntries: number }) {
  const entries: { readonly entry: Entry; readonly size: number }[] = [];
  let total = 0;
  return {
    add(entry: Entry, size: number): void {
      entries.push({ entry, size });
      total += size;
      while (entries.length > maxEntries || (total > MAX_CHARACTERS && entries.length > 1))
        total -= entries.shift()?.size ?? 0;
    },
    since: (number: number): Entry[] =>
      entries.map(({ entry }) => entry).filter(entry => entry.number > number),
  };
}

/** Images, audio and files in base64. Shorter texts are searched for secrets. */
const BINARY = /^[A-Za-z0-9+/_-]{256,}={0,2}$/;

/**
 * Redacts what a server has sent, for display. The content of images, audio and files is left as it is: a rule that matches
 * by chance would destroy it.
 */
export function redactForDisplay<Value>(value: Value, redactor: Pick<Redactor, 'json'>): Value {
  const prefix = `binary-${randomUUID()}-`;
  const binary: string[] = [];
  const text = JSON.stringify(value, (name, field: unknown) =>
    (name === 'data' || name === 'blob') && typeof field === 'string' && BINARY.test(field)
      ? `${prefix}${binary.push(field) - 1}`
      : field,
  );
  const redacted = redactor.json(JSON.parse(text) as Value);
  if (binary.length === 0) return redacted;
  return JSON.parse(JSON.stringify(redacted), (_name, field: unknown) =>
    typeof field === 'string' && field.startsWith(prefix)
      ? binary[Number(field.slice(prefix.length))]
      : field,
  ) as Value;
}
