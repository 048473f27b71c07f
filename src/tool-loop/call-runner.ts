import { linkSignal } from '../abort/link-signal.js';
import { untilAborted } from '../abort/until-aborted.js';
import type { ToolDefinition, ToolOutput, ToolSource } from '../tools/tool-source.js';
import { executeCall } from './execute-call.js';
import type { Outcome, OwnedCall } from './owned-call.js';

export interface CallRunnerOptions {
  readonly source: ToolSource;
  readonly execution: 'auto' | 'parallel' | 'sequential';
  readonly maxParallel: number;
  readonly startEarly: boolean;
  readonly timeout: number | undefined;
  readonly signal: AbortSignal;
  readonly onStart: (call: OwnedCall) => void;
  /** Told of each outcome as it comes, in whatever order. */
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Runs the calls of one round. */
export interface CallRunner {
  readonly size: number;
  add(call: OwnedCall, tool: ToolDefinition): void;
  /** Starts what has waited and returns all outcomes, in the order of the calls. Rejects on abort. */
  settle(): Promise<Outcome[]>;
  /** Starts nothing more, aborts what runs, and gives every call without an outcome the text for one. */
  abandon(text: string): void;
}

interface Task {
  readonly call: OwnedCall;
  /** Whether it must not run beside another exclusive task. */
  readonly isExclusive: boolean;
  readonly outcome: Promise<Outcome>;
  readonly resolve: (outcome: Outcome) => void;
  startedAt?: number;
  isFinished: boolean;
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { source, execution, maxParallel, timeout, onStart, onOutcome } = options;
  const tasks: Task[] = [];
  /** Tasks not yet started, in the order of the calls. */
  let waiting: Task[] = [];
  let running = 0;
  let isExclusiveRunning = false;
  let mayStart = options.startEarly;
  let isAbandoned = false;
  const round = linkSignal(options.signal);

  return {
    get size() {
      return tasks.length;
    },

    add(call, tool) {
      const isExclusive = execution === 'sequential' || (execution === 'auto' && tool.readOnly !== true);
      const task = createTask(call, isExclusive);
      tasks.push(task);
      waiting.push(task);
      startNext();
    },

    async settle() {
      mayStart = true;
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
      waiting = [];
      for (const task of tasks) finish(task, { type: 'error-text', value: text });
      round.abort(new DOMException(text, 'AbortError'));
      round.release();
    },
  };

  function startNext(): void {
    if (!mayStart || round.signal.aborted) return;
    while (running < maxParallel) {
      const next = waiting.find(task => !task.isExclusive || !isExclusiveRunning);
      if (next === undefined) return;
      waiting = waiting.filter(task => task !== next);
      void start(next);
    }
  }

  async function start(task: Task): Promise<void> {
    running++;
    if (task.isExclusive) isExclusiveRunning = true;
    task.startedAt = performance.now();
    onStart(task.call);
    try {
      finish(task, await executeCall(task.call, { source, signal: round.signal, timeout }));
    } catch {
      // Aborted: `abandon` gives the outcome, or `settle` has rejected.
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
    const outcome = { call: task.call, output, duration };
    onOutcome(outcome);
    task.resolve(outcome);
  }
}

function createTask(call: OwnedCall, isExclusive: boolean): Task {
  let resolve: (outcome: Outcome) => void = () => {};
  const outcome = new Promise<Outcome>(onResolve => {
    resolve = onResolve;
  });
  return { call, isExclusive, outcome, resolve, isFinished: false };
}
