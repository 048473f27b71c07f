import { delay } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../../core/call.js';
import { addUsage } from '../../core/finish.js';
import type { Finish, Usage } from '../../core/part.js';
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

const NOT_RUN = 'Not run: the response broke off and was requested again.';

/** The attempts at the round that is read. */
export class RoundRetry {
  /** Number of the attempt, from 1. */
  attempt = 1;
  /** The text that broken attempts have shown. */
  shown: ShownText = [];
  /** The error of the newest broken attempt. */
  brokenBy: unknown;
  /** The calls that broken attempts had started. */
  kept: readonly CallOutcome[] = [];
  /** Number of positions of calls that the broken attempts have used. */
  callsBefore = 0;
  /** The usage of the broken attempts, as far as the server reported it. */
  usage: Usage | undefined;
  /** True if the server did not report the usage of a broken attempt. */
  isUsagePartial = false;
  readonly #turn: OpenedTurn;
  /** The pause before the next attempt, in milliseconds. */
  #pause: number | undefined;
  #number = 0;

  constructor(turn: OpenedTurn) {
    this.#turn = turn;
  }

  /** Begins another round. */
  reset(): void {
    this.attempt = 1;
    this.shown = [];
    this.usage = undefined;
    this.isUsagePartial = false;
    this.kept = [];
    this.callsBefore = 0;
  }

  reportDifference(): void {
    this.#turn.warn(
      this.#number,
      'A response broke off and was requested again, and the new one has another text. ' +
        'The text before it is marked with `broken`, and later requests leave it out.',
    );
  }

  /** Returns true if the response is to be requested again. */
  accepts(response: BrokenResponse, calls: RoundCalls): boolean {
    const { lifetime, hostApprovals, retries } = this.#turn;
    if (response.errors.length === 0 || lifetime.signal.aborted || response.hasCallsElsewhere) return false;
    // The host may have been asked for the approval of a call that started.
    if (hostApprovals !== undefined && calls.hasStarted) return false;
    const { streamRetries: maxRetries, initialDelay } = retries;
    this.#pause = retryDelay(response.errors[0], { attempt: this.attempt - 1, maxRetries, initialDelay });
    return this.#pause !== undefined;
  }

  /** Ends the broken attempt, waits, and returns the request of the next one. Rejects on abort. */
  async next(
    request: CoreCall,
    { round, calls, summary }: { round: number; calls: RoundCalls; summary: BrokenRound },
  ): Promise<CoreCall> {
    const { record, emit, lifetime } = this.#turn;
    const outcomes = await calls.keepStarted(NOT_RUN);
    [this.brokenBy] = summary.errors;
    this.shown = summary.shown;
    this.#number = round;
    const { usage } = summary.finish;
    record.addUsage(usage);
    this.usage = addUsage(this.usage, usage);
    this.isUsagePartial ||= usage.inputTokens.total === undefined;
    this.kept = [...this.kept, ...outcomes];
    if (outcomes.length > 0) this.callsBefore += calls.size;
    this.attempt++;
    emit({ type: 'round-retry', round, attempt: this.attempt, cause: messageOf(this.brokenBy) });
    await delay(this.#pause, { abortSignal: lifetime.signal });
    if (outcomes.length === 0) return request;
    record.addCalls(outcomes);
    return withOutcomes(request, { content: toCallContent(outcomes), outcomes });
  }
}
