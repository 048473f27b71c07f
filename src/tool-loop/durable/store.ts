import type { HostApprovalOptions } from '../approvals/approval-ids.js';

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
    options: {
      readonly owner: string;
      /** Time in milliseconds since 1970 until which the record is kept. */
      readonly expiresAt: number;
    },
  ): Promise<'written' | 'exists' | 'lost'>;
  /**
   * Claims a turn for an owner, or renews the owner's claim, in one atomic operation. Returns true if the owner then holds
   * the claim, which expires after `lease` milliseconds. Another owner's claim must have expired or have been released.
   */
  claim(turn: string, owner: string, options: { readonly lease: number }): Promise<boolean>;
  /** Ends the owner's claim. Has no effect if another owner holds it. */
  release(turn: string, owner: string): Promise<void>;
}

/**
 * Returns the `claim` of `toolLoop.hostApprovals`: of all processes that share the store, the first one uses an approval.
 *
 * @example
 * ```ts
 * hostApprovals: { secret: process.env.APPROVAL_SECRET, claim: createApprovalClaim(store) },
 * ```
 */
export const createApprovalClaim =
  (store: JournalStore): HostApprovalOptions['claim'] =>
  (approvalId, { expiresAt }) =>
    // No one else has this owner, so it never renews a claim.
    store.claim(`approval ${approvalId}`, crypto.randomUUID(), {
      lease: Math.max(1, expiresAt - Date.now()),
    });
