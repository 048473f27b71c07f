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

/** One connection to a server, from opening to closing. It is never reopened. */
export interface McpSession {
  readonly client: Client;
  readonly transport: Transport;
  readonly isClosed: boolean;
  /** True if the server assigned a session id, which may expire. */
  readonly hasId: boolean;
  /** The facts with which another process goes on with the session. Undefined without a session id. */
  readonly stored: McpStoredSession | undefined;
  /**
   * True if the tool list may change without a notification, because no stream for notifications is open: the server may
   * announce nothing, or be restarted with other tools.
   */
  readonly changesUnannounced: boolean;
  /** True while the server announces every change of its tool list. */
  readonly announcesChanges: boolean;
  /** `_meta` of tool calls. */
  readonly callMeta: PlainObject;
  /** True if arguments are repeated as headers: over Streamable HTTP, since revision 2026-07-28. */
  readonly sendsParamHeaders: boolean;
  /** The running tool calls, to which the server's requests to the host belong. */
  readonly calls: RunningCalls;
  /** Responds to the requests of the server. */
  readonly responses: HostResponses;
  readonly telemetry: Telemetry | undefined;
  /** Facts of the session for its observers. */
  readonly facts: Omit<McpRequestFacts, 'method' | 'target' | 'uri'>;
  /**
   * Called once the client is connected: reads the revision, and requests the messages that the server sends on its own
   * initiative. Over Streamable HTTP they need a stream, which keeps the process alive.
   */
  start(options: { listens: boolean; timeout: number }): void;
  /** Changes the minimum level of log messages. Since revision 2026-07-28, each request carries it. */
  setLogLevel(level: LoggingLevel, options: RequestOptions): Promise<void>;
  report(): ProcessReport | undefined;
  /** Runs an operation. A retired session closes after its last operation. */
  use<T>(operation: (client: Client) => Promise<T>): Promise<T>;
  /** Closes the session after its running operations. */
  retire(): void;
  close(): Promise<void>;
}

export interface SessionOptions {
  serverName: string;
  telemetry?: Telemetry | undefined;
  callbacks: McpCallbacks;
  onToolsChanged: () => void;
  onClose: (session: McpSession) => void;
}

/** The members that change while the session is open. */
interface OpenSession extends McpSession {
  isClosed: boolean;
  announcesChanges: boolean;
  callMeta: PlainObject;
  sendsParamHeaders: boolean;
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

/**
 * Creates a session with a client that is not yet connected to the transport.
 *
 * @param probeTimeout Time to wait for a response to `server/discover`, in milliseconds.
 */
export function createSession(
  config: McpServerConfig,
  { kind, transport, report, endSession }: OpenedTransport,
  { serverName, callbacks, telemetry, onToolsChanged, onClose }: SessionOptions,
  calls: RunningCalls,
  probeTimeout: number,
): McpSession {
  const responses = createHostResponses(callbacks, config.roots);
  const client = new Client(clientInfo, {
    capabilities: toCapabilities(responses, callbacks),
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: toTimerDelay(probeTimeout) } },
  });
  handleServerRequests(client, callbacks, { server: serverName, calls, responses });
  let closing: Promise<void> | undefined;
  let isRetired = false;
  let operationCount = 0;
  const ending = new AbortController();
  const { onLog, logLevel } = callbacks;

  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  client.onclose = () => {
    session.isClosed = true;
    ending.abort();
    onClose(session);
  };
  client.onerror = error => {
    if (isFatal(error)) void session.close();
  };

  const session: OpenSession = {
    client,
    start({ listens, timeout }) {
      const { tools, logging } = client.getServerCapabilities() ?? {};
      if (client.getProtocolEra() !== 'modern') {
        // A server may reject the level. Its messages then have the level of its choice.
        if (logging && logLevel) client.setLoggingLevel(logLevel).catch(() => {});
        return;
      }
      session.sendsParamHeaders = transport.hasPerRequestStream === true;
      if (onLog) session.callMeta = { [LOG_LEVEL_META_KEY]: logLevel ?? 'info' };
      if (tools?.listChanged !== true || (kind === 'http' && !listens)) return;
      const onOpen = (isOpen: boolean): void => void (session.announcesChanges = isOpen);
      const options = { onOpen, onMissed: onToolsChanged, timeout, signal: ending.signal };
      followListChanges(client, options).catch(() => {});
    },
    transport,
    isClosed: false,
    get hasId() {
      return transport.sessionId !== undefined;
    },
    get stored() {
      return toStoredSession(client, transport);
    },
    get changesUnannounced() {
      // Newer revisions announce changes only on a stream that the client opens. The other transports end with their server.
      const isAnnounced = kind !== 'http' && client.getProtocolEra() === 'legacy';
      return !isAnnounced && (kind === 'http' || client.getServerCapabilities()?.tools?.listChanged === true);
    },
    announcesChanges: false,
    callMeta: {},
    sendsParamHeaders: false,
    calls,
    responses,
    telemetry,
    get facts() {
      return {
        server: serverName,
        url: 'url' in config ? config.url : undefined,
        protocolVersion: client.getNegotiatedProtocolVersion(),
        sessionId: transport.sessionId,
        secrets: secretsOf(config),
      };
    },
    async setLogLevel(level, options) {
      if (client.getProtocolEra() !== 'modern') await client.setLoggingLevel(level, options);
      else if (onLog) session.callMeta = { [LOG_LEVEL_META_KEY]: level };
    },
    report: () => report?.(),
    async use(operation) {
      operationCount++;
      try {
        return await operation(client);
      } finally {
        operationCount--;
        if (isRetired && operationCount === 0) void session.close();
      }
    },
    retire() {
      isRetired = true;
      if (operationCount === 0) void session.close();
    },
    close() {
      closing ??= end();
      return closing;
    },
  };

  async function end(): Promise<void> {
    ending.abort();
    // A retired session has expired, so the server does not recognize it.
    const isKept = 'url' in config && config.terminateSessionOnClose === false;
    if (endSession && session.hasId && !isRetired && !session.isClosed && !isKept) {
      const timeout = new AbortController();
      // An error such as 404 means that the session no longer exists, which is the goal.
      const ended = endSession().catch(() => {});
      await Promise.race([ended, wait(endSessionTimeout, timeout.signal).catch(() => {})]);
      timeout.abort();
    }
    await transport.close();
  }

  return session;
}

/**
 * Returns true for errors after which no response can arrive. Most errors that the SDK reports are harmless.
 *
 * Corrects the MCP SDK (2.4.0), which lets the calls wait for their timeouts. Test of the bare SDK: "a call waits for its
 * timeout after the last attempt to resume its stream" in test/tools/mcp/sdk-corrections.test.ts.
 */
function isFatal(error: Error): boolean {
  return error instanceof SseError || error.message.startsWith('Maximum reconnection attempts');
}

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
