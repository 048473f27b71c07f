import type { JSONRPCRequest, Progress, RequestId } from '@modelcontextprotocol/client';
import { type LinkedSignal, linkSignal, untilAborted } from '../../../core/shared/abort.js';
import type { McpCallFacts } from '../config/callbacks.js';
import type { PlainObject } from '../../../core/shared/json.js';
import { captureContext, createContextValue } from '../../../core/shared/async-context.js';
import { McpFailure } from '../transport/failures.js';
import type { CallObserver } from '../transport/transport.js';

/** The marks by which the messages of a call are recognized. */
export interface CallMark {
  /** @default any: a task is followed by several methods */
  readonly method?: string;
  /** Parameters that its messages have, among others. Objects, such as the arguments, are the same in the message. */
  readonly params: PlainObject;
  /** The token that the request which created the task had for its progress. */
  readonly progressToken?: RequestId | undefined;
}

/** The call for which the host responds to a request of the server. */
const respondingCall = createContextValue<RunningCall>();

/** A call that was sent to the server, with the requests that the server makes of the host for it. */
export class RunningCall {
  readonly facts: McpCallFacts;
  readonly #mark: CallMark;
  readonly #onEnd: (call: RunningCall, options: EndOptions) => void;
  #id: RequestId | undefined;
  /** The messages of a task overlap. */
  readonly #ids = new Set<RequestId>();
  /** Requests that arrived on the response stream of the call and have not been handled. */
  readonly #delivered = new Set<RequestId>();
  /** Requests that arrived on the response stream of another request. */
  readonly #foreign = new Set<RequestId>();
  /** The requests of the server that the host responds to for the call. */
  readonly #pending = new Set<LinkedSignal>();
  #lastPendingAt = 0;
  #progressed: ((progress: Progress) => void) | undefined;
  // The requests arrive in the context of the connection.
  readonly #runInContext = captureContext();

  constructor(facts: McpCallFacts, mark: CallMark, onEnd: (call: RunningCall, options: EndOptions) => void) {
    this.facts = facts;
    this.#mark = mark;
    this.#onEnd = onEnd;
  }

  /** Id of its last JSON-RPC request. Undefined before it is sent. */
  get id(): RequestId | undefined {
    return this.#id;
  }

  /** The last time at which a request of the server was pending, by `performance.now()`. */
  get lastPendingAt(): number {
    return this.#pending.size > 0 ? performance.now() : this.#lastPendingAt;
  }

  /** Receives the progress of a task, which goes on after the answer to the request that named its token. */
  onProgress(listener: (progress: Progress) => void): void {
    this.#progressed = listener;
  }

  /** Runs the response to a request of the server. Rejects when the request or the call ends. */
  async respond<T>(requestSignal: AbortSignal, respond: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const link = linkSignal(requestSignal);
    this.#pending.add(link);
    try {
      const response = this.#runInContext(() => respondingCall.run(this, () => respond(link.signal)));
      return await untilAborted(response, link.signal);
    } finally {
      this.#pending.delete(link);
      link.release();
      this.#lastPendingAt = performance.now();
    }
  }

  /** Ends the call and withdraws its requests. */
  end(options: EndOptions): void {
    for (const link of this.#pending) link.abort(new Error('The tool call has ended.'));
    this.#onEnd(this, options);
  }

  /** Recognizes the request of the call among those that are sent. */
  readSent({ id, method, params = {} }: JSONRPCRequest): void {
    const mark = this.#mark;
    // The client writes its own `_meta`.
    const isOwn = Object.keys(mark.params).every(key => key === '_meta' || params[key] === mark.params[key]);
    if (!isOwn || (mark.method ?? method) !== method) return;
    this.#id = id;
    this.#ids.add(id);
  }

  /** Records a request of the server that arrived on the response stream of the call. */
  readDelivery(requestId: RequestId, callId: RequestId): void {
    if (this.#ids.has(callId)) this.#delivered.add(requestId);
    else this.#foreign.add(requestId);
  }

  readProgress(progressToken: unknown, progress: Progress): void {
    if (this.#mark.progressToken === progressToken) this.#progressed?.(progress);
  }

  /** Returns true if a request of the server arrived on the response stream of the call. */
  has(requestId: RequestId): boolean {
    return this.#delivered.has(requestId);
  }

  /** Returns true unless a request of the server, which no stream assigns, names another request or task. */
  mayReceive(requestId: RequestId, taskId: string | undefined): boolean {
    const isForeign = this.#foreign.delete(requestId);
    return !isForeign && (taskId === undefined || taskId === this.#mark.params.taskId);
  }

  /** Marks a request of the server as handled. */
  take(requestId: RequestId): void {
    this.#delivered.delete(requestId);
  }
}

interface EndOptions {
  /** False if the server may still be working on the call. */
  readonly isSettled: boolean;
}

/**
 * The running calls of one session, and to which of them a request of the server belongs. A user must never see the
 * dialog of another user's call, so a request that cannot be assigned with certainty belongs to none.
 *
 * Since revision 2026-07-28, a request is part of the result of its call. Before, Streamable HTTP delivered it on the
 * response stream of its call. The other transports have one stream for everything: there, calls that a server can make
 * requests for run one at a time, except for those with which the host responds to such a request.
 */
export class RunningCalls implements CallObserver {
  /** True if requests of the server do not name their call. Set when the client is connected, before the first call. */
  isOneAtATime = false;
  readonly #running = new Set<RunningCall>();
  readonly #waitForTurn = createQueue();
  /** True after a call ended without a response. The server may still send requests for it. */
  #hasUnsettled = false;
  /** True if a request could belong to an unsettled call. A new session can assign requests again. */
  #isExhausted = false;

  /** The running call, if there is exactly one. */
  get only(): RunningCall | undefined {
    return this.#hasUnsettled ? undefined : this.#findOnly();
  }

  /**
   * Registers a call, which is recognized by its mark when it is sent. Waits for its turn if calls run one at a time.
   *
   * @throws McpFailure `session-expired` if the session can no longer assign requests, or the signal's reason.
   */
  async start(
    facts: McpCallFacts,
    { signal, ...mark }: CallMark & { signal?: AbortSignal },
  ): Promise<RunningCall> {
    const responding = respondingCall.getStore();
    const waits = this.isOneAtATime && !(responding && this.#running.has(responding));
    const leave = waits ? await this.#waitForTurn(signal) : undefined;
    if (this.#isExhausted) {
      leave?.();
      throw new McpFailure({ kind: 'session-expired' });
    }
    const call = new RunningCall(facts, mark, (ended, { isSettled }) => {
      this.#running.delete(ended);
      this.#hasUnsettled ||= !isSettled;
      leave?.();
    });
    this.#running.add(call);
    return call;
  }

  /**
   * Returns the call that a request of the server belongs to.
   *
   * @param taskId The task that the request names.
   */
  find(requestId: RequestId, taskId?: string): RunningCall | undefined {
    const receivers = [...this.#running].filter(call => call.has(requestId));
    if (receivers.length > 1) return undefined; // a server that repeats its ids
    const [receiver] = receivers;
    if (receiver !== undefined) {
      receiver.take(requestId);
      return receiver;
    }
    const only = this.#findOnly();
    if (only?.mayReceive(requestId, taskId) === false) return undefined;
    if (!this.#hasUnsettled) return only;
    this.#isExhausted ||= this.#running.size === 1;
    return undefined;
  }

  onSend(message: JSONRPCRequest): void {
    for (const call of this.#running) call.readSent(message);
  }

  onDelivery(requestId: RequestId, options: { callId: RequestId }): void {
    for (const call of this.#running) call.readDelivery(requestId, options.callId);
  }

  onProgress({ progressToken, ...progress }: PlainObject): void {
    if (progressToken === undefined) return;
    for (const call of this.#running) call.readProgress(progressToken, progress as Progress);
  }

  #findOnly(): RunningCall | undefined {
    const [only] = this.#running;
    return this.#running.size === 1 ? only : undefined;
  }
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
