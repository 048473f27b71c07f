import { RESPONSE_LIMITS } from '../../core/http/text-stream.js';

/** A constructor of WebSockets that sends headers: that of the package `ws`, of Node 22, Bun or Deno. */
export type WebSocketConstructor = new (
  url: string,
  /** Only the package `ws` uses more than the headers. */
  options: {
    /** The headers of the upgrade request. */
    readonly headers: Readonly<Record<string, string>>;
    /** Milliseconds. */
    readonly handshakeTimeout: number;
    /** Bytes. */
    readonly maxPayload: number;
    readonly perMessageDeflate: boolean;
  },
) => unknown;

export interface Socket {
  /** The headers of the response to the upgrade request. Empty for clients that do not show them. */
  readonly headers: Readonly<Record<string, string>>;
  send(text: string): void;
  /** Closes the connection at once. */
  close(): void;
  /** Sends a ping, which the server answers. Undefined for clients that cannot. */
  readonly ping: (() => void) | undefined;
  /** Lets the socket keep the process alive, or not. */
  keepAlive(isNeeded: boolean): void;
  /** Stops and starts reading. */
  pause(isPaused: boolean): void;
}

export interface SocketEvents {
  onText(text: string): void;
  onBinary(): void;
  /** Called for every ping and pong. */
  onAlive(): void;
  /** Called once after the socket was open. */
  onClose(reason: SocketError): void;
}

/** A WebSocket that was closed, or could not be opened. */
export class SocketError extends Error {
  /** The close code. */
  readonly code: number | undefined;
  /** The response of a server that refused the upgrade. */
  readonly response: Response | undefined;
  /** True if the connection was never open. */
  readonly isRefusal: boolean;
  /** True if the server sent a message that is longer than `RESPONSE_LIMITS.eventLength`. */
  readonly isOverLimit: boolean;

  constructor(
    message: string,
    facts: Partial<Pick<SocketError, 'code' | 'response' | 'isRefusal' | 'isOverLimit' | 'cause'>> = {},
  ) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.response = facts.response;
    this.isRefusal = facts.isRefusal ?? false;
    this.isOverLimit = facts.isOverLimit ?? false;
  }
}

/** The time limit for the upgrade of a connection, in milliseconds. */
const HANDSHAKE_TIMEOUT = 30_000;

/** The error code of `ws` for a message that is too long. */
const TOO_LONG = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';

/** The close code for a message that is too long: RFC 6455, 7.4.1. */
export const MESSAGE_TOO_BIG = 1009;

/** The server of a connection, and the headers that are sent to open it. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Opens a WebSocket with a constructor, by default that of the package `ws`, or the global one. The signal ends the opening.
 *
 * @throws SocketError if the server refuses it, with its response, or if there is no client that sends headers.
 */
export async function openSocket(
  target: Target,
  events: SocketEvents,
  signal: AbortSignal,
  WebSocket?: WebSocketConstructor,
): Promise<Socket> {
  const Client = WebSocket ?? (await findClient());
  signal.throwIfAborted();
  let client: unknown;
  try {
    client = new Client(target.url, {
      headers: target.headers,
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      maxPayload: RESPONSE_LIMITS.eventLength,
      perMessageDeflate: false,
    });
  } catch (cause) {
    throw new SocketError(
      'this runtime has no WebSocket client that sends headers: install the package `ws`',
      {
        isRefusal: true,
        cause,
      },
    );
  }
  return isNodeClient(client)
    ? openNodeClient(client, events, signal)
    : openPlatformClient(client as PlatformClient, events, signal);
}

/** Returns the constructor of `ws`, or else the global one. */
async function findClient(): Promise<WebSocketConstructor> {
  const found = await load<{ WebSocket?: WebSocketConstructor }>('ws').catch(() => undefined);
  const Client = found?.WebSocket ?? (globalThis as { WebSocket?: unknown }).WebSocket;
  if (Client !== undefined) return Client as WebSocketConstructor;
  throw new SocketError('this runtime has no WebSocket client: install the package `ws`', {
    isRefusal: true,
  });
}

/** Imports a module that may be missing. The name is a parameter, so that bundlers do not resolve it. */
const load = async <Module>(name: string): Promise<Module> =>
  (await import(/* @vite-ignore */ name)) as Module;

type Listener = (...values: never[]) => void;

interface NodeClient {
  on(event: string, listener: Listener): unknown;
  send(text: string): void;
  ping(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
}

interface IncomingResponse {
  readonly statusCode?: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket?: { ref(): unknown; unref(): unknown };
  on(event: string, listener: Listener): unknown;
}

const isNodeClient = (client: unknown): client is NodeClient =>
  typeof client === 'object' && client !== null && 'terminate' in client && 'on' in client;

function openNodeClient(client: NodeClient, events: SocketEvents, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let upgraded: IncomingResponse | undefined;
    let failure: Error | undefined;
    let isOpen = false;
    let isRefused = false;
    const fail = (reason: SocketError): void => {
      // The response of a refusal may end with an error.
      if (isRefused) return;
      signal.removeEventListener('abort', stop);
      if (isOpen) events.onClose(reason);
      else reject(new SocketError(reason.message, { isRefusal: true, cause: reason }));
    };
    const stop = (): void => client.terminate();
    signal.addEventListener('abort', stop, { once: true });

    client.on('upgrade', (response: IncomingResponse) => {
      upgraded = response;
    });
    client.on('unexpected-response', (request: { destroy(): void }, response: IncomingResponse) => {
      isRefused = true;
      const status = response.statusCode ?? 500;
      readText(response).then(text => {
        request.destroy();
        reject(
          new SocketError(`the server refused the WebSocket with status ${status}`, {
            isRefusal: true,
            response: new Response(NULL_BODY.has(status) ? null : text, {
              status,
              headers: toHeaders(response),
            }),
          }),
        );
      }, reject);
    });
    client.on('open', () => {
      isOpen = true;
      signal.removeEventListener('abort', stop);
      const { socket } = upgraded ?? {};
      resolve({
        headers: upgraded === undefined ? {} : toHeaders(upgraded),
        send: text => client.send(text),
        ping: () => client.ping(),
        close: () => client.terminate(),
        keepAlive: isNeeded => void (isNeeded ? socket?.ref() : socket?.unref()),
        pause: isPaused => (isPaused ? client.pause() : client.resume()),
      });
    });
    client.on('message', (data: { toString(): string }, isBinary: boolean) =>
      isBinary ? events.onBinary() : events.onText(data.toString()),
    );
    client.on('ping', events.onAlive);
    client.on('pong', events.onAlive);
    client.on('error', (error: Error) => {
      failure = error;
    });
    client.on('close', (code: number, reason: { toString(): string }) => {
      fail(failure === undefined ? toCloseError(code, reason.toString()) : toSocketError(failure));
    });
  });
}

const toSocketError = (cause: Error): SocketError =>
  new SocketError(cause.message, { isOverLimit: 'code' in cause && cause.code === TOO_LONG, cause });

const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const toHeaders = (response: IncomingResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

/** The maximum length of the body of a refusal, in characters. */
const MAX_REFUSAL = 65_536;

/** Reads the beginning of the body of a refused upgrade. */
const readText = (response: IncomingResponse): Promise<string> =>
  new Promise(resolve => {
    let text = '';
    const end = (): void => resolve(text.slice(0, MAX_REFUSAL));
    response.on('data', (chunk: { toString(): string }) => {
      text += chunk.toString();
      if (text.length >= MAX_REFUSAL) end();
    });
    for (const event of ['end', 'close', 'error']) response.on(event, end);
  });

/** The part of a WebSocket of the platform that is used. */
interface PlatformClient {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: string,
    listener: (event: { data?: unknown; code?: number; reason?: string; message?: string }) => void,
  ): void;
}

function openPlatformClient(
  client: PlatformClient,
  events: SocketEvents,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let message = '';
    let isOpen = false;
    const stop = (): void => client.close();
    const timer = setTimeout(stop, HANDSHAKE_TIMEOUT);
    signal.addEventListener('abort', stop, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    client.addEventListener('open', () => {
      isOpen = true;
      settle();
      resolve({
        headers: {},
        send: text => client.send(text),
        ping: undefined,
        close: stop,
        keepAlive() {},
        pause() {},
      });
    });
    client.addEventListener('message', event =>
      typeof event.data === 'string' ? events.onText(event.data) : events.onBinary(),
    );
    client.addEventListener('error', event => {
      message = event.message ?? '';
    });
    client.addEventListener('close', ({ code, reason }) => {
      settle();
      if (isOpen) events.onClose(toCloseError(code, reason));
      else reject(new SocketError(message || 'the WebSocket could not be opened', { isRefusal: true }));
    });
  });
}

const toCloseError = (code = 1006, reason = ''): SocketError =>
  new SocketError(`the WebSocket was closed with code ${code}${reason === '' ? '' : ` (${reason})`}`, {
    code,
  });
