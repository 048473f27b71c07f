import type { FetchLike } from '@modelcontextprotocol/client';
import { linkSignal, toTimerDelay, untilAborted } from '../../../core/shared/abort.js';
import { inform } from '../../../core/shared/inform.js';
import type { McpServerConfig } from '../config/config.js';
import { McpFailure, toMcpFailure } from '../transport/failures.js';
import { createMessageTap, interceptMessages } from '../transport/messages.js';
import { RunningCalls } from './running-calls.js';
import { readStoredSession } from '../transport/stored-session.js';
import { McpSession, type SessionOptions } from './session.js';
import { openTransport, type TransportKind, toTransportKinds } from '../transport/transport.js';

export interface OpenSessionOptions extends SessionOptions {
  signal: AbortSignal;
  /** Maximum time until the session is ready, in milliseconds. */
  timeout: number;
  fetch?: FetchLike;
  /** Kept for all sessions of a server. */
  era: KnownEra;
}

/** The revisions of the protocol that a server spoke in its last session. */
export interface KnownEra {
  /** Time until which the server counts as one that speaks no revision from 2026 or later. */
  legacyUntil: number;
}

/*
 * Corrects the negotiation of the MCP SDK (2.4.0): only for its own stdio transport it starts another process if the first
 * one ended at `server/discover`; an HTTP server that does not respond to it, or with nothing of MCP, is not asked for an older
 * revision; the probe waits as long as the whole connection; and a server that only has SSE is not recognized. Tests of the
 * bare SDK: "negotiation", and "a server that rejects it is not asked over SSE", in test/tools/mcp/sdk-corrections.test.ts.
 */

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
    openWith(transportKind, config, negotiation, deadline - performance.now(), options);
  try {
    return await negotiate(kind, open, { ...options, isStored: readStoredSession(config) !== undefined });
  } catch (error) {
    if (!fallback || !isRejected(error)) throw error;
    try {
      return await negotiate(fallback, open, { ...options, isStored: false });
    } catch {
      options.signal.throwIfAborted();
      throw error; // most servers support Streamable HTTP, so its error is more useful
    }
  }
}

/** Returns true for a server that does not accept Streamable HTTP. Some answer with something else, without an error. */
function isRejected(error: unknown): boolean {
  const { kind, status = 400, isUnreadable = false } = toMcpFailure(error);
  if (isUnreadable || kind === 'closed') return true;
  return kind === 'http' && status >= 400 && (status < 500 || status === 501);
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
  options: OpenSessionOptions & { isStored: boolean },
): Promise<McpSession> {
  if (kind === 'sse') return open(kind, 'legacy'); // older than all revisions that have `server/discover`
  try {
    if (options.isStored || options.era.legacyUntil > Date.now()) return await open(kind, 'legacy');
    const session = await open(kind, 'auto').catch(error => {
      if (isUnanswered(error, kind)) return open(kind, 'legacy');
      throw error;
    });
    if (session.client.getProtocolEra() === 'legacy') options.era.legacyUntil = Date.now() + legacyAge;
    return session;
  } catch (error) {
    if (toMcpFailure(error).rpcCode !== unsupportedVersion) throw error;
    options.era.legacyUntil = 0;
    return open(kind, 'patient');
  }
}

/**
 * Returns true if the process ended, or the HTTP server broke, did not respond in time, or responded with nothing of MCP, after
 * it received the probe. The SDK handles a rejection.
 */
function isUnanswered(error: unknown, kind: TransportKind): boolean {
  const failure = toMcpFailure(error);
  if (kind === 'stdio') return failure.kind === 'closed';
  if (failure.kind === 'timeout') return failure.cause !== undefined; // the timer of `openWith` has no cause
  return failure.kind === 'network' || (failure.kind === 'http' && (failure.status ?? 500) >= 500);
}

/** Opens a session in what remains of `timeout`, in milliseconds. */
async function openWith(
  kind: TransportKind,
  config: McpServerConfig,
  negotiation: Negotiation,
  remaining: number,
  { signal, timeout, fetch, ...sessionOptions }: OpenSessionOptions,
): Promise<McpSession> {
  signal.throwIfAborted();
  const { roots } = config;
  const { serverName: server, callbacks } = sessionOptions;
  const { onElicitation, onSampling, onLog, onMessage, onStderr } = callbacks;
  const listens = [roots, onElicitation, onSampling, onLog].some(option => option !== undefined);
  const receivesRequests = onElicitation !== undefined || onSampling !== undefined;
  const calls = new RunningCalls();
  const opened = await openTransport(config, {
    kind,
    fetch,
    listens,
    calls,
    onStderr: onStderr && (line => void inform(onStderr, line, { server })),
  });
  const probe = Math.min(kind === 'stdio' ? probeTimeout : httpProbeTimeout, remaining / 2);
  interceptMessages(opened.transport, { calls, tap: createMessageTap(onMessage, server, config) });
  const probeLimit = negotiation === 'patient' ? remaining : probe;
  const session = new McpSession(config, opened, sessionOptions, calls, probeLimit);
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
    calls.isOneAtATime = kind !== 'http' && receivesRequests && session.client.getProtocolEra() === 'legacy';
    session.start({ listens, timeout });
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
