import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { toTimerDelay, untilAborted } from '../../shared/abort.js';
import { createSession, type McpSession, type SessionOptions } from './session.js';
import type { McpServerConfig } from './config.js';
import { McpFailure, toMcpFailure } from './failures.js';
import { openTransport, type TransportKind, toTransportKinds } from './transport.js';

export interface OpenSessionOptions extends SessionOptions {
  signal: AbortSignal;
  /** In milliseconds. */
  timeout: number;
  fetch?: FetchLike;
}

/**
 * Connects and initialises. A server whose transport is not configured is tried over SSE when it refuses
 * Streamable HTTP, which is what servers from before 2025 do.
 *
 * @throws McpFailure, or the signal's reason.
 */
export async function openSession(config: McpServerConfig, options: OpenSessionOptions): Promise<McpSession> {
  const [kind, fallback] = toTransportKinds(config);
  try {
    return await openWith(kind, config, options);
  } catch (error) {
    if (!fallback || !isRefused(error)) throw error;
    try {
      return await openWith(fallback, config, options);
    } catch {
      options.signal.throwIfAborted();
      throw error; // Streamable HTTP is what most servers speak, so its error tells more.
    }
  }
}

function isRefused(error: unknown): boolean {
  const { kind, status = 0 } = toMcpFailure(error);
  return kind === 'http' && status >= 400 && status < 500;
}

async function openWith(
  kind: TransportKind,
  config: McpServerConfig,
  { signal, timeout, fetch, ...sessionOptions }: OpenSessionOptions,
): Promise<McpSession> {
  signal.throwIfAborted();
  const listens = Object.values(sessionOptions.callbacks).some(callback => callback !== undefined);
  const session = createSession(await openTransport(config, { kind, fetch, listens }), sessionOptions);
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  let hasTimedOut = false;
  const onTimeout = () => {
    hasTimedOut = true;
    controller.abort();
  };

  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timer = setTimeout(onTimeout, toTimerDelay(timeout));
  try {
    const connected = session.client.connect(session.transport, {
      signal: controller.signal,
      timeout: toTimerDelay(timeout),
    });
    // The race also bounds the start of the transport, for which the SDK has no limit.
    await untilAborted(connected, controller.signal);
    return session;
  } catch (error) {
    await session.close();
    signal.throwIfAborted();
    const context = { isStart: true, process: session.report() };
    if (hasTimedOut) throw new McpFailure({ ...context, kind: 'timeout', milliseconds: timeout });
    throw toMcpFailure(error, context);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
