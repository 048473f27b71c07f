import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { sendDelivery, toErrorDelivery } from './delivery.js';
import { type EmulatorRequest, readRequest } from './incoming-request.js';
import { type Route, routeRequest } from './routes.js';
import type { RequestRules, ScriptedResponse } from './scripts.js';
import { createItemMemory, createPromptCache, type EmulatorContext } from './state.js';
import { createStoredResponses } from './stored-responses.js';
import type { ToolCallFormat } from './text-tool-calls.js';
import { type EmulatorWebSocketOptions, serveWebSockets } from './websocket.js';

/** Options of {@link startResponsesEmulator}. */
export interface ResponsesEmulatorOptions {
  /** Port on 127.0.0.1; 0 picks a free one. @default 0 */
  readonly port?: number;
  /** Path before `/responses`, for example `/openai/v1` for Azure or `/v1beta` for Google. @default '/v1' */
  readonly basePath?: string;
  /**
   * Accepted API keys, sent as a Bearer token or in an `api-key` header.
   * @default every request is accepted
   */
  readonly apiKey?: string | readonly string[];
  /** Delay before each stream event in milliseconds, to make streaming visible. @default 0 */
  readonly latency?: number;
  /**
   * Maximum number of tokens of a prompt, estimated at four characters each. Longer ones are rejected with the code
   * `context_length_exceeded`.
   * @default no limit
   */
  readonly contextWindow?: number;
  /**
   * Encodings of request bodies that the server accepts, in `Content-Encoding`. Others are rejected with the status 415.
   * @default none
   */
  readonly requestEncodings?: readonly 'gzip'[];
  /** Validates requests as OpenAI does. Compatible servers accept nearly anything. @default true */
  readonly validate?: boolean;
  /**
   * Rules that requests are validated against and that shape the responses: for all models, or per model id.
   * @default 'openai'
   */
  readonly rules?: RequestRules | ((modelId: string) => RequestRules);
  /**
   * Makes the model write its tool calls as text, as on a server without a tool call parser: for all models, or per
   * model id.
   * @default native tool calls
   */
  readonly toolCallFormat?: ToolCallFormat | ((modelId: string) => ToolCallFormat | undefined);
  /**
   * WebSockets on `/responses`, which need the package `ws`, or `false` for a server without them.
   * @default {}
   */
  readonly webSocket?: EmulatorWebSocketOptions | false;
}

/** A running emulator of the Responses API. */
export interface ResponsesEmulator {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Base URL for clients: {@link url} followed by the base path, `http://127.0.0.1:<port>/v1`. */
  readonly baseURL: string;
  /** All requests so far, oldest first, also those that a WebSocket received. */
  readonly requests: readonly EmulatorRequest[];
  /**
   * Scripts the responses to the next POST requests, in this order. A rejected request (wrong key, invalid body) does
   * not consume a script. Without scripts, the rule-based model responds.
   */
  enqueue(...responses: readonly ScriptedResponse[]): void;
  /** Stops the server and closes all connections immediately. */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server on 127.0.0.1 that behaves like the OpenAI API: `POST /responses` (streamed, in the background or
 * neither), the requests for stored responses, `POST /responses/compact`, `POST /embeddings` and `GET /models`, with the API's validation and error texts. It needs no key and no network.
 *
 * @throws the error of `node:http` if the port is in use.
 */
export const startResponsesEmulator = (options: ResponsesEmulatorOptions = {}): Promise<ResponsesEmulator> =>
  startEmulator(options, { routes: [] });

/** Starts the emulator with routes of other APIs, which are tried first. @internal */
export async function startEmulator(
  {
    port = 0,
    basePath = '/v1',
    apiKey,
    latency = 0,
    contextWindow,
    requestEncodings = [],
    validate = true,
    rules = 'openai',
    toolCallFormat,
    webSocket = {},
  }: ResponsesEmulatorOptions,
  { routes }: { routes: readonly Route[] },
): Promise<ResponsesEmulator> {
  const requests: EmulatorRequest[] = [];
  const context: EmulatorContext = {
    memory: createItemMemory(),
    responses: createStoredResponses(),
    contextWindow,
    cache: createPromptCache(),
    queue: [],
    apiKeys: apiKey === undefined ? undefined : [apiKey].flat(),
    basePath,
    latency,
    validate,
    rulesFor: typeof rules === 'function' ? rules : () => rules,
    toolCallFormatFor: typeof toolCallFormat === 'function' ? toolCallFormat : () => toolCallFormat,
  };
  let closed: Promise<unknown> | undefined;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const disconnected = new AbortController();
    outgoing.once('close', () => disconnected.abort());
    const { request, key, error } = await readRequest(incoming, {
      apiKeys: context.apiKeys,
      encodings: requestEncodings,
    });
    requests.push(request);
    const delivery =
      error === undefined ? routeRequest(request, { ...context, key, routes }) : toErrorDelivery(error);
    outgoing.once('close', () => {
      request.aborted =
        closed === undefined && !outgoing.writableEnded && !delivery.steps.includes('destroy');
    });
    await sendDelivery(delivery, { to: outgoing, signal: disconnected.signal });
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) =>
      outgoing.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  // A busy process would send a request on a connection that is closed at the same moment.
  server.keepAliveTimeout = 0;
  // `closeAllConnections` excludes upgraded connections.
  const upgraded = new Set<Duplex>();
  const isClosed = (): boolean => closed !== undefined;
  if (webSocket !== false) {
    server.on('upgrade', (_incoming, socket: Duplex) => {
      upgraded.add(socket);
      socket.once('close', () => upgraded.delete(socket));
    });
    serveWebSockets(server, {
      ...webSocket,
      path: `${basePath}/responses`,
      context,
      routes,
      requests,
      isClosed,
    });
  }
  // Without a listener, an upgrade is an ordinary request.
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${toPort(server.address())}`;

  return {
    url,
    baseURL: url + basePath,
    requests,
    enqueue: (...responses) => void context.queue.push(...responses),
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

const toPort = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;
