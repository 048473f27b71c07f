import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { sendDelivery, toErrorDelivery } from './delivery/delivery.js';
import { createStoredResponses } from './delivery/stored-responses.js';
import { createKeyNumbers, type EmulatorRequest, readRequest } from './protocol/request.js';
import { createPromptCache } from './model/response.js';
import type { RequestRules, RewriteOutput, ScriptedResponse } from './protocol/scripts.js';
import { createItemMemory } from './protocol/wire.js';
import { type EmulatorContext, type EmulatorExtension, routeRequest } from './routes.js';
import { serveWebSockets } from './websocket.js';
import { toError } from '../core/shared/errors.js';

/** Options of {@link startResponsesEmulator}. */
export interface ResponsesEmulatorOptions {
  /** Port on 127.0.0.1; 0 picks a free one. @default 0 */
  readonly port?: number;
  /**
   * Accepted API keys, sent as a Bearer token or in an `api-key` header.
   * @default every request is accepted
   */
  readonly apiKey?: string | readonly string[];
  /** Delay before each stream event in milliseconds, to make streaming visible. @default 0 */
  readonly latency?: number;
  /** Rules that requests are validated against. @default 'openai' */
  readonly rules?: RequestRules;
  /**
   * Rewrites the output of each response that is not a plain status, to imitate a model: for example one that writes its
   * calls as text, because its server has no parser for them.
   * @default the output is sent unchanged
   */
  readonly rewriteOutput?: RewriteOutput;
  /**
   * The models that the emulator has: it lists them, and rejects requests for others as the API does.
   * @default a short list, and requests for every model are accepted
   */
  readonly models?: readonly string[];
  /** WebSockets on `/responses`. @default true */
  readonly webSocket?: boolean;
  /**
   * Origins of the pages that may send requests, for example `['https://app.example']`. Their host names are accepted as
   * names of the emulator as well, for a tunnel. All others are refused with the status 403.
   * @default pages and names of this machine (`localhost`, 127.0.0.1, [::1]), on every port
   */
  readonly allowedOrigins?: readonly string[];
}

/** A running emulator of the Responses API. */
export interface ResponsesEmulator {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Base URL for clients: `http://127.0.0.1:<port>/v1`. `/openai/v1`, the path of Azure, works as well. */
  readonly baseURL: string;
  /** All requests so far, oldest first, also those that a WebSocket received. */
  readonly requests: readonly EmulatorRequest[];
  /**
   * Scripts the responses to the next POST requests, in this order. A rejected request (wrong key, invalid body) does
   * not consume a script. Without scripts, the rule-based model responds.
   */
  enqueue(...responses: readonly ScriptedResponse[]): void;
  /** Number of scripts that no request has consumed. */
  readonly pending: number;
  /**
   * Removes the scripts and the recorded requests, so that a turn that ended early does not affect the next test. Stored
   * responses stay.
   */
  clear(): void;
  /** Stops the server and closes all connections immediately. */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server on 127.0.0.1 that behaves like the OpenAI API: `POST /responses` (streamed, in the background or
 * neither), the requests for stored responses, `POST /responses/compact`, `POST /embeddings` and `GET /models`, with the
 * API's validation and error texts. It needs no key and no network.
 *
 * @throws the error of `node:http` if the port is in use.
 */
export const startResponsesEmulator = (options: ResponsesEmulatorOptions = {}): Promise<ResponsesEmulator> =>
  startEmulator(options);

/** Starts the emulator with an extension, for tests of this package. @internal */
export async function startEmulator(
  {
    port = 0,
    apiKey,
    latency = 0,
    rules = 'openai',
    rewriteOutput = items => items,
    webSocket = true,
    models,
    allowedOrigins,
  }: ResponsesEmulatorOptions,
  extension: EmulatorExtension = {},
): Promise<ResponsesEmulator> {
  const requests: EmulatorRequest[] = [];
  const keys = createKeyNumbers(apiKey === undefined ? undefined : [apiKey].flat());
  const context: EmulatorContext = {
    memory: createItemMemory(),
    responses: createStoredResponses(),
    cache: createPromptCache(),
    queue: [],
    apiKeys: apiKey === undefined ? undefined : [apiKey].flat(),
    latency,
    rules,
    rewriteOutput,
    models,
    allowedOrigins,
    ...extension,
  };
  let closed: Promise<unknown> | undefined;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const disconnected = new AbortController();
    outgoing.once('close', () => disconnected.abort());
    const { request, key, error } = await readRequest(incoming, { ...context, keys });
    requests.push(request);
    const delivery =
      error === undefined ? routeRequest(request, { ...context, key }) : toErrorDelivery(error);
    outgoing.once('close', () => {
      request.aborted =
        closed === undefined && !outgoing.writableEnded && !delivery.steps.includes('destroy');
    });
    // Sent with every response: https://platform.openai.com/docs/api-reference/debugging-requests
    if (rules === 'openai') outgoing.setHeader('openai-version', '2020-10-01');
    if (rules === 'llamacpp') outgoing.setHeader('server', 'llama.cpp');
    await sendDelivery(delivery, outgoing, disconnected.signal);
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => outgoing.destroy(toError(error)));
  });
  // A busy process would send a request on a connection that is closed at the same moment.
  server.keepAliveTimeout = 0;
  // `closeAllConnections` excludes upgraded connections.
  const upgraded = new Set<Duplex>();
  // Without a listener, an upgrade is an ordinary request.
  if (webSocket) {
    server.on('upgrade', (_incoming, socket: Duplex) => {
      upgraded.add(socket);
      socket.once('close', () => upgraded.delete(socket));
    });
    serveWebSockets(server, { context, requests, keys, isClosed: () => closed !== undefined });
  }
  if (extension.keepsProcess === false) server.unref().on('connection', socket => socket.unref());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A server with a port has no name in its address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    baseURL: `${url}/v1`,
    requests,
    enqueue: (...responses) => void context.queue.push(...responses),
    get pending() {
      return context.queue.length;
    },
    clear() {
      context.queue.length = 0;
      requests.length = 0;
    },
    async close() {
      if (closed === undefined) {
        closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }
      await closed;
    },
  };
}
