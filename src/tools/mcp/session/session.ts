import {
  Client,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  ProtocolError,
  type RequestOptions,
  SseError,
  type Transport,
} from '@modelcontextprotocol/client';
import { toTimerDelay, untilAborted, wait } from '../../../core/shared/abort.js';
import type { PlainObject } from '../../../core/shared/json.js';
import { repeat } from '../../../core/shared/repeat.js';
import { VERSION } from '../../../core/shared/version.js';
import type { McpRequestFacts, Telemetry } from '../../../core/telemetry.js';
import type { McpCallbacks } from '../config/callbacks.js';
import type { McpServerConfig } from '../config/config.js';
import { secretsOf } from '../auth/secrets.js';
import type { ProcessReport } from '../transport/failures.js';
import type { RunningCalls } from './running-calls.js';
import {
  createHostResponses,
  handleServerRequests,
  type HostResponses,
  toCapabilities,
} from './server-requests.js';
import { type McpStoredSession, toStoredSession } from '../transport/stored-session.js';
import type { OpenedTransport } from '../transport/transport.js';

export interface SessionOptions {
  serverName: string;
  telemetry?: Telemetry | undefined;
  callbacks: McpCallbacks;
  onToolsChanged: () => void;
  onClose: (session: McpSession) => void;
  /** Called when the separate stream for messages of the server was lost. The calls of the session have their own streams. */
  onStreamLost: (session: McpSession) => void;
}

/** The name and version that the client sends to servers. */
const clientInfo = { name: 'kelivo-responses', version: VERSION };

/**
 * Maximum time for the request that ends an HTTP session, in milliseconds.
 *
 * Corrects the MCP SDK (2.4.0), whose `close()` does not end the session. Test of the bare SDK: "the session is not ended
 * by close()" in test/tools/mcp/sdk-corrections.test.ts.
 */
const endSessionTimeout = 1000;

/** One connection to a server, from opening to closing. It is never reopened. */
export class McpSession {
  readonly client: Client;
  readonly transport: Transport;
  /** The running tool calls, to which the server's requests to the host belong. */
  readonly calls: RunningCalls;
  /** Responds to the requests of the server. */
  readonly responses: HostResponses;
  readonly telemetry: Telemetry | undefined;

  readonly #config: McpServerConfig;
  readonly #opened: OpenedTransport;
  readonly #serverName: string;
  readonly #callbacks: McpCallbacks;
  readonly #onToolsChanged: () => void;
  /** Ends the stream of announcements. */
  readonly #ending = new AbortController();
  #isClosed = false;
  #announcesChanges = false;
  #sendsParamHeaders = false;
  #callMeta: PlainObject = {};
  #operationCount = 0;
  #isRetired = false;
  /** True if the session must not be ended at the server. */
  #isLeft = false;
  #closing: Promise<void> | undefined;

  /**
   * Creates a session with a client that is not yet connected to the transport.
   *
   * @param probeTimeout Time to wait for a response to `server/discover`, in milliseconds.
   */
  constructor(
    config: McpServerConfig,
    opened: OpenedTransport,
    { serverName, callbacks, telemetry, onToolsChanged, onClose, onStreamLost }: SessionOptions,
    calls: RunningCalls,
    probeTimeout: number,
  ) {
    this.#config = config;
    this.#opened = opened;
    this.#serverName = serverName;
    this.#callbacks = callbacks;
    this.#onToolsChanged = onToolsChanged;
    this.transport = opened.transport;
    this.calls = calls;
    this.telemetry = telemetry;
    this.responses = createHostResponses(callbacks, config.roots);
    this.client = new Client(clientInfo, {
      capabilities: toCapabilities(this.responses, callbacks),
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: toTimerDelay(probeTimeout) } },
    });
    handleServerRequests(this.client, callbacks, { server: serverName, calls, responses: this.responses });
    this.client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
    this.client.onclose = () => {
      this.#isClosed = true;
      this.#ending.abort();
      onClose(this);
    };
    this.client.onerror = error => {
      if (error instanceof SseError)
        void this.close(); // no response can arrive
      else if (isStreamLost(error)) onStreamLost(this);
    };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True if the server assigned a session id, which may expire. */
  get hasId(): boolean {
    return this.transport.sessionId !== undefined;
  }

  /** The facts with which another process goes on with the session. Undefined without a session id. */
  get stored(): McpStoredSession | undefined {
    return toStoredSession(this.client, this.transport);
  }

  /**
   * True if the tool list may change without a notification, because no stream for notifications is open: the server may
   * announce nothing, or be restarted with other tools.
   */
  get changesUnannounced(): boolean {
    const isHttp = this.#opened.kind === 'http';
    // Newer revisions announce changes only on a stream that the client opens. The other transports end with their server.
    const isAnnounced = !isHttp && !this.#isModern;
    return !isAnnounced && (isHttp || this.client.getServerCapabilities()?.tools?.listChanged === true);
  }

  /** True while the server announces every change of its tool list. */
  get announcesChanges(): boolean {
    return this.#announcesChanges;
  }

  /** `_meta` of tool calls. */
  get callMeta(): PlainObject {
    return this.#callMeta;
  }

  /** True if arguments are repeated as headers: over Streamable HTTP, since revision 2026-07-28. */
  get sendsParamHeaders(): boolean {
    return this.#sendsParamHeaders;
  }

  /** Facts of the session for its observers. */
  get facts(): Omit<McpRequestFacts, 'method' | 'target' | 'uri'> {
    return {
      server: this.#serverName,
      url: 'url' in this.#config ? this.#config.url : undefined,
      protocolVersion: this.client.getNegotiatedProtocolVersion(),
      sessionId: this.transport.sessionId,
      secrets: secretsOf(this.#config),
    };
  }

  get #isModern(): boolean {
    return this.client.getProtocolEra() === 'modern';
  }

  /**
   * Called once the client is connected: reads the revision, and requests the messages that the server sends on its own
   * initiative. Over Streamable HTTP they need a stream, which keeps the process alive.
   */
  start({ listens, timeout }: { listens: boolean; timeout: number }): void {
    const { tools, logging } = this.client.getServerCapabilities() ?? {};
    const { onLog, logLevel } = this.#callbacks;
    if (!this.#isModern) {
      // A server may reject the level. Its messages then have the level of its choice.
      if (logging && logLevel) this.client.setLoggingLevel(logLevel).catch(() => {});
      return;
    }
    this.#sendsParamHeaders = this.transport.hasPerRequestStream === true;
    if (onLog) this.#callMeta = { [LOG_LEVEL_META_KEY]: logLevel ?? 'info' };
    if (tools?.listChanged !== true || (this.#opened.kind === 'http' && !listens)) return;
    followListChanges(this.client, {
      onOpen: isOpen => void (this.#announcesChanges = isOpen),
      onMissed: this.#onToolsChanged,
      timeout,
      signal: this.#ending.signal,
    }).catch(() => {});
  }

  /** Changes the minimum level of log messages. Since revision 2026-07-28, each request carries it. */
  async setLogLevel(level: LoggingLevel, options: RequestOptions): Promise<void> {
    if (!this.#isModern) await this.client.setLoggingLevel(level, options);
    else if (this.#callbacks.onLog) this.#callMeta = { [LOG_LEVEL_META_KEY]: level };
  }

  report(): ProcessReport | undefined {
    return this.#opened.report?.();
  }

  /** Runs an operation. A retired session closes after its last operation. */
  async use<T>(operation: (client: Client) => Promise<T>): Promise<T> {
    this.#operationCount++;
    try {
      return await operation(this.client);
    } finally {
      this.#operationCount--;
      if (this.#isRetired && this.#operationCount === 0) void this.close();
    }
  }

  /**
   * Closes the session after its running operations.
   *
   * @param options.isLeft False to end it at the server as well, which has not lost it. @default true
   */
  retire({ isLeft = true }: { isLeft?: boolean } = {}): void {
    this.#isRetired = true;
    this.#isLeft ||= isLeft;
    if (this.#operationCount === 0) void this.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#ending.abort();
    const { endSession } = this.#opened;
    // The server does not recognize an expired session.
    const isKept = 'url' in this.#config && this.#config.terminateSessionOnClose === false;
    if (endSession && this.hasId && !this.#isLeft && !this.#isClosed && !isKept) {
      const timeout = new AbortController();
      // An error such as 404 means that the session no longer exists, which is the goal.
      const ended = endSession().catch(() => {});
      await Promise.race([ended, wait(endSessionTimeout, timeout.signal).catch(() => {})]);
      timeout.abort();
    }
    await this.transport.close();
  }
}

/**
 * Returns true if the SDK no longer opens the separate stream. Those of calls are handled by stream-fetch.ts. Most errors that
 * the SDK reports are harmless.
 */
const isStreamLost = (error: Error): boolean => error.message.startsWith('Maximum reconnection attempts');

/** Time before an ended stream is opened again, in milliseconds. It doubles with each failure up to the maximum. */
const retryDelay = { first: 1000, maximum: 60_000 };

/**
 * Keeps a `subscriptions/listen` stream open, since revision 2026-07-28. The announcements themselves are ordinary notifications of the client.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/subscriptions
 *
 * Corrects the MCP SDK (2.4.0), which does not open the stream again after the server ended it. Test of the bare SDK: "a
 * stream for announcements is not opened again" in test/tools/mcp/sdk-corrections.test.ts.
 *
 * Rejects when the signal aborts, or if the server offers no stream.
 */
async function followListChanges(
  client: Client,
  {
    onOpen,
    onMissed,
    timeout,
    signal,
  }: {
    /** Called when announcements are received from now on, and when they no longer are. */
    onOpen: (isOpen: boolean) => void;
    /** Called when the stream was interrupted, because changes of that time were not announced. */
    onMissed: () => void;
    /** Maximum time until the server confirms the stream, in milliseconds. */
    timeout: number;
    /** Ends the stream. */
    signal: AbortSignal;
  },
): Promise<void> {
  let delay = retryDelay.first;
  let openedAt = 0;

  /** Rejects if the stream has to be opened again. */
  async function follow(): Promise<void> {
    openedAt = performance.now();
    const stream = await client.listen({ toolsListChanged: true }, { timeout, signal });
    if (stream.honoredFilter.toolsListChanged !== true) return stream.close();
    onOpen(true);
    const end = await stream.closed;
    onOpen(false);
    if (end === 'local') return;
    onMissed();
    throw new Error('The stream ended.');
  }

  async function pauseAfter(error: unknown): Promise<0 | undefined> {
    if (error instanceof ProtocolError) return undefined; // the server offers no stream
    if (performance.now() - openedAt > retryDelay.maximum) delay = retryDelay.first;
    await waitUnreferenced(delay * (0.5 + Math.random() / 2), signal);
    delay = Math.min(delay * 2, retryDelay.maximum);
    return 0;
  }

  await repeat(follow, pauseAfter, signal);
}

/** Waits without keeping the process alive. Rejects with the signal's reason when it aborts. */
async function waitUnreferenced(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds);
    if (typeof timer === 'object') timer.unref();
  });
  await untilAborted(waited, signal).finally(() => clearTimeout(timer));
}
