import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import type { RoundResponse } from '../parts/call-marks.js';
import { objectOf } from '../shared/json.js';
import { fromPlainJson, toPlainJson } from '../shared/plain-json.js';
import type { ToolListing } from '../tools/tool-source.js';
import { createBatchReader, type Round } from './round.js';
import type { Steps } from './steps.js';
import type { TurnLifetime } from './turn-lifetime.js';
import { fromListingRecord, toListingRecord } from './turn-tools.js';

type Part = LanguageModelV2StreamPart;

/** The result of a round's step. */
interface RoundRecord {
  readonly parts: readonly Part[];
  /** The tools of the round, if they differ from the tools before. */
  readonly listing?: ToolListing | undefined;
  /** The error with which the request failed before it had a response. */
  readonly failure?: { readonly error: unknown };
}

export interface RecordedRoundOptions {
  readonly steps: Steps;
  readonly name: string;
  /** Everything on which the response depends. */
  readonly input: unknown;
  readonly lifetime: Pick<TurnLifetime, 'signal' | 'isAborted'>;
  /** Returns the tools of the opened round, if they differ from the tools before. */
  readonly listing: () => ToolListing | undefined;
  /** Called with the parts of a recorded round. */
  readonly onReplay: (parts: readonly Part[]) => void;
  /** Called with the tools of a recorded round. */
  readonly onListing: (listing: ToolListing) => void;
}

/**
 * Opens a round as one step. Its parts are passed on as they arrive, to a reader outside of the step, which receives the
 * end after the round has been recorded. A recorded round has the same parts, and needs no request.
 */
export async function openRecordedRound(
  open: () => Promise<Round>,
  { steps, name, input, lifetime, listing, onListing, onReplay }: RecordedRoundOptions,
): Promise<Round> {
  const exchange = createExchange();
  let onOpened: (round: Round) => void = () => {};
  const opened = new Promise<Round>(resolve => {
    onOpened = resolve;
  });

  const run = async (): Promise<RoundRecord> => {
    let round: Round;
    try {
      round = await open();
    } catch (error) {
      if (lifetime.isAborted()) throw error;
      return { parts: [], failure: { error } };
    }
    const recorder = createPartRecorder();
    const next = createBatchReader(round, lifetime);
    onOpened(round);
    for (let parts = await next(); parts !== undefined; parts = await next()) {
      parts.forEach(recorder.add);
      await exchange.give(parts);
    }
    exchange.throwIfCancelled();
    return { parts: recorder.parts, listing: listing() };
  };
  const recording = steps.step(name, run, {
    input,
    isKept: ({ parts, failure }) => failure === undefined && !parts.some(({ type }) => type === 'error'),
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
    };
  }
  const { parts, listing: recordedListing, failure } = round.value;
  if (failure !== undefined) throw failure.error;
  if (recordedListing !== undefined) onListing(recordedListing);
  onReplay(parts);
  let remaining: readonly Part[] | undefined = parts.length > 0 ? parts : undefined;
  return {
    async next() {
      const all = remaining;
      remaining = undefined;
      return all;
    },
    cancel: () => {},
    isReplayed: true,
  };
}

/**
 * Opens a round in the background of the server. Its response is created as one step and read as the next, so that another
 * process continues to read it. A response that is no longer there is created again.
 */
export async function openSubmittedRound(
  open: (response?: RoundResponse) => Promise<Round>,
  options: RecordedRoundOptions,
): Promise<Round> {
  const { name, lifetime } = options;
  const submission = await openRecordedRound(() => open('submit'), {
    ...options,
    name: `response of ${name}`,
  });
  let responseId: string | undefined;
  for (let parts = await submission.next(); parts !== undefined; parts = await submission.next()) {
    for (const part of parts) if (part.type === 'response-metadata') responseId = part.id ?? responseId;
  }
  return openRecordedRound(async () => {
    if (responseId === undefined) return open();
    return open({ responseId }).catch((error: unknown) => {
      if (lifetime.isAborted()) throw error;
      return open();
    });
  }, options);
}

const toRecord = ({ parts, listing, failure }: RoundRecord) => ({
  parts: parts.map(part => toPlainJson(part)),
  ...(listing !== undefined && { listing: toListingRecord(listing) }),
  ...(failure !== undefined && { failure: toPlainJson(failure) }),
});

function fromRecord(record: unknown): RoundRecord {
  const { parts, listing, failure } = objectOf(record) ?? {};
  return {
    parts: fromPlainJson(parts) as Part[],
    ...(listing !== undefined && { listing: fromListingRecord(listing) }),
    ...(failure !== undefined && { failure: fromPlainJson(failure) as { error: unknown } }),
  };
}

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

const isDelta = (
  part: Part,
): part is Extract<Part, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }> =>
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

function createDeferred<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Nobody may be waiting any more.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
