import { isPlainObject, objectOf, type PlainObject } from '../core/shared/json.js';
import {
  type Delivery,
  toDelivery,
  toErrorDelivery,
  toJsonDelivery,
  toReplacement,
  toStatusDelivery,
} from './delivery/delivery.js';
import { toResponsesFormat } from './delivery/events.js';
import type { StoredResponses } from './delivery/stored-responses.js';
import {
  authorize,
  type EmulatorRequest,
  type ResponsesRequest,
  toInputItems,
  toModelKind,
  toRequest,
} from './protocol/request.js';
import { compact, embed, validateCompact } from './model/endpoints.js';
import { type ModelState, runModel } from './model/model.js';
import { type ApiError, badRequest, type ItemMemory, toConversationId } from './protocol/wire.js';
import type { RequestRules } from './protocol/scripts.js';
import { validateConversation } from './validation/conversation.js';
import { validateItems } from './validation/items.js';
import { validateRequest } from './validation/parameters.js';
import { servers, validateForServer } from './validation/servers.js';

/** State that the emulator keeps between requests, and its settings. */
export interface EmulatorContext extends ModelState, EmulatorExtension {
  readonly memory: ItemMemory;
  readonly responses: StoredResponses;
  readonly key?: string;
  readonly apiKeys?: readonly string[];
  /** Origins of the pages that may send requests. */
  readonly allowedOrigins?: readonly string[];
  /** Milliseconds before each event of a stream, and before a body. */
  readonly latency: number;
  readonly rules: RequestRules;
  /** The only models. Undefined if each name is one. */
  readonly models?: readonly string[];
}

/** Additions of this package and its tests: other APIs, and rules that only these tests need. */
export interface EmulatorExtension {
  /** False for an emulator that the end of the program ends. @default true */
  readonly keepsProcess?: boolean;
  /** Routes of other APIs, which are tried first. */
  readonly routes?: readonly Route[];
  /** Returns the error of a request that is otherwise valid. */
  readonly check?: (request: ResponsesRequest) => ApiError | undefined;
  /** Encodings of request bodies that the server accepts. @default none */
  readonly encodings?: readonly 'gzip'[];
  readonly extendRules?: ModelState['extendRules'];
}

/** Responds to the requests of an API; returns `undefined` for requests of other APIs. */
export type Route = (
  request: {
    readonly method: string;
    readonly pathname: string;
    readonly query: URLSearchParams;
    readonly body: unknown;
  },
  context: EmulatorContext,
) => Delivery | undefined;

export function routeRequest({ method, path, body }: EmulatorRequest, context: EmulatorContext): Delivery {
  const { pathname, searchParams: query } = new URL(path, 'http://127.0.0.1');
  for (const route of [...(context.routes ?? []), respondToOpenAI]) {
    const delivery = route({ method, pathname, query, body }, context);
    if (delivery !== undefined) return delivery;
  }
  return toErrorDelivery({ ...badRequest(`Invalid URL (${method} ${pathname})`), status: 404 });
}

const respondToOpenAI: Route = (request, context) => {
  const error = authorize(context.key, context);
  if (error !== undefined) return toErrorDelivery(error);
  const [, endpoint = ''] = /^(?:\/openai)?\/v1(\/.*)$/.exec(request.pathname) ?? [];
  const respond = endpoints[`${request.method} ${endpoint}`];
  if (respond === undefined)
    return respondToStored(`${request.method} ${endpoint}`, { query: request.query, ...context });
  if (request.method === 'POST' && !isPlainObject(request.body)) return toErrorDelivery(invalidJson);
  return respond(isPlainObject(request.body) ? request.body : {}, context);
};

const endpoints: Readonly<Record<string, (body: PlainObject, context: EmulatorContext) => Delivery>> = {
  'POST /responses': respondToResponses,
  'POST /responses/compact': respondToCompact,
  'POST /embeddings': respondToEmbeddings,
  'GET /models': (_body, context) =>
    toJsonDelivery(toModelList(context.rules === 'llamacpp' ? context.rules : 'system', context.models)),
};

export const invalidJson = badRequest(
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
    'correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
);

/** The models that the emulator lists. */
export const MODELS = ['gpt-5', 'gpt-5-mini', 'o4-mini', 'gpt-4.1', 'gpt-4o', 'text-embedding-3-small'];

const toModelList = (owner: string, models: readonly string[] = MODELS): PlainObject => ({
  object: 'list',
  data: models.map(id => ({
    id,
    object: 'model',
    created: 1754073600,
    owned_by: owner,
  })),
});

function respondToEmbeddings(body: PlainObject, context: EmulatorContext): Delivery {
  const scripted = context.queue.shift();
  if (scripted === undefined) {
    const result = embed(body);
    return 'error' in result ? toErrorDelivery(result.error) : toJsonDelivery(result.body);
  }
  if ('status' in scripted) return toStatusDelivery(scripted);
  if ('fault' in scripted && scripted.fault !== undefined) {
    const delivery = toReplacement(scripted, { stream: false });
    if (delivery !== undefined) return delivery;
  }
  const problem =
    'Expected a scripted response with a status for POST /embeddings, got one with output or a stream fault. ' +
    'Scripted responses are consumed in the order of the POST requests: check which request comes first.';
  return toStatusDelivery({ status: 500, body: problem });
}

function respondToResponses(given: PlainObject, context: EmulatorContext): Delivery {
  const { ignores } = servers[context.rules] ?? {};
  const body = Object.fromEntries(Object.entries(given).filter(([name]) => ignores?.includes(name) !== true));
  const { request, error } = readRequest(body, context);
  if (error !== undefined) return toErrorDelivery(error);
  const result = runModel(request, context, servers[context.rules]);
  if ('status' in result) return toStatusDelivery(result);
  const { response, script } = result;
  context.memory.remember(response, request);
  const obfuscates =
    context.rules === 'openai' && objectOf(body.stream_options)?.include_obfuscation !== false;
  const format = toResponsesFormat(response, script.events, obfuscates);
  const options = {
    stream: request.stream,
    latency: context.latency,
    fault: script.fault === undefined ? undefined : script,
  };
  if (!request.store || ignores !== undefined) return toDelivery(format, options);
  const background = body.background === true ? (script.background ?? {}) : undefined;
  return context.responses.add(response.id, format, { ...options, background });
}

function respondToCompact(body: PlainObject, context: EmulatorContext): Delivery {
  const scripted = context.queue[0];
  if (scripted !== undefined && 'status' in scripted) {
    context.queue.shift();
    return toStatusDelivery(scripted);
  }
  const { request, error } = readRequest(body, context);
  const invalid = (context.rules === 'none' ? undefined : validateCompact(body)) ?? error;
  if (invalid !== undefined) return toErrorDelivery(invalid);
  return toJsonDelivery(compact(request, context));
}

function respondToStored(
  endpoint: string,
  context: EmulatorContext & { query: URLSearchParams },
): Delivery | undefined {
  const [, method, id = '', action = ''] =
    /^(GET|POST|DELETE) \/responses\/([^/]+)(\/cancel)?$/.exec(endpoint) ?? [];
  if (method === 'POST') return action === '' ? undefined : context.responses.cancel(id);
  if (action !== '') return undefined;
  if (method === 'GET') return context.responses.retrieve(id, context.query);
  return method === 'DELETE' ? context.responses.remove(id) : undefined;
}

function readRequest(
  body: PlainObject,
  context: EmulatorContext,
): { request: ResponsesRequest; error: ApiError | undefined } {
  const { items, shownItems, error } = readConversation(body, context);
  const reasons = toModelKind(String(body.model)) === 'reasoning';
  const request = toRequest(body, { items, shownItems, reasons });
  return { request, error: checkModel(body.model, context) ?? error ?? context.check?.(request) };
}

function checkModel(model: unknown, context: EmulatorContext): ApiError | undefined {
  if (context.models === undefined || typeof model !== 'string' || context.models.includes(model))
    return undefined;
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { ...badRequest(message), status: 404, code: 'model_not_found' };
}

function readConversation(
  body: PlainObject,
  context: EmulatorContext,
): { items: readonly PlainObject[]; shownItems?: readonly PlainObject[]; error?: ApiError } {
  const { items: given, error } = expandInput(body, context.memory);
  const server = servers[context.rules];
  if (server !== undefined) {
    const { reads = () => true } = server;
    return { items: given.filter(reads), error: validateForServer(body, server) };
  }
  const { items, shownItems } = restoreCompacted(given, context.memory);
  if (context.rules === 'none') return { items, shownItems };
  return {
    items,
    shownItems,
    error:
      validateRequest(body) ??
      validateItems(body.input) ??
      error ??
      validateConversation(items, { memory: context.memory, store: body.store !== false }),
  };
}

/** Puts the conversation that the newest compaction item replaces before it. The API ignores other items before it. */
function restoreCompacted(
  items: readonly PlainObject[],
  memory: ItemMemory,
): { items: readonly PlainObject[]; shownItems: readonly PlainObject[] } {
  const start = items.findLastIndex(item => item.type === 'compaction');
  const compacted = memory.findCompacted(String(items[start]?.encrypted_content));
  if (compacted === undefined) return { items, shownItems: items };
  const shownItems = items.slice(start);
  return { items: [...compacted, ...shownItems], shownItems };
}

/**
 * Returns the complete conversation of a request: the items of `previous_response_id` or `conversation`, then the input. Each
 * known `item_reference` is replaced by its item. A conversation begins with the first request that names it.
 */
function expandInput(
  body: PlainObject,
  memory: ItemMemory,
): { items: readonly PlainObject[]; error?: ApiError } {
  const input = toInputItems(body.input).map(item =>
    item.type === 'item_reference' ? (memory.findItem(String(item.id)) ?? item) : item,
  );
  const inConversation = toConversationId(body.conversation);
  if (inConversation !== undefined)
    return { items: [...(memory.findConversation(inConversation) ?? []), ...input] };
  const previous = body.previous_response_id;
  if (typeof previous !== 'string') return { items: input };
  const conversation = memory.findConversation(previous);
  if (conversation !== undefined) return { items: [...conversation, ...input] };
  const error = badRequest(`Previous response with id '${previous}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  });
  return { items: input, error };
}
