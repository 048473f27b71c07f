import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { toSse, type WireEvent } from './_sse.js';
import { message, toStream } from './responses/stream/_fixtures/wire-events.js';

/** A frame that the server received. */
export interface Received {
  readonly socket: WebSocket;
  readonly body: Record<string, unknown>;
  /** Number of the connection, from 1. */
  readonly connection: number;
}

export interface WebSocketTestServer {
  readonly baseURL: string;
  readonly frames: readonly Received[];
  /** Paths of the HTTP requests. */
  readonly posts: readonly string[];
  readonly upgrades: readonly IncomingMessage[];
  readonly sockets: ReadonlySet<WebSocket>;
}

export interface WebSocketTestServerOptions {
  /** Responds to a frame. */
  readonly respond?: (received: Received) => void;
  /** Events of responses over HTTP. @default a text */
  readonly overHttp?: readonly WireEvent[];
  /** Takes over an upgrade. Returns false to accept it. */
  readonly refuse?: (socket: Duplex, upgrade: number) => boolean;
  readonly server?: Pick<ServerOptions, 'autoPong' | 'maxPayload'>;
}

/** Starts a server whose WebSockets behave as the test says. Over HTTP it sends a complete response. */
export async function serveWebSocket({
  respond = sendText,
  overHttp = toTextEvents('over HTTP'),
  refuse = () => false,
  server: options,
}: WebSocketTestServerOptions): Promise<WebSocketTestServer> {
  const frames: Received[] = [];
  const posts: string[] = [];
  const upgrades: IncomingMessage[] = [];
  const sockets = new Set<WebSocket>();
  const duplexes = new Set<Duplex>();
  const http: Server = createServer((request, response) => {
    posts.push(request.url ?? '');
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(toSse(overHttp));
    });
  });
  const webSockets = new WebSocketServer({ noServer: true, ...options });
  http.on('upgrade', (request, socket, head) => {
    upgrades.push(request);
    duplexes.add(socket);
    if (refuse(socket, upgrades.length)) return;
    webSockets.handleUpgrade(request, socket, head, client => {
      const connection = upgrades.length;
      sockets.add(client);
      client.on('error', () => {});
      client.once('close', () => sockets.delete(client));
      client.on('message', data => {
        const received = { socket: client, body: JSON.parse(data.toString()), connection };
        frames.push(received);
        respond(received);
      });
    });
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of duplexes) socket.destroy();
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return { baseURL: `http://127.0.0.1:${port}/v1`, frames, posts, upgrades, sockets };
}

let count = 0;

/** Returns the events of a response with a text. `previousId` is the response that it continues. */
export const toTextEvents = (
  text: string,
  { id = `resp_${++count}`, previousId = null }: { id?: string; previousId?: unknown } = {},
) =>
  toStream([message([text], { id: `msg_${count}` })]).map(event =>
    'response' in event && typeof event.response === 'object'
      ? { ...event, response: { ...event.response, id, previous_response_id: previousId } }
      : event,
  );

export function sendEvents(socket: WebSocket, events: readonly object[]): void {
  for (const event of events) socket.send(JSON.stringify(event));
}

export const sendText = ({ socket, body }: Received): void =>
  sendEvents(socket, toTextEvents('over a WebSocket', { previousId: body.previous_response_id }));
