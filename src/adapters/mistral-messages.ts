import type { LanguageModelV2Middleware, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { isContinuation } from '../tool-calls/call-pairing.js';
import { pairToolCalls } from '../tool-calls/call-pairing.js';
import type { MistralOptions } from './mistral/mistral-options.js';
import { withBridges } from './mistral/with-bridges.js';
import { withContinuation } from './mistral/with-continuation.js';
import { withMergedNeighbours } from './mistral/with-merged-neighbours.js';
import { withoutEmptyMessages } from './mistral/without-empty-messages.js';
import { withSystemFirst } from './mistral/with-system-first.js';
import { withTextApart } from './mistral/with-text-apart.js';

/**
 * Puts messages into an order that Mistral takes: the rules of mistral-common, protocol/instruct/validator.py. Where the
 * server keeps the conversation, only a piece of it is at hand, and it is left as it is.
 */
export const messageOrderMiddleware = (options: MistralOptions): LanguageModelV2Middleware => ({
  middlewareVersion: 'v2',
  transformParams: async ({ params, model: { provider } }) =>
    isContinuation(params) ? params : { ...params, prompt: repair(params.prompt, { ...options, provider }) },
});

/** Each repair counts on what the ones before it have done. */
function repair(
  prompt: LanguageModelV2Prompt,
  {
    pairCalls = true,
    bridge = 'Understood.',
    moveSystem = true,
    dropEmpty = true,
    mergeNeighbours = true,
    continuation = 'Continue.',
    splitTextFromCalls = false,
    provider,
  }: MistralOptions & { provider: string },
): LanguageModelV2Prompt {
  let repaired = prompt;
  // A hosted tool of another provider cannot be shown as one here: its calls become calls like others.
  if (pairCalls) repaired = pairToolCalls(repaired, { isFunctionTool: () => true });
  if (dropEmpty) repaired = withoutEmptyMessages(repaired);
  if (moveSystem) repaired = withSystemFirst(repaired);
  if (mergeNeighbours) repaired = withMergedNeighbours(repaired);
  if (bridge !== false) repaired = withBridges(repaired, bridge);
  if (continuation !== false) repaired = withContinuation(repaired, { text: continuation, provider });
  return splitTextFromCalls ? withTextApart(repaired) : repaired;
}
