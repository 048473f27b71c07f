/** Facts about a turn that a store lists. They contain no content. */
export interface TurnEntry {
  /** The `turnId` of the call. */
  readonly turnId: string;
  /** Owner or tenant of the turn. Empty without one. */
  readonly scope: string;
  /** State that was recorded last. A turn that is `open` or `waiting` may have lost its process. */
  readonly state: 'open' | 'waiting' | 'finished' | 'failed' | 'cancelled' | 'changed';
  /** Further facts, which the store returns unchanged. */
  readonly details: string;
}

/** A turn as the store has it. Times are in milliseconds since 1970, by the clock of the store. */
export interface StoredTurn extends TurnEntry {
  /** Key of the turn. */
  readonly turn: string;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  /**
   * The claim of the process that runs the turn. `until` advances with each renewal, and may otherwise vary by 50 milliseconds.
   * @default nobody holds the claim
   */
  readonly claim?: { readonly owner: string; readonly until: number } | undefined;
}

/** Selects turns of a list. */
export interface TurnQuery {
  /** @default turns of all scopes */
  readonly scope?: string | undefined;
  /** @default turns of all states */
  readonly states?: readonly TurnEntry['state'][] | undefined;
  /** True for turns that a process has claimed, false for the others. @default both */
  readonly isClaimed?: boolean | undefined;
  /** The last turn of the page before. @default the newest turns */
  readonly after?: Pick<StoredTurn, 'startedAt' | 'turn'> | undefined;
  /** Maximum number of turns. */
  readonly limit: number;
}

/** Lists and changes the turns of a store, for operators. Every method is one atomic operation per turn. */
export interface TurnIndex {
  /** Returns a turn, or undefined if there is none or it has expired. */
  get(turn: string): Promise<StoredTurn | undefined>;
  /** Returns turns, the newest first by `startedAt`, then by `turn`. */
  list(query: TurnQuery): Promise<readonly StoredTurn[]>;
  /** Returns all records of a turn. */
  records(turn: string): Promise<readonly { readonly step: string; readonly record: string }[]>;
  /**
   * Changes the state of a turn if it is one of `from` and the claim allows it: `break` ends any claim, a claim is ended if
   * it is still the same, and otherwise nobody may hold one. Returns false if nothing was changed.
   */
  change(
    turn: string,
    change: {
      readonly from: readonly TurnEntry['state'][];
      readonly to: TurnEntry['state'];
      readonly claim?: 'break' | StoredTurn['claim'];
    },
  ): Promise<boolean>;
  /**
   * Deletes all records of a turn, its entry and its claim. Returns false if a process holds the claim, unless
   * `breaksClaim` is true. The process then gets `lost` for its next record.
   */
  delete(turn: string, options: { readonly breaksClaim: boolean }): Promise<boolean>;
  /** Deletes what has expired, of at most `limit` turns. Returns the number of these turns. */
  prune(options: { readonly limit: number }): Promise<number>;
}

/** Options of a record. */
export interface WriteOptions {
  /** The owner of the claim on the turn. */
  readonly owner: string;
  /** Time in milliseconds since 1970, by the clock of the caller, until which the record is kept. */
  readonly expiresAt: number;
  /**
   * Entry of the turn, which is written in the same operation. The result is then `lost` if the turn was cancelled, or if
   * it has no entry and does not begin.
   */
  readonly entry?: TurnEntry | undefined;
  /** True if the record begins the turn: its entry may be missing and starts now. @default false */
  readonly begins?: boolean | undefined;
}

/**
 * Keeps the records of turns. All methods reject if the store cannot answer: a failure that looked like a missing record
 * would run a tool again.
 */
export interface JournalStore {
  /** Returns the record of a step, or undefined if there is none. */
  read(turn: string, step: string): Promise<string | undefined>;
  /**
   * Writes the record of a step, in one atomic operation, if the owner holds the claim of the turn and the step has no
   * record. Returns when the record is durable.
   *
   * @returns `exists` if the step has a record, and `lost` if the owner does not hold the claim.
   */
  write(
    turn: string,
    step: string,
    record: string,
    options: WriteOptions,
  ): Promise<'written' | 'exists' | 'lost'>;
  /**
   * Claims a turn for an owner, or renews the owner's claim, in one atomic operation. Returns true if the owner then holds
   * the claim, which expires after `lease` milliseconds. Another owner's claim must have expired or have been released.
   * With `renews`, the owner must have a claim already.
   */
  claim(
    turn: string,
    owner: string,
    options: { readonly lease: number; readonly renews?: boolean | undefined },
  ): Promise<boolean>;
  /**
   * Ends the owner's claim. Has no effect if another owner holds it. With `entry`, the entry of the turn is written before,
   * and all records of the turn are then kept until `expiresAt`.
   */
  release(
    turn: string,
    owner: string,
    end?: { readonly entry: TurnEntry; readonly expiresAt: number },
  ): Promise<void>;
  /** Lists and changes turns. @default `journal.turns` rejects */
  readonly turns?: TurnIndex | undefined;
}

/** Longest time in milliseconds until a process notices that its turn was cancelled. */
export const LONGEST_RENEWAL = 3000;

/** Returns the time in milliseconds between two renewals of a claim. */
export const renewalOf = (lease: number): number => Math.min(lease / 3, LONGEST_RENEWAL);
