import type { PlainObject } from '../shared/json.js';
import type { ScriptedItem } from './scripts.js';
import type { ResponsesRequest } from './request.js';
import type {
  EmulatedResponse,
  IncompleteReason,
  MessageContent,
  MessageItem,
  OutputItem,
  ResponseUsage,
} from './wire.js';
import { randomBytes } from 'node:crypto';

/** Creates the response object from which both stream and body are derived. */
export function buildResponse(
  items: readonly ScriptedItem[],
  {
    request,
    cachedTokens,
    incomplete,
    usage,
    createCallId = () => createId('call'),
    hasPlainReasoning = false,
    hidesTruncation = false,
  }: {
    request: ResponsesRequest;
    /** Input tokens that an earlier request already contained. */
    cachedTokens: number;
    /** Marks the response as incomplete and leaves its last item unfinished. */
    incomplete?: IncompleteReason;
    /** Overrides the estimated usage; `null` omits it. */
    usage?: ResponseUsage | null;
    /** Creates call ids. @default ids in OpenAI's format */
    createCallId?: () => string;
    /** Returns reasoning as plain text instead of summary and encrypted content. @default false */
    hasPlainReasoning?: boolean;
    /** Reports a truncated response as completed. @default false */
    hidesTruncation?: boolean;
  },
): EmulatedResponse {
  const outputItems = items.map(item =>
    toOutputItem(item, { encrypt: request.includesEncryptedContent, hasPlainReasoning, createCallId }),
  );
  const { output, isTruncated } = truncateOutput(outputItems, {
    maxTokens: incomplete === undefined ? request.maxOutputTokens : undefined,
    truncatesLast: incomplete !== undefined,
  });
  const isReported = isTruncated && !hidesTruncation;
  const reason = incomplete ?? (isReported ? 'max_output_tokens' : undefined);
  const reasoningTokens = output.filter(({ type }) => type === 'reasoning').length * reasoningTokensPerItem;
  const counted = {
    inputTokens: estimateTokens(toPromptText(request)),
    cachedTokens,
    outputTokens: reasoningTokens + estimateTokens(output.map(toOutputText).join('')),
    reasoningTokens,
  };
  return {
    id: createId('resp'),
    createdAt: Math.floor(Date.now() / 1000),
    status: reason === undefined ? 'completed' : 'incomplete',
    output,
    usage: usage === undefined ? toUsage(counted) : usage,
    incompleteReason: reason,
    echo: toEcho(request.body),
  };
}

/** Returns the text from which input tokens are estimated, in the order in which prompts are cached. */
export function toPromptText({ body, shownItems }: ResponsesRequest): string {
  return [body.tools, body.instructions, shownItems].map(part => JSON.stringify(part ?? '')).join('');
}

const toUsage = (counts: {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
}): ResponseUsage => ({
  input_tokens: counts.inputTokens,
  input_tokens_details: { cached_tokens: counts.cachedTokens },
  output_tokens: counts.outputTokens,
  output_tokens_details: { reasoning_tokens: counts.reasoningTokens },
  total_tokens: counts.inputTokens + counts.outputTokens,
});

/** Adds ids and status to a scripted item. `encrypt` adds encrypted content to reasoning items. */
function toOutputItem(
  item: ScriptedItem,
  {
    encrypt,
    hasPlainReasoning,
    createCallId,
  }: { encrypt: boolean; hasPlainReasoning: boolean; createCallId: () => string },
): OutputItem {
  if ('type' in item) return { type: 'raw', item };
  if ('text' in item) {
    const part = { type: 'output_text', text: item.text, annotations: [], logprobs: [] } as const;
    return { ...toMessage(part), ...(item.phase !== undefined && { phase: item.phase }) };
  }
  if ('refusal' in item) return toMessage({ type: 'refusal', refusal: item.refusal });
  if ('reasoning' in item && hasPlainReasoning) {
    const content = [item.reasoning].flat().map(text => ({ type: 'reasoning_text', text }) as const);
    return { id: createId('rs'), type: 'reasoning', summary: [], content, encrypted_content: '' };
  }
  if ('reasoning' in item) {
    return {
      id: createId('rs'),
      type: 'reasoning',
      summary: [item.reasoning].flat().map(text => ({ type: 'summary_text', text })),
      ...(encrypt && { encrypted_content: `gAAAAA${randomBytes(96).toString('base64url')}` }),
    };
  }
  const input = item.arguments ?? {};
  return {
    id: createId('fc'),
    type: 'function_call',
    status: 'completed',
    call_id: item.callId ?? createCallId(),
    name: item.call,
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
    ...(item.namespace !== undefined && { namespace: item.namespace }),
    ...(item.program !== undefined && { caller: { type: 'program', caller_id: item.program } }),
  };
}

const toMessage = (part: MessageContent): MessageItem => ({
  id: createId('msg'),
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [part],
});

/**
 * Truncates the output after `maxTokens`. The truncated item is `incomplete`, and later items are omitted.
 * `truncatesLast` marks the last item as incomplete without shortening it.
 */
function truncateOutput(
  items: readonly OutputItem[],
  { maxTokens, truncatesLast }: { maxTokens?: number; truncatesLast: boolean },
): { output: readonly OutputItem[]; isTruncated: boolean } {
  const last = items.at(-1);
  if (truncatesLast && last !== undefined) {
    return {
      output: [...items.slice(0, -1), truncateItem(last, Number.POSITIVE_INFINITY)],
      isTruncated: true,
    };
  }
  if (maxTokens === undefined) return { output: items, isTruncated: false };

  const output: OutputItem[] = [];
  let left = maxTokens * charactersPerToken;
  for (const item of items) {
    const length = lengthOf(item);
    if (length > left)
      return { output: left > 0 ? [...output, truncateItem(item, left)] : output, isTruncated: true };
    output.push(item);
    left -= length;
  }
  return { output, isTruncated: false };
}

function lengthOf(item: OutputItem): number {
  switch (item.type) {
    case 'message':
      return item.content.reduce(
        (sum, part) => sum + (part.type === 'refusal' ? part.refusal : part.text).length,
        0,
      );
    case 'function_call':
      return item.arguments.length;
    case 'reasoning':
      return reasoningTokensPerItem * charactersPerToken;
    case 'raw':
      return 0;
  }
}

function truncateItem(item: OutputItem, length: number): OutputItem {
  switch (item.type) {
    case 'message':
      return {
        ...item,
        status: 'incomplete',
        content: item.content.map(part =>
          part.type === 'refusal'
            ? { ...part, refusal: part.refusal.slice(0, length) }
            : { ...part, text: part.text.slice(0, length) },
        ),
      };
    case 'function_call':
      return { ...item, status: 'incomplete', arguments: item.arguments.slice(0, length) };
    default:
      return item;
  }
}

/** Splits text before each word. The joined chunks equal the text. */
export const toWords = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** Splits arguments into chunks the size of tokens, regardless of words and quotes. */
export const toChunks = (text: string): string[] => text.match(/.{1,7}/gsu) ?? [];

/** Creates an id in the format of the API: a prefix for the kind, then hexadecimal digits. */
export function createId(prefix: string): string {
  return `${prefix}_${randomBytes(prefix === 'call' ? 12 : 24).toString('hex')}`;
}

/** Creates a call id in the format of Mistral's models: nine letters and digits. */
export const createMistralCallId = (): string =>
  Array.from(randomBytes(9), byte => alphanumerics[byte % alphanumerics.length]).join('');

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Approximate number of characters per token in English. */
export const charactersPerToken = 4;

/** Tokens of a reasoning item. OpenAI counts them in steps of 64. */
const reasoningTokensPerItem = 64;

/** Estimates a token count at four characters each, ignoring the content of embedded images and files. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.replace(/data:[\w.+/-]+;base64,[\w+/=]+/g, 'data:').length / charactersPerToken);
}

/** Returns the text of an item that counts as output. Reasoning is counted separately. */
function toOutputText(item: OutputItem): string {
  switch (item.type) {
    case 'message':
      return item.content.map(part => (part.type === 'refusal' ? part.refusal : part.text)).join('');
    case 'function_call':
      return item.name + item.arguments;
    case 'reasoning':
      return '';
    case 'raw':
      return JSON.stringify(item.item);
  }
}

/** Returns the request fields that the response repeats, with the API's defaults for missing ones. */
function toEcho(body: PlainObject): PlainObject {
  const echoed = Object.entries(body).filter(([name, value]) => name in echoDefaults && value !== undefined);
  return { ...echoDefaults, ...Object.fromEntries(echoed), model: body.model };
}

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
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};
