import { delay } from '@ai-sdk/provider-utils';
import type { Prompt } from '../../core/prompt.js';
import { createTimeLimit, untilAborted } from '../../core/shared/abort.js';
import { KelivoError, messageOf } from '../../core/shared/errors.js';
import type { HostApprovalOptions } from '../approvals/host-approvals.js';
import type { ChangedTurnPolicy, Conversation } from './conversation.js';
import {
  checkAnswers,
  type RecordEncoding,
  UnusableStoreError,
  VanishedStoreError,
  withRetries,
} from './records.js';
import type { JournalOptions } from './steps.js';
import { type JournalStore, renewalOf, type TurnEntry } from './store.js';

/** The settings of a journal with their defaults. */
export interface JournalPolicy extends RecordEncoding {
  readonly store: JournalStore;
  readonly onRunningTurn: 'wait' | 'refuse';
  readonly onStoreFailure: 'stop' | 'continue';
  readonly onChangedTurn: ChangedTurnPolicy;
  readonly lease: number;
  readonly timeout: number;
  /** Times in milliseconds for which records are kept. */
  readonly retention: { readonly open: number; readonly finished: number };
  /** The turns that this process runs, by key. */
  readonly running: Map<string, RunningTurn>;
}

/** A turn that this process runs. */
interface RunningTurn {
  readonly closed: Promise<void>;
  /** Ends the turn if an operator has ended it in the store. */
  check(): Promise<void>;
}

export interface TurnToOpen {
  readonly turnId: string;
  readonly scope: string;
  /** Undefined for the tools of the host. */
  readonly conversation?: Conversation;
  readonly readConversation?: (prompt: Prompt) => Promise<Conversation>;
}

/** A turn with everything that its parts need. */
export type ClaimContext = TurnToOpen & JournalPolicy & JournalOptions & { readonly key: string };

export type Access = ReturnType<typeof createAccess>;

/** Runs operations of the store. A failure closes the journal, or the turn goes on without it. */
export function createAccess({ turnId, signal, timeout, onStoreFailure, warn }: ClaimContext) {
  const name = JSON.stringify(turnId);
  let failure: KelivoError | undefined;
  let isOff = false;

  /** Closes the journal with an error, so that nothing else runs in this turn. */
  function failWith(what: string, cause?: unknown): KelivoError {
    failure ??= new KelivoError({
      code: 'journal-failed',
      message: `${what}. The turn was stopped, so that no call runs twice.`,
      cause,
      ...(cause instanceof VanishedStoreError && { isRetryable: false }),
    });
    return failure;
  }

  return {
    failWith,
    get isOff() {
      return isOff;
    },

    /** Returns undefined if the turn goes on without the journal. */
    async run<Result>(
      action: 'read' | 'written' | 'claimed',
      operation: () => Promise<Result>,
    ): Promise<Result | undefined> {
      if (isOff) return undefined;
      if (failure !== undefined) throw failure;
      const message = `the store did not respond within ${timeout} ms`;
      const limit = createTimeLimit(signal, { milliseconds: timeout, message });
      let lastError: unknown;
      const attempt = async (): Promise<Result> => {
        try {
          return await untilAborted((async () => operation())(), limit.signal);
        } catch (error) {
          if (!limit.signal.aborted) lastError = error;
          throw error;
        }
      };
      try {
        return await withRetries(attempt, limit.signal);
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        const error = lastError ?? cause;
        const what = `The journal of the turn ${name} could not be ${action}: ${messageOf(error)}`;
        if (onStoreFailure === 'stop' || error instanceof UnusableStoreError) throw failWith(what, cause);
        isOff = true;
        warn(`${what}. The turn continues without it, and its calls may run again if it is repeated.`);
        return undefined;
      } finally {
        limit.release();
      }
    },
  };
}

export type Claim = ReturnType<typeof createClaim>;

/** The claim of this process, which is renewed until it is released. */
export function createClaim(context: ClaimContext, access: Access) {
  const { key, turnId, store, lease, signal, onRunningTurn, running } = context;
  const owner = crypto.randomUUID();
  const name = JSON.stringify(turnId);
  const lost = new AbortController();
  let renewal: ReturnType<typeof setInterval> | undefined;
  let hasBegun = false;
  let onClosed = (): void => {};
  const closed = new Promise<void>(resolve => {
    onClosed = resolve;
  });

  const claim = (renews: boolean): Promise<boolean> => store.claim(key, owner, { lease, renews });

  async function acquire(): Promise<void> {
    const pause = Math.min(Math.max(lease / 10, 50), 1000);
    while ((await access.run('claimed', () => claim(false))) === false) {
      if (onRunningTurn === 'refuse' && context.conversation !== undefined) {
        throw new KelivoError({
          code: 'turn-running',
          message:
            `The turn ${name} is running in another process, or its process ended less than ${lease} ms ago. ` +
            "Repeat the call later, or set `onRunningTurn: 'wait'`.",
        });
      }
      // A turn of this process reports its end.
      const waiting = new AbortController();
      const passed = delay(pause, { abortSignal: waiting.signal }).catch(() => {});
      await untilAborted(Promise.race([passed, running.get(key)?.closed ?? passed]), signal).finally(() =>
        waiting.abort(),
      );
    }
    running.set(key, { closed, check });
    keep();
  }

  function keep(): void {
    let claimedAt = Date.now();
    renewal = setInterval(() => {
      const now = Date.now();
      void (async () => (await claim(true)) || (await reclaim()))().then(
        isClaimed => void (isClaimed ? (claimedAt = now) : lose()),
        // The next renewal may succeed. Without it, the store refuses further records.
        () => void (now - claimedAt >= lease && lose()),
      );
    }, renewalOf(lease));
    if (typeof renewal === 'object') renewal.unref();
  }

  /** A claim that expired while the process was busy may still be free. An operator's decision ends it. */
  const reclaim = async (): Promise<boolean> => (await endedBy()) === undefined && (await claim(false));

  /** Returns how an operator has ended the turn. */
  async function endedBy(): Promise<'cancelled' | 'deleted' | undefined> {
    if (store.turns === undefined) return undefined;
    // A turn without a first record has no entry yet.
    const { state } = (await store.turns.get(key)) ?? { state: hasBegun ? 'deleted' : 'open' };
    return state === 'cancelled' || state === 'deleted' ? state : undefined;
  }

  async function lose(): Promise<KelivoError> {
    clearInterval(renewal);
    const end = await endedBy().catch(() => undefined);
    const error =
      end === undefined
        ? new KelivoError({
            code: 'turn-running',
            message: `The turn ${name} was taken over by another process, because its lease of ${lease} ms was not renewed in time.`,
          })
        : toEndedError(turnId, end);
    if (!access.isOff) lost.abort(error);
    return error;
  }

  async function check(): Promise<void> {
    if ((await endedBy()) !== undefined) await lose();
  }

  return {
    owner,
    lost: lost.signal,
    /** Tells that the turn has records, which only an operator deletes. */
    begin: () => void (hasBegun = true),
    acquire,
    lose,
    reclaim,

    async release(end?: { readonly entry: TurnEntry; readonly expiresAt: number }): Promise<void> {
      clearInterval(renewal);
      const message = 'the claim was not released';
      const limit = createTimeLimit(undefined, { milliseconds: context.timeout, message });
      try {
        // The claim expires by itself if the store fails.
        if (!access.isOff)
          await untilAborted((async () => store.release(key, owner, end))(), limit.signal).catch(() => {});
      } finally {
        limit.release();
        if (running.get(key)?.closed === closed) running.delete(key);
        onClosed();
      }
    },
  };
}

/** Returns the error of a turn that an operator has ended. */
export const toEndedError = (turnId: string, end: 'cancelled' | 'deleted'): KelivoError =>
  new KelivoError({
    code: 'turn-cancelled',
    message:
      `The turn ${JSON.stringify(turnId)} was ${end}. ` +
      (end === 'cancelled'
        ? 'Lift this with `journal.turns.resume()`, or use another turn id.'
        : 'Repeat the call to begin it anew.'),
  });

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
  (approvalId, options) => {
    // No one else has this owner. A claim whose answer was lost is still its own when it is repeated.
    const owner = crypto.randomUUID();
    const claim = () =>
      checkAnswers(store).claim(`approval ${approvalId}`, owner, {
        lease: Math.max(1, options.expiresAt - Date.now()),
      });
    return withRetries(claim);
  };
