import type { LanguageModelV2FinishReason } from '@ai-sdk/provider';
import type { PartSink } from '../parts/part-stream.js';
import type { CallRunner } from './call-runner.js';
import { withOutcomes, withoutCalls } from './history.js';
import { isIncompleteReason } from './host-calls.js';
import type { Round, RoundSummary } from './round.js';
import { createRoundCalls } from './round-calls.js';
import { readRound } from './round-reader.js';
import type { Turn } from './turn.js';

/**
 * Runs a turn to its end: reads a round, runs its calls, and sends their outcomes in the next request, until a round
 * contains no call of the loop's tools.
 *
 * Writes one `stream-start`, the parts of all rounds, and one `finish` with the usage of all rounds. Rejects only on
 * abort: any other failure ends the turn with an `error` part and `finish`.
 */
export async function runTurn(turn: Turn, firstRound: Round, sink: PartSink): Promise<void> {
  const { lifetime, limits, record, hiddenCalls } = turn;
  let options = turn.request;
  let round = firstRound;
  let calls: CallRunner | undefined;

  try {
    for (let number = 1; ; number++) {
      calls = createRoundCalls(turn, { round: number, options, sink });
      const summary = await readRound(round, { turn, calls, sink, isFirst: number === 1 });
      const { finishReason, usage, providerMetadata } = summary.finish;
      record.addUsage(usage);

      // Calls are forbidden in the last round, and in every round with the tool choice `none`.
      const mayCall = options.toolChoice?.type !== 'none';
      if (isIncomplete(summary)) calls.abandon('The response ended before this tool had finished.');
      else if (!mayCall) {
        calls.abandon(`Not run: ${limits.reasonToStopCalling(number) ?? 'the tool choice is "none".'}`);
      }
      const outcomes = await calls.waitForAll();
      hiddenCalls.add(outcomes);
      summary.release();
      record.addRound(summary, outcomes);
      limits.recordOutcomes(outcomes);
      turn.emit({ type: 'round-end', round: number, finishReason, usage });

      if (!mayCall || isFinal(summary, calls)) {
        hiddenCalls.lastCarrier().forEach(sink.write);
        sink.write(record.toFinish(toFinishReason(summary, calls), providerMetadata));
        return;
      }
      // The outcomes are recorded: an error in the next request does not concern them.
      calls = undefined;
      options = withOutcomes(options, { content: summary.content, outcomes });
      if (limits.reasonToStopCalling(number + 1) !== undefined) options = withoutCalls(options);
      round = await turn.openRound(options, number + 1);
    }
  } catch (cause) {
    const error = lifetime.signal.aborted ? lifetime.signal.reason : cause;
    round.cancel(error);
    if (lifetime.isAborted()) throw error;
    calls?.abandon('The turn ended before this tool had finished.');
    hiddenCalls.add((await calls?.waitForAll()) ?? []);
    hiddenCalls.lastCarrier().forEach(sink.write);
    sink.write({ type: 'error', error: record.toFinalError(error) });
    sink.write(record.toFinish('error'));
  }
}

const isIncomplete = ({ finish }: RoundSummary): boolean => isIncompleteReason(finish.finishReason);

/** Returns true if the turn ends: no call of the loop's tools, a call of the host, or an incomplete response. */
const isFinal = (summary: RoundSummary, calls: CallRunner): boolean =>
  calls.size === 0 || summary.hostCalls.length > 0 || isIncomplete(summary);

function toFinishReason(summary: RoundSummary, calls: CallRunner): LanguageModelV2FinishReason {
  if (isIncomplete(summary)) return summary.finish.finishReason;
  if (summary.hostCalls.length > 0) return 'tool-calls';
  // The model called a tool although the round had the tool choice `none`.
  return calls.size > 0 ? 'other' : summary.finish.finishReason;
}
