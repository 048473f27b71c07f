import type { APICallError } from '@ai-sdk/provider';
import { RESPONSE_LIMITS } from '../../http/text-stream.js';
import type { TransportRequest } from '../../http/open-response.js';
import { createCallError } from '../../http/api-error.js';
import type { RequestLog } from '../../http/request-log.js';
import { isPlainObject, type PlainObject } from '../../shared/json.js';
import { openWith, type ResponseRequest, type ResponseTransport } from '../transport.js';
import { hasSameSettings, splitBody, toNewItems } from './chain.js';
import { type BegunResponse, PREVIOUS_IGNORED } from './exchange.js';
import { MESSAGE_TOO_BIG, SocketError, type WebSocketConstructor } from './socket.js';
import { type Connection, createConnection, isFree, type Lane } from './connection.js';

/** Options of the WebSocket transport. */
export interface WebSocketSettings {
  /**
   * Time for which a connection without a running response is kept, in milliseconds: for the next round of a turn, while
   * its tools run, and for the next turn. A connection that is not used does not keep the process alive.
   * @default 300000
   */
  keepAlive?: number;
  /**
   * Sends the requests of turns that run at the same time on one connection, for servers that multiplex, as OpenAI does
   * (`stream_id`). An aborted response then runs to its end on the server while others use its connection.
   * @default false
   */
  multiplex?: boolean;
  /**
   * The WebSocket client: a constructor that takes the URL and an object with `headers`, such as that of the package `ws`
   * or a subclass of it with an `agent`.
   * @default the package `ws` if it is installed, else the global `WebSocket`
   */
  WebSocket?: WebSocketConstructor;
}

/** Sends the requests of a provider over WebSockets. */
export interface WebSocketTransport extends ResponseTransport {
  prepare(target: Target): void;
  /** Closes the connections, and forgets that the server has no WebSocket. */
  close(): void;
}

export interface WebSocketTransportOptions extends WebSocketSettings {
  readonly log: RequestLog;
  /** @internal */
  readonly pingInterval?: number;
}

/**
 * Creates a transport that sends each request as a frame, with only the items that follow the latest response on its
 * connection. A server without WebSockets receives the requests over HTTP.
 *
 * @see https://platform.openai.com/docs/guides/websocket-mode
 */
export function createWebSocketTransport({
  log,
  keepAlive = 5 * 60_000,
  multiplex = false,
  WebSocket,
  pingInterval,
}: WebSocketTransportOptions): WebSocketTransport {
  const pool = createConnectionPool({ keepAlive, multiplex, WebSocket, pingInterval });
  let isUnavailable = false;
  /** The servers that do not continue responses. */
  const unchained = new Set<string>();

  return {
    prepare(target) {
      if (!isUnavailable) pool.prepare(toWebSocketTarget(target));
    },

    open: request => openWith(request, sent => send(sent, request)),

    close() {
      pool.close();
      isUnavailable = false;
      unchained.clear();
    },
  };

  async function send(request: TransportRequest, call: ReportedCall): Promise<Response> {
    const { body, context, signal, sendOverHttp } = request;
    if (isUnavailable || !isPlainObject(body)) return sendOverHttp();
    try {
      return await sendFrames(request, { body, call });
    } catch (error) {
      if (signal.aborted || !(error instanceof SocketError)) throw error;
      if (error.isOverLimit) throw toLimitError(error, request);
      if (error.response !== undefined && KEY_STATUSES.has(error.response.status)) return error.response;
      if (error.code === MESSAGE_TOO_BIG) return fallBack('the request is too large for a frame');
      if (!error.isRefusal) throw error;
      const response = await fallBack(context.redact(error.message));
      // Otherwise, the server is not available over HTTP either.
      if (response.ok) isUnavailable = true;
      return response;
    }

    async function fallBack(reason: string): Promise<Response> {
      const response = await sendOverHttp();
      if (response.ok && !isUnavailable)
        call.warn({ type: 'other', message: `The request was sent over HTTP, because ${reason}.` });
      return response;
    }
  }

  /** Sends a request, and once more with the complete input if the connection or its latest response is lost. */
  async function sendFrames(
    request: TransportRequest,
    { body, call }: { body: PlainObject; call: ReportedCall },
  ): Promise<Response> {
    const target = toWebSocketTarget(request);
    let place = pool.take(target, body, { isNew: false, chains: !unchained.has(target.url) });
    for (let isResent = false; ; isResent = true) {
      const begun = await sendFrame(place).catch((error: unknown) => {
        if (isResent || !place.isReused || request.signal.aborted || !isLost(error)) throw error;
        return undefined;
      });
      const isFinal = begun !== undefined && (isResent || !RESENT_CODES.has(begun.errorCode ?? ''));
      if (isFinal) return begun.response;
      if (begun?.errorCode === PREVIOUS_IGNORED) unchained.add(target.url);
      // The response that was to be continued is lost with its connection, or with the rejection.
      if (begun?.errorCode !== PREVIOUS_NOT_FOUND) place.connection.retire();
      else if (place.newItems === undefined) return begun.response;
      place = pool.take(target, body, { isNew: begun?.errorCode !== PREVIOUS_NOT_FOUND, chains: false });
    }

    async function sendFrame({ connection, lane, newItems }: Place): Promise<BegunResponse> {
      let errorCode: string | undefined;
      const continuedId = newItems === undefined ? undefined : lane.link?.id;
      const frame = toFrame(request, { body, lane, newItems });
      const entry = { method: 'response.create', ...target, call: call.call };
      const response = await log(entry, async () => {
        const begun = await connection.send(lane, {
          frame,
          link: unchained.has(target.url) ? undefined : splitBody(body),
          continuedId,
          signal: request.signal,
        });
        ({ errorCode } = begun);
        return begun.response;
      });
      return { response, errorCode };
    }
  }
}

type ReportedCall = Pick<ResponseRequest, 'call' | 'warn'>;

const PREVIOUS_NOT_FOUND = 'previous_response_not_found';

/** Errors after which the request is sent again with its complete input. */
const RESENT_CODES: ReadonlySet<string> = new Set([
  PREVIOUS_NOT_FOUND,
  PREVIOUS_IGNORED,
  'websocket_connection_limit_reached',
  'websocket_stream_limit_reached',
]);

/** Returns true for a connection that ended before the server responded. Other failures concern the request. */
const isLost = (error: unknown): boolean =>
  error instanceof SocketError && !error.isRefusal && !error.isOverLimit && error.code !== MESSAGE_TOO_BIG;

/** Statuses of a refused upgrade that concern the key, so that HTTP would not help. */
const KEY_STATUSES: ReadonlySet<number> = new Set([401, 402, 429]);

/** The headers describe the upgrade request, which has no body. */
function toWebSocketTarget({ url, headers }: Target): Target {
  const { 'content-type': _body, ...sent } = headers;
  return { url: url.replace(/^http/, 'ws'), headers: sent };
}

/** Writes the frame of a request. Releases the lane if JSON cannot represent it. */
function toFrame(
  request: TransportRequest,
  { body, lane, newItems }: Pick<Place, 'lane' | 'newItems'> & { body: PlainObject },
): string {
  const { stream: _always, background: _never, ...fields } = body;
  const frame = { type: 'response.create', ...(lane.id !== undefined && { stream_id: lane.id }) };
  try {
    if (newItems !== undefined)
      return JSON.stringify({ ...frame, ...fields, previous_response_id: lane.link?.id, input: newItems });
    return request.toJson({ ...frame, ...fields }) ?? '';
  } catch (error) {
    lane.isBusy = false;
    throw error;
  }
}

const toLimitError = ({ message }: SocketError, { context }: TransportRequest): APICallError =>
  createCallError(
    'responseLimit',
    context,
    `Expected messages of at most ${RESPONSE_LIMITS.eventLength} bytes from ${context.url}, got a longer one: ${message}.`,
  );

interface PoolOptions {
  /** Milliseconds for which an unused connection is kept. */
  readonly keepAlive: number;
  /** Sends requests on the connection of another running response. */
  readonly multiplex: boolean;
  readonly WebSocket: WebSocketConstructor | undefined;
  /** @internal */
  readonly pingInterval?: number | undefined;
}

/** The server of a connection, and the headers that were sent to open it. */
interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A lane that is reserved for a request. */
interface Place {
  readonly connection: Connection;
  readonly lane: Lane;
  /** True if the connection was opened for an earlier request. */
  readonly isReused: boolean;
  /** The items to send, which follow the latest response of the lane. Undefined for the complete input. */
  readonly newItems: readonly unknown[] | undefined;
}

interface TakeOptions {
  /** Takes a connection that was opened for this request. */
  readonly isNew: boolean;
  /** False to send the complete input. */
  readonly chains: boolean;
}

interface ConnectionPool {
  /** Opens a connection unless there is one for this target. */
  prepare(target: Target): void;
  /** Reserves a lane: one whose latest response the request continues, or else a free one. */
  take(target: Target, body: PlainObject, options: TakeOptions): Place;
  /** Closes unused connections, and the others after their responses. */
  close(): void;
}

/** The number of unused connections that are kept. */
const MAX_IDLE = 16;

/** The number of responses that the API runs at the same time on one connection. */
const MAX_ACTIVE = 16;

interface Entry {
  readonly key: string;
  readonly connection: Connection;
  isUsed: boolean;
}

function createConnectionPool({ multiplex, ...options }: PoolOptions): ConnectionPool {
  const maxActive = multiplex ? MAX_ACTIVE : 1;
  /** The connection that was used last is the last one. */
  let entries: Entry[] = [];

  return {
    prepare(target) {
      const key = toKey(target);
      if (!usable(key).some(({ connection }) => connection.activeCount < maxActive)) open(target, key);
    },

    take(target, body, { isNew, chains }) {
      const key = toKey(target);
      const known = isNew ? [] : usable(key).reverse();
      for (const entry of known) {
        for (const lane of entry.connection.lanes) {
          const { isBusy, link } = lane;
          const newItems = isBusy || !chains || link === undefined ? undefined : toNewItems(body, link);
          if (newItems === undefined || link === undefined) continue;
          return reserve(entry, lane, hasSameSettings(body, link) ? newItems : undefined);
        }
      }
      for (const entry of known) {
        const lane = findFreeLane(entry.connection);
        if (lane !== undefined) return reserve(entry, lane);
      }
      const entry = open(target, key);
      const [lane] = entry.connection.lanes;
      if (lane === undefined) throw new Error('Expected a lane of a new connection, got none.');
      return reserve(entry, lane);
    },

    close() {
      for (const { connection } of [...entries]) connection.retire();
    },
  };

  function findFreeLane(connection: Connection): Lane | undefined {
    if (connection.activeCount >= maxActive) return undefined;
    return connection.lanes.find(isFree) ?? (multiplex ? connection.addLane() : undefined);
  }

  function reserve(entry: Entry, lane: Lane, newItems?: readonly unknown[]): Place {
    const isReused = entry.isUsed;
    entry.isUsed = true;
    lane.isBusy = true;
    entries = [...entries.filter(other => other !== entry), entry];
    return { connection: entry.connection, lane, isReused, newItems };
  }

  function open({ url, headers }: Target, key: string): Entry {
    const idle = entries.filter(({ connection }) => connection.activeCount === 0);
    for (const { connection } of idle.slice(0, Math.max(0, idle.length + 1 - MAX_IDLE))) connection.retire();
    const entry: Entry = {
      key,
      isUsed: false,
      connection: createConnection({
        ...options,
        url,
        headers,
        onRetired() {
          entries = entries.filter(other => other !== entry);
        },
      }),
    };
    entries.push(entry);
    return entry;
  }

  function usable(key: string): Entry[] {
    return entries.filter(entry => entry.key === key && entry.connection.isUsable);
  }
}

const toKey = ({ url, headers }: Target): string =>
  JSON.stringify([url, Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))]);
