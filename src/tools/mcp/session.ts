import {
  Client,
  type FetchLike,
  type JsonSchemaValidatorResult,
  type jsonSchemaValidator,
  LOG_LEVEL_META_KEY,
  SseError,
  type Transport,
} from '@modelcontextprotocol/client';
import { linkSignal, toTimerDelay, untilAborted } from '../../shared/abort.js';
import type { PlainObject } from '../../shared/json.js';
import type { McpRequestFacts, Telemetry } from '../../shared/telemetry.js';
import type { McpServerConfig } from './config.js';
import { secretsOf } from './errors.js';
import { McpFailure, type ProcessReport, toMcpFailure } from './failures.js';
import { followListChanges, type ListChanges } from './list-changes.js';
import { createMessageTap, interceptMessages } from './messages.js';
import { createRunningCalls, type RunningCalls } from './running-calls.js';
import {
  createHostResponses,
  handleServerRequests,
  type HostResponses,
  type McpCallbacks,
  toCapabilities,
} from './server-requests.js';
import { type OpenedTransport, openTransport, type TransportKind, toTransportKinds } from './transport.js';

/** One connection to a server, from opening to closing. It is never reopened. */
export interface McpSession {
  readonly client: Client;
  readonly transport: Transport;
  readonly isClosed: boolean;
  /** True if the server assigned a session id, which may expire. */
  readonly hasId: boolean;
  /** True if the tool list may change without a notification, because no stream for notifications is open. */
  readonly changesUnannounced: boolean;
  /** True while the server announces every change of its tool list. */
  readonly announcesChanges: boolean;
  /** `_meta` of tool calls. */
  readonly callMeta: PlainObject;
  /** The running tool calls, to which the server's requests to the host belong. */
  readonly calls: RunningCalls;
  /** Responds to the requests of the server. */
  readonly responses: HostResponses;
  /** Observes the requests of the session. */
  readonly telemetry: Telemetry | undefined;
  /** Facts of the session for its observers. */
  readonly facts: SessionFacts;
  report(): ProcessReport | undefined;
  /** Runs an operation. A retired session closes after its last operation. */
  use<T>(operation: (client: Client) => Promise<T>): Promise<T>;
  /** Closes the session after its running operations. */
  retire(): void;
  close(): Promise<void>;
}

type SessionFacts = Omit<McpRequestFacts, 'method' | 'target' | 'uri'>;

interface SessionOptions {
  serverName: string;
  telemetry?: Telemetry | undefined;
  callbacks: McpCallbacks;
  onToolsChanged: () => void;
  onClose: (session: McpSession) => void;
}

export interface OpenSessionOptions extends SessionOptions {
  signal: AbortSignal;
  /** Maximum time until the session is ready, in milliseconds. */
  timeout: number;
  fetch?: FetchLike;
  /** Kept for all sessions of a server. */
  era: KnownEra;
}

/** The name and version that the client sends to servers. */
const clientInfo = { name: 'kelivo-responses', version: '0.1.0' };

/** Maximum time for the request that ends an HTTP session, in milliseconds. */
const endSessionTimeout = 1000;

/** The revisions of the protocol that a server spoke in its last session. */
export interface KnownEra {
  /** Time until which the server counts as one that speaks no revision from 2026 or later. */
  legacyUntil: number;
}

/** Time after which a server is asked again for its revisions, in milliseconds. It may have been updated. */
const legacyAge = 600_000;

/** Maximum time to wait for a response to `server/discover`, in milliseconds. Some servers ignore unknown methods. */
const probeTimeout = 3000;

/** The same over HTTP, where every server responds unless it is slow. */
const httpProbeTimeout = 10_000;

/** Code with which a server rejects the revision of a request. */
const unsupportedVersion = -32022;

/**
 * Connects and initializes a session. If no transport is configured and the server rejects Streamable HTTP, SSE is
 * tried, because servers from before 2025 only support SSE.
 *
 * @throws McpFailure, or the signal's reason.
 */
export async function openSession(config: McpServerConfig, options: OpenSessionOptions): Promise<McpSession> {
  const [kind, fallback] = toTransportKinds(config);
  const deadline = performance.now() + options.timeout;
  const open: Opening = (transportKind, negotiation) =>
    openWith(transportKind, config, { ...options, negotiation, remaining: deadline - performance.now() });
  try {
    return await negotiate(kind, open, options);
  } catch (error) {
    if (!fallback || !isRejected(error)) throw error;
    try {
      return await negotiate(fallback, open, options);
    } catch {
      options.signal.throwIfAborted();
      throw error; // most servers support Streamable HTTP, so its error is more useful
    }
  }
}

function isRejected(error: unknown): boolean {
  const { kind, status = 0 } = toMcpFailure(error);
  return kind === 'http' && status >= 400 && status < 500;
}

/**
 * Selects the protocol: `auto` sends `server/discover` first and falls back to `initialize` on the same connection,
 * `legacy` sends only `initialize`, and `patient` waits for the response to `server/discover` as long as possible.
 */
type Negotiation = 'auto' | 'legacy' | 'patient';

type Opening = (kind: TransportKind, negotiation: Negotiation) => Promise<McpSession>;

/**
 * Opens a session with a server of unknown revision. Some servers end when they receive anything before `initialize`,
 * and others do not respond to it: both get a new connection without the probe. A server that then rejects the
 * revision was only slow.
 */
async function negotiate(
  kind: TransportKind,
  open: Opening,
  { era }: OpenSessionOptions,
): Promise<McpSession> {
  if (kind === 'sse') return open(kind, 'legacy'); // older than all revisions that have `server/discover`
  try {
    if (era.legacyUntil > Date.now()) return await open(kind, 'legacy');
    const session = await open(kind, 'auto').catch(error => {
      if (isUnanswered(error, kind)) return open(kind, 'legacy');
      throw error;
    });
    if (session.client.getProtocolEra() === 'legacy') era.legacyUntil = Date.now() + legacyAge;
    return session;
  } catch (error) {
    if (toMcpFailure(error).rpcCode !== unsupportedVersion) throw error;
    era.legacyUntil = 0;
    return open(kind, 'patient');
  }
}

/** Returns true if the process ended, or the HTTP server did not respond in time, after it received the probe. */
function isUnanswered(error: unknown, kind: TransportKind): boolean {
  const failure = toMcpFailure(error);
  if (kind === 'stdio') return failure.kind === 'closed';
  return failure.kind === 'timeout' && failure.cause !== undefined; // the timer of `openWith` has no cause
}

async function openWith(
  kind: TransportKind,
  config: McpServerConfig,
  { signal, timeout, remaining, negotiation, fetch, ...sessionOptions }: OpenWithOptions,
): Promise<McpSession> {
  signal.throwIfAborted();
  const { callbacks } = sessionOptions;
  const { roots } = config;
  const { onElicitation, onSampling, onLog, onMessage, onStderr } = callbacks;
  const { serverName: server } = sessionOptions;
  const listens = [roots, onElicitation, onSampling, onLog].some(option => option !== undefined);
  const isOneAtATime = (): boolean =>
    kind !== 'http' && receivesRequests(callbacks) && session.client.getProtocolEra() === 'legacy';
  const calls = createRunningCalls({ isOneAtATime });
  const opened = await openTransport(config, {
    kind,
    fetch,
    listens,
    calls,
    onStderr: onStderr && (line => onStderr(line, { server })),
  });
  const probe = Math.min(kind === 'stdio' ? probeTimeout : httpProbeTimeout, remaining / 2);
  const tap = createMessageTap(onMessage, { server, config });
  interceptMessages(opened.transport, { tap });
  const session: NewSession = createSession(opened, {
    ...sessionOptions,
    calls,
    config,
    probeTimeout: negotiation === 'patient' ? remaining : probe,
  });
  const link = linkSignal(signal);
  let hasTimedOut = false;
  const onTimeout = () => {
    hasTimedOut = true;
    link.abort(undefined);
  };
  const timer = setTimeout(onTimeout, toTimerDelay(remaining));
  try {
    const connected = session.client.connect(session.transport, {
      signal: link.signal,
      timeout: toTimerDelay(Number.POSITIVE_INFINITY),
      prior: negotiation === 'legacy' ? { kind: 'legacy' } : undefined,
    });
    // Also limits the start of the transport, for which the SDK has no timeout.
    await untilAborted(connected, link.signal);
    session.subscribe({ listens, timeout });
    return session;
  } catch (error) {
    await session.close();
    signal.throwIfAborted();
    const context = { isStart: true, process: session.report() };
    if (hasTimedOut) throw new McpFailure({ ...context, kind: 'timeout', milliseconds: timeout });
    throw toMcpFailure(error, context);
  } finally {
    clearTimeout(timer);
    link.release();
  }
}

interface OpenWithOptions extends OpenSessionOptions {
  negotiation: Negotiation;
  /** The rest of `timeout`. */
  remaining: number;
}

const receivesRequests = ({ onElicitation, onSampling }: McpCallbacks): boolean =>
  onElicitation !== undefined || onSampling !== undefined;

interface CreateSessionOptions extends SessionOptions {
  calls: RunningCalls;
  config: McpServerConfig;
  /** Time to wait for a response to `server/discover`, in milliseconds. */
  probeTimeout: number;
}

/** A session whose client is not yet connected to the transport. */
interface NewSession extends McpSession {
  /**
   * Requests the messages that the server sends on its own initiative, once the client is connected. Over Streamable
   * HTTP they need a stream, which keeps the process alive.
   */
  subscribe(options: { listens: boolean; timeout: number }): void;
}

/** Creates a session with a client that is not yet connected to the transport. */
function createSession(
  { kind, transport, report, endSession }: OpenedTransport,
  {
    serverName,
    callbacks,
    calls,
    config,
    telemetry,
    probeTimeout: timeoutMs,
    onToolsChanged,
    onClose,
  }: CreateSessionOptions,
): NewSession {
  const responses = createHostResponses(callbacks, { roots: config.roots });
  const client = new Client(clientInfo, {
    capabilities: toCapabilities(responses, callbacks),
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: toTimerDelay(timeoutMs) } },
    jsonSchemaValidator: acceptEverything,
  });
  handleServerRequests(client, callbacks, { server: serverName, calls, responses });
  let closing: Promise<void> | undefined;
  let isClosed = false;
  let isRetired = false;
  let operationCount = 0;
  let changes: ListChanges | undefined;
  const ending = new AbortController();

  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  client.onclose = () => {
    isClosed = true;
    ending.abort();
    onClose(session);
  };
  client.onerror = error => {
    if (isFatal(error)) void session.close();
  };

  const session: NewSession = {
    client,
    subscribe({ listens, timeout }) {
      const { tools, logging } = client.getServerCapabilities() ?? {};
      const { logLevel } = callbacks;
      if (client.getProtocolEra() !== 'modern') {
        // A server may reject the level. Its messages then have the level of its choice.
        if (logging && logLevel) client.setLoggingLevel(logLevel).catch(() => {});
      } else if (tools?.listChanged === true && (kind !== 'http' || listens)) {
        changes = followListChanges(client, { onMissed: onToolsChanged, timeout, signal: ending.signal });
      }
    },
    transport,
    get isClosed() {
      return isClosed;
    },
    get hasId() {
      return transport.sessionId !== undefined;
    },
    get changesUnannounced() {
      // Newer revisions announce changes only on a stream that the client opens.
      const isAnnounced = kind !== 'http' && client.getProtocolEra() === 'legacy';
      return !isAnnounced && client.getServerCapabilities()?.tools?.listChanged === true;
    },
    get announcesChanges() {
      return changes?.isOpen === true;
    },
    get callMeta() {
      const { onLog, logLevel = 'info' } = callbacks;
      return onLog && client.getProtocolEra() === 'modern' ? { [LOG_LEVEL_META_KEY]: logLevel } : {};
    },
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
    // A retired session has expired, so the server does not recognize it.
    ending.abort();
    if (endSession && session.hasId && !isRetired && !isClosed) await requestSessionEnd(endSession);
    await transport.close();
  }

  return session;
}

async function requestSessionEnd(endSession: () => Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>(resolve => {
    timer = setTimeout(resolve, endSessionTimeout);
  });
  // An error such as 404 means that the session no longer exists, which is the goal.
  await Promise.race([endSession().catch(() => {}), timeout]);
  clearTimeout(timer);
}

/**
 * Returns true for errors after which no response can arrive, although the SDK lets the calls wait for their timeouts.
 * Most errors that the SDK reports are harmless.
 */
function isFatal(error: Error): boolean {
  return error instanceof SseError || error.message.startsWith('Maximum reconnection attempts');
}

/**
 * Replaces the SDK's validator, which compiles schemas (a content security policy may forbid that) and rejects results
 * that differ from their output schema (a model can read them anyway).
 */
const acceptEverything: jsonSchemaValidator = {
  getValidator<T>() {
    return (input: unknown): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: input as T,
      errorMessage: undefined,
    });
  },
};
