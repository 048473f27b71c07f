import { InvalidArgumentError } from '@ai-sdk/provider';
import type { CoreCall } from '../../core/call.js';
import type { CoreModel } from '../../core/source.js';
import { toDigest } from '../../shared/hash.js';
import { fromPlainJson, toPlainJson } from '../../shared/plain-json.js';

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
  /** Digest of the turn id, the model and the conversation. */
  readonly key: string;
  readonly turnId: string;
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
    options: { input: unknown; isKept: (result: Result) => boolean },
  ): Promise<Result>;
  /** Records a start. Returns false if it was recorded before. */
  start(name: string, options: { input: unknown }): Promise<boolean>;
  /** Ends the claim of this process, so that another one may continue the turn. */
  close(): Promise<void>;
}

/** The result of a step. */
export interface StepResult<Value> {
  readonly value: Value;
  /** True if it was read from a record. */
  readonly isReplayed: boolean;
}

interface StepOptions<Value> {
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
  start(name: string, options: { input: unknown }): Promise<boolean>;
  /** Waits for a decision of the application. An engine records its own wait, a journal the decision. */
  decide<Value>(name: string, run: () => Promise<Value>, options: { input: unknown }): Promise<Value>;
  /** Returns the key of a call, the same in every attempt at the turn. */
  idempotencyKeyOf(name: string, options: { input: unknown }): string | Promise<string>;
  close(): Promise<void>;
}

interface StepsOptions {
  readonly call: CoreCall;
  readonly model: Pick<CoreModel, 'provider' | 'modelId'>;
  /** Used unless the turn has an id. */
  readonly generatedId: string;
}

/** Opens the steps of a turn that a workflow engine records. */
export async function openEngineSteps(
  step: ToolLoopStep,
  { call, model, generatedId }: StepsOptions,
): Promise<Steps> {
  // Another attempt generates another id.
  const turnId = turnIdOf(call) ?? (await step('turn', async () => generatedId));
  const key = await toDigest([turnId, conversationOf(call, model)]);
  const failure = new AbortController();
  const onFailure = (error: unknown): void => failure.abort(error);
  return {
    turnId,
    isDurable: true,
    isOrdered: true,
    ends: [failure.signal],
    step: (name, run, options) => runStep(recorded => step(name, recorded), { ...options, run, onFailure }),
    async start(name) {
      const run = async (): Promise<boolean> => true;
      const { isReplayed } = await runStep(recorded => step(name, recorded), { run, onFailure });
      return !isReplayed;
    },
    decide: async (_name, run) => run(),
    idempotencyKeyOf: async (name, { input }) => toDigest([key, name, input]),
    close: async () => {},
  };
}

/** Opens the steps of a turn that a journal records, under the id that the application gave it. */
export async function openJournalSteps(
  journal: ToolLoopJournal,
  {
    call,
    model,
    turnId,
    ...options
  }: Omit<StepsOptions, 'generatedId'> & { turnId: string } & JournalOptions,
): Promise<Steps> {
  const key = await toDigest([turnId, conversationOf(call, model)]);
  const opened = await journal.open({ key, turnId }, options);
  const failure = new AbortController();
  const onFailure = (error: unknown): void => failure.abort(error);
  const step: Steps['step'] = (name, run, { input, isKept = () => true, ...stepOptions } = {}) =>
    runStep((recorded, value) => opened.step(name, recorded, { input, isKept: () => isKept(value()) }), {
      ...stepOptions,
      run,
      onFailure,
    });
  return {
    turnId,
    isDurable: true,
    isOrdered: false,
    ends: [opened.lost, failure.signal],
    step,
    start: (name, startOptions) => opened.start(name, startOptions).catch(toFailure(onFailure)),
    decide: async (name, run, stepOptions) => (await step(name, run, stepOptions)).value,
    idempotencyKeyOf: async (name, { input }) => toDigest([key, name, input]),
    close: () => opened.close(),
  };
}

/** Returns the steps of a turn without records. */
export const createPlainSteps = ({ call, generatedId }: Omit<StepsOptions, 'model'>): Steps => ({
  turnId: turnIdOf(call) ?? generatedId,
  isDurable: false,
  isOrdered: false,
  ends: [],
  step: async (_name, run) => ({ value: await run(), isReplayed: false }),
  start: async () => true,
  decide: async (_name, run) => run(),
  // Nothing is repeated under the key of another attempt, because the arguments may differ.
  idempotencyKeyOf: name => `${generatedId} ${name}`,
  close: async () => {},
});

/** Returns the conversation of a turn, for its identity: the same turn id may come back with other messages. */
export const conversationOf = (
  { prompt }: Pick<CoreCall, 'prompt'>,
  { provider, modelId }: Pick<CoreModel, 'provider' | 'modelId'>,
) => [provider, modelId, prompt.map(({ role, content }) => [role, content])];

/** Reports a step that was not recorded, and rejects with its error. */
const toFailure =
  (onFailure: (error: unknown) => void) =>
  (error: unknown): never => {
    onFailure(error);
    throw error;
  };

/** Runs a step. In the attempt that runs it, the value itself is returned instead of its record. */
async function runStep<Value>(
  record: (run: () => Promise<unknown>, value: () => Value) => Promise<unknown>,
  {
    run,
    onFailure,
    encode = toPlainJson,
    decode = record => fromPlainJson(record) as Value,
  }: RunStepOptions<Value>,
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

interface RunStepOptions<Value> extends Pick<StepOptions<Value>, 'encode' | 'decode'> {
  readonly run: () => Promise<Value>;
  /** Called if the step is not recorded. Its function rejects only on abort. */
  readonly onFailure: (error: unknown) => void;
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

/**
 * Returns `providerOptions.kelivo.step`, the step function of a workflow.
 *
 * @throws InvalidArgumentError if it is not a function.
 */
export function stepOf({ own: { step } }: CoreCall): ToolLoopStep | undefined {
  if (step === undefined || step === null) return undefined;
  if (isStep(step)) return step;
  throw toArgumentError('step', `a function, got ${typeof step}`);
}

const isStep = (value: unknown): value is ToolLoopStep => typeof value === 'function';

function toArgumentError(name: string, expected: string): InvalidArgumentError {
  const argument = `providerOptions.kelivo.${name}`;
  return new InvalidArgumentError({
    argument,
    message: `Expected \`${argument}\` to be ${expected}. Correct it or omit it.`,
  });
}
