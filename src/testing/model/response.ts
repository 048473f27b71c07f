import { randomBytes } from 'node:crypto';
import { isPlainObject, objectsOf, type PlainObject } from '../../core/shared/json.js';
import { type ResponsesRequest, toModelKind, toShownTools } from '../protocol/request.js';
import type { ScriptedItem, ScriptedOutput } from '../protocol/scripts.js';
import {
  type EmulatedResponse,
  type MessageContent,
  type OutputItem,
  type ResponseUsage,
  toConversationId,
} from '../protocol/wire.js';

export interface ResponseOptions extends Pick<ScriptedOutput, 'incomplete' | 'usage'> {
  readonly request: ResponsesRequest;
  /** Input tokens that an earlier request already contained. */
  readonly cachedTokens: number;
  /** Returns reasoning as plain text instead of summary and encrypted content. @default false */
  readonly hasPlainReasoning?: boolean;
  /** Reports a truncated response as completed. @default false */
  readonly hidesTruncation?: boolean;
}

/** Creates the response object from which both stream and body are derived. */
export function buildResponse(items: readonly ScriptedItem[], options: ResponseOptions): EmulatedResponse {
  const { request, cachedTokens, incomplete, usage, hidesTruncation = false } = options;
  const { output, isTruncated } = truncateOutput(
    items.map(item => toOutputItem(item, options)),
    request.maxOutputTokens,
    incomplete !== undefined,
  );
  const reason = incomplete ?? (isTruncated && !hidesTruncation ? 'max_output_tokens' : undefined);
  const reasoningTokens = output.filter(item => item.type === 'reasoning').length * reasoningTokensPerItem;
  const outputTokens = reasoningTokens + estimateTokens(output.map(toOutputText).join(''));
  const estimated = toUsage(estimateTokens(toPromptText(request)), {
    cachedTokens,
    outputTokens,
    reasoningTokens,
  });
  return {
    id: createId('resp'),
    createdAt: Math.floor(Date.now() / 1000),
    status: reason === undefined ? 'completed' : 'incomplete',
    output,
    usage: usage === undefined ? estimated : usage,
    incompleteReason: reason,
    echo: toEcho(request.body),
  };
}

/** Returns the text from which input tokens are estimated, in the order in which prompts are cached. */
export const toPromptText = (request: ResponsesRequest): string =>
  [request.body.tools && toShownTools(request.body.tools), request.body.instructions, request.shownItems]
    .map(part => JSON.stringify(part ?? ''))
    .join('');

export const toUsage = (
  inputTokens: number,
  options: { outputTokens: number; cachedTokens?: number; reasoningTokens?: number },
): ResponseUsage => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: options.cachedTokens ?? 0, cache_write_tokens: 0 },
  output_tokens: options.outputTokens,
  output_tokens_details: { reasoning_tokens: options.reasoningTokens ?? 0 },
  total_tokens: inputTokens + options.outputTokens,
});

/** Adds ids and status to a scripted item. */
function toOutputItem(item: ScriptedItem, options: ResponseOptions): OutputItem {
  if ('type' in item) return { type: 'raw', item };
  if ('text' in item || 'refusal' in item) {
    const part: MessageContent =
      'text' in item
        ? { type: 'output_text', text: item.text, annotations: [], logprobs: [] }
        : { type: 'refusal', refusal: item.refusal };
    return {
      id: createId('msg'),
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [part],
      ...('phase' in item && item.phase !== undefined && { phase: item.phase }),
    };
  }
  if ('reasoning' in item) {
    const texts = [item.reasoning].flat();
    const common = { id: createId('rs'), type: 'reasoning' } as const;
    if (options.hasPlainReasoning) {
      const content = texts.map(text => ({ type: 'reasoning_text', text }) as const);
      return { ...common, summary: [], content, encrypted_content: '' };
    }
    return {
      ...common,
      summary: texts.map(text => ({ type: 'summary_text', text })),
      ...(options.request.includesEncryptedContent && { encrypted_content: createEncryptedContent() }),
    };
  }
  const input = item.arguments ?? {};
  return {
    id: createId('fc'),
    type: 'function_call',
    status: 'completed',
    call_id: item.callId ?? createId('call'),
    name: item.call,
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
    ...(item.namespace !== undefined && { namespace: item.namespace }),
    ...(item.program !== undefined && { caller: { type: 'program', caller_id: item.program } }),
  };
}

/** Creates content that only the emulator can read, as the API encrypts reasoning and compactions. */
export const createEncryptedContent = (): string => `gAAAAA${randomBytes(96).toString('base64url')}`;

/**
 * Truncates the output after `maxTokens`. The truncated item is `incomplete`, and later items are omitted.
 * `truncatesLast` marks the last item as incomplete without shortening it.
 */
function truncateOutput(
  items: readonly OutputItem[],
  maxTokens: number | undefined,
  truncatesLast: boolean,
): { output: readonly OutputItem[]; isTruncated: boolean } {
  if (truncatesLast && items.length > 0) {
    return {
      output: [...items.slice(0, -1), ...items.slice(-1).map(item => truncateItem(item, Infinity))],
      isTruncated: true,
    };
  }
  if (truncatesLast || maxTokens === undefined) return { output: items, isTruncated: false };
  const output: OutputItem[] = [];
  let left = maxTokens * charactersPerToken;
  for (const item of items) {
    const length = lengthOf(item);
    if (length > left) {
      return { output: left > 0 ? [...output, truncateItem(item, left)] : output, isTruncated: true };
    }
    output.push(item);
    left -= length;
  }
  return { output, isTruncated: false };
}

const toText = (part: MessageContent): string => (part.type === 'refusal' ? part.refusal : part.text);

function lengthOf(item: OutputItem): number {
  if (item.type === 'message') return item.content.map(toText).join('').length;
  if (item.type === 'function_call') return item.arguments.length;
  return item.type === 'reasoning' ? reasoningTokensPerItem * charactersPerToken : 0;
}

function truncateItem(item: OutputItem, length: number): OutputItem {
  if (item.type === 'function_call') {
    return { ...item, status: 'incomplete', arguments: item.arguments.slice(0, length) };
  }
  if (item.type !== 'message') return item;
  const content = item.content.map(part =>
    part.type === 'refusal'
      ? { ...part, refusal: part.refusal.slice(0, length) }
      : { ...part, text: part.text.slice(0, length) },
  );
  return { ...item, status: 'incomplete', content };
}

/** Creates an id in the format of the API: a prefix for the kind, then hexadecimal digits. */
export const createId = (prefix: string): string =>
  `${prefix}_${randomBytes(prefix === 'call' ? 12 : 24).toString('hex')}`;

/** Approximate number of characters per token in English. */
export const charactersPerToken = 4;

/** Tokens of a reasoning item. OpenAI counts them in steps of 64. */
const reasoningTokensPerItem = 64;

/** Estimates a token count at four characters each, ignoring the content of embedded images and files. */
export const estimateTokens = (text: string): number =>
  Math.ceil(text.replace(/data:[\w.+/-]+;base64,[\w+/=]+/g, 'data:').length / charactersPerToken);

/** Returns the text of an item that counts as output. Reasoning is counted separately. */
function toOutputText(item: OutputItem): string {
  if (item.type === 'message') return item.content.map(toText).join('');
  if (item.type === 'function_call') return item.name + item.arguments;
  return item.type === 'raw' ? JSON.stringify(item.item) : '';
}

/** Returns the request fields that the response repeats, with the API's defaults for missing ones. */
function toEcho(body: PlainObject): PlainObject {
  const echoed = Object.entries(body).filter(
    ([name, value]) => name in echoDefaults && value !== undefined && value !== null,
  );
  const conversationId = toConversationId(body.conversation);
  return {
    ...echoDefaults,
    ...Object.fromEntries(echoed),
    ...(conversationId !== undefined && { conversation: { id: conversationId } }),
    model: body.model,
    reasoning: toReasoningEcho(body),
    text: toTextEcho(body.text),
    tools: objectsOf(body.tools).map(toToolEcho),
    frequency_penalty: 0,
    moderation: null,
    presence_penalty: 0,
    tool_usage: noToolUsage,
  };
}

function toReasoningEcho(body: PlainObject): PlainObject {
  const reasons = toModelKind(String(body.model)) === 'reasoning';
  return {
    effort: reasons ? 'medium' : null,
    summary: null,
    ...(isPlainObject(body.reasoning) && body.reasoning),
    ...(reasons && { context: 'current_turn', mode: 'standard' }),
  };
}

function toTextEcho(text: unknown): PlainObject {
  const { format, ...rest } = isPlainObject(text) ? text : {};
  const given: PlainObject = isPlainObject(format) ? format : { type: 'text' };
  const defaults = given.type === 'json_schema' && { description: null, strict: false };
  return { format: { ...defaults, ...given }, verbosity: 'medium', ...rest };
}

const toToolEcho = (tool: PlainObject): PlainObject =>
  tool.type === 'function' ? { description: null, parameters: null, strict: true, ...tool } : tool;

const noImageTokens = { image_tokens: 0, text_tokens: 0 };
const noToolUsage: PlainObject = {
  image_gen: {
    input_tokens: 0,
    input_tokens_details: noImageTokens,
    output_tokens: 0,
    output_tokens_details: noImageTokens,
    total_tokens: 0,
  },
  web_search: { num_requests: 0 },
};

// Fields and values that OpenAI returns for a request with `model` and `input` only.
const echoDefaults: PlainObject = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  model: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: 'in_memory',
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

/** Computes how much of a prompt is cached from the previous one. */
export interface PromptCache {
  /** Counts the cached tokens of a prompt and stores the prompt. */
  countCachedTokens(prompt: string, options: { model: string }): number;
}

// OpenAI caches prompts of at least 1024 tokens, in steps of 128, https://platform.openai.com/docs/guides/prompt-caching.
const minTokens = 1024;
const stepTokens = 128;

export function createPromptCache(): PromptCache {
  const lastPrompts = new Map<string, string>();
  return {
    countCachedTokens(prompt, options) {
      const shared = countShared(lastPrompts.get(options.model) ?? '', prompt) / charactersPerToken;
      lastPrompts.set(options.model, prompt);
      return shared < minTokens ? 0 : Math.floor(shared / stepTokens) * stepTokens;
    },
  };
}

/** Returns the number of characters at the beginning that both texts have. Compares blocks, because prompts are long. */
function countShared(before: string, now: string): number {
  let shared = 0;
  for (let end = Math.min(before.length, now.length); shared < end;) {
    const middle = Math.ceil((shared + end) / 2);
    if (now.startsWith(before.slice(shared, middle), shared)) shared = middle;
    else end = middle - 1;
  }
  return shared;
}
