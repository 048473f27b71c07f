import type { ClientRequest } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod/v4';
import type { McpSession } from './create-session.js';
import { McpFailure, toMcpFailure } from './mcp-failure.js';
import { toTimerDelay } from './to-timer-delay.js';

export interface RequestLimits {
  signal?: AbortSignal;
  /** How long the server may be silent, in milliseconds; progress starts the time anew. */
  timeout: number;
  /** How long the request may take in all, in milliseconds. */
  totalTimeout: number;
}

/**
 * Sends one request under a signal and timers of its own.
 *
 * The SDK gives aborts and timeouts the same error code, leaves its listeners on the signal, cancels finished
 * requests when the signal aborts later, checks the total time only when progress arrives, and listens for
 * progress only with `onprogress` (measured with 1.32.2).
 *
 * @throws McpFailure, or the signal's reason.
 */
export async function sendRequest<Schema extends z.ZodType>(
  session: McpSession,
  { request, schema }: { request: ClientRequest; schema: Schema },
  { signal, timeout, totalTimeout }: RequestLimits,
): Promise<z.output<Schema>> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  const onTotalTimeout = () =>
    controller.abort(new McpFailure({ kind: 'total-timeout', milliseconds: totalTimeout }));

  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(onTotalTimeout, toTimerDelay(totalTimeout));
  try {
    const options = {
      signal: controller.signal,
      timeout: toTimerDelay(timeout),
      resetTimeoutOnProgress: true,
      onprogress: () => {},
    };
    return await session.use(client => client.request(request, schema, options));
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw toMcpFailure(error, { hasSession: session.hasId, process: session.report() });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
