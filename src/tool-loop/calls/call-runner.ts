import { messageOf } from '../../shared/errors.js';
import { linkSignal, untilAborted } from '../../shared/abort.js';
import { isWholeJson } from '../../shared/json.js';
import { effectiveAnnotations, isReadOnly, type ToolDefinition } from '../../tools/tool-source.js';
import type {
  Admission,
  CallOutcome,
  CallResult,
  CallRunner,
  CallRunnerOptions,
  LoopCall,
  ToolRun,
  Verdict,
} from './calls.js';

/** Maximum number of calls that run at the same time. */
const MAX_PARALLEL = 8;

/** The end of the output of a call that was stopped. */
const MAY_HAVE_EFFECT = 'It may or may not have taken effect.';

/**
 * `waiting`: nothing has happened but an early read. `issued`: the call is checked, approved and recorded, or waits inside
 * of its step. `running`: its tool may run. `done`: it has its outcome.
 */
type CallState = 'waiting' | 'issued' | 'running' | 'done';

interface Task {
  readonly call: LoopCall;
  readonly tool: ToolDefinition | undefined;
  readonly ended: Promise<CallOutcome>;
  readonly resolve: (outcome: CallOutcome) => void;
  state: CallState;
  outcome?: CallOutcome;
  /** The time at which its tool started. */
  startedAt?: number;
  /** True if it was issued. Its tool may have run. */
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
  /** True if it starts before the response ends, and nothing that follows can show that its arguments are truncated. */
  readonly mayPrecedeEnd: boolean;
}

/** The calls of one round. */
interface Schedule {
  readonly options: CallRunnerOptions;
  readonly signal: AbortSignal;
  readonly tasks: Task[];
  /** The tasks in the state `waiting`, in the order of the calls. */
  readonly waiting: Set<RunnableTask>;
  /** The tasks in the states `issued` and `running`. */
  readonly active: Set<RunnableTask>;
  /** Ordered tasks that wait inside of their steps. */
  readonly entering: Map<RunnableTask, (verdict: Verdict) => void>;
  /** The ordered task that has started, but has not issued its step. */
  issuing: RunnableTask | undefined;
  /** The exclusive task that has started. */
  exclusive: RunnableTask | undefined;
  /** Number of waiting tasks whose tools run already. */
  early: number;
  response: 'open' | 'ended' | 'abandoned';
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const round = linkSignal(options.signal);
  const schedule: Schedule = {
    options,
    signal: round.signal,
    tasks: [],
    waiting: new Set(),
    active: new Set(),
    entering: new Map(),
    issuing: undefined,
    exclusive: undefined,
    early: 0,
    response: 'open',
  };
  const { tasks, waiting } = schedule;
  const end = (reason: string): void => {
    round.abort(new DOMException(reason, 'AbortError'));
    round.release();
  };

  return {
    get size() {
      return tasks.length;
    },

    add(call, tool, { isComplete }) {
      const task = createRunnableTask(call, tool, { schedule, isComplete });
      tasks.push(task);
      waiting.add(task);
      if (options.isDurable) startEarly(task, schedule);
      startNext(schedule);
    },

    refuse(call, reason) {
      const task = createTask(call, undefined);
      tasks.push(task);
      const verdict = options.admit(call, undefined)();
      finish(task, typeof verdict === 'object' ? { output: verdict } : failed(reason), options);
    },

    refuseRepairs(text) {
      for (const task of waiting) {
        const { input } = task.call;
        if (isWholeJson(input) || input.trim() === '') continue;
        waiting.delete(task);
        finish(task, failed(text), options);
      }
    },

    async waitForAll() {
      const isAbandoned = schedule.response === 'abandoned';
      if (!isAbandoned) schedule.response = 'ended';
      startNext(schedule);
      try {
        const outcomes = Promise.all(tasks.map(({ ended }) => ended));
        return await untilAborted(outcomes, isAbandoned ? undefined : options.signal);
      } finally {
        round.release();
      }
    },

    get hasStarted() {
      return tasks.some(task => task.hasStarted);
    },

    async keepStarted(text) {
      schedule.response = 'abandoned';
      waiting.clear();
      const started = tasks.filter(task => task.hasStarted);
      const others = tasks.filter(task => !task.hasStarted);
      for (const task of others) finish(task, failed(text), options);
      try {
        const outcomes = Promise.all(started.map(({ ended }) => ended));
        const dropped = others.map(({ call }) => call);
        return { outcomes: await untilAborted(outcomes, options.signal), dropped };
      } finally {
        end('The response is repeated.');
      }
    },

    abandon(text) {
      schedule.response = 'abandoned';
      waiting.clear();
      for (const task of tasks) {
        const isRunning = task.startedAt !== undefined;
        const result = failed(isRunning ? `${text} ${MAY_HAVE_EFFECT}` : text);
        finish(task, { ...result, ...(isRunning && { isInterrupted: true }) }, options);
      }
      end(text);
    },

    ran: () =>
      tasks.flatMap(task => {
        const { call, tool, outcome, startedAt } = task;
        if (outcome !== undefined) return startedAt === undefined && !outcome.isReplayed ? [] : [outcome];
        if (startedAt === undefined) return [];
        const { output } = failed(`This call was interrupted. ${MAY_HAVE_EFFECT}`);
        return [{ call, tool, output, duration: performance.now() - startedAt, isInterrupted: true }];
      }),
  };
}

const failed = (value: string): CallResult => ({ output: { type: 'error-text', value } });

function createTask<Tool extends ToolDefinition | undefined>(
  call: LoopCall,
  tool: Tool,
): Task & { readonly tool: Tool } {
  let resolve: (outcome: CallOutcome) => void = () => {};
  const ended = new Promise<CallOutcome>(onResolve => {
    resolve = onResolve;
  });
  return { call, tool, ended, resolve, state: 'waiting', hasStarted: false };
}

function createRunnableTask(
  call: LoopCall,
  tool: ToolDefinition,
  { schedule, isComplete }: { schedule: Schedule; isComplete: boolean },
): RunnableTask {
  const { execution, isOrdered, admit, mayContinue, startEarly: early, callsBefore = 0 } = schedule.options;
  const mayStartEarly = early === 'read-only' ? effectiveAnnotations(tool).readOnly : early;
  return {
    ...createTask(call, tool),
    index: callsBefore + schedule.tasks.length + 1,
    admission: admit(call, tool),
    verdict: 'wait',
    early: undefined,
    isExclusive:
      execution === 'sequential' ||
      (execution === 'auto' && !isReadOnly(tool)) ||
      // Its further steps would mix with those of other calls, in an order that depends on their durations.
      (isOrdered && mayContinue(tool)),
    // Incomplete or missing arguments may belong to a truncated response.
    mayPrecedeEnd: isComplete && mayStartEarly && isWholeJson(call.input),
  };
}

/** Decides on a call of a durable turn at a time when no call of its round has an outcome, and may prefetch it. */
function startEarly(task: RunnableTask, schedule: Schedule): void {
  const { options, signal } = schedule;
  const verdict = decide(task);
  const hasRoom = schedule.early < MAX_PARALLEL;
  if (verdict !== 'run' || options.startEarly === false || !task.mayPrecedeEnd || !hasRoom) return;
  const { call, tool, index } = task;
  task.early = options.prefetch(call, tool, { index, signal });
  if (task.early === undefined) return;
  schedule.early++;
  task.early.catch(() => {});
}

function decide(task: RunnableTask): Verdict | 'wait' {
  if (task.verdict === 'wait') task.verdict = task.admission();
  return task.verdict;
}

/** Decides on the waiting calls in their order, and starts those that may run now. */
function startNext(schedule: Schedule): void {
  const { options, signal, waiting, response } = schedule;
  const { isDurable, isOrdered } = options;
  if (signal.aborted || (isDurable && response === 'open')) return;
  for (const task of waiting) {
    if (isOrdered && !isNext(task, schedule)) continue;
    const verdict = decide(task);
    if (!isOrdered && (verdict === 'wait' || (verdict === 'run' && !canRun(task, schedule)))) continue;
    waiting.delete(task);
    if (verdict === 'run' || verdict === 'wait') void start(task, schedule);
    else finish(task, { output: verdict }, options);
  }
}

function canRun(task: RunnableTask, { active, early, exclusive, response }: Schedule): boolean {
  const others = active.size + early - (task.early === undefined ? 0 : 1);
  if (others >= MAX_PARALLEL || (task.isExclusive && exclusive !== undefined)) return false;
  // The response may still end as truncated, or be repeated.
  return response === 'ended' || task.mayPrecedeEnd;
}

/** Ordered tasks: first those that run together, one after another, then the exclusive ones, each after the last ended. */
function isNext({ isExclusive }: RunnableTask, { issuing, exclusive, waiting }: Schedule): boolean {
  if (issuing !== undefined) return false;
  return !isExclusive || (exclusive === undefined && [...waiting].every(task => task.isExclusive));
}

async function start(task: RunnableTask, schedule: Schedule): Promise<void> {
  const { options, signal, active } = schedule;
  const { isOrdered } = options;
  const { call, tool, index } = task;
  task.state = 'issued';
  task.hasStarted = true;
  active.add(task);
  if (task.early !== undefined) schedule.early--;
  if (task.isExclusive) schedule.exclusive = task;
  if (isOrdered) schedule.issuing = task;
  const onIssued = (): void => {
    if (schedule.issuing !== task) return;
    schedule.issuing = undefined;
    startNext(schedule);
  };
  try {
    const result = await options.execute(call, tool, {
      index,
      signal,
      early: task.early,
      onStart() {
        task.startedAt = performance.now();
      },
      onIssued,
      enter: async () => enter(task, schedule),
    });
    // A repeat counts for the limits of the turn, even if it was recorded.
    if (isOrdered && task.verdict === 'wait') await enter(task, schedule);
    finish(task, result, options);
  } catch (error) {
    // After an abort, `abandon` has set the outcome or `waitForAll` has rejected.
    if (!signal.aborted) finish(task, failed(messageOf(error)), options);
  } finally {
    active.delete(task);
    if (schedule.exclusive === task) schedule.exclusive = undefined;
    if (schedule.issuing === task) schedule.issuing = undefined;
    enterNext(schedule);
    startNext(schedule);
  }
}

/** Lets an ordered task run inside of its step when there is room, and when calls that it repeats have ended. */
async function enter(task: RunnableTask, schedule: Schedule): Promise<Verdict> {
  if (!schedule.options.isOrdered) {
    advance(task);
    return 'run';
  }
  const decided = new Promise<Verdict>(resolve => {
    schedule.entering.set(task, resolve);
  });
  enterNext(schedule);
  return untilAborted(decided, schedule.signal);
}

function enterNext({ active, entering }: Schedule): void {
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

function finish(
  task: Task,
  { duration, ...result }: CallResult,
  { onOutcome }: Pick<CallRunnerOptions, 'onOutcome'>,
): void {
  if (task.state === 'done') return;
  task.state = 'done';
  const { call, tool, startedAt } = task;
  const measured = startedAt === undefined ? 0 : performance.now() - startedAt;
  const outcome = { call, tool, duration: duration ?? measured, ...result };
  task.outcome = outcome;
  // Resolves before the callback, which could throw and leave `waitForAll` pending.
  task.resolve(outcome);
  onOutcome(outcome);
}
