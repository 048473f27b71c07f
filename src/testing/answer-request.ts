import type { AnswerItem, OutputAnswer, ScriptedAnswer } from './answers.js';
import { type ApiError, badRequest } from './api-error.js';
import { authorize } from './authorize.js';
import { buildResponse, toPromptText } from './build-response.js';
import { type Delivery, toErrorDelivery, toJsonDelivery, toStatusDelivery } from './delivery.js';
import { embed } from './embeddings.js';
import { expandInput } from './expand-input.js';
import { createItemMemory, type ItemMemory } from './item-memory.js';
import { isJsonObject, type JsonObject } from './json-object.js';
import { toModelKind } from './model-kind.js';
import { createPromptCache, type PromptCache } from './prompt-cache.js';
import type { EmulatorRequest } from './read-request.js';
import { answerByRules } from './rule-based-model.js';
import { toDelivery, toWholeFault } from './to-delivery.js';
import { toRequest } from './to-request.js';
import { validateConversation } from './validate-conversation.js';
import { validateItems } from './validate-items.js';
import { validateRequest } from './validate-request.js';

/** What the emulator keeps between requests. */
export interface EmulatorState {
  readonly memory: ItemMemory;
  readonly cache: PromptCache;
  readonly queue: ScriptedAnswer[];
}

export const createEmulatorState = (): EmulatorState => ({
  memory: createItemMemory(),
  cache: createPromptCache(),
  queue: [],
});

export interface AnswerContext extends EmulatorState {
  readonly key?: string;
  readonly apiKeys?: readonly string[];
  readonly basePath: string;
  readonly latency: number;
  readonly validate: boolean;
}

/** Decides what a request is answered with. */
export function answerRequest(request: EmulatorRequest, context: AnswerContext): Delivery {
  const error = authorize(context.key, context);
  if (error !== undefined) return toErrorDelivery(error);
  const { pathname } = new URL(request.path, 'http://127.0.0.1');
  const route = pathname.startsWith(context.basePath) ? pathname.slice(context.basePath.length) : undefined;
  const answer = route === undefined ? undefined : routes[`${request.method} ${route}`];
  if (answer === undefined) {
    return toErrorDelivery({ ...badRequest(`Invalid URL (${request.method} ${pathname})`), status: 404 });
  }
  if (request.method === 'POST' && !isJsonObject(request.body)) return toErrorDelivery(invalidJson);
  return answer(isJsonObject(request.body) ? request.body : {}, context);
}

type Answer = (body: JsonObject, context: AnswerContext) => Delivery;

const routes: Readonly<Record<string, Answer>> = {
  'POST /responses': answerResponses,
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

function answerResponses(
  body: JsonObject,
  { memory, cache, queue, latency, validate }: AnswerContext,
): Delivery {
  const { items, error } = readConversation(body, { memory, validate });
  if (error !== undefined) return toErrorDelivery(error);
  const request = toRequest(body, { items, reasons: toModelKind(String(body.model)) === 'reasoning' });

  const scripted = queue.shift() ?? {};
  if ('status' in scripted) return toStatusDelivery(scripted);
  const answer: Exclude<typeof scripted, readonly AnswerItem[]> = isItemList(scripted)
    ? { output: scripted }
    : scripted;
  const response = buildResponse(answer.output ?? answerByRules(request), {
    request,
    cachedTokens: cache.countCachedTokens(toPromptText(request), request),
    incomplete: answer.incomplete,
    usage: answer.usage,
  });
  memory.remember(response, request);
  const fault = answer.fault === undefined ? undefined : answer;
  return toDelivery(response, { stream: request.stream, latency, fault, rewriteEvents: answer.events });
}

function readConversation(
  body: JsonObject,
  { memory, validate }: { memory: ItemMemory; validate: boolean },
): { items: readonly JsonObject[]; error?: ApiError } {
  const { items, error } = expandInput(body, { memory });
  if (!validate) return { items };
  return {
    items,
    error:
      validateRequest(body) ?? validateItems(body.input) ?? error ?? validateConversation(items, { memory }),
  };
}

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

const isItemList = (answer: ScriptedAnswer | OutputAnswer): answer is readonly AnswerItem[] =>
  Array.isArray(answer);
