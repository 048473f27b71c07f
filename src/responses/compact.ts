import {
  APICallError,
  InvalidArgumentError,
  type LanguageModelV2CallWarning,
  type LanguageModelV2Message,
  type LanguageModelV2Prompt,
  type LanguageModelV2Usage,
  type SharedV2ProviderOptions,
} from '@ai-sdk/provider';
import { RETRYABLE } from '../http/retry.js';
import { requestJson } from '../http/request-json.js';
import { asWindow, withOpaqueItem } from '../parts/opaque-items.js';
import { idOf, objectOf, objectsOf, type PlainObject, stringOf } from '../shared/json.js';
import { sendWithFallbacks } from './compatibility/send-with-fallbacks.js';
import type { ResponsesModelConfig } from './model.js';
import { buildRequest } from './request/build-request.js';
import { toUsage, toV2Usage } from './stream/finish.js';
import type { ResponsesRequestBody } from './wire.js';

/** A message of the AI SDK (`ModelMessage`), or of a prompt of its model interface. */
export interface CompactMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Text or parts. */
  readonly content: unknown;
  readonly providerOptions?: SharedV2ProviderOptions | undefined;
}

/** The conversation that `compact` shortens. */
export interface CompactOptions<Message extends CompactMessage = CompactMessage> {
  /** The messages of the conversation. */
  messages: readonly Message[];
  /** Options of the call, as for language models. Those that the API does not have for a compaction have no effect. */
  providerOptions?: SharedV2ProviderOptions;
  /** Additional headers. */
  headers?: Record<string, string | undefined>;
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
  readonly usage: LanguageModelV2Usage;
  readonly warnings: LanguageModelV2CallWarning[];
  readonly response: {
    readonly id?: string;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  };
}

/** Settings of the model that compacts. `url` is the address of `…/responses/compact`. */
type CompactConfig = Omit<ResponsesModelConfig, 'generateId'>;

/** The fields of a request that `POST …/responses/compact` has. */
const FIELDS: readonly (keyof ResponsesRequestBody)[] = [
  ...(['model', 'input', 'instructions', 'previous_response_id', 'image', 'service_tier'] as const),
  ...(['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'] as const),
];

/**
 * Replaces a conversation by a shorter one.
 *
 * https://platform.openai.com/docs/api-reference/responses/compact
 */
export async function compactConversation(
  modelId: string,
  { messages, providerOptions, headers, abortSignal }: CompactOptions,
  config: CompactConfig,
): Promise<CompactResult> {
  const { url, needsKey, fetchFor, timeouts, override, learnedCompatibility, credentials } = config;
  const prompt = messages.map(toPromptMessage);
  const context = { ...config, modelId, stream: false, providerName: config.provider };
  const { body: built, warnings } = buildRequest({ prompt, providerOptions }, context);
  const { opened, warnings: omitted } = await credentials.use(undefined, keyHeaders =>
    sendWithFallbacks(built, {
      post: body =>
        requestJson({
          ...{ url, needsKey, headers: [keyHeaders, override.headers, headers] },
          body: Object.fromEntries(FIELDS.flatMap(name => (name in body ? [[name, body[name]]] : []))),
          fetch: fetchFor(providerOptions, warning => warnings.push(warning)),
          signal: abortSignal,
          timeouts: { total: timeouts.total },
        }),
      compatibility: override.compatibility,
      learned: learnedCompatibility,
    }),
  );
  const { body, headers: responseHeaders } = opened;
  const { id, output, usage } = objectOf(body) ?? {};
  const items = objectsOf(output);
  if (!items.some(({ type }) => type === 'compaction')) {
    throw new APICallError({
      message: `Expected a conversation with a compaction item from ${url}, got none. Check that the server supports \`POST …/responses/compact\`.`,
      ...{ url, requestBodyValues: undefined, responseHeaders, isRetryable: RETRYABLE.unexpectedResponse },
    });
  }
  const responseId = idOf(id);
  return {
    messages: [...prompt.filter(({ role }) => role === 'system'), ...items.map(toMessage)],
    usage: toV2Usage(toUsage(usage)),
    warnings: [...warnings, ...omitted],
    response: { ...(responseId !== undefined && { id: responseId }), headers: responseHeaders, body },
  };
}

/** Converts a message of the AI SDK, which may have text in place of parts, to one of a prompt. */
function toPromptMessage({ role, content, providerOptions }: CompactMessage): LanguageModelV2Prompt[number] {
  if (!['system', 'user', 'assistant', 'tool'].includes(role)) {
    throw new InvalidArgumentError({
      argument: 'messages',
      message: `Expected messages with the role system, user, assistant or tool, got ${JSON.stringify(role)}. Pass the messages of the AI SDK, for example the result of \`convertToModelMessages\`.`,
    });
  }
  const isText = typeof content === 'string';
  const parts = isText ? [{ type: 'text', text: content }] : objectsOf(content).map(toPromptPart);
  const message: unknown = {
    ...{ role, content: role === 'system' ? content : parts },
    ...(providerOptions !== undefined && { providerOptions }),
  };
  return message as LanguageModelV2Message;
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
function toMessage(item: PlainObject): CompactMessage {
  if (item.type === 'message' && item.role === 'user') {
    const content =
      typeof item.content === 'string'
        ? [{ type: 'input_text', text: item.content }]
        : objectsOf(item.content);
    const parts = content.map(toUserPart);
    if (parts.every(part => part !== undefined)) return { role: 'user', content: parts };
  }
  const carrier = withOpaqueItem(item);
  const providerOptions = item.type === 'compaction' ? asWindow(carrier) : carrier;
  return { role: 'assistant', content: [{ type: 'reasoning', text: '', providerOptions }] };
}

function toUserPart({ type, text, image_url: image, detail }: PlainObject): PlainObject | undefined {
  if (type === 'input_text') return { type: 'text', text: stringOf(text) };
  const isDefault = detail === undefined || detail === null || detail === 'auto';
  return type === 'input_image' && typeof image === 'string' && isDefault
    ? { type: 'image', image }
    : undefined;
}
