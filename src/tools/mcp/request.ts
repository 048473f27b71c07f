import type { Client, InputRequiredResult, Progress, RequestOptions } from '@modelcontextprotocol/client';
import { linkSignal, toTimerDelay } from '../../shared/abort.js';
import type { ToolProgress } from '../tool-source.js';
import { McpFailure, mayHaveRun, toMcpFailure } from './failures.js';
import type { McpCallFacts } from './running-calls.js';
import type { McpSession } from './session.js';

export interface RequestLimits {
  signal?: AbortSignal;
  /**
   * Maximum time without a response or progress, in milliseconds. It pauses while the server waits for a response of
   * the host to this request, for example for a form that the user fills in. Waiting for other calls does not count.
   */
  timeout: number;
  /** Maximum total time of the request, in milliseconds. */
  totalTimeout: number;
  /** Called with the progress that the server reports. */
  onProgress?: (progress: ToolProgress) => void;
}

/**
 * A request to a server. `send` may use any method of the SDK's client and passes `options` on to it:
 *
 *     connection.withSession(
 *       session => sendRequest(session, { send: (client, options) => client.listPrompts({}, options) }, limits),
 *       { signal, mayRetry },
 *     );
 *
 * `connection.withSession` opens the session, repeats the request after a lost session and counts as usage;
 * `sendRequest` adds the abort signal, the time limits, progress, and the classification of errors.
 */
interface SentRequest<Result> {
  /** `retry` is part of the parameters of `tools/call`, `prompts/get` and `resources/read`. */
  send: (client: Client, options: RequestOptions, retry: RetryParams) => Promise<Result>;
  /** The tool call that the request makes, and the object of its arguments in the request. */
  call?: { facts: McpCallFacts; arguments: object };
}

/** Responses to the requests in a server's last result, and the state to return to it unchanged. */
export type RetryParams = Pick<InputRequiredResult, 'requestState'> & {
  inputResponses?: Record<string, unknown>;
};

/**
 * Sends one request with its own abort and timeout handling.
 *
 * The SDK (2.4.0) uses the same error code for aborts and timeouts, checks the total time only when progress arrives,
 * receives progress only with `onprogress`, and counts the time in which a server of revision 2025-11-25 waits for the
 * host.
 *
 * @throws McpFailure, or the signal's reason.
 */
export async function sendRequest<Result>(
  session: McpSession,
  { send, call }: SentRequest<Result>,
  { signal, timeout, totalTimeout, onProgress }: RequestLimits,
): Promise<Result> {
  signal?.throwIfAborted();
  const running = call && (await session.calls.start(call.facts, { arguments: call.arguments, signal }));
  const { hasId } = session;
  let isSettled = false;
  const link = linkSignal(signal);
  const totalTimer = setTimeout(
    () => link.abort(new McpFailure({ kind: 'total-timeout', milliseconds: totalTimeout })),
    toTimerDelay(totalTimeout),
  );
  const inactivity = createInactivityTimer({
    milliseconds: timeout,
    pausedUntil: () => running?.lastPendingAt ?? 0,
    onTimeout: () =>
      link.abort(new McpFailure({ kind: 'timeout', milliseconds: timeout, process: session.report() })),
  });
  try {
    const options = {
      signal: link.signal,
      timeout: toTimerDelay(Number.POSITIVE_INFINITY),
      onprogress({ progress, total, message }: Progress) {
        inactivity.restart();
        onProgress?.({ progress, total, message });
      },
    };
    const result = await session.use(client => send(client, options, {}));
    isSettled = true;
    return result;
  } catch (error) {
    if (link.signal.aborted) throw link.signal.reason;
    const failure = toMcpFailure(error, { hasSession: hasId, process: session.report() });
    isSettled = !mayHaveRun(failure);
    throw failure;
  } finally {
    running?.end({ isSettled });
    clearTimeout(totalTimer);
    inactivity.stop();
    link.release();
  }
}

interface InactivityTimer {
  /** Restarts the time because the server showed activity. */
  restart(): void;
  stop(): void;
}

function createInactivityTimer({
  milliseconds,
  pausedUntil,
  onTimeout,
}: {
  milliseconds: number;
  /** Returns the end of the last pause, by `performance.now()`. */
  pausedUntil: () => number;
  onTimeout: () => void;
}): InactivityTimer {
  let activeAt = performance.now();
  let timer: ReturnType<typeof setTimeout>;

  function check(): void {
    const remaining = Math.max(activeAt, pausedUntil()) + milliseconds - performance.now();
    if (remaining > 0) schedule(remaining);
    else onTimeout();
  }

  function schedule(delay: number): void {
    timer = setTimeout(check, toTimerDelay(Math.ceil(delay)));
  }

  schedule(milliseconds);
  return {
    restart() {
      activeAt = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}
