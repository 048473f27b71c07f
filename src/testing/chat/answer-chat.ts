import type { AnswerContext } from '../answer-context.js';
import type { ApiError } from '../api-error.js';
import { type Delivery, toJsonDelivery, toKnownError, toStatusDelivery } from '../delivery.js';
import { isJsonObject, type JsonObject, toJsonObjects } from '../json-object.js';
import { toModelKind } from '../model-kind.js';
import { runModel } from '../run-model.js';
import { toDelivery } from '../to-delivery.js';
import { toRequest } from '../to-request.js';
import type { ChatDialect } from './chat-dialect.js';
import { toMistralDialect } from './mistral-dialect.js';
import { openaiDialect } from './openai-dialect.js';
import { toChatForm } from './to-chat-form.js';
import { toResponsesBody } from './to-responses-body.js';

/** Answers `POST /chat/completions`. */
export function answerChat(body: JsonObject, context: AnswerContext): Delivery {
  const rules = context.rulesFor(String(body.model));
  const dialect = rules === 'openai' ? openaiDialect : toMistralDialect(rules);
  const error = context.validate ? dialect.validate(body) : undefined;
  if (error !== undefined) return toErrorDelivery(error, dialect);

  const asked = toResponsesBody(body);
  const request = toRequest(asked, {
    items: toJsonObjects(asked.input),
    reasons: toModelKind(String(body.model)) === 'reasoning',
  });
  const answer = runModel(request, context);
  if ('status' in answer) {
    const content = answer.body ?? dialect.toErrorBody(toKnownError(answer.status));
    return toStatusDelivery({ ...answer, body: content });
  }
  const { response, script } = answer;
  const form = toChatForm(response, {
    dialect,
    includeUsage: wantsUsage(body),
    rewriteChunks: script.chunks,
  });
  return toDelivery(form, {
    stream: request.stream,
    latency: context.latency,
    fault: script.fault === undefined ? undefined : script,
  });
}

const wantsUsage = ({ stream_options: options }: JsonObject): boolean =>
  isJsonObject(options) && options.include_usage === true;

const toErrorDelivery = (error: ApiError, dialect: ChatDialect): Delivery =>
  toJsonDelivery(dialect.toErrorBody(error), { status: error.status });
