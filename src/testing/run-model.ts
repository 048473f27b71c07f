import type { EmulatorContext } from './state.js';
import type { ScriptedItem, Fault, ScriptedOutput, ScriptedResponse, ScriptedStatus } from './scripts.js';
import { buildResponse, toPromptText } from './build-response.js';
import { createMistralCallId } from './build-response.js';
import { respondByRules } from './rule-based-model.js';
import type { ResponsesRequest } from './request.js';
import type { EmulatedResponse } from './wire.js';
import { writeToolCalls } from './write-tool-calls.js';

/** What a request is answered with, before any API has put it into its words. */
export type ModelResponse =
  ScriptedStatus | { readonly response: EmulatedResponse; readonly script: OutputScript };

/** A script that is not just a status. */
export type OutputScript = ScriptedOutput | (Fault & Omit<ScriptedOutput, 'fault'>);

/** Lets the model answer: with what is scripted, else by its rules. */
export function runModel(
  request: ResponsesRequest,
  { cache, queue, rulesFor, toolCallFormatFor }: EmulatorContext,
): ModelResponse {
  const scripted = queue.shift() ?? {};
  if ('status' in scripted) return scripted;
  const script: OutputScript = isItemList(scripted) ? { output: scripted } : scripted;
  const format = toolCallFormatFor(request.model);
  const answer = script.output ?? respondByRules(request);
  const response = buildResponse(format === undefined ? answer : writeToolCalls(answer, format), {
    request,
    cachedTokens: cache.countCachedTokens(toPromptText(request), request),
    incomplete: script.incomplete,
    usage: script.usage,
    ...(rulesFor(request.model) !== 'openai' && { createCallId: createMistralCallId }),
  });
  return { response, script };
}

const isItemList = (answer: ScriptedResponse): answer is readonly ScriptedItem[] => Array.isArray(answer);
