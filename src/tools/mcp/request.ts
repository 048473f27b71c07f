import type { ClientRequest, Progress } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod/v4';
import type { ToolProgress } from '../tool-source.js';
import type { McpSession } from './session.js';
import { McpFailure, toMcpFailure } from './failures.js';
import { createInactivityTimer } from './silence-timer.js';
import { toTimerDelay } from '../../shared/abort.js';

export interface RequestLimits {
  signal?: AbortSignal;
  /**
   * How long the server may be silent, in milliseconds. Progress starts the time anew; while the server waits for an
   * answer of the host, such as a form that the user fills in, it stands still.
   */
  timeout: number;
  /** How long the request may take in all, in milliseconds. */
  totalTimeout: number;
  /** Told of the progress that the server reports. */
  onProgress?: (progress: ToolProgress) => void;
}

/**
 * Sends one request under a signal and timers of its own.
 *
 * The SDK gives aborts and timeouts the same error code, leaves its listeners on the signal, cancels finished
 * requests when the signal aborts later, checks the total time only when progress arrives, listens for progress
 * only with `onprogress` (measured with 1.32.2), and takes a server that waits for the host for a silent one.
 *
 * @throws McpFailure, or the signal's reason.
 */
export async function sendRequest<Schema extends z.ZodType>(
  session: McpSession,
  { request, schema }: { request: ClientRequest; schema: Schema },
  { signal, timeout, totalTimeout, onProgress }: RequestLimits,
): Promise<z.output<Schema>> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  const onTotalTimeout = () =>
    controller.abort(new McpFailure({ kind: 'total-timeout', milliseconds: totalTimeout }));

  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(onTotalTimeout, toTimerDelay(totalTimeout));
  const silence = createInactivityTimer({
    milliseconds: timeout,
    lastExcusedAt: () => session.serverRequests.lastAwaitedAt,
    onSilence: () =>
      controller.abort(new McpFailure({ kind: 'timeout', milliseconds: timeout, process: session.report() })),
  });
  try {
    const options = {
      signal: controller.signal,
      timeout: toTimerDelay(Number.POSITIVE_INFINITY),
      onprogress({ progress, total, message }: Progress) {
        silence.restart();
        onProgress?.({ progress, total, message });
      },
    };
    return await session.use(client => client.request(request, schema, options));
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw toMcpFailure(error, { hasSession: session.hasId, process: session.report() });
  } finally {
    clearTimeout(timer);
    silence.stop();
    signal?.removeEventListener('abort', onAbort);
  }
}
