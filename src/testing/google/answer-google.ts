import type { AnswerContext } from '../answer-context.js';
import { authorize } from '../authorize.js';
import { type Delivery, toJsonDelivery, toStatusDelivery } from '../delivery.js';
import { type JsonObject, toJsonObjects } from '../json-object.js';
import { runModel } from '../run-model.js';
import { toDelivery } from '../to-delivery.js';
import { toRequest } from '../to-request.js';
import { type GoogleError, toGoogleErrorBody, toStatusError } from './google-error.js';
import { toGoogleForm } from './to-google-form.js';
import { toResponsesBody } from './to-responses-body.js';
import { validateGoogle } from './validate-google.js';

/** The model and the method of a path like `/v1beta/models/gemini-2.5-flash:generateContent`. */
export interface GoogleRoute {
  readonly model: string;
  readonly stream: boolean;
}

/** Whether a path is one of the Gemini API. */
export function toGoogleRoute(pathname: string): GoogleRoute | undefined {
  const [, model, method] = /^\/v1(?:beta)?\/models\/([^/:]+):(\w+)$/.exec(pathname) ?? [];
  if (model === undefined || (method !== 'generateContent' && method !== 'streamGenerateContent')) {
    return undefined;
  }
  return { model: decodeURIComponent(model), stream: method === 'streamGenerateContent' };
}

/** Answers `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent?alt=sse`. */
export function answerGoogle(
  body: JsonObject,
  { model, stream }: GoogleRoute,
  context: AnswerContext,
): Delivery {
  if (authorize(context.key, context) !== undefined) return toErrorDelivery(invalidKey);
  const error = context.validate ? validateGoogle(body, { model }) : undefined;
  if (error !== undefined) return toErrorDelivery(error);

  const asked = toResponsesBody(body, { model, stream });
  const request = toRequest(asked, {
    items: toJsonObjects(asked.input),
    reasons: asked.reasoning !== undefined,
  });
  const answer = runModel(request, context);
  if ('status' in answer) {
    const content = answer.body ?? toGoogleErrorBody(toStatusError(answer.status));
    return toStatusDelivery({ ...answer, body: content });
  }
  const { response, script } = answer;
  return toDelivery(toGoogleForm(response, { model, rewriteChunks: script.chunks }), {
    stream,
    latency: context.latency,
    fault: script.fault === undefined ? undefined : script,
  });
}

const invalidKey: GoogleError = {
  code: 400,
  message: 'API key not valid. Please pass a valid API key.',
  status: 'INVALID_ARGUMENT',
};

const toErrorDelivery = (error: GoogleError): Delivery =>
  toJsonDelivery(toGoogleErrorBody(error), { status: error.code });
