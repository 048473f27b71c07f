import { InvalidArgumentError } from '@ai-sdk/provider';
import type { CoreCall } from '../../core/call.js';
import type { Prompt } from '../../core/prompt.js';
import { toDigest } from '../../core/shared/hash.js';
import { fromPlainJson, type JSONValue, toPlainJson } from '../../core/shared/json.js';
import type { KeptTask } from '../../tools/kept-task.js';
import { createConversationReader } from './conversation.js';

/**
 * Runs a function once and records its result, which is plain JSON, under a name that is unique in the turn. When the turn
 * is repeated after a crash, it returns the record and does not call the function. Workflow engines have such a function.
 */
export type ToolLoopStep = <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;

/** Keeps the steps of turns beyond the life of the process. `createJournal()` of `kelivo-responses/journal` creates one. */
export interface ToolLoopJournal {
  /** Takes a turn over. Waits or rejects while another process runs it. */
  open(turn: JournaledTurn, options: JournalOptions): Promise<OpenJournal>;
}

/** A turn to take over. */
export interface JournaledTurn {
  readonly turnId: string;
  /** Owner or tenant of the turn, as the call names it. */
  readonly scope: string | undefined;
  /** `providerOptions.kelivo.context` of the call. */
  readonly context: unknown;
  readonly prompt: Prompt;
}

/** Options of taking over a turn. */
export interface JournalOptions {
  /** Aborts when the turn ends. */
  readonly signal: AbortSignal;
  /** Reports a failure of the store after which the turn goes on without the journal. */
  readonly warn: (message: string) => void;
}

/** The records of one turn, which belong to this process until `close()`. */
export interface OpenJournal {
  /** Aborts when the turn no longer belongs to this process, with the error. */
  readonly lost: AbortSignal;
  /** Runs a step once and records its result, as `ToolLoopStep`. */
  step<Result>(
    name: string,
    run: () => Promise<Result>,
    options: RecordFacts & { input: unknown; isKept: (result: Result) => boolean },
  ): Promise<Result>;
  /** Records a start. Returns false if it was recorded before. */
  start(name: string, options: RecordFacts & { input: unknown }): Promise<boolean>;
  /** Records that the turn waits for a decision of the application, until the function that it returns is called. */
  wait(name: string, options: { input: unknown }): Promise<() => void>;
  /** Returns what identifies a conversation. */
  identify(prompt: Prompt): Promise<string | undefined>;
  /** Returns the key of a call, the same in every attempt at the turn. */
  idempotencyKeyOf(name: string, input: unknown): Promise<string>;
  /** Ends the claim of this process, so that another one may continue the turn. */
  close(end?: TurnEnd): Promise<void>;
}

/** Facts about a record for those who inspect the turn. */
export interface RecordFacts {
  readonly idempotencyKey?: string | undefined;
}

/** The text for the model if the outcome of a call is unknown. */
export const UNKNOWN_OUTCOME =
  'The outcome of this call is unknown: the process ended after the call had started. It may or may not have taken ' +
  'effect, and it was not repeated. Verify its effect before you call the tool again.';

/** The end of a model call of a turn. */
export interface TurnEnd {
  /** `open`: the turn was aborted, or the host has to run a call. `waiting`: the host has to ask for an approval. */
  readonly state: 'open' | 'waiting' | 'finished' | 'failed' | 'changed';
  /** Ids of all calls, if the host has to run or approve one. */
  readonly calls?: readonly string[];
}

export interface StepResult<Value> {
  readonly value: Value;
  /** True if it was read from a record. */
  readonly isReplayed: boolean;
}

interface StepOptions<Value> extends RecordFacts {
  /** Everything on which the result depends. A journal returns a record only for the same input. */
  readonly input?: unknown;
  /** Returns false for a result that a journal must not keep, because the next attempt may have another one. */
  readonly isKept?: (value: Value) => boolean;
  /** Converts the value to plain JSON. @default `toPlainJson` */
  readonly encode?: (value: Value) => unknown;
  /** Restores a value from its record. @default `fromPlainJson` */
  readonly decode?: (record: unknown) => Value;
}

/** Runs the steps of a turn: with an engine, with a journal, or without records. */
export interface Steps {
  /** Identifies the turn. The same in every attempt, if steps are recorded. */
  readonly turnId: string;
  /** True if steps are recorded. */
  readonly isDurable: boolean;
  /** True if an engine identifies steps by their order, so that it must be the same in every attempt. */
  readonly isOrdered: boolean;
  /** Abort when a step cannot be recorded, or when the turn no longer belongs to this process: nothing may run then. */
  readonly ends: readonly AbortSignal[];
  step<Value>(
    name: string,
    run: () => Promise<Value>,
    options?: StepOptions<Value>,
  ): Promise<StepResult<Value>>;
  /** Records that something starts. Returns false if an earlier attempt started it. */
  start(name: string, options: RecordFacts & { input: unknown }): Promise<boolean>;
  /** Waits for a decision of the application. An engine records its own wait, a journal the decision. */
  decide<Value>(name: string, run: () => Promise<Value>, options: { input: unknown }): Promise<Value>;
  /** Returns the key of a call, the same in every attempt at the turn. */
  idempotencyKeyOf(name: string, options: { input: unknown }): string | Promise<string>;
  /** Keeps the task of a call. `isNew` is true if no attempt can have recorded one. @default not possible */
  keepTask?(name: string, options: { input: unknown; isNew: boolean }): Promise<KeptTask>;
  /** Returns what identifies a conversation. Undefined if nothing needs it. */
  identify(prompt: Prompt): Promise<string | undefined>;
  close(end?: TurnEnd): Promise<void>;
}

interface StepsOptions {
  readonly call: CoreCall;
  /** Used unless the turn has an id. */
  readonly generatedId: string;
}

/** Opens the steps of a turn that a workflow engine records. */
export async function openEngineSteps(step: ToolLoopStep, stepsOptions: StepsOptions): Promise<Steps> {
  // Another attempt generates another id.
  const turnId = turnIdOf(stepsOptions.call) ?? (await step('turn', async () => stepsOptions.generatedId));
  const { id } = await createConversationReader()(stepsOptions.call.prompt);
  const key = await toDigest([scopeOf(stepsOptions.call) ?? '', turnId, id]);
  const failure = new AbortController();
  const onFailure = (error: unknown): void => failure.abort(error);
  return {
    turnId,
    isDurable: true,
    isOrdered: true,
    ends: [failure.signal],
    step: (name, run, options) => runStep(recorded => step(name, recorded), run, onFailure, options),
    async start(name) {
      const run = async (): Promise<boolean> => true;
      const { isReplayed } = await runStep(recorded => step(name, recorded), run, onFailure);
      return !isReplayed;
    },
    decide: async (_name, run) => run(),
    idempotencyKeyOf: async (name, options) => toDigest([key, name, options.input]),
    identify: async () => undefined,
    close: async () => {},
  };
}

/** Opens the steps of a turn that a journal records, under the id that the application gave it. */
export async function openJournalSteps(
  journal: ToolLoopJournal,
  { call, turnId, ...options }: Pick<StepsOptions, 'call'> & JournalOptions & { turnId: string },
): Promise<Steps> {
  const { prompt, own } = call;
  const opened = await journal.open({ turnId, scope: scopeOf(call), context: own.context, prompt }, options);
  const failure = new AbortController();
  const onFailure = (error: unknown): void => failure.abort(error);
  const step: Steps['step'] = (
    name,
    run,
    { input, isKept = () => true, idempotencyKey, ...stepOptions } = {},
  ) =>
    runStep(
      (recorded, value) =>
        opened.step(name, recorded, { input, isKept: () => isKept(value()), idempotencyKey }),
      run,
      onFailure,
      stepOptions,
    );
  return {
    turnId,
    isDurable: true,
    isOrdered: false,
    ends: [opened.lost, failure.signal],
    step,
    start: (name, startOptions) => opened.start(name, startOptions).catch(toFailure(onFailure)),
    async decide(name, run, { input }) {
      const wait: OpenJournal['wait'] = (...given) => opened.wait(...given).catch(toFailure(onFailure));
      return (await step(name, () => askIn({ wait }, name, { run, input }), { input })).value;
    },
    idempotencyKeyOf: (name, { input }) => opened.idempotencyKeyOf(name, input),
    async keepTask(name, options) {
      const task = await keepTask(opened, name, options).catch(toFailure(onFailure));
      return { ...task, record: one => task.record(one).catch(toFailure(onFailure)) };
    },
    identify: roundPrompt => opened.identify(roundPrompt),
    close: end => opened.close(end),
  };
}

/** Runs a function that waits for a decision. The turn waits meanwhile. */
export async function askIn<Value>(
  journal: Pick<OpenJournal, 'wait'>,
  name: string,
  options: { readonly run: () => Promise<Value>; readonly input: unknown },
): Promise<Value> {
  const resume = await journal.wait(`asked ${name}`, { input: options.input });
  return options.run().finally(resume);
}

/** Keeps the task of a call in a journal. `isNew` is true if no attempt can have recorded one. */
export async function keepTask(
  journal: Pick<OpenJournal, 'step'>,
  name: string,
  options: { input: unknown; isNew: boolean },
): Promise<KeptTask> {
  const keep = <Value>(value: Value): Promise<Value> =>
    journal.step(`task ${name}`, async () => value, {
      input: options.input,
      isKept: () => value !== undefined,
    });
  return {
    known: options.isNew ? undefined : await keep<JSONValue | undefined>(undefined),
    isLost: false,
    record: async task => void (await keep(task)),
  };
}

/** Returns the steps of a turn without records. */
export const createPlainSteps = (options: StepsOptions): Steps => ({
  turnId: turnIdOf(options.call) ?? options.generatedId,
  isDurable: false,
  isOrdered: false,
  ends: [],
  step: async (_name, run) => ({ value: await run(), isReplayed: false }),
  start: async () => true,
  decide: async (_name, run) => run(),
  // Nothing is repeated under the key of another attempt, because the arguments may differ.
  idempotencyKeyOf: name => `${options.generatedId} ${name}`,
  identify: async () => undefined,
  close: async () => {},
});

/** Reports a step that was not recorded, and rejects with its error. */
const toFailure =
  (onFailure: (error: unknown) => void) =>
  (error: unknown): never => {
    onFailure(error);
    throw error;
  };

/**
 * Runs a step. In the attempt that runs it, the value itself is returned instead of its record.
 *
 * @param run Rejects only on abort.
 * @param onFailure Called if the step is not recorded.
 */
async function runStep<Value>(
  record: (run: () => Promise<unknown>, value: () => Value) => Promise<unknown>,
  run: () => Promise<Value>,
  onFailure: (error: unknown) => void,
  {
    encode = toPlainJson,
    decode = json => fromPlainJson(json) as Value,
  }: Pick<StepOptions<Value>, 'encode' | 'decode'> = {},
): Promise<StepResult<Value>> {
  let live: { readonly value: Value } | undefined;
  let running: Promise<unknown> | undefined;
  const valueOf = (): Value => {
    if (live === undefined) throw new Error('The step has not run.');
    return live.value;
  };
  const recorded = await record(() => {
    // An engine may retry a step, but what it ran must not run twice.
    running ??= (async () => {
      live = { value: await run() };
      return encode(live.value);
    })();
    return running;
  }, valueOf).catch(toFailure(onFailure));
  return live === undefined
    ? { value: decode(recorded), isReplayed: true }
    : { value: live.value, isReplayed: false };
}

/**
 * Returns `providerOptions.kelivo.turnId`, under which another process can resume the turn.
 *
 * @throws InvalidArgumentError if it is not a non-empty string.
 */
export function turnIdOf({ own: { turnId } }: CoreCall): string | undefined {
  if (turnId === undefined || turnId === null) return undefined;
  if (typeof turnId === 'string' && turnId !== '') return turnId;
  throw toArgumentError('turnId', `a non-empty string, got ${JSON.stringify(turnId)}`);
}

/** Returns `providerOptions.kelivo.step`, the step function of a workflow. */
export const stepOf = (call: CoreCall): ToolLoopStep | undefined => functionOf<ToolLoopStep>(call, 'step');

/**
 * Returns `providerOptions.kelivo.scope`.
 *
 * @throws InvalidArgumentError if it is not a string.
 */
export function scopeOf({ own: { scope } }: Pick<CoreCall, 'own'>): string | undefined {
  if (scope === undefined || scope === null) return undefined;
  if (typeof scope === 'string') return scope;
  throw toArgumentError('scope', `a string, got ${JSON.stringify(scope)}`);
}

/**
 * Returns a function of `providerOptions.kelivo`.
 *
 * @throws InvalidArgumentError if it is anything else.
 */
export function functionOf<Type>(call: CoreCall, name: string): Type | undefined {
  const value = call.own[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'function') return value as Type;
  throw toArgumentError(name, `a function, got ${Array.isArray(value) ? 'an array' : typeof value}`);
}

export function toArgumentError(name: string, expected: string): InvalidArgumentError {
  const argument = `providerOptions.kelivo.${name}`;
  return new InvalidArgumentError({
    argument,
    message: `Expected \`${argument}\` to be ${expected}. Correct it or omit it.`,
  });
}
