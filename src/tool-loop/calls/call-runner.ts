import { linkSignal, untilAborted } from '../../shared/abort.js';
import { isWholeJson } from '../../shared/json.js';
import { isReadOnly, type ToolDefinition } from '../../tools/tool-source.js';
import type { Admission, CallResult, CallRunnerOptions, Verdict } from './call-schedule.js';
import type { CallOutcome, LoopCall, ToolRun } from './calls.js';

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
  /** True if a call has started. Its tool may have had its effect. */
  readonly hasStarted: boolean;
  /**
   * Ends the calls of a response that is repeated: those that have not started fail with this error text. Returns the
   * outcomes of the others when they have ended, and the calls that never run. Rejects on abort.
   */
  keepStarted(text: string): Promise<{ readonly outcomes: CallOutcome[]; readonly dropped: LoopCall[] }>;
  /** Aborts running calls and starts no others. Calls without an outcome fail with this error text. */
  abandon(text: string): void;
}

/** Maximum number of calls that run at the same time. */
const MAX_PARALLEL = 8;

/**
 * `waiting`: nothing has happened but an early read. `issued`: the call is checked, approved and recorded, or waits inside
 * of its step. `running`: its tool may run. `done`: it has its outcome.
 */
type CallState = 'waiting' | 'issued' | 'running' | 'done';

interface Task {
  readonly call: LoopCall;
  readonly tool: ToolDefinition | undefined;
  readonly outcome: Promise<CallOutcome>;
  readonly resolve: (outcome: CallOutcome) => void;
  state: CallState;
  startedAt?: number;
  /** True if its tool may have run. */
  hasStarted: boolean;
}

interface RunnableTask extends Task {
  readonly tool: ToolDefinition;
  readonly index: number;
  readonly admission: Admission;
  /** The decision of `admission`, which is made once. */
  verdict: Verdict | 'wait';
  early: Promise<ToolRun> | undefined;
  /** True if it must not run together with another exclusive task. */
  readonly isExclusive: boolean;
  /** True if it may run before the response ends: nothing that follows can show that its arguments are truncated. */
  readonly mayPrecedeEnd: boolean;
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { execution, isDurable, isOrdered, execute, admit, callsBefore = 0 } = options;
  const tasks: Task[] = [];
  /** The tasks in the state `waiting`, in the order of the calls. */
  const waiting = new Set<RunnableTask>();
  /** The tasks in the states `issued` and `running`. */
  const active = new Set<RunnableTask>();
  /** Ordered tasks that wait inside of their steps. */
  const entering = new Map<RunnableTask, (verdict: Verdict) => void>();
  /** The ordered task that has started, but has not issued its step. */
  let issuing: RunnableTask | undefined;
  /** The exclusive task that has started. */
  let exclusive: RunnableTask | undefined;
  /** Number of waiting tasks whose tools run already. */
  let early = 0;
  let response: 'open' | 'ended' | 'abandoned' = 'open';
  const round = linkSignal(options.signal);

  return {
    get size() {
      return tasks.length;
    },

    add(call, tool, { isComplete }) {
      const task: RunnableTask = {
        ...createTask(call, tool),
        index: callsBefore + tasks.length + 1,
        admission: admit(call, tool),
        verdict: 'wait',
        early: undefined,
        isExclusive:
          execution === 'sequential' ||
          (execution === 'auto' && !isReadOnly(tool)) ||
          // Its further steps would mix with those of other calls, in an order that depends on their durations.
          (isOrdered && options.mayContinue(tool)),
        // Incomplete or missing arguments may belong to a truncated response.
        mayPrecedeEnd: isComplete && isWholeJson(call.input),
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
        const { input } = task.call;
        if (isWholeJson(input) || input.trim() === '') continue;
        waiting.delete(task);
        finish(task, { output: { type: 'error-text', value: text } });
      }
    },

    async waitForAll() {
      const isAbandoned = response === 'abandoned';
      if (!isAbandoned) response = 'ended';
      startNext();
      try {
        const outcomes = Promise.all(tasks.map(task => task.outcome));
        return await untilAborted(outcomes, isAbandoned ? undefined : options.signal);
      } finally {
        round.release();
      }
    },

    get hasStarted() {
      return tasks.some(task => task.hasStarted);
    },

    async keepStarted(text) {
      response = 'abandoned';
      waiting.clear();
      const started = tasks.filter(task => task.hasStarted);
      const others = tasks.filter(task => !task.hasStarted);
      for (const task of others) finish(task, { output: { type: 'error-text', value: text } });
      const dropped = others.map(({ call }) => call);
      try {
        const outcomes = Promise.all(started.map(task => task.outcome));
        return { outcomes: await untilAborted(outcomes, options.signal), dropped };
      } finally {
        round.abort(new DOMException('The response is repeated.', 'AbortError'));
        round.release();
      }
    },

    abandon(text) {
      response = 'abandoned';
      waiting.clear();
      for (const task of tasks) finish(task, { output: { type: 'error-text', value: text } });
      round.abort(new DOMException(text, 'AbortError'));
      round.release();
    },
  };

  /** Decides on a call of a durable turn at a time when no call of its round has an outcome, and may prefetch it. */
  function startEarly(task: RunnableTask): void {
    const verdict = decide(task);
    if (verdict !== 'run' || options.startEarly === false || !task.mayPrecedeEnd || early >= MAX_PARALLEL)
      return;
    const { call, tool, index } = task;
    task.early = options.prefetch(call, tool, { index, signal: round.signal });
    if (task.early === undefined) return;
    early++;
    task.early.catch(() => {});
  }

  function decide(task: RunnableTask): Verdict | 'wait' {
    if (task.verdict === 'wait') task.verdict = task.admission();
    return task.verdict;
  }

  /** Decides on the waiting calls in their order, and starts those that may run now. */
  function startNext(): void {
    if (round.signal.aborted || (isDurable && response === 'open')) return;
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
    const others = active.size + early - (task.early === undefined ? 0 : 1);
    if (others >= MAX_PARALLEL || (task.isExclusive && exclusive !== undefined)) return false;
    if (response === 'ended') return true;
    const { startEarly } = options;
    // The response may still end as truncated, or be repeated.
    const mayStartEarly = startEarly === 'read-only' ? isReadOnly(task.tool) : startEarly;
    return mayStartEarly && task.mayPrecedeEnd;
  }

  /** Ordered tasks: first those that run together, one after another, then the exclusive ones, each after the last ended. */
  function isNext({ isExclusive }: RunnableTask): boolean {
    if (issuing !== undefined) return false;
    return !isExclusive || (exclusive === undefined && [...waiting].every(task => task.isExclusive));
  }

  async function start(task: RunnableTask): Promise<void> {
    const { call, tool, index } = task;
    task.state = 'issued';
    task.hasStarted = true;
    active.add(task);
    if (task.early !== undefined) early--;
    if (task.isExclusive) exclusive = task;
    if (isOrdered) issuing = task;
    try {
      const result = await execute(call, tool, {
        index,
        signal: round.signal,
        early: task.early,
        onStart() {
          task.startedAt = performance.now();
        },
        onIssued() {
          if (issuing !== task) return;
          issuing = undefined;
          startNext();
        },
        enter: async () => enter(task),
      });
      // A repeat counts for the limits of the turn, even if it was recorded.
      if (isOrdered && task.verdict === 'wait') await enter(task);
      finish(task, result);
    } catch (error) {
      // After an abort, `abandon` has set the outcome or `waitForAll` has rejected.
      const value = error instanceof Error ? error.message : String(error);
      if (!round.signal.aborted) finish(task, { output: { type: 'error-text', value } });
    } finally {
      active.delete(task);
      if (exclusive === task) exclusive = undefined;
      if (issuing === task) issuing = undefined;
      enterNext();
      startNext();
    }
  }

  /** Lets an ordered task run inside of its step when there is room, and when calls that it repeats have ended. */
  async function enter(task: RunnableTask): Promise<Verdict> {
    if (!isOrdered) {
      advance(task);
      return 'run';
    }
    const decided = new Promise<Verdict>(resolve => {
      entering.set(task, resolve);
    });
    enterNext();
    return untilAborted(decided, round.signal);
  }

  function enterNext(): void {
    let running = [...active].filter(({ state }) => state === 'running').length;
    for (const [task, resolve] of entering) {
      const verdict = decide(task);
      if (verdict === 'wait') continue;
      const isCounted = task.state === 'running';
      // A tool that was started early runs already.
      if (verdict === 'run' && !isCounted && task.early === undefined && running >= MAX_PARALLEL) continue;
      entering.delete(task);
      if (!isCounted) running++;
      advance(task);
      resolve(verdict);
    }
  }

  /** Lets the tool of a call run. The state never goes back: an abandoned call has its outcome. */
  function advance(task: RunnableTask): void {
    if (task.state === 'issued') task.state = 'running';
  }

  function finish(task: Task, { output, duration, isReplayed = false }: CallResult): void {
    if (task.state === 'done') return;
    task.state = 'done';
    const { call, tool, startedAt } = task;
    const measured = startedAt === undefined ? 0 : performance.now() - startedAt;
    const outcome = {
      call,
      tool,
      output,
      duration: duration ?? measured,
      ...(isReplayed && { isReplayed }),
    };
    // Resolves before the callback, which could throw and leave `waitForAll` pending.
    task.resolve(outcome);
    options.onOutcome(outcome);
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
  return { call, tool, outcome, resolve, state: 'waiting', hasStarted: false };
}
