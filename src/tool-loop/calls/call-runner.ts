import { linkSignal, untilAborted } from '../../shared/abort.js';
import { isWholeJson } from '../../shared/json.js';
import { isReadOnly, type ToolDefinition, type ToolOutput } from '../../tools/tool-source.js';
import type { CallOutcome, LoopCall, ToolRun } from './calls.js';
import type { Admission } from '../turn/turn-limits.js';

/** When the calls of a turn start. */
export interface Scheduling {
  readonly execution: 'auto' | 'parallel' | 'sequential';
  readonly maxParallel: number;
  readonly startEarly: boolean;
  readonly signal: AbortSignal;
  /** True if no call may start before its round is recorded, except calls that `prefetch` accepts. */
  readonly isDurable: boolean;
  /** True if calls have to start in the same order in every attempt, whenever the calls before them end. */
  readonly isOrdered: boolean;
}

/** Connects a call with the schedule of its round. */
export interface CallSlot {
  /** Position of the call in its round, from 1. */
  readonly index: number;
  readonly signal: AbortSignal;
  /** The call was started early, and this is its result. */
  readonly early: Promise<ToolRun> | undefined;
  /** Called when the tool starts. */
  readonly onStart: () => void;
  /** Called when the step of the call has been issued, so that the next one may be. */
  readonly onIssued: () => void;
  /** Waits inside of the step until the tool may run. Returns the output of a call that must not run. */
  readonly enter: () => Promise<'run' | ToolOutput>;
}

/** The output of a call, and how it was found. */
export interface CallResult {
  readonly output: ToolOutput;
  /** Milliseconds that the tool ran in the attempt that ran it. @default measured */
  readonly duration?: number;
  /** True if the output was read from a record. @default false */
  readonly isReplayed?: boolean;
}

export interface CallRunnerOptions extends Scheduling {
  /** Runs a call to its end. Rejects only on abort. */
  readonly execute: (call: LoopCall, tool: ToolDefinition, slot: CallSlot) => Promise<CallResult>;
  /**
   * Starts a call that has no effects before its round is recorded. Called in durable turns only.
   *
   * @returns undefined for a call that has to wait.
   */
  readonly prefetch?: (
    call: LoopCall,
    tool: ToolDefinition,
    options: Pick<CallSlot, 'index' | 'signal'>,
  ) => Promise<ToolRun> | undefined;
  /** Returns true for a tool whose calls may need further steps after the first. @default none does */
  readonly mayContinue?: (tool: ToolDefinition) => boolean;
  /** Called for each call as it arrives. The result is called until it decides on the call. */
  readonly admit: (call: LoopCall, tool: ToolDefinition | undefined) => Admission;
  /** Called for each outcome as it arrives, in any order. */
  readonly onOutcome: (outcome: CallOutcome) => void;
}

/** Runs the calls of one round. */
export interface CallRunner {
  readonly size: number;
  /** Adds a call. One that is complete may run before the response ends. */
  add(call: LoopCall, tool: ToolDefinition, options: { readonly isComplete: boolean }): void;
  /** Adds a call that no tool can run. The model receives the reason. */
  refuse(call: LoopCall, reason: string): void;
  /** Fails the calls whose arguments need repair, with this error text. */
  refuseRepairs(text: string): void;
  /** Starts the waiting calls and returns all outcomes, in the order of the calls. Rejects on abort. */
  waitForAll(): Promise<CallOutcome[]>;
  /** Aborts running calls and starts no others. Calls without an outcome fail with this error text. */
  abandon(text: string): void;
}

interface Task {
  readonly call: LoopCall;
  readonly tool: ToolDefinition | undefined;
  /** True if it waits for the end of the round: incomplete or missing arguments may belong to a truncated response. */
  readonly isHeld: boolean;
  readonly outcome: Promise<CallOutcome>;
  readonly resolve: (outcome: CallOutcome) => void;
  startedAt?: number;
  isFinished: boolean;
}

interface RunnableTask extends Task {
  readonly tool: ToolDefinition;
  readonly index: number;
  readonly admission: Admission;
  /** The decision of `admission`, if it was made. */
  verdict?: 'run' | ToolOutput;
  early?: Promise<ToolRun> | undefined;
  /** True if it must not run together with another exclusive task. */
  readonly isExclusive: boolean;
  /** True if it may run before the response ends. */
  readonly isComplete: boolean;
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { execution, maxParallel, isDurable, isOrdered, execute, prefetch, mayContinue, admit, onOutcome } =
    options;
  const tasks: Task[] = [];
  /** Tasks that have not started, in the order of the calls. */
  const waiting = new Set<RunnableTask>();
  /** Ordered tasks that wait inside of their steps. */
  const entering = new Map<RunnableTask, (verdict: 'run' | ToolOutput) => void>();
  const entered = new Set<RunnableTask>();
  let running = 0;
  /** Number of waiting tasks whose tools run already. */
  let early = 0;
  let isExclusiveRunning = false;
  /** True while an ordered task has started, but has not issued its step. */
  let isIssuing = false;
  let mayStart = options.startEarly && !isDurable;
  let hasEnded = false;
  let isAbandoned = false;
  const round = linkSignal(options.signal);

  return {
    get size() {
      return tasks.length;
    },

    add(call, tool, { isComplete }) {
      const isExclusive =
        execution === 'sequential' ||
        (execution === 'auto' && !isReadOnly(tool)) ||
        // Its further steps would mix with those of other calls, in an order that depends on their durations.
        (isOrdered && mayContinue?.(tool) === true);
      const index = tasks.length + 1;
      const task: RunnableTask = {
        ...createTask(call, tool),
        index,
        admission: admit(call, tool),
        isExclusive,
        isComplete,
      };
      tasks.push(task);
      waiting.add(task);
      if (isDurable) startEarly(task);
      startNext();
    },

    refuse(call, reason) {
      const task = createTask(call, undefined);
      tasks.push(task);
      const verdict = admit(call, undefined)();
      finish(task, { output: typeof verdict === 'object' ? verdict : { type: 'error-text', value: reason } });
    },

    refuseRepairs(text) {
      for (const task of waiting) {
        if (!task.isHeld || task.call.input.trim() === '') continue;
        waiting.delete(task);
        finish(task, { output: { type: 'error-text', value: text } });
      }
    },

    async waitForAll() {
      mayStart = true;
      hasEnded = true;
      startNext();
      try {
        const outcomes = Promise.all(tasks.map(task => task.outcome));
        return await untilAborted(outcomes, isAbandoned ? undefined : options.signal);
      } finally {
        round.release();
      }
    },

    abandon(text) {
      isAbandoned = true;
      waiting.clear();
      for (const task of tasks) finish(task, { output: { type: 'error-text', value: text } });
      round.abort(new DOMException(text, 'AbortError'));
      round.release();
    },
  };

  /** Decides on a call of a durable turn at a time when no call of its round has an outcome, and may prefetch it. */
  function startEarly(task: RunnableTask): void {
    const verdict = decide(task);
    if (verdict !== 'run' || !options.startEarly || !mayPrecedeEnd(task) || early >= maxParallel) return;
    const { call, tool, index } = task;
    task.early = prefetch?.(call, tool, { index, signal: round.signal });
    if (task.early === undefined) return;
    early++;
    task.early.catch(() => {});
  }

  /** Returns the decision on a call, which is made once. */
  function decide(task: RunnableTask): 'run' | 'wait' | ToolOutput {
    if (task.verdict !== undefined) return task.verdict;
    const verdict = task.admission();
    if (verdict !== 'wait') task.verdict = verdict;
    return verdict;
  }

  /** Decides on the waiting calls in their order, and starts those that may run now. */
  function startNext(): void {
    if (round.signal.aborted || (isDurable && !mayStart)) return;
    for (const task of waiting) {
      if (isOrdered && !isNext(task)) continue;
      const verdict = decide(task);
      if (!isOrdered && (verdict === 'wait' || (verdict === 'run' && !canRun(task)))) continue;
      waiting.delete(task);
      if (verdict === 'run' || verdict === 'wait') void start(task);
      else finish(task, { output: verdict });
    }
  }

  function canRun(task: RunnableTask): boolean {
    const others = running + early - (task.early === undefined ? 0 : 1);
    if (!mayStart || others >= maxParallel) return false;
    return (hasEnded || mayPrecedeEnd(task)) && (!task.isExclusive || !isExclusiveRunning);
  }

  /** Ordered tasks: first those that run together, one after another, then the exclusive ones, each after the last ended. */
  function isNext({ isExclusive }: RunnableTask): boolean {
    if (isIssuing) return false;
    return !isExclusive || (!isExclusiveRunning && [...waiting].every(task => task.isExclusive));
  }

  async function start(task: RunnableTask): Promise<void> {
    running++;
    if (task.early !== undefined) early--;
    if (task.isExclusive) isExclusiveRunning = true;
    isIssuing = isOrdered;
    let hasIssued = !isOrdered;
    const onIssued = (): void => {
      if (hasIssued) return;
      hasIssued = true;
      isIssuing = false;
      startNext();
    };
    const onStart = (): void => {
      task.startedAt = performance.now();
    };
    const { index } = task;
    const enterTask = async (): Promise<'run' | ToolOutput> => enter(task);
    try {
      const result = await execute(task.call, task.tool, {
        index,
        signal: round.signal,
        early: task.early,
        onStart,
        onIssued,
        enter: enterTask,
      });
      // A repeat counts for the limits of the turn, even if it was recorded.
      if (isOrdered && task.verdict === undefined) await enterTask();
      finish(task, result);
    } catch (error) {
      // After an abort, `abandon` has set the outcome or `waitForAll` has rejected.
      const value = error instanceof Error ? error.message : String(error);
      if (!round.signal.aborted) finish(task, { output: { type: 'error-text', value } });
    } finally {
      running--;
      entered.delete(task);
      if (task.isExclusive) isExclusiveRunning = false;
      if (!hasIssued) isIssuing = false;
      hasIssued = true;
      enterNext();
      startNext();
    }
  }

  /** Lets an ordered task run inside of its step when there is room, and when calls that it repeats have ended. */
  async function enter(task: RunnableTask): Promise<'run' | ToolOutput> {
    if (!isOrdered) return 'run';
    const decided = new Promise<'run' | ToolOutput>(resolve => {
      entering.set(task, resolve);
    });
    enterNext();
    return untilAborted(decided, round.signal);
  }

  function enterNext(): void {
    for (const [task, resolve] of entering) {
      const verdict = decide(task);
      if (verdict === 'wait') continue;
      const isFull = entered.size >= maxParallel && task.early === undefined && !entered.has(task);
      if (verdict === 'run' && isFull) continue;
      entering.delete(task);
      entered.add(task);
      resolve(verdict);
    }
  }

  function finish(task: Task, { output, duration, isReplayed = false }: CallResult): void {
    if (task.isFinished) return;
    task.isFinished = true;
    const measured = task.startedAt === undefined ? 0 : performance.now() - task.startedAt;
    const outcome = {
      ...{ call: task.call, tool: task.tool, output, duration: duration ?? measured },
      ...(isReplayed && { isReplayed }),
    };
    // Resolves before the callback, which could throw and leave `waitForAll` pending.
    task.resolve(outcome);
    onOutcome(outcome);
  }
}

/** Returns true for a call that may run before its response ends: nothing that follows can show that it is truncated. */
const mayPrecedeEnd = ({ isComplete, isHeld }: RunnableTask): boolean => isComplete && !isHeld;

function createTask<Tool extends ToolDefinition | undefined>(
  call: LoopCall,
  tool: Tool,
): Task & { readonly tool: Tool } {
  let resolve: (outcome: CallOutcome) => void = () => {};
  const outcome = new Promise<CallOutcome>(onResolve => {
    resolve = onResolve;
  });
  return { call, tool, isHeld: !isWholeJson(call.input), outcome, resolve, isFinished: false };
}
