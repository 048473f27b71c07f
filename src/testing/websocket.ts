import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isPlainObject, type PlainObject, stringOf, tryParseJson } from '../core/shared/json.js';
import { type Delivery, toErrorDelivery } from './delivery/delivery.js';
import {
  authorize,
  type EmulatorRequest,
  type EmulatorRequestBody,
  type KeyNumbers,
  readRequest,
} from './protocol/request.js';
import {
  type ApiError,
  badRequest,
  type ItemMemory,
  toErrorBody,
  toWireItem,
  unknownParameter,
} from './protocol/wire.js';
import { type EmulatorContext, invalidJson, routeRequest } from './routes.js';

interface ServeOptions {
  readonly context: EmulatorContext;
  readonly requests: EmulatorRequest[];
  readonly keys: KeyNumbers;
  readonly isClosed: () => boolean;
}

/** Accepts WebSockets on a server, each of which receives requests as frames. */
export function serveWebSockets(server: Server, options: ServeOptions): void {
  let count = 0;
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {});
    accept(incoming, { socket, head, number: ++count }).catch(() => socket.destroy());
  });

  async function accept(incoming: IncomingMessage, given: Upgraded): Promise<void> {
    const {
      request,
      key,
      error: foreign,
    } = await readRequest(incoming, {
      ...options.context,
      keys: options.keys,
    });
    const { pathname } = new URL(request.path, 'http://127.0.0.1');
    const found = /^(?:\/openai)?\/v1\/responses$/.test(pathname)
      ? authorize(key, options.context)
      : { ...badRequest(`Invalid URL (GET ${request.path})`), status: 404 };
    const error = foreign ?? found;
    if (error === undefined) serveConnection({ ...options, ...given, upgrade: request, key });
    else refuse(given.socket, error);
  }
}

function refuse(socket: Duplex, error: ApiError): void {
  const body = JSON.stringify(toErrorBody(error));
  socket.end(
    `HTTP/1.1 ${error.status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Opcodes of frames. */
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

interface Peer {
  send(text: string): void;
  close(code: number): void;
}

/**
 * Accepts a WebSocket and reads its messages (RFC 6455), without extensions. The command runs where only this package is
 * installed, and Node has no server of WebSockets.
 */
function openPeer({ socket, head, upgrade }: ConnectionOptions, onMessage: (data: Buffer) => void): Peer {
  const nonce = `${upgrade.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n' +
      `sec-websocket-accept: ${createHash('sha1').update(nonce).digest('base64')}\r\n\r\n`,
  );

  function write(opcode: number, payload: Buffer): void {
    const { length } = payload;
    const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
    header.writeUInt16BE((128 + opcode) * 256 + (length < 126 ? length : length < 65_536 ? 126 : 127));
    if (header.length === 4) header.writeUInt16BE(length, 2);
    if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
    if (socket.writable) socket.write(Buffer.concat([header, payload]));
  }

  function close(code: number): void {
    write(CLOSE, Buffer.from([code >> 8, code & 255]));
    socket.end();
  }

  const parts: Buffer[] = [];
  function receive(frame: Buffer, start: number): void {
    const first = frame.readUInt8();
    const payload = frame.subarray(start);
    for (let index = 0; index < payload.length; index++)
      payload[index] = (payload[index] ?? 0) ^ (frame[start - 4 + (index & 3)] ?? 0);
    const opcode = first & 15;
    if (opcode === CLOSE) close(1000);
    else if (opcode === BINARY) close(1003);
    else if (opcode === PING) write(PONG, payload);
    else if (opcode <= TEXT) {
      parts.push(payload);
      if (first >= 128) onMessage(Buffer.concat(parts.splice(0)));
    }
  }

  const waiting: Buffer[] = [];
  let needed = 0;
  function read(chunk: Buffer): void {
    waiting.push(chunk);
    needed -= chunk.length;
    if (needed > 0) return;
    let data = Buffer.concat(waiting.splice(0));
    while (socket.writable) {
      const { start, end } = measureFrame(data);
      needed = end - data.length;
      if (needed > 0) break;
      receive(data.subarray(0, end), start);
      data = data.subarray(end);
    }
    waiting.push(data);
  }
  socket.unshift(head);
  socket.on('data', read);
  socket.on('end', () => socket.end());
  return { send: text => write(TEXT, Buffer.from(text)), close };
}

/** Returns where the payload of the first frame begins and ends. Clients mask each frame with four bytes before it. */
function measureFrame(data: Buffer): { start: number; end: number } {
  const length = (data[1] ?? 0) & 127;
  const start = length < 126 ? 6 : length === 126 ? 8 : 14;
  if (data.length < start || length < 126) return { start, end: start + length };
  return { start, end: start + (length === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2))) };
}

/** An accepted connection. */
interface Upgraded {
  readonly socket: Duplex;
  /** Bytes that the client sent after its request. */
  readonly head: Buffer;
  /** Number of the connection, from 1. */
  readonly number: number;
}

interface ConnectionOptions extends ServeOptions, Upgraded {
  readonly upgrade: EmulatorRequest;
  readonly key: string | undefined;
}

/** A sequence of requests. The connection keeps its latest response, also without `store`. */
interface Lane {
  latest: { readonly id: string; readonly items: readonly PlainObject[] } | undefined;
  queue: Promise<unknown>;
}

/** Limits of the API for one connection. */
const MAX_LANES = 32;
const MAX_ACTIVE = 16;

function serveConnection(options: ConnectionOptions): void {
  const { context, requests, socket, upgrade, key, number } = options;
  const lanes = new Map<string, Lane>();
  const closed = new AbortController();
  const waiting: (() => void)[] = [];
  let active = 0;
  socket.once('close', () => closed.abort());
  // Each waiting request listens for the end.
  socket.setMaxListeners(0);

  const peer = openPeer(options, data => {
    const text = data.toString('utf8');
    const body = tryParseJson(text);
    const request: EmulatorRequest & { aborted: boolean } = {
      ...upgrade,
      method: 'response.create',
      body: (body ?? text) as EmulatorRequestBody,
      bodyLength: data.length,
      connection: number,
      aborted: false,
    };
    requests.push(request);
    const streamId = isPlainObject(body) ? body.stream_id : undefined;
    const error = isPlainObject(body) ? findFrameError(body, lanes) : invalidJson;
    if (error !== undefined || !isPlainObject(body))
      return send(toErrorFrame(toErrorDelivery(error ?? invalidJson)), streamId);
    const name = stringOf(streamId);
    const lane = lanes.get(name) ?? { latest: undefined, queue: Promise.resolve() };
    lanes.set(name, lane);
    const onClosed = (): void => {
      request.aborted = !options.isClosed();
    };
    socket.once('close', onClosed);
    lane.queue = lane.queue
      .then(() => runWithin(() => respond(body, lane)))
      .then(() => socket.off('close', onClosed))
      .catch(() => peer.close(1011));
  });

  /** Runs a response as soon as fewer than the maximum run. */
  async function runWithin(run: () => Promise<void>): Promise<void> {
    if (active >= MAX_ACTIVE) await new Promise<void>(resolve => waiting.push(resolve));
    active++;
    try {
      await run();
    } finally {
      active--;
      waiting.shift()?.();
    }
  }

  async function respond(frame: PlainObject, lane: Lane): Promise<void> {
    const { type: _type, stream_id: streamId, ...body } = frame;
    let answered: Lane['latest'];
    const latest = lane.latest?.id === body.previous_response_id ? lane.latest : undefined;
    const memory: ItemMemory = {
      ...context.memory,
      findItem: id => latest?.items.find(item => item.id === id) ?? context.memory.findItem(id),
      findConversation: id => (id === latest?.id ? latest.items : context.memory.findConversation(id)),
      remember(response, request) {
        context.memory.remember(response, request);
        answered = { id: response.id, items: [...request.items, ...response.output.map(toWireItem)] };
      },
    };
    const delivery = routeRequest(
      { ...upgrade, method: 'POST', body: { ...body, stream: true } },
      { ...context, memory, key },
    );
    const isCompleted = await deliver(delivery, streamId);
    if (isCompleted) lane.latest = answered;
    else if (latest !== undefined) lane.latest = undefined;
  }

  /** Sends a delivery as frames. Returns true if the response was completed. */
  async function deliver(delivery: Delivery, streamId: unknown): Promise<boolean> {
    let last = '';
    if (delivery.status >= 400) {
      send(toErrorFrame(delivery), streamId);
      return false;
    }
    for (const step of delivery.steps) {
      if (closed.signal.aborted) return false;
      if (step === 'destroy') {
        socket.destroy();
        return false;
      }
      // The lane never ends, as a response without an end.
      if (step === 'silence' || step === 'nothing') await once(closed.signal, 'abort');
      else if (step === 'end') {
        delivery.onEnd?.();
        if (!TERMINAL.has(last)) peer.close(1000);
      } else if ('wait' in step) await delay(step.wait, undefined, { signal: closed.signal }).catch(() => {});
      else {
        for (const text of toFrames(step.write)) {
          last = send(text, streamId);
          // Lanes are delivered in turns.
          if (streamId !== undefined) await delay(0);
        }
      }
    }
    return last === 'response.completed';
  }

  /** Sends a frame with the id of its lane, and returns its type. */
  function send(text: string, streamId?: unknown): string {
    const frame = tryParseJson(text);
    const type = isPlainObject(frame) ? stringOf(frame.type) : '';
    const isNamed = isPlainObject(frame) && streamId !== undefined;
    peer.send(isNamed ? JSON.stringify({ ...frame, stream_id: streamId }) : text);
    return type;
  }
}

/** Returns the error of a frame that is not specific to its request. */
function findFrameError(body: PlainObject, lanes: ReadonlyMap<string, Lane>): ApiError | undefined {
  const { type, stream_id: streamId } = body;
  if (type !== 'response.create')
    return badRequest(`Unknown event type: '${stringOf(type)}'.`, { param: 'type' });
  const extra = ['stream', 'background'].find(name => name in body);
  if (extra !== undefined) return unknownParameter(extra);
  if (streamId === undefined) return undefined;
  if (!/^[\w.-]{1,256}$/.test(stringOf(streamId)))
    return badRequest('Invalid stream_id.', { param: 'stream_id', code: 'invalid_stream_id' });
  const named = [...lanes.keys()].filter(name => name !== '');
  if (named.includes(stringOf(streamId)) || named.length < MAX_LANES) return undefined;
  return badRequest(`At most ${MAX_LANES} streams can be used on one connection.`, {
    code: 'websocket_stream_limit_reached',
  });
}

/** Events after which a response is over. */
const TERMINAL: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

/** Returns the events of an event stream. A body in another format is one frame. */
function toFrames(body: string): string[] {
  if (!/^(?:event|data|id|retry)?:/m.test(body)) return [body];
  return body
    .split(/(?:\r\n|\r|\n){2,}/)
    .map(event =>
      event
        .split(/\r\n|\r|\n/)
        .filter(line => line.startsWith('data:'))
        .map(line => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter(text => text !== '');
}

function toErrorFrame(delivery: Delivery): string {
  const text = delivery.steps
    .map(step => (typeof step === 'object' && 'write' in step ? step.write : ''))
    .join('');
  const body = tryParseJson(text);
  const error = isPlainObject(body) && body.error !== undefined ? body.error : { message: text };
  const { 'content-type': _type, ...shown } = delivery.headers;
  return JSON.stringify({
    type: 'error',
    status: delivery.status,
    error,
    ...(Object.keys(shown).length > 0 && { headers: shown }),
  });
}
