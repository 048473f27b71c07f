import { InvalidArgumentError } from '@ai-sdk/provider';
import type { ProviderOptions } from '../core/prompt.js';
import { withoutOutputFields } from '../core/custom.js';
import type { SigningKeys } from '../core/shared/signing.js';
import {
  idOf,
  type JSONObject,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
} from '../core/shared/json.js';
import { toCarrier } from '../core/versions/history/facts.js';
import type { HostMessage } from '../core/versions/history/hidden-calls.js';
import { signMessages } from '../core/versions/history/signatures.js';
import { VERSION_OF_MAJOR } from '../core/versions/provider.js';
import { readCall } from '../core/versions/read.js';
import type { LanguageModels } from '../core/versions/specification.js';
import { VERSIONS } from '../core/versions/versions.js';
import type { CoreCall } from '../core/call.js';
import type { Usage, Warning } from '../core/part.js';
import { createCallError } from '../core/http/api-error.js';
import { requestJson } from '../core/http/request-json.js';
import type { ResponsesModelConfig } from '../responses/config.js';
import { Exchange, runHandlers } from '../responses/exchange.js';
import { COMPACTION_HANDLERS } from '../responses/handlers.js';
import { toUsage } from '../responses/stream/event-handlers.js';

/** A message of the AI SDK (`ModelMessage`), or of a prompt of its model interface. */
export interface CompactMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Text or parts. */
  readonly content: unknown;
  readonly providerOptions?: Readonly<Record<string, object>> | undefined;
}

/** The conversation that `compact` shortens. */
export interface CompactOptions<Message extends CompactMessage = CompactMessage> {
  /** The messages of the conversation. */
  messages: readonly Message[];
  /** Options of the call, as for language models. Those that the API does not have for a compaction have no effect. */
  providerOptions?: ProviderOptions;
  /** Aborts the request. */
  abortSignal?: AbortSignal;
}

/** A compacted conversation. */
export interface CompactResult<Message extends CompactMessage = CompactMessage> {
  /**
   * The messages that replace the conversation: its system messages, its messages of the user, and one item that only the
   * model can read, in an empty reasoning part. Use all of them, and append what follows.
   */
  readonly messages: Message[];
  readonly usage: Generated['usage'];
  readonly warnings: Generated['warnings'];
  readonly response: {
    readonly id?: string;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  };
}

/** The result has the shape of version 2 for all versions. */
type Generated = Awaited<ReturnType<LanguageModels[(typeof VERSION_OF_MAJOR)[5]]['doGenerate']>>;

/**
 * Replaces a conversation of a host by a shorter one.
 *
 * @param config The settings of the model that compacts. `url` is the address of `…/responses/compact`.
 * @param keys The keys that sign the conversation. Undefined for an own store.
 */
export async function compactMessages<Message extends CompactMessage>(
  { messages, providerOptions, abortSignal }: CompactOptions<Message>,
  config: ResponsesModelConfig,
  keys: SigningKeys | undefined,
): Promise<CompactResult<Message>> {
  const hostPrompt = messages.map(toPromptMessage);
  const signature = { keys, scope: providerOptions?.kelivo?.scope };
  const {
    prompt,
    own,
    providerOptions: others,
    ...read
  } = readCall({ prompt: hostPrompt, providerOptions }, signature);
  const call = { prompt, own, providerOptions: others, abortSignal };
  const { items, usage, warnings, response } = await compactConversation(call, config);
  const { writeUsage, writeWarning } = VERSIONS[VERSION_OF_MAJOR[5]];
  const compacted = [
    ...hostPrompt.filter(message => message.role === 'system'),
    ...signMessages(items.map(toMessage), signature),
  ];
  const historyWarnings = read.warnings.map((message): Warning => ({ type: 'other', message }));
  return {
    // The messages have the types of the AI SDK, of which this package writes what it knows.
    messages: compacted as CompactMessage[] as Message[],
    usage: writeUsage(usage) as Generated['usage'],
    warnings: [...historyWarnings, ...warnings].map(writeWarning) as Generated['warnings'],
    response,
  };
}

/** Converts a message of the AI SDK, which may have text in place of parts, to one of a prompt. */
function toPromptMessage({ role, content, providerOptions }: CompactMessage): HostMessage & CompactMessage {
  if (!['system', 'user', 'assistant', 'tool'].includes(role)) {
    throw new InvalidArgumentError({
      argument: 'messages',
      message: `Expected messages with the role system, user, assistant or tool, got ${JSON.stringify(role)}. Pass the messages of the AI SDK, for example the result of \`convertToModelMessages\`.`,
    });
  }
  const isText = typeof content === 'string';
  const parts = isText ? [{ type: 'text', text: content }] : objectsOf(content).map(toPromptPart);
  return {
    role,
    content: role === 'system' ? stringOf(content) : parts,
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

/** Converts the images and files of the AI SDK, which may be the text of an address. */
function toPromptPart(part: PlainObject): PlainObject {
  if (part.type !== 'image' && part.type !== 'file') return part;
  const { image, data = image, mediaType = 'image/*', ...rest } = part;
  const [, type, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(String(data)) ?? [];
  if (base64 !== undefined) return { ...rest, type: 'file', mediaType: type, data: base64 };
  const isUrl = typeof data === 'string' && /^https?:/.test(data);
  return { ...rest, type: 'file', mediaType, data: isUrl ? new URL(data) : data };
}

/** Converts an item. Those that no message can express are carried unchanged. */
function toMessage(item: PlainObject): HostMessage & CompactMessage {
  if (item.type === 'message' && item.role === 'user') {
    const content =
      typeof item.content === 'string'
        ? [{ type: 'input_text', text: item.content }]
        : objectsOf(item.content);
    const parts = content.map(toUserPart);
    if (parts.every(part => part !== undefined)) return { role: 'user', content: parts };
  }
  const providerOptions = toCarrier({
    kind: stringOf(item.type),
    metadata: undefined,
    own: item.type === 'compaction' ? { isWindow: true } : undefined,
    item: withoutOutputFields(item) as JSONObject,
  });
  return { role: 'assistant', content: [{ type: 'reasoning', text: '', providerOptions }] };
}

function toUserPart(value: PlainObject): PlainObject | undefined {
  if (value.type === 'input_text') return { type: 'text', text: stringOf(value.text) };
  const isDefault = value.detail === undefined || value.detail === null || value.detail === 'auto';
  return value.type === 'input_image' && typeof value.image_url === 'string' && isDefault
    ? { type: 'image', image: value.image_url }
    : undefined;
}

interface CompactedConversation {
  /** The output items that replace the conversation, without its system messages. */
  readonly items: readonly PlainObject[];
  readonly usage: Usage;
  readonly warnings: readonly Warning[];
  readonly response: {
    readonly id?: string;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  };
}

/** The fields of a request that `POST …/responses/compact` has. */
const FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'image',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
]);

/**
 * Leaves out the option `conversation`, which the API does not have for a compaction. With it, a request would contain only the
 * messages that the conversation on the server lacks, and the others would be lost.
 */
function withoutConversation<Call extends Pick<CoreCall, 'own' | 'providerOptions'>>(
  call: Call,
): { call: Call; hasConversation: boolean } {
  const namespaces = Object.entries(call.providerOptions ?? {});
  const hasConversation = [call.own, ...namespaces.map(([, options]) => options)].some(
    options => options.conversation != null,
  );
  if (!hasConversation) return { call, hasConversation };
  const { conversation: _, ...own } = call.own;
  const providerOptions = Object.fromEntries(
    namespaces.map(([name, { conversation: _conversation, ...options }]) => [name, options]),
  );
  return { call: { ...call, own, providerOptions }, hasConversation };
}

/**
 * Replaces a conversation by a shorter one.
 *
 * https://platform.openai.com/docs/api-reference/responses/compact
 */
async function compactConversation(
  sent: Pick<CoreCall, 'prompt' | 'own' | 'providerOptions' | 'abortSignal'>,
  config: ResponsesModelConfig,
): Promise<CompactedConversation> {
  const { call, hasConversation } = withoutConversation(sent);
  const exchange = new Exchange({ ...call, isStream: false }, config);
  if (hasConversation) {
    exchange.warn({
      type: 'other',
      message:
        'The option `conversation` has no effect on a compaction: all messages of the call are compacted, and the conversation on the server stays as it is. Remove it.',
    });
  }
  const { body, headers: responseHeaders } = await runHandlers(exchange, COMPACTION_HANDLERS, () =>
    requestJson({
      ...exchange.toTransportRequest(),
      headers: exchange.headerSets,
      body: Object.fromEntries(Object.entries(exchange.body).filter(([name]) => FIELDS.has(name))),
      timeouts: { total: config.timeouts.total },
    }),
  );
  const { id, output, usage } = objectOf(body) ?? {};
  const items = objectsOf(output);
  if (!items.some(item => item.type === 'compaction')) {
    throw createCallError(
      'unexpectedResponse',
      { url: config.url, responseHeaders },
      `Expected a conversation with a compaction item from ${config.url}, got none. Check that the server supports \`POST …/responses/compact\`.`,
    );
  }
  const responseId = idOf(id);
  return {
    items,
    usage: toUsage(usage),
    warnings: exchange.warnings(),
    response: { ...(responseId !== undefined && { id: responseId }), headers: responseHeaders, body },
  };
}
