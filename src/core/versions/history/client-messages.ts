import { InvalidArgumentError } from '@ai-sdk/provider';
import { isPlainObject, type PlainObject } from '../../shared/json.js';
import { CARRIERS } from './facts.js';

/** A message of a user interface, of any major of `ai`. */
export interface ClientMessage {
  readonly role: string;
  readonly parts: readonly object[];
}

/** Options of `readClientMessages`. */
export interface ReadClientMessagesOptions {
  /**
   * Further fields of metadata that stay, by provider, for models of other packages that read them back, for example
   * `{ anthropic: ['signature', 'redactedData'], google: ['thoughtSignature'] }`. A client may have changed them.
   * @default none
   */
  readonly keep?: Readonly<Record<string, readonly string[]>>;
}

/** Fields that models of OpenAI read back: ids, encrypted contents, and what the API requires to recognize a call. */
const OPENAI = [
  'itemId',
  'type',
  'reasoningEncryptedContent',
  'encryptedContent',
  'phase',
  'namespace',
  'caller',
  'async',
  'approvalRequestId',
];

const KEPT: Readonly<Record<string, readonly string[]>> = {
  openai: OPENAI,
  azure: OPENAI,
  kelivo: [...Object.keys(CARRIERS), 'mac'],
};

/**
 * Returns the messages of a chat page that a route may pass to `convertToModelMessages`. A client can send any messages, so
 * system messages are left out, and of the metadata only what this package signs and what models of OpenAI read back stays.
 * The facts of this package are verified when a model receives them. Texts, files, calls and their results stay: they are
 * the client's word. It is safer to take only the newest message from the client, and the others from a store.
 *
 * @example
 * ```ts
 * const { messages } = await request.json();
 * const result = streamText({ model, messages: await convertToModelMessages(readClientMessages<UIMessage>(messages)) });
 * ```
 *
 * @throws InvalidArgumentError for anything but an array of messages with parts.
 */
export function readClientMessages<Message extends ClientMessage>(
  messages: readonly Message[],
  { keep = {} }: ReadClientMessagesOptions = {},
): Message[] {
  const given: unknown = messages;
  if (!Array.isArray(given) || !given.every(isMessage)) {
    throw new InvalidArgumentError({
      argument: 'messages',
      message:
        'Expected an array of messages with `role` and `parts`, as `useChat` sends them, got something else. Answer such a ' +
        'request with the status 400.',
    });
  }
  const kept = new Map(
    [...new Set([...Object.keys(KEPT), ...Object.keys(keep)])].map(name => [
      name,
      new Set([...(KEPT[name] ?? []), ...(keep[name] ?? [])]),
    ]),
  );
  return messages
    .filter(message => message.role === 'user' || message.role === 'assistant')
    .map(message => ({
      ...message,
      parts: message.parts.map(part => clean({ ...part }, message.role === 'user' ? NOTHING : kept)),
    }));
}

const NOTHING: ReadonlyMap<string, ReadonlySet<string>> = new Map();

const isMessage = (value: unknown): boolean =>
  isPlainObject(value) &&
  typeof value.role === 'string' &&
  Array.isArray(value.parts) &&
  value.parts.every(isPlainObject);

/** The metadata of a part, of a call and of its result. The options of a part are never the client's to set. */
const METADATA = ['providerMetadata', 'callProviderMetadata', 'resultProviderMetadata'];

function clean(
  { providerOptions: _, ...part }: PlainObject,
  kept: ReadonlyMap<string, ReadonlySet<string>>,
): PlainObject {
  if (!METADATA.some(name => name in part)) return part;
  const entries = Object.entries(part).flatMap(([name, value]): [string, unknown][] => {
    if (!METADATA.includes(name)) return [[name, value]];
    const metadata = isPlainObject(value) ? pick(value, kept) : {};
    return Object.keys(metadata).length > 0 ? [[name, metadata]] : [];
  });
  return Object.fromEntries(entries);
}

function pick(metadata: PlainObject, kept: ReadonlyMap<string, ReadonlySet<string>>): PlainObject {
  const entries = Object.entries(metadata).flatMap(([provider, fields]): [string, PlainObject][] => {
    const names = kept.get(provider);
    if (names === undefined || !isPlainObject(fields)) return [];
    const left = Object.entries(fields).filter(([name]) => names.has(name));
    return left.length > 0 ? [[provider, Object.fromEntries(left)]] : [];
  });
  return Object.fromEntries(entries);
}
