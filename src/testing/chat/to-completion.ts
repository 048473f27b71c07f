import type { JsonObject } from '../json-object.js';
import type { EmulatedResponse, FunctionCallItem, ResponseUsage } from '../wire.js';

/** An answer in the parts that a chat completion has. */
export interface Completion {
  readonly id: string;
  readonly created: number;
  readonly model: unknown;
  readonly content: string;
  readonly refusal: string;
  readonly reasoning: string;
  readonly calls: readonly FunctionCallItem[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly usage: JsonObject | undefined;
}

/** Puts the output items of an answer together; a chat completion has one message. */
export function toCompletion(response: EmulatedResponse): Completion {
  const { id, createdAt, echo, output, usage } = response;
  const messages = output.flatMap(item => (item.type === 'message' ? item.content : []));
  const calls = output.flatMap(item => (item.type === 'function_call' ? [item] : []));
  return {
    id: id.replace(/^resp_/, 'chatcmpl-'),
    created: createdAt,
    model: echo.model,
    content: messages.flatMap(part => (part.type === 'output_text' ? [part.text] : [])).join('\n'),
    refusal: messages.flatMap(part => (part.type === 'refusal' ? [part.refusal] : [])).join('\n'),
    reasoning: output
      .flatMap(item => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : []))
      .join('\n\n'),
    calls,
    finishReason: toFinishReason(response, calls),
    usage: usage === null ? undefined : toUsage(usage),
  };
}

function toFinishReason(
  { incompleteReason }: EmulatedResponse,
  calls: readonly FunctionCallItem[],
): Completion['finishReason'] {
  if (incompleteReason === 'content_filter') return 'content_filter';
  if (incompleteReason === 'max_output_tokens') return 'length';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

const toUsage = (usage: ResponseUsage): JsonObject => ({
  prompt_tokens: usage.input_tokens,
  completion_tokens: usage.output_tokens,
  total_tokens: usage.total_tokens,
  ...(usage.input_tokens_details && { prompt_tokens_details: usage.input_tokens_details }),
  ...(usage.output_tokens_details && { completion_tokens_details: usage.output_tokens_details }),
});
