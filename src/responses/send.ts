import { APICallError } from '@ai-sdk/provider';
import type { Warning } from '../core/part.js';
import type { PartFacts } from '../core/prompt.js';
import { mergeHeaders } from '../core/http/request.js';
import { hasKey } from '../core/redaction/redaction.js';
import { idOf, objectOf, objectsOf, type PlainObject } from '../core/shared/json.js';
import { requestJson } from '../core/http/request-json.js';
import { compatibilitiesByOwner, serverOfRejection } from './compatibility/compatibility.js';
import { type Recognize, sendWithFallbacks, type TurnRepairs } from './compatibility/send-with-fallbacks.js';
import { readEcho } from './echo.js';
import type { Exchange } from './exchange.js';
import { explainUnknownModel, isUnknownModel } from './unknown-model.js';
import type { ResponsesRequestBody } from './wire.js';

/** Sends a body, and begins to read its response. */
type Open<Result> = (body: ResponsesRequestBody) => Promise<Result>;

/**
 * Sends the request of a model call. Another key repeats what the callback of `withKey` does, and another body only what that
 * of `sendAccepted` does: a key keeps what the extensions have encoded, and a body keeps its key.
 */
export async function sendCall<Result>(exchange: Exchange, open: Open<Result>): Promise<Result> {
  const { webSocket, override, recognizes } = exchange.config;
  try {
    await exchange.encode();
    // An invalid call fails before a key is taken. With a WebSocket, the connection opens while the request is built.
    if (webSocket === undefined) exchange.request();
    return await withKey(exchange, async () => {
      if (webSocket !== undefined) connect(exchange, await webSocket());
      const recognize = recognizes ? createRecognize(exchange) : undefined;
      // Fields of the settings and of the call also replace those that the server does not accept.
      const send: Open<Result> = body =>
        open({ ...body, ...override().body, ...exchange.request().extraFields });
      return sendAccepted(exchange, send, recognize);
    });
  } catch (error) {
    throw await explainUnknown(exchange, error);
  }
}

/** Sends the request for a compaction of a whole conversation, whose answer is one JSON document. */
export async function sendCompaction<Result>(exchange: Exchange, open: Open<Result>): Promise<Result> {
  await exchange.encode();
  exchange.request();
  return withKey(exchange, () => sendAccepted(exchange, open));
}

/**
 * Takes over what the response object shows about the server, and compares what it repeats with the request. Returns facts
 * for the history.
 */
export function noteResponse(
  { config: { server, recognizes }, warn }: Exchange,
  body: ResponsesRequestBody,
  { response, headers }: { response: PlainObject; headers: Readonly<Record<string, string>> },
): PartFacts | undefined {
  if (recognizes) server.see({ headers, responseId: idOf(response.id) });
  const { warnings, facts } = readEcho(body, response, server);
  for (const warning of warnings) warn(warning);
  return facts;
}

/** Sends a request with a key, and with the next one if the server refuses it. */
const withKey = <Result>(exchange: Exchange, send: () => Promise<Result>): Promise<Result> =>
  exchange.config.credentials.use(exchange.call.turn, keyHeaders => {
    exchange.keyHeaders = keyHeaders;
    exchange.keyCount++;
    return send();
  });

/** Uses a transport with connections, and opens one if the request has the key that it needs. */
function connect(exchange: Exchange, transport: Exchange['transport']): void {
  const { url, needsKey } = exchange.config;
  const headers = mergeHeaders(exchange.headerSets);
  exchange.transport = transport;
  if (!needsKey || hasKey(headers)) transport.prepare?.({ url, headers });
}

/** Sends the body in the form that the server accepts, and in another one after a rejection with a known reason. */
function sendAccepted<Result>(
  exchange: Exchange,
  open: Open<Result>,
  recognize?: Recognize,
): Promise<Result> {
  const { call, config } = exchange;
  const { body, relations } = exchange.request();
  const post = (accepted: ResponsesRequestBody, omitted: readonly Warning[]): Promise<Result> => {
    exchange.omitted = omitted;
    return open(accepted);
  };
  const endpoint = { post, compatibility: () => config.override().compatibility, recognize };
  const repairs = call.turn?.stateOf(config.server, (): TurnRepairs => ({}));
  return sendWithFallbacks(body, endpoint, config.server, relations, repairs);
}

/** Recognizes the server by its errors, and by the owner of its models if nothing else helps. */
const createRecognize =
  (exchange: Exchange): Recognize =>
  async ({ error: { responseHeaders, statusCode }, rejection, cause }, changes) => {
    const { server } = exchange.config;
    server.see({ headers: responseHeaders });
    const shown = serverOfRejection(rejection);
    if (shown !== undefined) server.seeRejection(shown, cause);
    const isUnknown = !server.isAsked && (server.server ?? shown) === undefined;
    const isRejected = statusCode === 400 || statusCode === 422;
    if (!isUnknown || !isRejected || !compatibilitiesByOwner().some(changes)) return shown?.compatibility;
    server.isAsked = true;
    try {
      const { body } = await requestJson(exchange.toModelListRequest());
      server.see({ owner: idOf(objectsOf(objectOf(body)?.data)[0]?.owned_by) });
    } catch {
      // The server has no such list. Its first error is the one that counts.
      exchange.call.abortSignal?.throwIfAborted();
    }
    return undefined;
  };

/** Adds what the server's list of models says to the error of a model that it does not have. */
async function explainUnknown(exchange: Exchange, error: unknown): Promise<unknown> {
  const { modelId } = exchange.config;
  // Several keys were refused the model, which therefore exists.
  if (exchange.keyCount !== 1 || !APICallError.isInstance(error) || !isUnknownModel(error, modelId))
    return error;
  return explainUnknownModel(error, { ...exchange.toModelListRequest(), modelId });
}
