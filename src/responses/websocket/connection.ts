import { readError } from '../../shared/reported-error.js';
import { toError } from '../../shared/errors.js';
import { onceAborted, untilAborted } from '../../shared/abort.js';
import { idOf, objectOf, type PlainObject, stringOf, tryParseJson } from '../../shared/json.js';
import { isWaiting, type Link } from './chain.js';
import { type BegunResponse, createExchange, type Exchange } from './exchange.js';
import { openSocket, type Socket, SocketError, type WebSocketConstructor } from './socket.js';

/** A sequence of responses on a connection. The server keeps the latest response of each lane. */
export interface Lane {
  /** The `stream_id` of its frames. Undefined for the lane that every server has. */
  readonly id: string | undefined;
  /** The latest response, if it can be continued. */
  link: Link | undefined;
  /** True from the choice of the lane for a request to the end of the response. */
  isBusy: boolean;
}

export interface Connection {
  readonly lanes: readonly Lane[];
  readonly activeCount: number;
  /** True if requests can be sent on it. */
  readonly isUsable: boolean;
  /** Adds a lane. Undefined if the server accepts no more of them. */
  addLane(): Lane | undefined;
  /**
   * Sends a frame on a lane that is busy, and returns when the server has begun to respond.
   *
   * @throws SocketError if the connection cannot be opened or ends before.
   */
  send(lane: Lane, request: LaneRequest): Promise<BegunResponse>;
  /** Accepts no more requests, and closes after the running ones. */
  retire(): void;
}

export interface LaneRequest {
  readonly frame: string;
  /** The link of the response that the frame requests, without its output. Undefined if it is not to be continued. */
  readonly link: Omit<Link, 'id' | 'output'> | undefined;
  /** The id of the response that the frame continues. */
  readonly continuedId: string | undefined;
  readonly signal: AbortSignal;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for which the connection is kept without a running response. */
  readonly keepAlive: number;
  readonly WebSocket: WebSocketConstructor | undefined;
  /** Milliseconds between two pings. A server that answers none is gone. @internal @default 30000 */
  readonly pingInterval?: number | undefined;
  /** Called once when the connection accepts no more requests. */
  readonly onRetired: () => void;
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

const PING_INTERVAL = 30_000;

export function createConnection({
  url,
  headers,
  keepAlive,
  WebSocket,
  pingInterval = PING_INTERVAL,
  onRetired,
}: ConnectionOptions): Connection {
  const opening = new AbortController();
  const traffic: Traffic = {
    lanes: [{ id: undefined, link: undefined, isBusy: false }],
    active: new Map(),
    abandoned: new Set(),
  };
  const { lanes, active } = traffic;
  const openedAt = performance.now();
  let socket: Socket | undefined;
  let isRetired = false;
  let isClosed = false;
  const countActive = (): number => lanes.filter(({ isBusy }) => isBusy).length;
  const timers = createTimers({ keepAlive, pingInterval, onIdle: retire, onGone: end });
  const dispatch = createDispatcher(traffic, { retire, end });

  const isOpen = openSocket(url, {
    headers,
    WebSocket,
    signal: opening.signal,
    events: {
      onText(text) {
        timers.beat();
        dispatch(text);
      },
      onBinary: () => end(new SocketError('expected text frames, got a binary one')),
      onAlive() {
        timers.beat();
        for (const exchange of active.values()) exchange.touch();
      },
      onClose: end,
    },
  }).then(
    opened => {
      socket = opened;
      if (isClosed) return opened.close();
      timers.start(opened);
      rest();
      return undefined;
    },
    (error: unknown) => {
      const reason = toError(error);
      end(reason);
      throw reason;
    },
  );
  isOpen.catch(() => {});

  return {
    lanes,
    get activeCount() {
      return countActive();
    },
    get isUsable() {
      if (!isRetired && performance.now() - openedAt > MAX_AGE) retire();
      return !isRetired;
    },
    addLane() {
      if (lanes.length > MAX_LANES) return undefined;
      const lane = { id: `lane-${lanes.length}`, link: undefined, isBusy: false };
      lanes.push(lane);
      return lane;
    },
    async send(lane, request) {
      const previousId = lane.link?.id;
      lane.link = undefined;
      try {
        await untilAborted(isOpen, request.signal);
      } catch (error) {
        lane.isBusy = false;
        // A connection that was opened for this request is of no use to another one.
        if (request.signal.aborted && active.size === 0 && countActive() === 0) retire();
        throw error;
      }
      if (isClosed || socket === undefined) {
        lane.isBusy = false;
        throw new SocketError('the WebSocket is closed');
      }
      request.signal.throwIfAborted();
      timers.wake();
      return sendOn(socket, { lane, previousId, request, traffic, retire, rest, onForeign: end });
    },
    retire,
  };

  /** Starts the time after which an unused connection is closed. */
  function rest(): void {
    if (active.size > 0 || isClosed) return;
    if (isRetired) return end(new SocketError('the WebSocket is closed'));
    timers.rest();
  }

  function refuseMore(): void {
    if (isRetired) return;
    isRetired = true;
    onRetired();
  }

  function retire(): void {
    refuseMore();
    if (countActive() === 0) end(new SocketError('the WebSocket is closed'));
  }

  function end(reason: Error): void {
    if (isClosed) return;
    isClosed = true;
    timers.stop();
    opening.abort(reason);
    refuseMore();
    for (const exchange of [...active.values()]) exchange.fail(reason);
    socket?.close();
  }
}

/** The lanes of a connection, and the responses that run on them, by the id of their lane. */
interface Traffic {
  readonly lanes: Lane[];
  readonly active: Map<string | undefined, Exchange>;
  /** Lanes whose response ended before the server was done with it. */
  readonly abandoned: Set<string | undefined>;
}

interface SendOptions {
  readonly lane: Lane;
  readonly previousId: string | undefined;
  readonly request: LaneRequest;
  readonly traffic: Traffic;
  readonly retire: () => void;
  readonly rest: () => void;
  readonly onForeign: (reason: Error) => void;
}

/** Sends a frame on an open socket, and returns when the server has begun to respond. */
function sendOn(
  socket: Socket,
  { lane, previousId, request, traffic, retire, rest, onForeign }: SendOptions,
): Promise<BegunResponse> {
  const { lanes, active, abandoned } = traffic;
  const { frame, link, continuedId, signal } = request;
  const exchange = createExchange({
    headers: socket.headers,
    previousId,
    continuedId,
    isShared: lanes.length > 1,
    onEnd({ id, output, mayContinue }) {
      release();
      active.delete(lane.id);
      lane.isBusy = false;
      if (id !== undefined && link !== undefined) lane.link = { ...link, id, output };
      if (mayContinue) {
        abandoned.add(lane.id);
        retire();
      }
      rest();
    },
    onForeign,
    onCancel: cancel,
    onPressure: isHigh => {
      // Other responses on the connection must not wait for this reader.
      if (lanes.length === 1) socket.pause(isHigh);
    },
  });
  const release = onceAborted(signal, cancel);
  active.set(lane.id, exchange);
  abandoned.delete(lane.id);
  socket.send(frame);
  return exchange.begun;

  /** Ends the work of the server. It has no message for that, so the connection is closed if no other response uses it. */
  function cancel(): void {
    if (active.get(lane.id) !== exchange) return;
    retire();
    exchange.fail(new SocketError('the response was cancelled'));
  }
}

/** Returns the receiver of the frames of a connection, which passes each to the request that waits for it. */
function createDispatcher(
  { lanes, active, abandoned }: Traffic,
  { retire, end }: { readonly retire: () => void; readonly end: (reason: Error) => void },
): (text: string) => void {
  return text => {
    const frame = lanes.length === 1 ? undefined : objectOf(tryParseJson(text));
    const id = idOf(frame?.stream_id);
    const type = stringOf(frame?.type);
    const exchange = id === undefined && type === 'error' ? findRejected(frame) : active.get(id);
    if (exchange !== undefined) return exchange.receive(text);
    if (abandoned.has(id) || text.trim() === '[DONE]') return undefined;
    const isNamed = id !== undefined && lanes.some(lane => lane.id === id);
    // Each running request could wait for this frame until its timeout.
    if (active.size > 0 && !isNamed && (type === 'error' || type.startsWith('response.'))) {
      const { code, message } = readError(frame ?? {}) ?? {};
      const reason = [type, code, message].filter(part => part !== undefined).join(': ');
      return end(new SocketError(`expected frames of a running request, got one of another: ${reason}`));
    }
    // A frame that no request expects could be taken for the response to the next one.
    return retire();
  };

  /** Returns the request that an error without `stream_id` rejects. Undefined if it could be one of several. */
  function findRejected(frame: PlainObject | undefined): Exchange | undefined {
    const isOfNamedLane = NAMED_LANE_CODES.has(readError(frame ?? {})?.code ?? '');
    const named = [...active.entries()].filter(([id]) => id !== undefined);
    const exchange = isOfNamedLane ? undefined : active.get(undefined);
    return exchange ?? (named.length === 1 && !abandoned.has(undefined) ? named[0]?.[1] : undefined);
  }
}

interface TimersOptions {
  readonly keepAlive: number;
  readonly pingInterval: number;
  /** Called when the connection was unused for a long time. */
  readonly onIdle: () => void;
  /** Called when the server answers no pings. */
  readonly onGone: (reason: Error) => void;
}

/** Creates the timers of a connection: of its pings, and of the time without a request. */
function createTimers({ keepAlive, pingInterval, onIdle, onGone }: TimersOptions) {
  let socket: Socket | undefined;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;
  let pingTimer: ReturnType<typeof setInterval> | undefined;
  let missedPongs = 0;
  return {
    start(opened: Socket): void {
      socket = opened;
      pingTimer = setInterval(checkPeer, pingInterval);
      unref(pingTimer);
    },
    /** Records that the server is alive. */
    beat(): void {
      missedPongs = 0;
    },
    wake(): void {
      clearTimeout(idleTimer);
      socket?.keepAlive(true);
      missedPongs = 0;
    },
    rest(): void {
      socket?.keepAlive(false);
      clearTimeout(idleTimer);
      idleTimer = setTimeout(onIdle, keepAlive);
      unref(idleTimer);
    },
    stop(): void {
      clearTimeout(idleTimer);
      clearInterval(pingTimer);
    },
  };

  function checkPeer(): void {
    if (socket?.ping === undefined) return;
    if (missedPongs++ >= 2) return onGone(new SocketError('the server does not answer pings'));
    socket.ping();
  }
}

/** Lets the process exit before a timer fires. Browsers have no such function. */
const unref = (timer: unknown): void => (timer as { unref?: () => void }).unref?.();

/** Returns true if a lane can take a request that does not continue its latest response. */
export const isFree = ({ isBusy, link }: Lane): boolean =>
  !isBusy && (link === undefined || !isWaiting(link));
