import type { AnswerContext } from './answer-context.js';
import type { AnswerItem, Fault, OutputAnswer, ScriptedAnswer, StatusAnswer } from './answers.js';
import { buildResponse, toPromptText } from './build-response.js';
import { createMistralCallId } from './create-id.js';
import { answerByRules } from './rule-based-model.js';
import type { ResponsesRequest } from './to-request.js';
import type { EmulatedResponse } from './wire.js';
import { writeToolCalls } from './write-tool-calls.js';

/** What a request is answered with, before any API has put it into its words. */
export type ModelAnswer =
  StatusAnswer | { readonly response: EmulatedResponse; readonly script: OutputScript };

/** A script that is not just a status. */
export type OutputScript = OutputAnswer | (Fault & Omit<OutputAnswer, 'fault'>);

/** Lets the model answer: with what is scripted, else by its rules. */
export function runModel(
  request: ResponsesRequest,
  { cache, queue, rulesFor, toolCallFormatFor }: AnswerContext,
): ModelAnswer {
  const scripted = queue.shift() ?? {};
  if ('status' in scripted) return scripted;
  const script: OutputScript = isItemList(scripted) ? { output: scripted } : scripted;
  const format = toolCallFormatFor(request.model);
  const answer = script.output ?? answerByRules(request);
  const response = buildResponse(format === undefined ? answer : writeToolCalls(answer, format), {
    request,
    cachedTokens: cache.countCachedTokens(toPromptText(request), request),
    incomplete: script.incomplete,
    usage: script.usage,
    ...(rulesFor(request.model) !== 'openai' && { createCallId: createMistralCallId }),
  });
  return { response, script };
}

const isItemList = (answer: ScriptedAnswer): answer is readonly AnswerItem[] => Array.isArray(answer);
