import type { PlainObject } from '../shared/json.js';
import type { ScriptedItem } from './scripts.js';
import type { ResponsesRequest } from './request.js';
import type {
  EmulatedResponse,
  IncompleteReason,
  MessageContent,
  OutputItem,
  ResponseUsage,
} from './wire.js';
import { randomBytes } from 'node:crypto';

/** Makes the response object of an answer; a stream and a plain body are both made from it. */
export function buildResponse(
  answer: readonly ScriptedItem[],
  {
    request,
    cachedTokens,
    incomplete,
    usage,
    createCallId = () => createId('call'),
  }: {
    request: ResponsesRequest;
    /** Input tokens that an earlier request has brought, too. */
    cachedTokens: number;
    /** Why the answer is not whole; its last item is left unfinished. */
    incomplete?: IncompleteReason;
    /** Overrides the counted usage; `null` leaves it out. */
    usage?: ResponseUsage | null;
    /** Makes the ids of calls. @default as OpenAI makes them */
    createCallId?: () => string;
  },
): EmulatedResponse {
  const items = answer.map(item =>
    toOutputItem(item, { encrypt: request.includesEncryptedContent, createCallId }),
  );
  const { output, isTruncated } = truncateOutput(items, {
    maxTokens: incomplete === undefined ? request.maxOutputTokens : undefined,
    cutsLast: incomplete !== undefined,
  });
  const reason = incomplete ?? (isTruncated ? 'max_output_tokens' : undefined);
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

/** What the input tokens are counted from, in the order in which prompts are cached. */
export function toPromptText({ body, items }: ResponsesRequest): string {
  return [body.tools, body.instructions, items].map(part => JSON.stringify(part ?? '')).join('');
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

/** Completes a short item with ids and status. `encrypt` gives a reasoning item its encrypted content. */
export function toOutputItem(
  item: ScriptedItem,
  { encrypt, createCallId }: { encrypt: boolean; createCallId: () => string },
): OutputItem {
  if ('type' in item) return { type: 'raw', item };
  if ('text' in item) {
    return toMessage({ type: 'output_text', text: item.text, annotations: [], logprobs: [] });
  }
  if ('refusal' in item) return toMessage({ type: 'refusal', refusal: item.refusal });
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
  };
}

const toMessage = (part: MessageContent): OutputItem => ({
  id: createId('msg'),
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [part],
});

/**
 * Cuts the output where `maxTokens` are spent: the item in which that happens is left `incomplete`, what
 * would follow is missing. With `cutsLast` the last item is called incomplete as it stands.
 */
export function truncateOutput(
  items: readonly OutputItem[],
  { maxTokens, cutsLast }: { maxTokens?: number; cutsLast: boolean },
): { output: readonly OutputItem[]; isTruncated: boolean } {
  const last = items.at(-1);
  if (cutsLast && last !== undefined) {
    return { output: [...items.slice(0, -1), cutItem(last, Number.POSITIVE_INFINITY)], isTruncated: true };
  }
  if (maxTokens === undefined) return { output: items, isTruncated: false };

  const output: OutputItem[] = [];
  let left = maxTokens * charactersPerToken;
  for (const item of items) {
    const length = lengthOf(item);
    if (length > left)
      return { output: left > 0 ? [...output, cutItem(item, left)] : output, isTruncated: true };
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

function cutItem(item: OutputItem, length: number): OutputItem {
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

/** Cuts text before each word; joined, the pieces are the text again. */
export const toWords = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** Cuts arguments the way tokens do, regardless of words and quotes. */
export const toPieces = (text: string): string[] => text.match(/.{1,7}/gsu) ?? [];

/** A fresh id as the API makes them: a prefix that tells the kind, then hexadecimal digits. */
export function createId(prefix: 'resp' | 'msg' | 'rs' | 'fc' | 'call'): string {
  return `${prefix}_${randomBytes(prefix === 'call' ? 12 : 24).toString('hex')}`;
}

/** A fresh call id as Mistral's models make them. */
export const createMistralCallId = (): string =>
  Array.from(randomBytes(9), byte => alphanumerics[byte % alphanumerics.length]).join('');

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Characters that make a token, roughly, in English. */
export const charactersPerToken = 4;

/** What a reasoning item costs; OpenAI counts them in steps of 64. */
export const reasoningTokensPerItem = 64;

/** A rough token count: four characters each, whatever the size of embedded images and files. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.replace(/data:[\w.+/-]+;base64,[\w+/=]+/g, 'data:').length / charactersPerToken);
}

/** The part of an item that is counted as output. Reasoning is counted apart. */
export function toOutputText(item: OutputItem): string {
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

/** Fields of the request that the response repeats, with the API echoDefaults for missing ones. */
function toEcho(body: PlainObject): PlainObject {
  const echoed = Object.entries(body).filter(([name, value]) => name in echoDefaults && value !== undefined);
  return { ...echoDefaults, ...Object.fromEntries(echoed), model: body.model };
}

// Fields and values that OpenAI returns for a request with `model` and `input` only.
const echoDefaults: PlainObject = {
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
