import { toDigest } from '../../core/shared/hash.js';
import { objectOf, tryParseJson } from '../../core/shared/json.js';
import { repeat } from '../../core/shared/repeat.js';
import type { JournalStore } from './store.js';

/* Records between a journal and its store. Both are checked: a wrong answer or record must not look like a missing one. */

/** Identifies a record for `encode` and `decode`. */
export interface RecordContext {
  readonly scope: string;
  readonly turnId: string;
  /** Name of the step with a digest of its input. */
  readonly step: string;
}

/** Converts the contents of records for the store, for example to encrypt them. */
export interface RecordEncoding {
  /**
   * Converts the text of a record before it is stored. It must bind the text to the context, so that `decode` refuses it
   * in another turn or step. Needs `decode`.
   * @default records are stored as JSON
   */
  encode?: (text: string, context: RecordContext) => string | Promise<string>;
  /** Restores the text of a record. Rejects if it is not the result of `encode` for this context. Needs `encode`. */
  decode?: (text: string, context: RecordContext) => string | Promise<string>;
  /**
   * Also reads records that were stored before `encode` was set. Anyone who can write to the store can then replace a
   * record.
   * @default false
   */
  readsPlainRecords?: boolean;
}

/** A store has broken its contract, or has a record that cannot be used. It is not asked again. */
export class UnusableStoreError extends Error {}

/** A store has lost what was recorded. It is not asked again, and unlike after other failures, a repeated turn is not safe. */
export class VanishedStoreError extends Error {
  static readonly code = 'vanished';
  readonly code = VanishedStoreError.code;
}

const isFinal = (error: unknown): boolean =>
  error instanceof UnusableStoreError || error instanceof VanishedStoreError;

/** Delays in milliseconds before further attempts at an operation. */
const RETRY_DELAYS = [100, 300];

/** Repeats an operation of a store that fails. The signal ends the wait between two attempts. */
export const withRetries = <Result>(
  operation: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> =>
  repeat(operation, (error, attempt) => (isFinal(error) ? undefined : RETRY_DELAYS[attempt]), signal);

/** Returns a store whose `read`, `write` and `claim` reject if the answer is not one of the documented ones. */
export function checkAnswers(store: JournalStore): JournalStore {
  return {
    ...(store.turns !== undefined && { turns: store.turns }),
    async read(turn, step) {
      const record: unknown = await store.read(turn, step);
      if (typeof record === 'string') return record;
      return record === undefined || record === null
        ? undefined
        : fail('read', 'a record or undefined', record);
    },
    async write(...parameters) {
      const answer: unknown = await store.write(...parameters);
      return answer === 'written' || answer === 'exists' || answer === 'lost'
        ? answer
        : fail('write', '"written", "exists" or "lost"', answer);
    },
    async claim(...parameters) {
      const answer: unknown = await store.claim(...parameters);
      return typeof answer === 'boolean' ? answer : fail('claim', 'true or false', answer);
    },
    release: async (...parameters) => store.release(...parameters),
  };
}

function fail(method: string, expected: string, answer: unknown): never {
  throw new UnusableStoreError(
    `Expected \`${method}\` of the store to return ${expected}, got ${describe(answer)}. Correct the store, ` +
      'and test it with `testJournalStore` of `kelivo-responses/testing`',
  );
}

/** Describes an answer. A long text may be content. */
function describe(answer: unknown): string {
  if (typeof answer === 'string')
    return answer.length <= 20 ? JSON.stringify(answer) : `a text of ${answer.length} characters`;
  if (answer !== null && (typeof answer === 'object' || typeof answer === 'function'))
    return Array.isArray(answer) ? 'an array' : `a value of type ${typeof answer}`;
  return String(answer);
}

/** Version of the records, with a mark for encoded ones, and their checksum. */
const HEADER = /^kelivo-2(e?) ([0-9a-f]{64}) /;

/** Converts records to and from their texts in the store. */
export function createRecordCodec(
  turn: string,
  { scope, turnId, encode, decode, readsPlainRecords = false }: RecordEncoding & Omit<RecordContext, 'step'>,
) {
  const checksumOf = (step: string, isEncoded: boolean, payload: string): Promise<string> =>
    toDigest([turn, step, isEncoded, payload]);
  const unusable = (step: string, reason: string): never => {
    throw new UnusableStoreError(`the record of "${step.split(' ', 1).join()}" ${reason}`);
  };

  return {
    /** @param fields plain JSON */
    async pack(step: string, fields: object): Promise<string> {
      const text = JSON.stringify(fields);
      const isEncoded = encode !== undefined;
      const payload: unknown = isEncoded ? await encode(text, { scope, turnId, step }) : text;
      if (typeof payload !== 'string')
        throw new UnusableStoreError(`Expected \`encode\` to return a text, got ${describe(payload)}`);
      return `kelivo-2${isEncoded ? 'e' : ''} ${await checksumOf(step, isEncoded, payload)} ${payload}`;
    },

    /** Rejects with `UnusableStoreError` unless the text is the result of `pack` for this turn and step. */
    async unpack(step: string, record: string): Promise<{ readonly value?: unknown }> {
      const [header, mark, checksum] = HEADER.exec(record) ?? [];
      if (header === undefined)
        return unusable(
          step,
          'is damaged or has another format. Finish the turn with the version that began it, or use a new turn id',
        );
      const isEncoded = mark !== '';
      const payload = record.slice(header.length);
      if ((await checksumOf(step, isEncoded, payload)) !== checksum)
        return unusable(step, 'is damaged: its checksum does not match. Restore it, or use a new turn id');
      if (isEncoded && decode === undefined) return unusable(step, 'is encoded: set `encode` and `decode`');
      if (!isEncoded && decode !== undefined && !readsPlainRecords)
        return unusable(step, 'is not encoded: set `readsPlainRecords` to read records from before `encode`');
      const text: unknown =
        isEncoded && decode !== undefined ? await decode(payload, { scope, turnId, step }) : payload;
      const fields = objectOf(typeof text === 'string' ? tryParseJson(text) : undefined);
      return fields ?? unusable(step, 'was not decoded to the text that was encoded');
    },
  };
}

/**
 * Returns a text that databases store unchanged: they reject or replace the character NUL and unpaired surrogates. Such a
 * text is stored as JSON.
 */
export const toStoredText = (text: string): string =>
  /^"|\0|\p{Surrogate}/u.test(text) ? JSON.stringify(text) : text;

/** Restores the text of `toStoredText`. */
export const fromStoredText = (stored: string): string =>
  stored.startsWith('"') ? String(JSON.parse(stored)) : stored;
