import { APICallError } from '@ai-sdk/provider';
import type { Warning } from '../core/part.js';
import { mergeHeaders } from '../core/http/request.js';
import { hasKey } from '../core/redaction/redaction.js';
import { idOf, objectOf, objectsOf } from '../core/shared/json.js';
import { requestJson } from '../core/http/request-json.js';
import { compatibilitiesByOwner, serverOfRejection } from './compatibility/compatibility.js';
import { sendWithFallbacks, type TurnRepairs } from './compatibility/send-with-fallbacks.js';
import { readEcho } from './echo.js';
import type { Handler } from './exchange.js';
import { encodeExtensions } from './extensions.js';
import { explainUnknownModel, isUnknownModel } from './unknown-model.js';

/*
 * What happens around one request, in the order of the lists below. A handler that sends the request again repeats
 * everything after it: another key keeps what the extensions have encoded, and a changed body keeps its key.
 */

/** Adds what the server's list of models says to the error of a model that it does not have. */
const explainUnknown: Handler = async (exchange, next) => {
  try {
    return await next();
  } catch (error) {
    const { modelId } = exchange.config;
    // Several keys were refused the model, which therefore exists.
    if (exchange.keyCount !== 1 || !APICallError.isInstance(error) || !isUnknownModel(error, modelId))
      throw error;
    throw await explainUnknownModel(error, { ...exchange.toModelListRequest(), modelId });
  }
};

/** Encodes the tools of extensions, and the parts of the prompt that they have shown. */
const extend: Handler = async (exchange, next) => {
  const { prompt, encodedTools } = await encodeExtensions(exchange.call, exchange.config.extensions);
  exchange.prompt = prompt;
  exchange.encodedTools = encodedTools;
  return next();
};

/**
 * Builds the request before a key is taken, so that an invalid call fails first. With a WebSocket, `fallBack` is the first to
 * ask for the request, so that the connection opens while it is built.
 */
const build: Handler = (exchange, next) => {
  if (exchange.config.webSocket === undefined) exchange.request();
  return next();
};

/** Takes a key, and the next one if the server refuses it. */
const authenticate: Handler = (exchange, next) =>
  exchange.config.credentials.use(exchange.call.turn, keyHeaders => {
    exchange.keyHeaders = keyHeaders;
    exchange.keyCount++;
    return next();
  });

/** Uses a WebSocket if the settings say so. */
const connect: Handler = async (exchange, next) => {
  const { webSocket, url, needsKey } = exchange.config;
  if (webSocket === undefined) return next();
  exchange.transport = await webSocket();
  const headers = mergeHeaders(exchange.headerSets);
  if (!needsKey || hasKey(headers)) exchange.transport.prepare?.({ url, headers });
  return next();
};

/** Recognizes the server by its responses and errors, and by the owner of its models if nothing else helps. */
const recognizeServer: Handler = (exchange, next) => {
  const { server, recognizes } = exchange.config;
  if (!recognizes) return next();
  exchange.observe((response, headers) => {
    server.see({ headers, responseId: idOf(response.id) });
    return undefined;
  });
  exchange.recognize = async ({ error: { responseHeaders, statusCode }, rejection, cause }, changes) => {
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
  return next();
};

/** Sends the body in the form that the server accepts, and in another one after a rejection with a known reason. */
const fallBack: Handler = (exchange, next) => {
  const { call, config, recognize } = exchange;
  const { body, relations } = exchange.request();
  const post = (accepted: typeof body, omitted: readonly Warning[]) => {
    exchange.body = accepted;
    exchange.omitted = omitted;
    return next();
  };
  const endpoint = { post, compatibility: () => config.override().compatibility, recognize };
  const repairs = call.turn?.stateOf(config.server, (): TurnRepairs => ({}));
  return sendWithFallbacks(body, endpoint, config.server, relations, repairs);
};

/** Replaces fields of the body by those of the settings and of the call, also those that `fallBack` has left out. */
const replaceFields: Handler = (exchange, next) => {
  exchange.body = {
    ...exchange.body,
    ...exchange.config.override().body,
    ...exchange.request().extraFields,
  };
  return next();
};

/** Compares what the response object repeats with the request. */
const compareEcho: Handler = (exchange, next) => {
  exchange.observe(response => {
    const { warnings, facts } = readEcho(exchange.body, response, exchange.config.server);
    for (const warning of warnings) exchange.warn(warning);
    return facts;
  });
  return next();
};

/** Creates or continues the response in the background, where a broken connection loses nothing. */
const runInBackground: Handler = async (exchange, next) => {
  const { background } = exchange.request();
  if (exchange.body.background !== true && background.resume === undefined) return next();
  const { transport } = exchange;
  exchange.transport = (await import('./background.js')).backgroundTransport(background);
  // A changed body may run in the foreground.
  return next().finally(() => (exchange.transport = transport));
};

/** The handlers of a compaction of a whole conversation, whose answer is one JSON document. */
export const COMPACTION_HANDLERS: readonly Handler[] = [extend, build, authenticate, fallBack];

/**
 * The handlers of a model call, the outermost first. Those that add an observer stand before those that send the request
 * again, which would add it for each attempt.
 */
export const CALL_HANDLERS: readonly Handler[] = [
  explainUnknown,
  recognizeServer,
  compareEcho,
  extend,
  build,
  authenticate,
  connect,
  fallBack,
  replaceFields,
  runInBackground,
];
