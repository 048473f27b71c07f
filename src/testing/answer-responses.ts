import type { AnswerContext } from './answer-context.js';
import type { ApiError } from './api-error.js';
import { toMistralMessages } from './chat/to-mistral-messages.js';
import { validateMistral } from './chat/validate-mistral.js';
import { type Delivery, toErrorDelivery, toStatusDelivery } from './delivery.js';
import { expandInput } from './expand-input.js';
import type { JsonObject } from './json-object.js';
import { toModelKind } from './model-kind.js';
import type { RequestRules } from './request-rules.js';
import { runModel } from './run-model.js';
import { toDelivery } from './to-delivery.js';
import { toRequest } from './to-request.js';
import { toResponsesForm } from './to-responses-form.js';
import { validateConversation } from './validate-conversation.js';
import { validateItems } from './validate-items.js';
import { validateRequest } from './validate-request.js';

/** Answers `POST /responses`. */
export function answerResponses(body: JsonObject, context: AnswerContext): Delivery {
  const { items, error } = readConversation(body, context);
  if (error !== undefined) return toErrorDelivery(error);
  const request = toRequest(body, { items, reasons: toModelKind(String(body.model)) === 'reasoning' });

  const answer = runModel(request, context);
  if ('status' in answer) return toStatusDelivery(answer);
  const { response, script } = answer;
  context.memory.remember(response, request);
  return toDelivery(toResponsesForm(response, { rewriteEvents: script.events }), {
    stream: request.stream,
    latency: context.latency,
    fault: script.fault === undefined ? undefined : script,
  });
}

function readConversation(
  body: JsonObject,
  { memory, validate, rulesFor }: AnswerContext,
): { items: readonly JsonObject[]; error?: ApiError } {
  const { items, error } = expandInput(body, { memory });
  if (!validate) return { items };
  return {
    items,
    error:
      validateRequest(body) ??
      validateItems(body.input) ??
      error ??
      validateConversation(items, { memory }) ??
      findMistralFault(body, { items, rules: rulesFor(String(body.model)) }),
  };
}

/** What vLLM objects to when it hands the conversation to Mistral's own validator. */
function findMistralFault(
  body: JsonObject,
  { items, rules }: { items: readonly JsonObject[]; rules: RequestRules },
): ApiError | undefined {
  if (rules === 'openai') return undefined;
  const error = validateMistral(toMistralMessages(items, body), { rules });
  return error && { ...error, type: 'BadRequestError', code: 400 };
}
