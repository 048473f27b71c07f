import { delay } from '@ai-sdk/provider-utils';
import { KelivoError, messageOf } from '../../core/shared/errors.js';
import { toDigest } from '../../core/shared/hash.js';
import { idOf, numberOf, objectOf, type PlainObject, tryParseJson } from '../../core/shared/json.js';
import { createRecordCodec, type RecordEncoding } from './records.js';
import { type JournalStore, LONGEST_RENEWAL, type StoredTurn, type TurnIndex } from './store.js';

/* Turns for operators: what a journal has recorded, and how it is continued, ended and deleted. */

/**
 * State of a turn.
 *
 * - `running`: a process runs it.
 * - `waiting`: it waits for an approval.
 * - `interrupted`: it has not ended, and no process runs it.
 * - `finished`, `failed`: it ended with an answer, or with an error after which it can be repeated.
 * - `cancelled`: an operator has ended it.
 * - `changed`: it was refused, because its conversation is not the recorded one.
 */
export type TurnState =
  'running' | 'waiting' | 'interrupted' | 'finished' | 'failed' | 'cancelled' | 'changed';

/** Names a turn: its id, or its id and scope. An entry of a list is one. */
export type TurnReference = string | { readonly turnId: string; readonly scope?: string | undefined };

/** A turn in a list. It has no content. Times are in milliseconds since 1970. */
export interface TurnSummary {
  readonly turnId: string;
  /** Empty without a scope. */
  readonly scope: string;
  readonly state: TurnState;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** Time until which its records are kept. */
  readonly expiresAt: number;
  /** End of the claim of the process that runs it. @default no process runs it */
  readonly leaseUntil?: number;
  /** Number of rounds that were recorded. */
  readonly rounds: number;
  /** Number of calls whose outcome was recorded. */
  readonly calls: number;
}

/** Selects turns of a list. */
export interface TurnFilter {
  /** @default turns of all scopes */
  scope?: string;
  /** @default turns of all states */
  state?: TurnState;
  /** Time in milliseconds since 1970 at which the turns had started. @default now */
  startedBefore?: number;
  /** The last turn of the page before. @default the newest turns */
  after?: Pick<TurnSummary, 'turnId' | 'scope' | 'startedAt'>;
  /** Maximum number of turns. @default 100 */
  limit?: number;
}

/** A recorded round. */
export interface RecordedRound {
  /** Name of the step, for example `round 1`. */
  readonly name: string;
  readonly endedAt: number;
  /** What was recorded, if the content was asked for. */
  readonly content?: unknown;
}

/** A recorded call. */
export interface RecordedCall {
  /** Round and position in it, and the name of the tool, for example `1.2 book_seat`. */
  readonly name: string;
  readonly toolName: string;
  /** `unknown`: it has started and has no output. `waiting` and `refused`: it waits for a decision, or was refused. */
  readonly state: 'waiting' | 'running' | 'done' | 'unknown' | 'refused';
  readonly idempotencyKey?: string;
  /** Calls that may be repeated have no recorded start. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** What was recorded, if the content was asked for. */
  readonly content?: unknown;
}

/** A turn with its rounds and calls. */
export interface InspectedTurn extends Omit<TurnSummary, 'rounds' | 'calls'> {
  readonly rounds: readonly RecordedRound[];
  readonly calls: readonly RecordedCall[];
}

/** Turns for operators. All functions reject if the store does not list turns. */
export interface JournalTurns {
  /** Returns turns, the newest first. A page stays right while turns begin and end. */
  list(filter?: TurnFilter): Promise<TurnSummary[]>;
  /** Returns a turn, or undefined if there is none. Its content only with `content: true`. */
  get(turn: TurnReference, options?: { content?: boolean }): Promise<InspectedTurn | undefined>;
  /**
   * Lifts a cancellation, and the claim of a process that is dead, so that the turn can be continued at once. A claim is
   * observed for up to seven seconds. Returns false if there is no turn that has not finished.
   *
   * @throws KelivoError with code `turn-running` if a live process runs the turn.
   */
  resume(turn: TurnReference): Promise<boolean>;
  /**
   * Ends a turn: the process that runs it starts no further call and fails with code `turn-cancelled` within three
   * seconds, as does every later call of the turn until it is resumed. A call in flight becomes unknown. Returns false if
   * there is no turn that has not finished.
   */
  cancel(turn: TurnReference): Promise<boolean>;
  /**
   * Deletes everything that is recorded of a turn. Returns false if there is none.
   *
   * @throws KelivoError with code `turn-running` if a process runs the turn. `cancel()` ends it.
   */
  delete(turn: TurnReference): Promise<boolean>;
  /** Deletes the turns that have expired. Returns their number. */
  prune(): Promise<number>;
}

/** Facts about a turn that its entry contains. */
export interface TurnDetails {
  rounds: number;
  calls: number;
  /** Time in milliseconds between two renewals of the claim. */
  renewal: number;
  /** True if the process itself waits for a decision. */
  isAsking?: boolean;
}

export function readDetails(text: string | undefined): TurnDetails {
  const { rounds, calls, renewal, isAsking } = objectOf(tryParseJson(text ?? '')) ?? {};
  return {
    rounds: numberOf(rounds) ?? 0,
    calls: numberOf(calls) ?? 0,
    renewal: numberOf(renewal) ?? LONGEST_RENEWAL,
    ...(isAsking === true && { isAsking }),
  };
}

/** Returns the key of a turn. JSON joins both without ambiguity. */
export const toTurnKey = async (scope: string, turnId: string): Promise<string> =>
  toDigest(['turn', scope, turnId]);

const UNFINISHED = ['open', 'waiting', 'failed', 'changed'] as const;

/** @param running The turns that this process runs. */
export function createTurns(
  store: JournalStore,
  running: ReadonlyMap<string, { check(): Promise<void> }>,
  encoding: RecordEncoding,
): JournalTurns {
  const index = (): TurnIndex => {
    if (store.turns !== undefined) return store.turns;
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        'Expected the store of the journal to have `turns`, which lists and changes turns. Implement `TurnIndex`.',
    });
  };
  const keyOf = async (turn: TurnReference): Promise<string> =>
    typeof turn === 'string' ? toTurnKey('', turn) : toTurnKey(turn.scope ?? '', turn.turnId);

  return {
    async list({ scope, state, startedBefore, after, limit = 100 } = {}) {
      const found: TurnSummary[] = [];
      let from =
        after === undefined
          ? startedBefore !== undefined && { startedAt: startedBefore, turn: '' }
          : { startedAt: after.startedAt, turn: await keyOf(after) };
      for (;;) {
        const wanted = limit - found.length;
        const page = await index().list({
          ...toQuery(state),
          scope,
          limit: wanted,
          ...(from !== false && { after: from }),
        });
        found.push(...page.map(toSummary).filter(turn => state === undefined || turn.state === state));
        const last = page.at(-1);
        if (last === undefined || page.length < wanted || found.length >= limit) return found;
        from = last;
      }
    },

    async get(turn, { content = false } = {}) {
      const key = await keyOf(turn);
      const stored = await index().get(key);
      if (stored === undefined) return undefined;
      const codec = createRecordCodec(key, { ...encoding, ...stored });
      const records = await Promise.all(
        (await index().records(key)).map(async ({ step, record }) => ({
          step,
          fields: objectOf(await codec.unpack(step, record)) ?? {},
        })),
      ).catch((cause: unknown) => {
        const message = `The turn ${JSON.stringify(stored.turnId)} could not be read: ${messageOf(cause)}.`;
        throw new KelivoError({ code: 'journal-failed', message, cause });
      });
      records.sort((a, b) => atOf(a.fields) - atOf(b.fields) || (orderOf(a.step) < orderOf(b.step) ? -1 : 1));
      return {
        ...toSummary(stored),
        ...inspect(records, { content, isClaimed: stored.claim !== undefined }),
      };
    },

    async resume(turn) {
      const key = await keyOf(turn);
      const stored = await index().get(key);
      if (stored === undefined || stored.state === 'finished') return false;
      const { state, claim } = stored;
      if (claim !== undefined) {
        // A live process renews its claim.
        await delay(2 * readDetails(stored.details).renewal + 250);
        const { owner, until } = (await index().get(key))?.claim ?? claim;
        // An end that the store computes varies by milliseconds.
        if (running.has(key) || owner !== claim.owner || until - claim.until > 50)
          throw toRunningError(stored);
      }
      const to = state === 'cancelled' ? 'open' : state;
      if (await index().change(key, { from: [state], to, claim })) return true;
      const changed = await index().get(key);
      if (changed?.claim !== undefined) throw toRunningError(stored);
      return changed !== undefined;
    },

    async cancel(turn) {
      const key = await keyOf(turn);
      const isCancelled = await index().change(key, { from: UNFINISHED, to: 'cancelled', claim: 'break' });
      await running.get(key)?.check();
      return isCancelled || (await index().get(key))?.state === 'cancelled';
    },

    async delete(turn) {
      const key = await keyOf(turn);
      const stored = await index().get(key);
      if (await index().delete(key, { breaksClaim: false })) return stored !== undefined;
      throw toRunningError(stored ?? { turnId: typeof turn === 'string' ? turn : turn.turnId });
    },

    async prune() {
      const limit = 100;
      for (let total = 0; ;) {
        const pruned = await index().prune({ limit });
        total += pruned;
        if (pruned < limit) return total;
      }
    },
  };
}

const toRunningError = (turn: Pick<StoredTurn, 'turnId'>): KelivoError =>
  new KelivoError({
    code: 'turn-running',
    message: `A process runs the turn ${JSON.stringify(turn.turnId)}. Cancel it first, or wait for its end.`,
  });

/** Returns the part of a filter that a store knows. */
function toQuery(state: TurnState | undefined) {
  switch (state) {
    case undefined:
      return {};
    case 'running':
      return { states: ['open'] as const, isClaimed: true };
    case 'interrupted':
      return { states: ['open', 'waiting'] as const, isClaimed: false };
    default:
      return { states: [state] as const };
  }
}

function toSummary({
  turnId,
  scope,
  startedAt,
  updatedAt,
  expiresAt,
  claim,
  ...stored
}: StoredTurn): TurnSummary {
  const { rounds, calls, isAsking = false } = readDetails(stored.details);
  const isDead = claim === undefined && (stored.state === 'open' || (stored.state === 'waiting' && isAsking));
  const state = isDead ? 'interrupted' : stored.state === 'open' ? 'running' : stored.state;
  return {
    turnId,
    scope,
    state,
    startedAt,
    updatedAt,
    expiresAt,
    rounds,
    calls,
    ...(claim !== undefined && { leaseUntil: claim.until }),
  };
}

const atOf = (fields: PlainObject): number => numberOf(fields.at) ?? 0;

/** Sorts records into rounds and calls. */
function inspect(
  records: readonly { readonly step: string; readonly fields: PlainObject }[],
  options: { content: boolean; isClaimed: boolean },
) {
  const rounds: RecordedRound[] = [];
  const calls = new Map<string, RecordedCall>();
  for (const { step, fields } of records) {
    const [, kind = '', label = '', digest = ''] = STEP.exec(step) ?? [];
    const at = atOf(fields);
    const value = objectOf(fields.value) ?? {};
    const withContent = options.content && { content: fields.value };
    if (kind === 'round' || kind === 'compaction') {
      rounds.push({ name: `${kind} ${label}`, endedAt: at, ...withContent });
      continue;
    }
    const state = stateOf(kind, value, options.isClaimed);
    if (state === undefined) continue;
    const name = label.replace(/ \(attempt \d+\)$/, '');
    const key = `${name} ${digest}`;
    const idempotencyKey = idOf(fields.idempotencyKey);
    calls.set(key, {
      ...calls.get(key),
      name,
      toolName: name.replace(/^\S* /, ''),
      state,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(kind === 'start' && { startedAt: at }),
      ...(kind === 'call' && { endedAt: at, ...withContent }),
    });
  }
  return { rounds, calls: [...calls.values()] };
}

const STEP = /^(round|compaction|asked approval|approval|start|call) (.*) ([0-9a-f]{64})$/s;

/** Orders the records of one millisecond: the attempts of a call, and how each goes on. */
function orderOf(step: string): string {
  const [, kind = '', label = ''] = STEP.exec(step) ?? [];
  return `${label}\0${['asked approval', 'approval', 'start', 'call'].indexOf(kind)}`;
}

function stateOf(kind: string, value: PlainObject, isClaimed: boolean): RecordedCall['state'] | undefined {
  switch (kind) {
    case 'asked approval':
      return 'waiting';
    case 'approval':
      return value.isApproved === true || value.type === 'run' ? 'running' : 'refused';
    case 'start':
      return isClaimed ? 'running' : 'unknown';
    case 'call':
      return value.isUnknown === true ? 'unknown' : 'done';
    default:
      return undefined;
  }
}
