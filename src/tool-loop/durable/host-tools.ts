import { linkSignal, onceAborted, untilAborted } from '../../core/shared/abort.js';
import {
  fromPlainJson,
  isPlainObject,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
  toPlainJson,
  toStableJson,
} from '../../core/shared/json.js';
import {
  APPROVED,
  type Approved,
  FIND_REFUSAL,
  IS_REPEATABLE,
  KEPT_TASK,
  type KeptTask,
} from '../../tools/kept-task.js';
import { askIn, type JournalOptions, keepTask, type OpenJournal, UNKNOWN_OUTCOME } from './steps.js';

/* Tools that the host runs, as calls of a recorded turn. */

/** Options of `journal.tools()`. */
export interface JournalToolsOptions {
  /** `providerOptions.kelivo.turnId` of the run. Undefined returns the tools as they are. */
  turnId: string | undefined;
  /** Owner of the turn. Required if the journal has a `scope` function. */
  scope?: string;
  /**
   * The answer to a call that had started when the process ended. `refuse` fails it, so that the model reads that its
   * outcome is unknown, and `run` runs it again with the same idempotency key. Read-only and idempotent tools of a provider
   * run again in any case.
   * @default 'refuse'
   */
  onUnknownOutcome?: 'refuse' | 'run';
}

interface WrapOptions extends Required<Pick<JournalToolsOptions, 'onUnknownOutcome'>> {
  readonly open: (options: JournalOptions) => Promise<OpenJournal>;
}

type Execute = (this: unknown, input: unknown, options: PlainObject) => unknown;

type Decide = (this: unknown, input: unknown, options: PlainObject) => Promise<string | undefined>;

interface HostCall {
  /** Position of the call among all calls of the run that equal it, and the name of the tool. */
  readonly label: string;
  /** The arguments that identify the call. The decision on it and the tool receive those of the host, and may change them. */
  readonly input: unknown;
  readonly signal: AbortSignal | undefined;
  /** Returns why the call must not run. Undefined if the tool needs no decision. */
  readonly findRefusal: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  /** The approval that the tool receives if nothing forbids the call. */
  readonly approved: Approved | undefined;
}

/** Runs a call with its idempotency key. */
type Run = (options: {
  readonly idempotencyKey: string;
  readonly abortSignal: AbortSignal;
  readonly [KEPT_TASK]: KeptTask;
  readonly [APPROVED]: Approved | undefined;
}) => Promise<unknown>;

/** Returns the tools with functions that record their calls. Tools without a function are those of the host. */
export function wrapHostTools<Tools extends object>(tools: Tools, wrapOptions: WrapOptions): Tools {
  const acquire = createSession(wrapOptions.open);
  const positionOf = createPositions();

  const wrapped = Object.entries(tools).map(([name, tool]): [string, unknown] => {
    const execute: unknown = isPlainObject(tool) ? tool.execute : undefined;
    if (!isExecute(execute)) return [name, tool];
    const refusalOf = Reflect.get(tool as object, FIND_REFUSAL) as Decide | undefined;
    const prepare = (input: unknown, given: unknown) => {
      const options = objectOf(given) ?? {};
      const call = {
        label: `host.${positionOf(name, input, options)} ${name}`,
        input: toPlainJson(input, { keepUndefined: false }),
        signal: options.abortSignal instanceof AbortSignal ? options.abortSignal : undefined,
        findRefusal:
          refusalOf &&
          (async (abortSignal: AbortSignal) => refusalOf.call(tool, input, { ...options, abortSignal })),
        approved: refusalOf && { by: refusalOf, input },
      };
      return { call, options };
    };
    const isRepeatable =
      wrapOptions.onUnknownOutcome === 'run' || Reflect.get(tool as object, IS_REPEATABLE) === true;
    const runOnce = (call: HostCall, run: Run): Promise<unknown> =>
      untilAborted(runRecorded(acquire, call, { run, isRepeatable }), call.signal);
    const asPromise = async (input: unknown, given: unknown): Promise<unknown> => {
      const { call, options } = prepare(input, given);
      return runOnce(call, async added => lastOf(await execute.call(tool, input, { ...options, ...added })));
    };
    const asStream = (input: unknown, given: unknown): AsyncIterable<unknown> => {
      const { call, options } = prepare(input, given);
      return streamOnce(onValue =>
        runOnce(call, async added => lastOf(execute.call(tool, input, { ...options, ...added }), onValue)),
      );
    };
    const isStream = Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
    const copy: unknown = Object.assign(
      Object.create(Object.getPrototypeOf(tool) as object) as object,
      tool,
      {
        execute: isStream ? asStream : asPromise,
      },
    );
    return [name, copy];
  });
  return Object.fromEntries(wrapped) as Tools;
}

const isExecute = (value: unknown): value is Execute => typeof value === 'function';

/**
 * Returns a function that opens the turn for a call. Calls at the same time share it. It is free when the model call has
 * ended whose response contains them, so that their round is recorded.
 */
function createSession(open: WrapOptions['open']) {
  let session: { readonly turn: Promise<OpenJournal>; readonly abort: () => void; users: number } | undefined;
  return async (): Promise<{ turn: OpenJournal; release: () => Promise<void> }> => {
    const controller = new AbortController();
    const current = (session ??= {
      turn: open({ signal: controller.signal, warn: () => {} }),
      abort: () => controller.abort(),
      users: 0,
    });
    current.users++;
    const release = async (): Promise<void> => {
      if (--current.users > 0) return;
      if (session === current) session = undefined;
      current.abort();
      await current.turn.then(turn => turn.close()).catch(() => {});
    };
    try {
      return { turn: await current.turn, release };
    } catch (error) {
      await release();
      throw error;
    }
  };
}

/** Returns a function that numbers equal calls. Those in the messages came before those of this step. */
function createPositions(): (name: string, input: unknown, options: PlainObject) => number {
  const calls = new Map<string, string[]>();
  return (name, input, options) => {
    const key = toStableJson([name, input]);
    const ids = calls.get(key) ?? [];
    calls.set(key, ids);
    const id = stringOf(options.toolCallId) || crypto.randomUUID();
    const earlier = objectsOf(options.messages)
      .flatMap(entry => objectsOf(entry.content))
      .filter(
        part =>
          part.type === 'tool-call' && part.toolName === name && toStableJson([name, part.input]) === key,
      )
      .map(part => stringOf(part.toolCallId));
    for (const known of [...earlier, id]) if (!ids.includes(known)) ids.push(known);
    return ids.indexOf(id) + 1;
  };
}

/** Runs a call unless its outcome is recorded, and returns its output or rejects with its error. */
async function runRecorded(
  acquire: ReturnType<typeof createSession>,
  { label, input, signal, findRefusal, approved }: HostCall,
  options: { readonly run: Run; readonly isRepeatable: boolean },
): Promise<unknown> {
  const { turn, release } = await acquire();
  const link = linkSignal(signal);
  const unfollow = onceAborted(turn.lost, () => link.abort(turn.lost.reason));
  let live: { readonly output: unknown } | { readonly error: unknown } | undefined;
  try {
    link.signal.throwIfAborted();
    const idempotencyKey = await turn.idempotencyKeyOf(label, input);
    if (findRefusal) {
      const name = `approval ${label}`;
      const run = async (): Promise<PlainObject> => {
        // A person may answer long after the host has given up.
        const refusal = await untilAborted(findRefusal(link.signal), link.signal);
        return { isApproved: refusal === undefined, ...(refusal !== undefined && { refusal }) };
      };
      const ask = (): Promise<PlainObject> => askIn(turn, name, { run, input });
      const decision = await turn.step(name, ask, { input, isKept: () => true });
      if (decision.isApproved !== true) throw new Error(stringOf(decision.refusal));
      link.signal.throwIfAborted();
    }
    const isNew = await turn.start(`start ${label}`, { input, idempotencyKey });
    const runInStep = async (): Promise<unknown> => {
      const task = await keepTask(turn, label, { input, isNew });
      const mayRun = isNew || options.isRepeatable;
      if (!mayRun && task.known === undefined) return { isUnknown: true };
      const runWith = async (kept: KeptTask): Promise<typeof live> => {
        try {
          return {
            output: await options.run({
              idempotencyKey,
              abortSignal: link.signal,
              [KEPT_TASK]: kept,
              [APPROVED]: approved,
            }),
          };
        } catch (error) {
          // After an abort, the call may have had its effect.
          if (link.signal.aborted) throw error;
          return { error };
        }
      };
      const outcome = await runWith(task);
      if (task.isLost && !mayRun) return { isUnknown: true };
      live = task.isLost ? await runWith({ ...task, known: undefined }) : outcome;
      return toPlainJson(live);
    };
    const record = await turn.step(`call ${label}`, runInStep, { input, isKept: () => true, idempotencyKey });
    const outcome = live ?? objectOf(fromPlainJson(record)) ?? {};
    if ('error' in outcome) throw outcome.error;
    if ('isUnknown' in outcome) throw new Error(UNKNOWN_OUTCOME);
    return 'output' in outcome ? outcome.output : undefined;
  } finally {
    unfollow();
    link.release();
    await release();
  }
}

/** Returns the last value of a stream, and other values as they are. */
async function lastOf(output: unknown, onValue?: (value: unknown) => void): Promise<unknown> {
  if (!isAsyncIterable(output)) return output;
  let last: unknown;
  for await (const value of output) {
    last = value;
    onValue?.(value);
  }
  return last;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Passes the values of a call on as they arrive. A recorded call has its last one. */
async function* streamOnce(
  start: (onValue: (value: unknown) => void) => Promise<unknown>,
): AsyncGenerator<unknown, void> {
  const values: unknown[] = [];
  let notify = (): void => {};
  let isDone = false;
  let isLive = false;
  const result = start(value => {
    values.push(value);
    notify();
  });
  const end = (): void => {
    isDone = true;
    notify();
  };
  result.then(end, end);
  for (;;) {
    while (values.length > 0) {
      isLive = true;
      yield values.shift();
    }
    if (isDone) break;
    await new Promise<void>(resolve => {
      notify = resolve;
    });
  }
  const last = await result;
  if (!isLive) yield last;
}
