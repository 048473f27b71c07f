import type { LanguageModelV2CallOptions, LanguageModelV2FinishReason } from '@ai-sdk/provider';
import type { PartSink } from '../parts/part-stream.js';
import type { CallRunner } from './call-runner.js';
import type { Round } from './round.js';
import type { CallOutcome } from './calls.js';
import type { RoundSummary } from './round-reader.js';
import { readRound } from './round-reader.js';
import { createRoundCalls } from './round-calls.js';
import type { Turn } from './turn.js';
import { withOutcomes } from './history.js';

/**
 * Runs a turn to its end: reads a round, runs its calls, asks again with their outcomes, and stops when a round brings
 * no call of ours. The one place that knows "again".
 *
 * Writes one `stream-start`, the parts of all rounds, and one `finish` with the usage of all rounds. Rejects on abort
 * alone: everything else ends with an `error` part and `finish`.
 */
export async function runTurn(turn: Turn, firstRound: Round, sink: PartSink): Promise<void> {
  const { record } = turn;
  /** Outcomes that the host will not have in its history. */
  const hidden: CallOutcome[] = [];
  let { options } = turn;
  let round = firstRound;
  let calls: CallRunner | undefined;

  try {
    for (let number = 1; ; number++) {
      // The last round was asked not to call, and so was every round of a host that chose so.
      const mayCall = options.toolChoice?.type !== 'none';
      const { prompt } = options;
      calls = createRoundCalls(turn, { round: number, prompt, mayCall, sink, onStart: record.markToolRun });
      const summary = await readRound(round, {
        turn,
        calls,
        sink,
        toFinalError: record.toFinalError,
        onStart: warnings => {
          if (number > 1) return;
          sink.write({ type: 'stream-start', warnings: [...turn.warnings, ...warnings] });
        },
      });
      const { finishReason, usage, providerMetadata } = summary.finish;
      record.addUsage(usage);

      if (BROKEN_OFF.has(finishReason)) calls.abandon('The answer broke off before this tool had finished.');
      else if (!mayCall) {
        const reason = turn.limits.reasonToStopCalling(number) ?? 'the tool choice is "none".';
        calls.abandon(`Not run: ${reason}`);
      }
      const outcomes = await calls.waitForAll();

      record.addRound(summary, outcomes);
      turn.limits.recordOutcomes(outcomes);
      hidden.push(...outcomes.filter(({ call }) => turn.isHidden(call.toolName)));
      turn.emit({ type: 'round-end', round: number, finishReason, usage });
      if (!mayCall || isAnswer(summary, calls)) {
        await keepHidden(summary.hostCalls);
        return sink.write(record.toFinish(toFinishReason(summary, calls), providerMetadata));
      }
      options = withOutcomes(options, { content: summary.content, outcomes });
      if (turn.limits.reasonToStopCalling(number + 1) !== undefined) options = withoutCalls(options);
      turn.emit({ type: 'round-start', round: number + 1 });
      round = await turn.openFollowUp(options);
    }
  } catch (cause) {
    const error = turn.signal.aborted ? turn.signal.reason : cause;
    round.cancel(error);
    if (turn.isAborted()) throw error;
    calls?.abandon('The turn ended before this tool had finished.');
    sink.write({ type: 'error', error: record.toFinalError(error) });
    sink.write(record.toFinish('error'));
  }

  async function keepHidden(hostCalls: readonly string[]): Promise<void> {
    if (hidden.length === 0) return;
    for (const hostCallId of hostCalls)
      await turn.memory.storeHidden({ before: turn.history, hostCallId }, hidden);
  }
}

/** Whether the host has the next word: no call of ours, one of its own, or an answer that did not end well. */
const isAnswer = ({ finish, hostCalls }: RoundSummary, calls: CallRunner): boolean =>
  calls.size === 0 || hostCalls.length > 0 || BROKEN_OFF.has(finish.finishReason);

const BROKEN_OFF: ReadonlySet<LanguageModelV2FinishReason> = new Set(['error', 'length', 'content-filter']);

function toFinishReason({ finish, hostCalls }: RoundSummary, calls: CallRunner): LanguageModelV2FinishReason {
  if (BROKEN_OFF.has(finish.finishReason)) return finish.finishReason;
  if (hostCalls.length > 0) return 'tool-calls';
  // The model still called in the round that should have answered.
  return calls.size > 0 ? 'other' : finish.finishReason;
}

const withoutCalls = (options: LanguageModelV2CallOptions): LanguageModelV2CallOptions => ({
  ...options,
  toolChoice: { type: 'none' },
});
