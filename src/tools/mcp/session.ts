import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type {
  JsonSchemaValidatorResult,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js';
import { linkSignal, toTimerDelay, untilAborted } from '../../shared/abort.js';
import type { McpServerConfig } from './config.js';
import { McpFailure, type ProcessReport, toMcpFailure } from './failures.js';
import { createRunningCalls, type RunningCalls } from './running-calls.js';
import { handleServerRequests, type McpCallbacks, toCapabilities } from './server-requests.js';
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
  /** The running tool calls, to which the server's requests to the host belong. */
  readonly calls: RunningCalls;
  report(): ProcessReport | undefined;
  /** Runs an operation. A retired session closes after its last operation. */
  use<T>(operation: (client: Client) => Promise<T>): Promise<T>;
  /** Closes the session after its running operations. */
  retire(): void;
  close(): Promise<void>;
}

interface SessionOptions {
  serverName: string;
  callbacks: McpCallbacks;
  onToolsChanged: () => void;
  onClose: (session: McpSession) => void;
}

export interface OpenSessionOptions extends SessionOptions {
  signal: AbortSignal;
  /** Maximum time until the session is ready, in milliseconds. */
  timeout: number;
  fetch?: FetchLike;
}

/** The name and version that the client sends to servers. */
const clientInfo = { name: 'kelivo-responses', version: '0.1.0' };

/** Maximum time for the request that ends an HTTP session, in milliseconds. */
const endSessionTimeout = 1000;

/**
 * Connects and initializes a session. If no transport is configured and the server rejects Streamable HTTP, SSE is
 * tried, because servers from before 2025 only support SSE.
 *
 * @throws McpFailure, or the signal's reason.
 */
export async function openSession(config: McpServerConfig, options: OpenSessionOptions): Promise<McpSession> {
  const [kind, fallback] = toTransportKinds(config);
  try {
    return await openWith(kind, config, options);
  } catch (error) {
    if (!fallback || !isRejected(error)) throw error;
    try {
      return await openWith(fallback, config, options);
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

async function openWith(
  kind: TransportKind,
  config: McpServerConfig,
  { signal, timeout, fetch, ...sessionOptions }: OpenSessionOptions,
): Promise<McpSession> {
  signal.throwIfAborted();
  const { callbacks } = sessionOptions;
  const listens = Object.values(callbacks).some(callback => callback !== undefined);
  const calls = createRunningCalls({ oneAtATime: kind !== 'http' && receivesRequests(callbacks) });
  const opened = await openTransport(config, { kind, fetch, listens, calls });
  const session = createSession(opened, { ...sessionOptions, calls });
  const link = linkSignal(signal);
  let hasTimedOut = false;
  const onTimeout = () => {
    hasTimedOut = true;
    link.abort(undefined);
  };
  const timer = setTimeout(onTimeout, toTimerDelay(timeout));
  try {
    const connected = session.client.connect(session.transport, {
      signal: link.signal,
      timeout: toTimerDelay(timeout),
    });
    // Also limits the start of the transport, for which the SDK has no timeout.
    await untilAborted(connected, link.signal);
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

const receivesRequests = ({ onElicitation, onSampling }: McpCallbacks): boolean =>
  onElicitation !== undefined || onSampling !== undefined;

/** Creates a session with a client that is not yet connected to the transport. */
function createSession(
  { kind, transport, report, endSession }: OpenedTransport,
  { serverName, callbacks, calls, onToolsChanged, onClose }: SessionOptions & { calls: RunningCalls },
): McpSession {
  const client = new Client(clientInfo, {
    capabilities: toCapabilities(callbacks),
    jsonSchemaValidator: acceptEverything,
  });
  handleServerRequests(client, callbacks, { server: serverName, calls });
  let closing: Promise<void> | undefined;
  let isClosed = false;
  let isRetired = false;
  let operationCount = 0;

  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
  client.onclose = () => {
    isClosed = true;
    onClose(session);
  };
  client.onerror = error => {
    if (isFatal(error)) void session.close();
  };

  const session: McpSession = {
    client,
    transport,
    get isClosed() {
      return isClosed;
    },
    get hasId() {
      return transport.sessionId !== undefined;
    },
    get changesUnannounced() {
      return kind === 'http' && client.getServerCapabilities()?.tools?.listChanged === true;
    },
    calls,
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
