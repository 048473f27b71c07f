import { readError } from '../../core/shared/reported-error.js';
import { toError } from '../../core/shared/errors.js';
import { onceAborted, untilAborted } from '../../core/shared/abort.js';
import { idOf, objectOf, type PlainObject, stringOf, tryParseJson } from '../../core/shared/json.js';
import { isWaiting, type Link } from './chain.js';
import { type LaneBeginning, createLaneResponse, type LaneResponse } from './lane-response.js';
import {
  openSocket,
  type Socket,
  SocketError,
  type SocketEvents,
  type Target,
  type WebSocketConstructor,
} from './socket.js';

/** A sequence of responses on a connection. The server keeps the latest response of each lane. */
export interface Lane {
  /** The `stream_id` of its frames. Undefined for the lane that every server has. */
  readonly id: string | undefined;
  /** The latest response, if it can be continued. */
  link: Link | undefined;
  /** True from the choice of the lane for a request to the end of the response. */
  isBusy: boolean;
}

export interface LaneRequest {
  readonly frame: string;
  /** The link of the response that the frame requests, without its output. Undefined if it is not to be continued. */
  readonly link: Omit<Link, 'id' | 'output'> | undefined;
  /** The id of the response that the frame continues. */
  readonly continuedId: string | undefined;
  readonly signal: AbortSignal;
}

/** The API closes connections after 60 minutes. A younger one can still be used for a long response. */
const MAX_AGE = 55 * 60_000;

/** The number of named lanes that the API accepts in the life of a connection. */
const MAX_LANES = 32;

/** Errors of requests with a `stream_id`. */
const NAMED_LANE_CODES: ReadonlySet<string> = new Set([
  'invalid_stream_id',
  'websocket_stream_limit_reached',
]);

/** The default time between two pings, in milliseconds. */
const PING_INTERVAL = 30_000;

export interface ConnectionSettings {
  /** Milliseconds for which a connection is kept without a running response. */
  readonly keepAlive: number;
  readonly WebSocket: WebSocketConstructor | undefined;
  /** Milliseconds between two pings. A server that answers none is gone. @internal @default 30000 */
  readonly pingInterval?: number | undefined;
}

/** A WebSocket whose lanes carry responses, side by side if it has several. It opens when it is created. */
export class SocketConnection {
  readonly lanes: Lane[] = [{ id: undefined, link: undefined, isBusy: false }];
  /** The responses that run, by the id of their lane. */
  readonly #active = new Map<string | undefined, LaneResponse>();
  /** Lanes whose response ended before the server was done with it. */
  readonly #abandoned = new Set<string | undefined>();
  readonly #opening = new AbortController();
  readonly #openedAt = performance.now();
  readonly #opened: Promise<void>;
  readonly #settings: ConnectionSettings;
  readonly #onRetired: () => void;
  #socket: Socket | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #pingTimer: ReturnType<typeof setInterval> | undefined;
  #missedPongs = 0;
  #isRetired = false;
  #isClosed = false;

  /** @param onRetired Called once when the connection accepts no more requests. */
  constructor(target: Target, settings: ConnectionSettings, onRetired: () => void) {
    this.#settings = settings;
    this.#onRetired = onRetired;
    this.#opened = this.#open(target);
    this.#opened.catch(() => {});
  }

  get activeCount(): number {
    return this.lanes.filter(lane => lane.isBusy).length;
  }

  /** True if requests can be sent on it. */
  get isUsable(): boolean {
    if (!this.#isRetired && performance.now() - this.#openedAt > MAX_AGE) this.retire();
    return !this.#isRetired;
  }

  /** Adds a lane. Undefined if the server accepts no more of them. */
  addLane(): Lane | undefined {
    if (this.lanes.length > MAX_LANES) return undefined;
    const lane = { id: `lane-${this.lanes.length}`, link: undefined, isBusy: false };
    this.lanes.push(lane);
    return lane;
  }

  /**
   * Sends a frame on a lane that is busy, and returns when the server has begun to respond.
   *
   * @throws SocketError if the connection cannot be opened or ends before.
   */
  async send(lane: Lane, request: LaneRequest): Promise<LaneBeginning> {
    const previousId = lane.link?.id;
    lane.link = undefined;
    try {
      await untilAborted(this.#opened, request.signal);
    } catch (error) {
      lane.isBusy = false;
      // A connection that was opened for this request is of no use to another one.
      if (request.signal.aborted && this.#active.size === 0 && this.activeCount === 0) this.retire();
      throw error;
    }
    if (this.#isClosed || this.#socket === undefined) {
      lane.isBusy = false;
      throw new SocketError('the WebSocket is closed');
    }
    request.signal.throwIfAborted();
    this.#keepAlive();
    return this.#exchange(this.#socket, lane, request, previousId);
  }

  /** Accepts no more requests, and closes after the running ones. */
  retire(): void {
    this.#refuseMore();
    if (this.activeCount === 0) this.#end(new SocketError('the WebSocket is closed'));
  }

  async #open(target: Target): Promise<void> {
    const { WebSocket, pingInterval = PING_INTERVAL } = this.#settings;
    try {
      const socket = await openSocket(target, this.#events(), this.#opening.signal, WebSocket);
      this.#socket = socket;
      if (this.#isClosed) return socket.close();
      this.#pingTimer = setInterval(() => this.#checkPeer(), pingInterval);
      unref(this.#pingTimer);
      this.#rest();
    } catch (error) {
      const reason = toError(error);
      this.#end(reason);
      throw reason;
    }
  }

  #events(): SocketEvents {
    return {
      onText: text => {
        this.#missedPongs = 0;
        this.#dispatch(text);
      },
      onBinary: () => this.#end(new SocketError('expected text frames, got a binary one')),
      onAlive: () => {
        this.#missedPongs = 0;
        for (const exchange of this.#active.values()) exchange.touch();
      },
      onClose: reason => this.#end(reason),
    };
  }

  /** Sends a frame on an open socket, and returns when the server has begun to respond. */
  #exchange(
    socket: Socket,
    lane: Lane,
    request: LaneRequest,
    previousId: string | undefined,
  ): Promise<LaneBeginning> {
    /** Ends the work of the server. It has no message for that, so the connection closes if no other response uses it. */
    const cancel = (): void => {
      if (this.#active.get(lane.id) !== exchange) return;
      this.retire();
      exchange.fail(new SocketError('the response was cancelled'));
    };
    const exchange = createLaneResponse({
      headers: socket.headers,
      previousId,
      continuedId: request.continuedId,
      isShared: this.lanes.length > 1,
      onEnd: ({ id, output, mayContinue }) => {
        release();
        this.#active.delete(lane.id);
        lane.isBusy = false;
        if (id !== undefined && request.link !== undefined) lane.link = { ...request.link, id, output };
        if (mayContinue) {
          this.#abandoned.add(lane.id);
          this.retire();
        }
        this.#rest();
      },
      onForeign: reason => this.#end(reason),
      onCancel: cancel,
      onPressure: isHigh => {
        // Other responses on the connection must not wait for this reader.
        if (this.lanes.length === 1) socket.pause(isHigh);
      },
    });
    const release = onceAborted(request.signal, cancel);
    this.#active.set(lane.id, exchange);
    this.#abandoned.delete(lane.id);
    socket.send(request.frame);
    return exchange.begun;
  }

  /** Passes a frame to the request that waits for it. */
  #dispatch(text: string): void {
    const frame = this.lanes.length === 1 ? undefined : objectOf(tryParseJson(text));
    const id = idOf(frame?.stream_id);
    const type = stringOf(frame?.type);
    const exchange = id === undefined && type === 'error' ? this.#findRejected(frame) : this.#active.get(id);
    if (exchange !== undefined) return exchange.receive(text);
    if (this.#abandoned.has(id) || text.trim() === '[DONE]') return undefined;
    const isNamed = id !== undefined && this.lanes.some(lane => lane.id === id);
    // Each running request could wait for this frame until its timeout.
    if (this.#active.size > 0 && !isNamed && (type === 'error' || type.startsWith('response.'))) {
      const { code, message } = readError(frame ?? {}) ?? {};
      const reason = [type, code, message].filter(part => part !== undefined).join(': ');
      return this.#end(
        new SocketError(`expected frames of a running request, got one of another: ${reason}`),
      );
    }
    // A frame that no request expects could be taken for the response to the next one.
    return this.retire();
  }

  /** Returns the request that an error without `stream_id` rejects. Undefined if it could be one of several. */
  #findRejected(frame: PlainObject | undefined): LaneResponse | undefined {
    const isOfNamedLane = NAMED_LANE_CODES.has(readError(frame ?? {})?.code ?? '');
    const named = [...this.#active.entries()].filter(([id]) => id !== undefined);
    const exchange = isOfNamedLane ? undefined : this.#active.get(undefined);
    return exchange ?? (named.length === 1 && !this.#abandoned.has(undefined) ? named[0]?.[1] : undefined);
  }

  /** Lets the connection keep the process alive, for a request. */
  #keepAlive(): void {
    clearTimeout(this.#idleTimer);
    this.#socket?.keepAlive(true);
    this.#missedPongs = 0;
  }

  /** Starts the time after which an unused connection is closed. */
  #rest(): void {
    if (this.#active.size > 0 || this.#isClosed) return;
    if (this.#isRetired) return this.#end(new SocketError('the WebSocket is closed'));
    this.#socket?.keepAlive(false);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.retire(), this.#settings.keepAlive);
    unref(this.#idleTimer);
  }

  #checkPeer(): void {
    if (this.#socket?.ping === undefined) return undefined;
    if (this.#missedPongs++ >= 2) return this.#end(new SocketError('the server does not answer pings'));
    return this.#socket.ping();
  }

  #refuseMore(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#onRetired();
  }

  #end(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    clearInterval(this.#pingTimer);
    this.#opening.abort(reason);
    this.#refuseMore();
    for (const exchange of [...this.#active.values()]) exchange.fail(reason);
    this.#socket?.close();
  }
}

/** Lets the process exit before a timer fires. Browsers have no such function. */
const unref = (timer: unknown): void => (timer as { unref?: () => void }).unref?.();

/** Returns true if a lane can take a request that does not continue its latest response. */
export const isFree = (lane: Lane): boolean =>
  !lane.isBusy && (lane.link === undefined || !isWaiting(lane.link));
