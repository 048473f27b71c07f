import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnFreePort } from './_free-port-server.js';

/** One JSON-RPC request as the server received it. */
export interface SeenMessage {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly headers: IncomingHttpHeaders;
}

/** An error that the server returns with HTTP status 400. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Ends the connection without a response, after the server has read the request. */
export class DroppedConnection extends Error {}

type Handler = (params: Record<string, unknown>, headers: IncomingHttpHeaders) => object;

export interface ModernServer {
  readonly url: string;
  readonly requests: readonly SeenMessage[];
  count(method: string): number;
  /** Number of open streams for announcements. */
  readonly openStreams: number;
  /** Sends a notification on all streams. */
  announce(method: string): void;
  /** Ends all streams without a result, as a proxy does. */
  dropStreams(): void;
  /** False while requests for a stream stay without an answer. */
  opensStreams: boolean;
}

/**
 * Starts a server of revision 2026-07-28 over Streamable HTTP that sends exactly what the handlers return, also what the
 * SDK's server would refuse to send.
 */
export async function startModernServer(
  handlers: Readonly<Record<string, Handler>>,
  { capabilities = { tools: { listChanged: true } } }: { capabilities?: object } = {},
): Promise<ModernServer> {
  const requests: SeenMessage[] = [];
  const streams = new Map<ServerResponse, unknown>();
  const discover: Handler = () => ({
    supportedVersions: ['2026-07-28'],
    capabilities,
    ttlMs: 0,
    cacheScope: 'private',
  });
  const all: Readonly<Record<string, Handler>> = { 'server/discover': discover, ...handlers };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params = {} } = JSON.parse(await text(request));
    const { headers } = request;
    requests.push({ method, params, headers });
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'subscriptions/listen') return listen(id, response);
    const send = (status: number, body: object): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    const handler = all[method];
    if (handler === undefined) return send(404, { error: { code: -32601, message: 'Method not found' } });
    try {
      send(200, { result: { resultType: 'complete', ...(await handler(params, headers)) } });
    } catch (error) {
      if (error instanceof DroppedConnection) return void response.destroy();
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      send(400, { error: { code, message, data } });
    }
  }

  let opensStreams = true;

  function listen(id: unknown, response: ServerResponse): void {
    if (!opensStreams) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    streams.set(response, id);
    response.once('close', () => streams.delete(response));
    notify(response, 'notifications/subscriptions/acknowledged', {
      notifications: { toolsListChanged: true },
    });
  }

  function notify(response: ServerResponse, method: string, params: object = {}): void {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': streams.get(response) };
    const message = { jsonrpc: '2.0', method, params: { ...params, _meta } };
    response.write(`data: ${JSON.stringify(message)}\n\n`);
  }

  const origin = await listenOnFreePort((request, response) => void respond(request, response));

  return {
    url: `${origin}/mcp`,
    requests,
    count: method => requests.filter(request => request.method === method).length,
    get openStreams() {
      return streams.size;
    },
    announce(method) {
      for (const response of streams.keys()) notify(response, method);
    },
    dropStreams() {
      for (const response of streams.keys()) response.destroy();
    },
    get opensStreams() {
      return opensStreams;
    },
    set opensStreams(value) {
      opensStreams = value;
    },
  };
}

/** Returns the result of `tools/list`. Fields of tools are sent unchanged. */
export const toList = (tools: readonly unknown[], more: object = {}): object => ({
  tools,
  ttlMs: 0,
  cacheScope: 'private',
  ...more,
});

/** Returns a result of `tools/call` with one text. */
export const toText = (content: string): object => ({ content: [{ type: 'text', text: content }] });

/** Returns a tool without arguments. */
export const toTool = (name: string, more: object = {}): object => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
});
