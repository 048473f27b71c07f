import type { AnswerItem } from './answers.js';
import { createId } from './create-id.js';
import { estimateTokens, reasoningTokensPerItem, toOutputText } from './estimate-tokens.js';
import { toOutputItem } from './to-output-item.js';
import type { ResponsesRequest } from './to-request.js';
import { toEcho } from './to-wire-response.js';
import { truncateOutput } from './truncate-output.js';
import type { EmulatedResponse, IncompleteReason, ResponseUsage } from './wire.js';

/** Makes the response object of an answer; a stream and a plain body are both made from it. */
export function buildResponse(
  answer: readonly AnswerItem[],
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
