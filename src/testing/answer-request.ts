import type { AnswerContext } from './answer-context.js';
import { answerResponses } from './answer-responses.js';
import { badRequest } from './api-error.js';
import { authorize } from './authorize.js';
import { answerChat } from './chat/answer-chat.js';
import { type Delivery, toErrorDelivery, toJsonDelivery, toStatusDelivery } from './delivery.js';
import { embed } from './embeddings.js';
import { answerGoogle, toGoogleRoute } from './google/answer-google.js';
import { isJsonObject, type JsonObject } from './json-object.js';
import type { EmulatorRequest } from './read-request.js';
import { toWholeFault } from './to-delivery.js';

/** Decides what a request is answered with. */
export function answerRequest(request: EmulatorRequest, context: AnswerContext): Delivery {
  const { pathname } = new URL(request.path, 'http://127.0.0.1');
  const body = isJsonObject(request.body) ? request.body : {};
  const google = request.method === 'POST' ? toGoogleRoute(pathname) : undefined;
  if (google !== undefined) return answerGoogle(body, google, context);
  const error = authorize(context.key, context);
  if (error !== undefined) return toErrorDelivery(error);
  const route = pathname.startsWith(context.basePath) ? pathname.slice(context.basePath.length) : undefined;
  const answer = route === undefined ? undefined : routes[`${request.method} ${route}`];
  if (answer === undefined) {
    return toErrorDelivery({ ...badRequest(`Invalid URL (${request.method} ${pathname})`), status: 404 });
  }
  if (request.method === 'POST' && !isJsonObject(request.body)) return toErrorDelivery(invalidJson);
  return answer(body, context);
}

type Answer = (body: JsonObject, context: AnswerContext) => Delivery;

const routes: Readonly<Record<string, Answer>> = {
  'POST /responses': answerResponses,
  'POST /chat/completions': answerChat,
  'POST /embeddings': answerEmbeddings,
  'GET /models': () => toJsonDelivery(modelList),
};

const invalidJson = badRequest(
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
    'correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
);

const modelList = {
  object: 'list',
  data: ['gpt-5', 'gpt-5-mini', 'o4-mini', 'gpt-4.1', 'gpt-4o', 'text-embedding-3-small'].map(id => ({
    id,
    object: 'model',
    created: 1754073600,
    owned_by: 'system',
  })),
};

function answerEmbeddings(body: JsonObject, { queue }: AnswerContext): Delivery {
  const scripted = queue.shift();
  if (scripted === undefined) {
    const result = embed(body);
    return 'error' in result ? toErrorDelivery(result.error) : toJsonDelivery(result.body);
  }
  if ('status' in scripted) return toStatusDelivery(scripted);
  const fault =
    'fault' in scripted && scripted.fault !== undefined
      ? toWholeFault(scripted, { stream: false })
      : undefined;
  return fault ?? toStatusDelivery({ status: 500, body: wrongScript });
}

const wrongScript =
  'Expected a scripted answer with a status for POST /embeddings, got one with output or with a fault of streams. ' +
  'Scripted answers are used up in the order of the POST requests: check which request comes first.';
