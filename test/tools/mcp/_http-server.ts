import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnFreePort } from './_free-port-server.js';

/** One request as the server received it. */
export interface SeenRequest {
  readonly method: string;
  /** The JSON-RPC method, or the tool for `tools/call`. */
  readonly action?: string;
  readonly sessionId?: string;
  readonly lastEventId?: string;
  readonly authorization?: string;
}

export interface HttpFixture {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Number of open streams that the client has not closed. */
  readonly openStreams: number;
  /** Ends the open streams of calls without a response. */
  endStreams(): void;
  /** Forgets all sessions, as after a restart. */
  forgetSessions(): void;
  /** Names in the tool list. */
  readonly toolNames: string[];
  /** The name and version that the client sent. */
  readonly clientInfo: unknown;
}

interface Exchange {
  id: number;
  response: ServerResponse;
}

interface Introduction {
  protocolVersion: string;
  clientInfo: unknown;
}

interface HttpFixtureOptions {
  /** Status for an unknown session. @default 404 */
  readonly forgottenStatus?: number;
  /** Status for `initialize`. @default 200 */
  readonly openingStatus?: number;
  /** Body for an unknown session. */
  readonly body?: string;
  /** Response of the tool `write` after it has run. @default it succeeds */
  readonly writeFailure?: { readonly status: number; readonly body: string };
}

/** Starts a Streamable HTTP server that fails on demand. */
export async function startHttpServer({
  forgottenStatus = 404,
  openingStatus = 200,
  body = 'Session not found',
  writeFailure,
}: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const requests: SeenRequest[] = [];
  const sessions = new Set<string>();
  const streams = new Set<ServerResponse>();
  let resumable: Exchange | undefined;
  let sessionCount = 0;

  const fixture = {
    url: '',
    clientInfo: undefined as unknown,
    requests,
    toolNames: ['echo', 'write', 'drop', 'drop-hard', 'hang', 'resume', 'rpc-error', 'broken', 'page'],
    get openStreams() {
      return streams.size;
    },
    endStreams() {
      for (const stream of streams) stream.end();
    },
    forgetSessions: () => sessions.clear(),
  };

  const calls: Record<string, (exchange: Exchange) => void> = {
    echo: exchange => sendJson(exchange, toResult(exchange.id, 'echo')),
    write: exchange => {
      if (writeFailure === undefined) return sendJson(exchange, toResult(exchange.id, 'written'));
      exchange.response.writeHead(writeFailure.status).end(writeFailure.body);
    },
    drop: ({ response }) => openStream(response).end(': nothing to see here\n\n'),
    'drop-hard': ({ response }) => {
      openStream(response).write('data: {"jsonrpc"');
      setTimeout(() => response.destroy(), 20);
    },
    hang: ({ response }) => {
      streams.add(openStream(response));
      response.write('id: event-3\nretry: 10\ndata: \n\n');
      response.once('close', () => streams.delete(response));
    },
    resume: exchange => {
      resumable = exchange;
      openStream(exchange.response).end('id: event-1\nretry: 10\ndata: \n\n');
    },
    'rpc-error': ({ id, response }) =>
      openStream(response).end(`id: event-2\ndata: ${JSON.stringify(toError(id, 'No such row.'))}\n\n`),
    broken: ({ response }) =>
      response.writeHead(500).end('<html><title>Oh no</title><b>token=abcdef123456</b></html>'),
    page: ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hi</html>'),
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = request.method === 'POST' ? JSON.parse(await text(request)) : {};
    const sessionId = request.headers['mcp-session-id']?.toString();
    const lastEventId = request.headers['last-event-id']?.toString();
    const action = message.params?.name ?? message.method;
    requests.push({
      method: request.method ?? '',
      action,
      sessionId,
      lastEventId,
      authorization: request.headers.authorization,
    });

    if (message.method === 'initialize') return initialize({ id: message.id, response }, message.params);
    if (sessionId === undefined || !sessions.has(sessionId))
      return void response.writeHead(forgottenStatus).end(body);
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    if (request.method === 'GET') return listen(response, lastEventId);
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'ping')
      return sendJson({ id: message.id, response }, { jsonrpc: '2.0', id: message.id, result: {} });
    if (message.method === 'tools/list') return sendJson({ id: message.id, response }, toListing(message.id));
    calls[message.params.name]?.({ id: message.id, response });
  }

  function initialize(exchange: Exchange, { protocolVersion, clientInfo }: Introduction): void {
    if (openingStatus !== 200) return void exchange.response.writeHead(openingStatus).end('not here');
    fixture.clientInfo = clientInfo;
    const sessionId = `session-${++sessionCount}`;
    sessions.add(sessionId);
    exchange.response.setHeader('mcp-session-id', sessionId);
    const capabilities = { tools: { listChanged: true } };
    const result = { protocolVersion, capabilities, serverInfo: { name: 'http-fixture', version: '1' } };
    sendJson(exchange, { jsonrpc: '2.0', id: exchange.id, result });
  }

  function listen(response: ServerResponse, lastEventId: string | undefined): void {
    if (lastEventId !== 'event-1' || !resumable) return void response.writeHead(400).end();
    openStream(response).end(`data: ${JSON.stringify(toResult(resumable.id, 'resumed'))}\n\n`);
  }

  function toListing(id: number): object {
    const tools = fixture.toolNames.map(name => ({
      name,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: name === 'echo' },
    }));
    return { jsonrpc: '2.0', id, result: { tools } };
  }

  const origin = await listenOnFreePort((request, response) => void respond(request, response));
  fixture.url = `${origin}/mcp`;
  return fixture;
}

function sendJson({ response }: Exchange, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
}

function openStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  return response;
}

function toResult(id: number, text: string): object {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } };
}

function toError(id: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code: -32602, message } };
}
