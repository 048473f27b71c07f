import type { CoreCall, RoundResponse, TurnLink } from '../../core/call.js';
import type { Part, PartOf, Usage } from '../../core/part.js';
import { addUsage } from '../../core/finish.js';
import { type CoreModel, type PartSource, sourceOf } from '../../core/source.js';
import { createDeferred } from '../../core/shared/deferred.js';
import { fromPlainJson, numberOf, objectOf, toPlainJson, toStableJson } from '../../core/shared/json.js';
import type { ToolDefinition, ToolListing } from '../../tools/tool-source.js';
import type { Steps } from './steps.js';

/** One response of the inner model as parts to read. `next` rejects on abort, even if the model ignores its signal. */
export interface RoundSource extends PartSource {
  /** True if the round was read from a record. @default false */
  readonly isReplayed?: boolean;
  /** Number of requests, if broken responses came before this one whose usage is not known. @default 1 */
  readonly attempts?: number | undefined;
}

/** The result of a round's step. */
interface RoundRecord {
  readonly parts: readonly Part[];
  /** The tools of the round, if they differ from the tools before. */
  readonly listing?: ToolListing | undefined;
  /** Number of requests, if broken responses came before this one that no record has. */
  readonly attempts?: number | undefined;
  /** The error with which the request failed before it had a response. */
  readonly failure?: { readonly error: unknown };
}

interface DurableRoundOptions {
  readonly model: Pick<CoreModel, 'provider' | 'modelId'>;
  readonly call: CoreCall & { readonly turn: TurnLink };
  readonly steps: Steps;
  /** Number of the attempt at a round that is repeated. */
  readonly attempt: number | undefined;
  /** The usage of the attempts before. */
  readonly usageBefore: Usage | undefined;
  /** Returns true if the caller ended the turn. */
  readonly isAborted: () => boolean;
  /** True if the model reads `TurnLink.response`. */
  readonly resumesResponses: boolean;
  /** Returns the tools of the opened round, if they differ from the tools before. */
  readonly listing: () => ToolListing | undefined;
  /** Called with the tools of a recorded round. */
  readonly onListing: (listing: ToolListing) => void;
}

/** Opens a round that ends with an `error` part if it fails. Rejects if the request fails. */
type OpenRound = (response?: RoundResponse) => Promise<RoundSource>;

/**
 * Returns true if a failed attempt is kept, under a name of its own. An engine keeps every step. A journal keeps a failed
 * compaction, because the turn goes on without it, and a later attempt must do the same.
 */
const keepsFailures = ({ steps, call }: Pick<DurableRoundOptions, 'steps' | 'call'>): boolean =>
  steps.isOrdered || call.turn.isCompaction === true;

/** Opens a round of a durable turn: as one step, or as two if its response is created in the background of the server. */
export async function openDurableRound(open: OpenRound, options: DurableRoundOptions): Promise<RoundSource> {
  const { call, resumesResponses, attempt } = options;
  const { round, isCompaction = false } = call.turn;
  const suffix = attempt !== undefined ? ` (attempt ${attempt})` : '';
  const base = `${isCompaction ? 'compaction' : 'round'} ${round}`;
  const name = keepsFailures(options) ? `${base}${suffix}` : base;
  const background = call.own.background ?? call.providerOptions?.openai?.background ?? false;
  const isBackground = background !== false && objectOf(background)?.submit !== true;
  return resumesResponses && isBackground
    ? openSubmittedRound(open, name, { ...options, submission: `response of ${base}${suffix}` })
    : openRecordedRound(open, name, options);
}

/**
 * Opens a round as one step. Its parts are passed on as they arrive, to a reader outside of the step, which receives the
 * end after the round has been recorded. A recorded round has the same parts, and needs no request.
 */
async function openRecordedRound(
  open: OpenRound,
  name: string,
  { model, call, steps, attempt, usageBefore, isAborted, listing, onListing }: DurableRoundOptions,
): Promise<RoundSource> {
  const exchange = createExchange();
  const isFailureKept = keepsFailures({ steps, call });
  let onOpened: (round: RoundSource) => void = () => {};
  const opened = new Promise<RoundSource>(resolve => {
    onOpened = resolve;
  });

  const run = async (): Promise<RoundRecord> => {
    let round: RoundSource;
    try {
      round = await open();
    } catch (error) {
      if (isAborted()) throw error;
      return { parts: [], failure: { error } };
    }
    const recorder = createPartRecorder();
    onOpened(round);
    for (let parts = await round.next(); parts !== undefined; parts = await round.next()) {
      parts.forEach(recorder.add);
      await exchange.give(parts);
    }
    exchange.throwIfCancelled();
    // Broken attempts that are kept have records of their own, with their usage.
    const attempts = round.attempts ?? (isFailureKept ? undefined : attempt);
    const parts = isFailureKept ? recorder.parts : withUsage(recorder.parts, usageBefore);
    return { parts, listing: listing(), attempts };
  };
  const recording = steps.step(name, run, {
    // Everything on which the response depends.
    input: [await steps.identify(call.prompt), call.toolChoice ?? null],
    isKept: ({ parts, failure }) =>
      isFailureKept || (failure === undefined && !parts.some(part => part.type === 'error')),
    encode: toRecord,
    decode: fromRecord,
  });
  recording.then(() => exchange.end(), exchange.fail);

  const round = await Promise.race([opened, recording]);
  if (!('value' in round)) {
    return {
      next: exchange.take,
      cancel(reason) {
        exchange.cancel(reason);
        round.cancel(reason);
      },
      request: round.request,
      response: round.response,
      isReplayed: false,
      attempts: round.attempts,
    };
  }
  const { parts, listing: recordedListing, attempts, failure } = round.value;
  if (failure !== undefined) throw failure.error;
  if (recordedListing !== undefined) onListing(recordedListing);
  const { provider, modelId } = model;
  const observed = call.telemetry.startRound({ provider, modelId, call, isReplayed: true });
  observed.add(parts);
  observed.end();
  return { ...sourceOf(parts), isReplayed: true, attempts };
}

/**
 * Opens a round in the background of the server. Its response is created as one step and read as the next, so that another
 * process continues to read it. A response that is no longer there is created again.
 */
async function openSubmittedRound(
  open: OpenRound,
  name: string,
  { submission: submissionName, ...options }: DurableRoundOptions & { readonly submission: string },
): Promise<RoundSource> {
  const submission = await openRecordedRound(() => open('submit'), submissionName, options);
  let responseId: string | undefined;
  const answer: Part[] = [];
  for (let parts = await submission.next(); parts !== undefined; parts = await submission.next()) {
    for (const part of parts) if (part.type === 'response-metadata') responseId = part.id ?? responseId;
    answer.push(...parts);
  }
  // A server without background mode has answered at once, and its response cannot be read again.
  const isAnswered = answer.some(part => part.type === 'finish' && part.own?.responseId === undefined);
  if (isAnswered) return openRecordedRound(async () => sourceOf(answer), name, options);
  const reopen = async (): Promise<RoundSource> => {
    if (responseId === undefined) return open();
    return open({ responseId }).catch((error: unknown) => {
      if (options.isAborted()) throw error;
      return open();
    });
  };
  return openRecordedRound(reopen, name, options);
}

const toRecord = ({ parts, listing, attempts, failure }: RoundRecord) => ({
  parts: parts.map(part => toPlainJson(part)),
  ...(attempts !== undefined && { attempts }),
  ...(listing !== undefined && { listing: toListingRecord(listing) }),
  ...(failure !== undefined && { failure: toPlainJson(failure) }),
});

function fromRecord(record: unknown): RoundRecord {
  const { parts, listing, attempts, failure } = objectOf(record) ?? {};
  return {
    parts: fromPlainJson(parts) as Part[],
    attempts: numberOf(attempts),
    ...(listing !== undefined && { listing: fromListingRecord(listing) }),
    ...(failure !== undefined && { failure: fromPlainJson(failure) as { error: unknown } }),
  };
}

/** Adds the usage of the broken attempts at a round, which a journal does not keep. */
const withUsage = (parts: readonly Part[], before: Usage | undefined): readonly Part[] =>
  before === undefined
    ? parts
    : parts.map(part => (part.type === 'finish' ? { ...part, usage: addUsage(before, part.usage) } : part));

/** Records the parts of a round. Consecutive deltas of a block become one, and raw chunks are left out. */
function createPartRecorder() {
  const parts: Part[] = [];
  return {
    parts,
    add(part: Part): void {
      if (part.type === 'raw') return;
      const last = parts.at(-1);
      if (isDelta(part) && last?.type === part.type && last.id === part.id) {
        parts[parts.length - 1] = { ...last, ...part, delta: last.delta + part.delta };
      } else {
        parts.push(part);
      }
    },
  };
}

const isDelta = (part: Part): part is PartOf<'text-delta' | 'reasoning-delta' | 'tool-input-delta'> =>
  part.type.endsWith('-delta');

/** Passes batches from the step that reads a round to the reader outside of it, at the reader's pace. */
function createExchange() {
  type Batch = readonly Part[] | undefined;
  let next = createDeferred<Batch>();
  let wanted = createDeferred<void>();
  let cancelled: { readonly reason: unknown } | undefined;

  const throwIfCancelled = (): void => {
    if (cancelled !== undefined) throw cancelled.reason;
  };

  return {
    throwIfCancelled,
    /** Waits until the batch before was taken and another one is wanted. */
    async give(batch: readonly Part[]): Promise<void> {
      throwIfCancelled();
      await wanted.promise;
      throwIfCancelled();
      wanted = createDeferred();
      const { resolve } = next;
      next = createDeferred();
      resolve(batch);
    },
    async take(): Promise<Batch> {
      wanted.resolve();
      return next.promise;
    },
    end: (): void => next.resolve(undefined),
    fail: (error: unknown): void => next.reject(error),
    cancel(reason: unknown): void {
      cancelled ??= { reason };
      wanted.resolve();
    },
  };
}

/** Returns a listing as plain JSON. Functions and signals belong to the process. */
export const toListingRecord = (listing: ToolListing) => ({
  tools: listing.tools.map(toToolRecord),
  aliases: toNamesRecord(listing.aliases),
  meanings: toNamesRecord(listing.meanings),
  warnings: [...listing.warnings],
});

const toNamesRecord = (names: ToolListing['aliases'] = new Map()) =>
  [...names].map(([name, tool]) => [name, tool === undefined ? null : toToolRecord(tool)] as const);

/** Permanent warnings are in the first listing only, so they do not count. */
export const toContents = (listing: ToolListing): string =>
  toStableJson(toListingRecord({ ...listing, warnings: [] }));

const toToolRecord = ({ needsApproval, ...tool }: ToolDefinition) =>
  toPlainJson(
    { ...tool, ...(needsApproval !== undefined && { mayNeedApproval: true }) },
    { keepUndefined: false },
  );

/** Restores a listing. A tool with a condition for approvals needs it for every call until the condition is known. */
export function fromListingRecord(record: unknown): ToolListing {
  const { tools, aliases, meanings, warnings } = fromPlainJson(record) as {
    tools: ToolRecord[];
    aliases: NamesRecord;
    meanings: NamesRecord;
    warnings: string[];
  };
  return {
    tools: tools.map(fromToolRecord),
    aliases: fromNamesRecord(aliases),
    meanings: fromNamesRecord(meanings),
    warnings,
  };
}

type NamesRecord = [string, ToolRecord | null][];

const fromNamesRecord = (names: NamesRecord) =>
  new Map(names.map(([name, tool]) => [name, tool === null ? undefined : fromToolRecord(tool)]));

type ToolRecord = Omit<ToolDefinition, 'needsApproval'> & { readonly mayNeedApproval?: boolean };

const fromToolRecord = ({ mayNeedApproval, ...tool }: ToolRecord): ToolDefinition => ({
  ...tool,
  ...(mayNeedApproval === true && { needsApproval: () => true }),
});
