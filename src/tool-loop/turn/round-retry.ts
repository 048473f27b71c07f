import { delay } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../../core/call.js';
import type { Finish } from '../../core/part.js';
import { retryDelay } from '../../core/http/retry.js';
import { messageOf } from '../../core/shared/errors.js';
import type { CallOutcome } from '../calls/calls.js';
import type { RoundCalls } from '../calls/round-calls.js';
import { withOutcomes } from '../context/history.js';
import { toCallContent } from './partial-turn.js';
import type { ShownText } from './round-text.js';
import type { OpenedTurn } from './opened-turn.js';

/*
 * Rounds whose response broke after it had begun. The round is requested again, and not the turn: the calls of earlier
 * rounds have run. A call of the broken response that had started has run as well, so that the next request contains it
 * with its output; nothing else of that response belongs to the conversation.
 */

/** What decides if a response is requested again. */
interface BrokenResponse {
  /** The errors of the response. Empty if it ended regularly. */
  readonly errors: readonly unknown[];
  /** True if the host or the servers of the model may have run a call with an effect. */
  readonly hasCallsElsewhere: boolean;
}

interface BrokenRound {
  readonly finish: Pick<Finish, 'usage'>;
  readonly errors: readonly unknown[];
  readonly shown: ShownText;
}

export type RoundRetry = ReturnType<typeof createRoundRetry>;

const NOT_RUN = 'Not run: the response broke off and was requested again.';

export function createRoundRetry(turn: OpenedTurn) {
  const { signal } = turn.lifetime;
  const { streamRetries, initialDelay } = turn.retries;
  let attempt = 1;
  let kept: CallOutcome[] = [];
  let callsBefore = 0;
  let wait: number | undefined;
  let isUsagePartial = false;
  let shown: ShownText = [];
  let brokenBy: unknown;
  let number = 0;

  return {
    /** Number of the attempt, from 1. */
    get attempt(): number {
      return attempt;
    },
    /** The text that broken attempts have shown. */
    get shown(): ShownText {
      return shown;
    },
    /** The error of the newest broken attempt. */
    get brokenBy(): unknown {
      return brokenBy;
    },
    reportDifference(): void {
      turn.warn(
        number,
        'A response broke off and was requested again, and the new one has another text. ' +
          'The text before it is marked with `broken`, and later requests leave it out.',
      );
    },
    /** The calls that broken attempts had started. */
    get kept(): readonly CallOutcome[] {
      return kept;
    },

    /** Number of positions of calls that the broken attempts have used. */
    get callsBefore(): number {
      return callsBefore;
    },

    /** True if the server did not report the usage of a broken attempt. */
    get isUsagePartial(): boolean {
      return isUsagePartial;
    },

    /** Begins another round. */
    reset(): void {
      attempt = 1;
      shown = [];
      isUsagePartial = false;
      kept = [];
      callsBefore = 0;
    },

    /** Returns true if the response is to be requested again. */
    accepts({ errors, hasCallsElsewhere }: BrokenResponse, calls: RoundCalls): boolean {
      if (errors.length === 0 || signal.aborted || hasCallsElsewhere) return false;
      // The host may have been asked for the approval of a call that started.
      if (turn.hostApprovals !== undefined && calls.hasStarted) return false;
      wait = retryDelay(errors[0], { attempt: attempt - 1, maxRetries: streamRetries, initialDelay });
      return wait !== undefined;
    },

    /** Ends the broken attempt, waits, and returns the request of the next one. Rejects on abort. */
    async next(
      request: CoreCall,
      { round, calls, summary }: { round: number; calls: RoundCalls; summary: BrokenRound },
    ): Promise<CoreCall> {
      const outcomes = await calls.keepStarted(NOT_RUN);
      [brokenBy] = summary.errors;
      shown = summary.shown;
      number = round;
      turn.record.addUsage(summary.finish.usage);
      isUsagePartial ||= summary.finish.usage.inputTokens.total === undefined;
      kept.push(...outcomes);
      if (outcomes.length > 0) callsBefore += calls.size;
      attempt++;
      turn.emit({ type: 'round-retry', round, attempt, cause: messageOf(brokenBy) });
      await delay(wait, { abortSignal: signal });
      if (outcomes.length === 0) return request;
      turn.record.addCalls(outcomes);
      return withOutcomes(request, { content: toCallContent(outcomes), outcomes });
    },
  };
}
