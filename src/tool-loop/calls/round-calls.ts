import type { CoreCall } from '../../core/call.js';
import type { Part } from '../../core/part.js';
import { type LinkedSignal, linkSignal, untilAborted } from '../../core/shared/abort.js';
import { inform } from '../../core/shared/inform.js';
import { isWholeJson } from '../../core/shared/json.js';
import type { InputStep, ToolDefinition } from '../../tools/tool-source.js';
import { toModelMessages } from '../../core/versions/write-call.js';
import type { PendingCall } from '../approvals/host-approvals.js';
import { Call, type RoundOfCall, type TurnOfCall } from './call.js';
import type { CallOutcome, LoopCall, Scheduling, ShowPart, CallVerdict } from './calls.js';

/** Maximum number of calls that run at the same time. */
const MAX_PARALLEL = 8;

interface RoundOptions {
  readonly number: number;
  /** The call that the model received in this round. */
  readonly request: CoreCall;
  readonly write: (part: Part) => void;
  /** True if the round was read from a record, so that its calls may have been run. @default false */
  readonly isReplayed?: boolean | undefined;
  /** Number of positions that attempts at the round before have used. @default 0 */
  readonly callsBefore?: number;
  /** Calls that an earlier turn left for approval, by their ids. @default the calls are new */
  readonly pendingCalls?: ReadonlyMap<string, PendingCall>;
}

/**
 * The calls of one round, in the order of the model. Decides when each of them goes on: reads that are complete before the
 * response ends, the others after it, and none together with another that has effects.
 */
export class RoundCalls implements RoundOfCall {
  readonly turn: TurnOfCall;
  readonly number: number;
  readonly signal: AbortSignal;
  readonly startEarly: Scheduling['startEarly'];
  readonly write: (part: Part) => void;
  readonly show: ShowPart;
  readonly isReplayed: boolean;

  readonly #request: CoreCall;
  readonly #callsBefore: number;
  readonly #pendingCalls: ReadonlyMap<string, PendingCall> | undefined;
  readonly #link: LinkedSignal;
  readonly #calls: Call[] = [];
  /** The calls that have not gone on. */
  readonly #waiting = new Set<Call>();
  /** The calls that have gone on and have not ended. */
  readonly #active = new Set<Call>();
  /** Ordered calls that wait inside of their steps. */
  readonly #entering = new Map<Call, (verdict: CallVerdict) => void>();
  /** The ordered call that has gone on, but has not issued its step. */
  #issuing: Call | undefined;
  /** The exclusive call that has gone on. */
  #exclusive: Call | undefined;
  #response: 'open' | 'ended' | 'abandoned' = 'open';
  #messages: ReturnType<typeof toModelMessages> | undefined;

  constructor(
    turn: TurnOfCall,
    { number, request, write, isReplayed = false, callsBefore = 0, pendingCalls }: RoundOptions,
  ) {
    this.turn = turn;
    this.number = number;
    this.startEarly = request.toolChoice?.type !== 'none' && !isReplayed && turn.callPolicy.startEarly;
    this.write = write;
    // The host shows a request of an approval even if it shows no other calls, so it needs the result.
    this.show = pendingCalls === undefined ? turn.show : part => write(part);
    this.isReplayed = isReplayed;
    this.#request = request;
    this.#callsBefore = callsBefore;
    this.#pendingCalls = pendingCalls;
    this.#link = linkSignal(turn.lifetime.signal);
    this.signal = this.#link.signal;
  }

  /** False for calls of an earlier turn, which the conversation contains. */
  get areNew(): boolean {
    return this.#pendingCalls === undefined;
  }

  get size(): number {
    return this.#calls.length;
  }

  /** True if a call has gone on. Its tool may have had its effect. */
  get hasStarted(): boolean {
    return this.#calls.some(call => call.hasStarted);
  }

  get messages(): ReturnType<typeof toModelMessages> {
    this.#messages ??= toModelMessages(this.#request.prompt);
    return this.#messages;
  }

  /** Passes the arguments of a call to its tool, unless the round was read from a record. */
  announceInput(toolCallId: string, tool: ToolDefinition, step: InputStep): void {
    if (tool.onInput === undefined || this.isReplayed) return;
    const { messages, signal, number: round } = this;
    const callContext = { ...this.turn.identity, round, toolCallId };
    inform(tool.onInput, { ...step, toolCallId, messages, signal, callContext });
  }

  /** Adds a call. One that is complete may run before the response ends. */
  add(made: LoopCall, tool: ToolDefinition, options: { readonly isComplete: boolean }): void {
    const call = this.#announce(made, tool, options.isComplete);
    this.#waiting.add(call);
    // In a durable turn, each call is decided at a time when no call of its round has an outcome.
    if (
      this.turn.steps.isDurable &&
      call.decide() === 'run' &&
      call.mayPrecedeEnd &&
      this.#early < MAX_PARALLEL
    )
      call.readEarly();
    this.#startNext();
  }

  /** Adds a call that no tool can run. The model receives the reason. */
  refuse(made: LoopCall, reason: string): void {
    const call = this.#announce(made, undefined, false);
    const verdict = call.decide();
    if (typeof verdict === 'object') call.finish({ output: verdict });
    else call.fail(reason);
  }

  /** Fails the calls whose arguments need repair, with this error text. */
  refuseRepairs(text: string): void {
    for (const call of this.#waiting) {
      const { input } = call.made;
      if (isWholeJson(input) || input.trim() === '') continue;
      this.#waiting.delete(call);
      call.fail(text);
    }
  }

  /**
   * Starts the waiting calls and returns the outcomes, in the order of the calls, without those that wait for an approval of
   * the host. Rejects on abort.
   */
  async waitForAll(): Promise<CallOutcome[]> {
    const isAbandoned = this.#response === 'abandoned';
    if (!isAbandoned) this.#response = 'ended';
    this.#startNext();
    const { lifetime, hostApprovals } = this.turn;
    try {
      const ended = Promise.all(this.#calls.map(call => call.ended));
      const outcomes = await untilAborted(ended, isAbandoned ? undefined : lifetime.signal);
      if (hostApprovals === undefined) return outcomes;
      return outcomes.filter(({ call }) => !hostApprovals.isAsked(call.toolCallId));
    } finally {
      this.#link.release();
    }
  }

  /**
   * Ends the calls of a response that is repeated: those that have not started fail with this error text. Returns the
   * outcomes of the others when they have ended. Rejects on abort.
   */
  async keepStarted(text: string): Promise<CallOutcome[]> {
    this.#response = 'abandoned';
    this.#waiting.clear();
    const started = this.#calls.filter(call => call.hasStarted);
    const others = this.#calls.filter(call => !call.hasStarted);
    for (const call of others) call.fail(text);
    try {
      const ended = Promise.all(started.map(call => call.ended));
      const outcomes = await untilAborted(ended, this.turn.lifetime.signal);
      for (const call of others.toReversed()) call.drop();
      return outcomes;
    } finally {
      this.#end('The response is repeated.');
    }
  }

  /** Aborts running calls and starts no others. Calls without an outcome fail with this error text. */
  abandon(text: string): void {
    this.#response = 'abandoned';
    this.#waiting.clear();
    for (const call of this.#calls) call.abandon(text);
    this.#end(text);
  }

  /** Returns the outcomes of the calls whose tools have run. One that still runs was interrupted. */
  ran(): CallOutcome[] {
    return this.#calls.flatMap(call => call.ran() ?? []);
  }

  async enter(call: Call): Promise<CallVerdict> {
    if (!this.turn.steps.isOrdered) {
      call.go('running');
      return 'run';
    }
    const decided = new Promise<CallVerdict>(resolve => {
      this.#entering.set(call, resolve);
    });
    this.#enterNext();
    return untilAborted(decided, this.signal);
  }

  issued(call: Call): void {
    if (this.#issuing !== call) return;
    this.#issuing = undefined;
    this.#startNext();
  }

  #announce(made: LoopCall, tool: ToolDefinition | undefined, isComplete: boolean): Call {
    const call = new Call(this, made, {
      tool,
      isComplete,
      index: this.#callsBefore + this.#calls.length + 1,
      pending: this.#pendingCalls?.get(made.toolCallId),
    });
    this.#calls.push(call);
    // A call that the host may have to approve is written after the decision on it.
    if (this.turn.hostApprovals === undefined) call.write();
    return call;
  }

  #end(reason: string): void {
    this.#link.abort(new DOMException(reason, 'AbortError'));
    this.#link.release();
  }

  /** Number of waiting calls whose tools run already. */
  get #early(): number {
    let count = 0;
    for (const { early } of this.#waiting) if (early !== undefined) count++;
    return count;
  }

  /** Decides on the waiting calls in their order, and lets those go on that may run now. */
  #startNext(): void {
    const { isDurable, isOrdered } = this.turn.steps;
    if (this.signal.aborted || (isDurable && this.#response === 'open')) return;
    for (const call of this.#waiting) {
      if (isOrdered && !this.#isNext(call)) continue;
      const verdict = call.decide();
      if (!isOrdered && (verdict === 'wait' || (verdict === 'run' && !this.#canRun(call)))) continue;
      this.#waiting.delete(call);
      if (verdict === 'run' || verdict === 'wait') void this.#start(call);
      else call.finish({ output: verdict });
    }
  }

  #canRun(call: Call): boolean {
    const others = this.#active.size + this.#early - (call.early === undefined ? 0 : 1);
    if (others >= MAX_PARALLEL || (call.isExclusive && this.#exclusive !== undefined)) return false;
    // The response may still end as truncated, or be repeated.
    return this.#response === 'ended' || call.mayPrecedeEnd;
  }

  /** Ordered calls: first those that run together, one after another, then the exclusive ones, each after the last ended. */
  #isNext({ isExclusive }: Call): boolean {
    if (this.#issuing !== undefined) return false;
    return (
      !isExclusive || (this.#exclusive === undefined && [...this.#waiting].every(call => call.isExclusive))
    );
  }

  async #start(call: Call): Promise<void> {
    this.#active.add(call);
    if (call.isExclusive) this.#exclusive = call;
    if (this.turn.steps.isOrdered) this.#issuing = call;
    try {
      await call.run();
    } finally {
      this.#active.delete(call);
      if (this.#exclusive === call) this.#exclusive = undefined;
      if (this.#issuing === call) this.#issuing = undefined;
      this.#enterNext();
      this.#startNext();
    }
  }

  /** Lets ordered calls run inside of their steps when there is room, and when the calls that they repeat have ended. */
  #enterNext(): void {
    let running = 0;
    for (const { isRunning } of this.#active) if (isRunning) running++;
    for (const [call, resolve] of this.#entering) {
      const verdict = call.decide();
      if (verdict === 'wait') continue;
      // A tool that was started early runs already.
      if (verdict === 'run' && !call.isRunning && call.early === undefined && running >= MAX_PARALLEL)
        continue;
      this.#entering.delete(call);
      if (!call.isRunning) running++;
      call.go('running');
      resolve(verdict);
    }
  }
}
