import { linkSignal, untilAborted } from '../shared/abort.js';
import { isWholeJson } from '../shared/json.js';
import { isReadOnly } from '../tools/annotations.js';
import type { ToolDefinition, ToolOutput } from '../tools/tool-source.js';
import type { CallOutcome, LoopCall } from './calls.js';
import type { Admission } from './turn-limits.js';

/** When the calls of a turn start. */
export interface Scheduling {
  readonly execution: 'auto' | 'parallel' | 'sequential';
  readonly maxParallel: number;
  readonly startEarly: boolean;
  readonly signal: AbortSignal;
}

export interface CallRunnerOptions extends Scheduling {
  /** Runs a call to its end. Rejects only on abort. */
  readonly execute: (
    call: LoopCall,
    tool: ToolDefinition,
    options: { signal: AbortSignal; onStart: () => void },
  ) => Promise<ToolOutput>;
  /** Called for each call as it arrives. The result is called until it decides on the call. */
  readonly admit: (call: LoopCall, tool: ToolDefinition | undefined) => Admission;
  /** Called for each outcome as it arrives, in any order. */
  readonly onOutcome: (outcome: CallOutcome) => void;
}

/** Runs the calls of one round. */
export interface CallRunner {
  readonly size: number;
  add(call: LoopCall, tool: ToolDefinition): void;
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
  readonly admission: Admission;
  /** True if it must not run together with another exclusive task. */
  readonly isExclusive: boolean;
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { execution, maxParallel, execute, admit, onOutcome } = options;
  const tasks: Task[] = [];
  /** Tasks that have not started, in the order of the calls. */
  const waiting = new Set<RunnableTask>();
  let running = 0;
  let isExclusiveRunning = false;
  let mayStart = options.startEarly;
  let hasEnded = false;
  let isAbandoned = false;
  const round = linkSignal(options.signal);

  return {
    get size() {
      return tasks.length;
    },

    add(call, tool) {
      const isExclusive = execution === 'sequential' || (execution === 'auto' && !isReadOnly(tool));
      const task = { ...createTask(call, tool), admission: admit(call, tool), isExclusive };
      tasks.push(task);
      waiting.add(task);
      startNext();
    },

    refuse(call, reason) {
      const task = createTask(call, undefined);
      tasks.push(task);
      const verdict = admit(call, undefined)();
      finish(task, typeof verdict === 'object' ? verdict : { type: 'error-text', value: reason });
    },

    refuseRepairs(text) {
      for (const task of waiting) {
        if (!task.isHeld || task.call.input.trim() === '') continue;
        waiting.delete(task);
        finish(task, { type: 'error-text', value: text });
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
      for (const task of tasks) finish(task, { type: 'error-text', value: text });
      round.abort(new DOMException(text, 'AbortError'));
      round.release();
    },
  };

  /** Decides on the waiting calls in their order, and starts those that may run now. */
  function startNext(): void {
    if (round.signal.aborted) return;
    for (const task of waiting) {
      const verdict = task.admission();
      if (verdict === 'wait' || (verdict === 'run' && !canRun(task))) continue;
      waiting.delete(task);
      if (verdict === 'run') void start(task);
      else finish(task, verdict);
    }
  }

  function canRun({ isHeld, isExclusive }: RunnableTask): boolean {
    if (!mayStart || running >= maxParallel) return false;
    return (hasEnded || !isHeld) && (!isExclusive || !isExclusiveRunning);
  }

  async function start(task: RunnableTask): Promise<void> {
    running++;
    if (task.isExclusive) isExclusiveRunning = true;
    const onStart = (): void => {
      task.startedAt = performance.now();
    };
    try {
      finish(task, await execute(task.call, task.tool, { signal: round.signal, onStart }));
    } catch (error) {
      // After an abort, `abandon` has set the outcome or `waitForAll` has rejected.
      const value = error instanceof Error ? error.message : String(error);
      if (!round.signal.aborted) finish(task, { type: 'error-text', value });
    } finally {
      running--;
      if (task.isExclusive) isExclusiveRunning = false;
      startNext();
    }
  }

  function finish(task: Task, output: ToolOutput): void {
    if (task.isFinished) return;
    task.isFinished = true;
    const duration = task.startedAt === undefined ? 0 : performance.now() - task.startedAt;
    const outcome = { call: task.call, tool: task.tool, output, duration };
    // Resolves before the callback, which could throw and leave `waitForAll` pending.
    task.resolve(outcome);
    onOutcome(outcome);
  }
}

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
