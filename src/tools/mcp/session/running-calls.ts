import type { Progress, RequestId } from '@modelcontextprotocol/client';
import { type LinkedSignal, linkSignal, untilAborted } from '../../../core/shared/abort.js';
import type { McpCallFacts } from '../config/callbacks.js';
import { captureContext } from '../../../core/shared/async-context.js';
import { McpFailure } from '../transport/failures.js';
import type { CallObserver } from '../transport/transport.js';

/** A call that was sent to the server, with the requests that the server makes of the host for it. */
export interface RunningCall {
  /** Id of its last JSON-RPC request. Undefined before it is sent. */
  readonly id?: RequestId | undefined;
  readonly facts: McpCallFacts;
  /** The last time at which a request of the server was pending, by `performance.now()`. */
  readonly lastPendingAt: number;
  /** Receives the progress of a task, which goes on after the answer to the request that named its token. */
  onProgress(listener: (progress: Progress) => void): void;
  /** Runs the response to a request of the server. Rejects when the request or the call ends. */
  respond<T>(requestSignal: AbortSignal, respond: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends the call and withdraws its requests. `isSettled` is false if the server may still be working on it. */
  end(options: { isSettled: boolean }): void;
}

/**
 * The running calls of one session, and to which of them a request of the server belongs. A user must never see the
 * dialog of another user's call, so a request that cannot be assigned with certainty belongs to none.
 *
 * Since revision 2026-07-28, a request is part of the result of its call. Before, Streamable HTTP delivered it on the
 * response stream of its call. The other transports have one stream for everything: there, calls that a server can make
 * requests for run one at a time.
 */
export interface RunningCalls extends CallObserver {
  /** True if requests of the server do not name their call. Set when the client is connected, before the first call. */
  isOneAtATime: boolean;
  /**
   * Registers a call, which is recognized by its mark when it is sent. Waits for its turn if calls run one at a time.
   *
   * @throws McpFailure `session-expired` if the session can no longer assign requests, or the signal's reason.
   */
  start(facts: McpCallFacts, options: CallMark & { signal?: AbortSignal }): Promise<RunningCall>;
  /** Returns the call that a request of the server belongs to. */
  find(requestId: RequestId): RunningCall | undefined;
  /** The running call, if there is exactly one. */
  readonly only: RunningCall | undefined;
}

/** The marks by which the messages of a call are recognized. */
export interface CallMark {
  /** The object of the arguments in the request. */
  readonly arguments?: object;
  /** The task whose result the call waits for. */
  readonly taskId?: string;
  /** The token that the request which created the task had for its progress. */
  readonly progressToken?: RequestId | undefined;
}

interface Entry extends RunningCall {
  id?: RequestId | undefined;
  readonly mark: CallMark;
  /** The messages of a task overlap. */
  readonly ids: Set<RequestId>;
  progressed?: (progress: Progress) => void;
  /** Requests that arrived on the response stream of the call and have not been handled. */
  readonly delivered: Set<RequestId>;
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<Entry>();
  const waitForTurn = createQueue();
  /** True after a call ended without a response. The server may still send requests for it. */
  let hasUnsettled = false;
  /** True if a request could belong to an unsettled call. A new session can assign requests again. */
  let isExhausted = false;

  function findOnly(): Entry | undefined {
    const [only] = running;
    return running.size === 1 ? only : undefined;
  }

  const calls: RunningCalls = {
    isOneAtATime: false,
    async start(facts, { signal, ...mark }) {
      const leave = calls.isOneAtATime ? await waitForTurn(signal) : undefined;
      if (isExhausted) {
        leave?.();
        throw new McpFailure({ kind: 'session-expired' });
      }
      /** The requests of the server that the host responds to for the call. */
      const pending = new Set<LinkedSignal>();
      let lastPendingAt = 0;
      // The requests arrive in the context of the connection.
      const runInContext = captureContext();
      const call: Entry = {
        facts,
        mark,
        ids: new Set(),
        delivered: new Set(),
        onProgress(listener) {
          call.progressed = listener;
        },
        get lastPendingAt() {
          return pending.size > 0 ? performance.now() : lastPendingAt;
        },
        async respond(requestSignal, respond) {
          const link = linkSignal(requestSignal);
          pending.add(link);
          try {
            const response = runInContext(() => respond(link.signal));
            return await untilAborted(response, link.signal);
          } finally {
            pending.delete(link);
            link.release();
            lastPendingAt = performance.now();
          }
        },
        end(options) {
          running.delete(call);
          hasUnsettled ||= !options.isSettled;
          for (const link of pending) link.abort(new Error('The tool call has ended.'));
          leave?.();
        },
      };
      running.add(call);
      return call;
    },
    find(requestId) {
      const receivers = [...running].filter(entry => entry.delivered.has(requestId));
      if (receivers.length > 1) return undefined; // a server that repeats its ids
      const [receiver] = receivers;
      if (receiver !== undefined) {
        receiver.delivered.delete(requestId);
        return receiver;
      }
      if (!hasUnsettled) return findOnly();
      isExhausted ||= running.size === 1;
      return undefined;
    },
    get only() {
      return hasUnsettled ? undefined : findOnly();
    },
    onSend({ id, params = {} }) {
      for (const call of running) {
        const { arguments: input, taskId } = call.mark;
        const isOwn =
          (input !== undefined && params.arguments === input) ||
          (taskId !== undefined && params.taskId === taskId);
        if (!isOwn) continue;
        call.id = id;
        call.ids.add(id);
      }
    },
    onDelivery(requestId, options) {
      for (const call of running) if (call.ids.has(options.callId)) call.delivered.add(requestId);
    },
    onProgress({ progressToken, ...progress }) {
      if (progressToken === undefined) return;
      for (const call of running)
        if (call.mark.progressToken === progressToken) call.progressed?.(progress as Progress);
    },
  };
  return calls;
}

/**
 * Creates a function that waits for its turn and returns the function that ends it. It rejects on abort, with the signal's
 * reason.
 */
function createQueue(): (signal: AbortSignal | undefined) => Promise<() => void> {
  let tail = Promise.resolve();
  return async signal => {
    const previous = tail;
    let leave = (): void => {};
    const done = new Promise<void>(resolve => {
      leave = resolve;
    });
    tail = previous.then(() => done);
    try {
      await untilAborted(previous, signal);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  };
}
