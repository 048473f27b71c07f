import type { APICallError } from '@ai-sdk/provider';
import { RESPONSE_LIMITS } from '../../core/http/text-stream.js';
import type { TransportRequest } from '../../core/http/open-response.js';
import { createCallError } from '../../core/http/api-error.js';
import type { RequestLog } from '../../core/http/request-log.js';
import { isPlainObject, type PlainObject } from '../../core/shared/json.js';
import { openWith, type ResponseRequest, type ResponseTransport } from '../transport.js';
import { hasSameSettings, splitBody, toNewItems } from './chain.js';
import { type LaneBeginning, PREVIOUS_IGNORED } from './lane-response.js';
import { MESSAGE_TOO_BIG, SocketError, type Target, type WebSocketConstructor } from './socket.js';
import { SocketConnection, type ConnectionSettings, isFree, type Lane } from './connection.js';

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

/**
 * Creates a transport that sends each request as a frame, with only the items that follow the latest response on its
 * connection. A server without WebSockets receives the requests over HTTP.
 *
 * @see https://platform.openai.com/docs/guides/websocket-mode
 */
export function createWebSocketTransport(
  settings: WebSocketSettings & Pick<ConnectionSettings, 'pingInterval'>,
  log: RequestLog,
): WebSocketTransport {
  const { keepAlive = 5 * 60_000, multiplex = false, WebSocket, pingInterval } = settings;
  const pool = new ConnectionPool({ keepAlive, WebSocket, pingInterval }, multiplex ? MAX_ACTIVE : 1);
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
    let place = pool.take(target, body, unchained.has(target.url) ? 'any' : 'latest');
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
      place = pool.take(target, body, begun?.errorCode === PREVIOUS_NOT_FOUND ? 'any' : 'new');
    }

    async function sendFrame({ connection, lane, newItems }: Place): Promise<LaneBeginning> {
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
function toWebSocketTarget(target: Target): Target {
  const { 'content-type': _body, ...sent } = target.headers;
  return { url: target.url.replace(/^http/, 'ws'), headers: sent };
}

/** Writes the frame of a request. Releases the lane if JSON cannot represent it. */
function toFrame(
  request: TransportRequest,
  place: Pick<Place, 'lane' | 'newItems'> & { body: PlainObject },
): string {
  const { stream: _always, background: _never, ...fields } = place.body;
  const { lane, newItems } = place;
  const frame = {
    type: 'response.create',
    ...(lane.id !== undefined && { stream_id: lane.id }),
    ...fields,
    ...(newItems !== undefined && { previous_response_id: lane.link?.id }),
  };
  try {
    return request.toJson(frame, newItems) ?? '';
  } catch (error) {
    place.lane.isBusy = false;
    throw error;
  }
}

const toLimitError = (reason: SocketError, request: TransportRequest): APICallError =>
  createCallError(
    'responseLimit',
    request.context,
    `Expected messages of at most ${RESPONSE_LIMITS.eventLength} bytes from ${request.context.url}, got a longer one: ${reason.message}.`,
  );

/** A lane that is reserved for a request. */
interface Place {
  readonly connection: SocketConnection;
  readonly lane: Lane;
  /** True if the connection was opened for an earlier request. */
  readonly isReused: boolean;
  /** The items to send, which follow the latest response of the lane. Undefined for the complete input. */
  readonly newItems: readonly unknown[] | undefined;
}

/** The number of unused connections that are kept. */
const MAX_IDLE = 16;

/** The number of responses that the API runs at the same time on one connection. */
const MAX_ACTIVE = 16;

interface Entry {
  readonly key: string;
  readonly connection: SocketConnection;
  isUsed: boolean;
}

class ConnectionPool {
  /** The connection that was used last is the last one. */
  #entries: Entry[] = [];
  readonly #settings: ConnectionSettings;
  /** The number of responses that run at the same time on one connection. */
  readonly #maxActive: number;

  constructor(settings: ConnectionSettings, maxActive: number) {
    this.#settings = settings;
    this.#maxActive = maxActive;
  }

  /** Opens a connection unless there is one for this target. */
  prepare(target: Target): void {
    const key = toKey(target);
    if (!this.#usable(key).some(entry => entry.connection.activeCount < this.#maxActive))
      this.#open(target, key);
  }

  /**
   * Reserves a lane: one whose latest response the request continues, or else a free one.
   *
   * @param from `latest` continues a response if one fits, `any` sends the complete input, `new` does so on a connection
   * that is opened for this request.
   */
  take(target: Target, body: PlainObject, from: 'latest' | 'any' | 'new'): Place {
    const key = toKey(target);
    const known = from === 'new' ? [] : this.#usable(key).reverse();
    for (const entry of from === 'latest' ? known : []) {
      for (const lane of entry.connection.lanes) {
        const { isBusy, link } = lane;
        const newItems = isBusy || link === undefined ? undefined : toNewItems(body, link);
        if (newItems === undefined || link === undefined) continue;
        return this.#reserve(entry, lane, hasSameSettings(body, link) ? newItems : undefined);
      }
    }
    for (const entry of known) {
      const lane = this.#findFreeLane(entry.connection);
      if (lane !== undefined) return this.#reserve(entry, lane);
    }
    const entry = this.#open(target, key);
    const [lane] = entry.connection.lanes;
    if (lane === undefined) throw new Error('Expected a lane of a new connection, got none.');
    return this.#reserve(entry, lane);
  }

  /** Closes unused connections, and the others after their responses. */
  close(): void {
    for (const { connection } of [...this.#entries]) connection.retire();
  }

  #findFreeLane(connection: SocketConnection): Lane | undefined {
    if (connection.activeCount >= this.#maxActive) return undefined;
    return connection.lanes.find(isFree) ?? (this.#maxActive > 1 ? connection.addLane() : undefined);
  }

  #reserve(entry: Entry, lane: Lane, newItems?: readonly unknown[]): Place {
    const isReused = entry.isUsed;
    entry.isUsed = true;
    lane.isBusy = true;
    this.#entries = [...this.#entries.filter(other => other !== entry), entry];
    return { connection: entry.connection, lane, isReused, newItems };
  }

  #open(target: Target, key: string): Entry {
    const idle = this.#entries.filter(({ connection }) => connection.activeCount === 0);
    for (const { connection } of idle.slice(0, Math.max(0, idle.length + 1 - MAX_IDLE))) connection.retire();
    const entry: Entry = {
      key,
      isUsed: false,
      connection: new SocketConnection(target, this.#settings, () => {
        this.#entries = this.#entries.filter(other => other !== entry);
      }),
    };
    this.#entries.push(entry);
    return entry;
  }

  #usable(key: string): Entry[] {
    return this.#entries.filter(entry => entry.key === key && entry.connection.isUsable);
  }
}

const toKey = (target: Target): string =>
  JSON.stringify([target.url, Object.entries(target.headers).sort(([a], [b]) => (a < b ? -1 : 1))]);
