import { linkSignal } from '../abort/link-signal.js';
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
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
  readonly outcome: Promise<Outcome>;
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { source, execution, maxParallel, timeout, onStart, onOutcome } = options;
  const tasks: Task[] = [];
  /** Tasks not yet started, in the order of the calls. */
  let waiting: Task[] = [];
  let running = 0;
  let isExclusiveRunning = false;
  let mayStart = options.startEarly;
  const round = linkSignal(options.signal);
  let abandoned: string | undefined;

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
        return await Promise.all(tasks.map(task => task.outcome));
      } finally {
        round.release();
      }
    },

    abandon(text) {
      abandoned = text;
      for (const task of waiting) finish(task, { type: 'error-text', value: text }, 0);
      waiting = [];
      round.abort(new DOMException(text, 'AbortError'));
      round.release();
    },
  };

  function startNext(): void {
    if (!mayStart) return;
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
    const startedAt = performance.now();
    onStart(task.call);
    try {
      const output = await executeCall(task.call, { source, signal: round.signal, timeout });
      finish(task, output, performance.now() - startedAt);
    } catch (reason) {
      if (abandoned === undefined) task.reject(reason);
      else finish(task, { type: 'error-text', value: abandoned }, performance.now() - startedAt);
    } finally {
      running--;
      if (task.isExclusive) isExclusiveRunning = false;
      startNext();
    }
  }

  function finish(task: Task, output: ToolOutput, duration: number): void {
    const outcome = { call: task.call, output, duration };
    onOutcome(outcome);
    task.resolve(outcome);
  }
}

function createTask(call: OwnedCall, isExclusive: boolean): Task {
  let resolve: (outcome: Outcome) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const outcome = new Promise<Outcome>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // An abort may come before anybody waits for the outcome.
  outcome.catch(() => {});
  return { call, isExclusive, outcome, resolve, reject };
}
