import type {
  LanguageModelV2CallOptions,
  LanguageModelV2FinishReason,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import type { PartSink } from '../parts/part-stream.js';
import { runApprovedCalls } from './approved-calls.js';
import type { CallRunner } from './call-runner.js';
import { withCompactionTrigger } from './compaction.js';
import { withOutcomes, withoutCalls } from './history.js';
import { isCompleteReason, isIncompleteReason } from './host-calls.js';
import type { Round, RoundSummary } from './round.js';
import { createRoundCalls } from './round-calls.js';
import { readRound } from './round-reader.js';
import type { Turn } from './turn.js';
import type { ReachedLimit } from './turn-limits.js';

/**
 * Runs a turn to its end: reads a round, runs its calls, and sends their outcomes in the next request, until a round
 * contains no call of the loop's tools.
 *
 * Writes one `stream-start`, the parts of all rounds, and one `finish` with the usage of all rounds. Rejects only on
 * abort: any other failure ends the turn with an `error` part and `finish`.
 */
export async function runTurn(turn: Turn, firstRound: Round | undefined, sink: PartSink): Promise<void> {
  const { lifetime, limits, record, hiddenCalls, hostApprovals, compaction } = turn;
  let options = turn.request;
  let round = firstRound;
  let number = 1;
  let calls: CallRunner | undefined;
  /** True if the current request has to compact the conversation. */
  let isCompacting = false;

  try {
    if (round === undefined) {
      sink.write({ type: 'stream-start', warnings: [...turn.warnings] });
      const answered = await runApprovedCalls(turn, sink);
      if (answered === undefined) {
        sink.write(record.toFinish('tool-calls'));
        return;
      }
      options = answered;
      round = await turn.openRound(options, 1);
    }
    for (;;) {
      const { isReplayed } = round;
      calls = createRoundCalls(turn, { round: number, options, sink, isReplayed });
      const summary = await readRound(round, { turn, calls, sink, isFirst: round === firstRound });
      const { finishReason, usage, providerMetadata } = summary.finish;
      record.addUsage(usage);

      // Calls are forbidden in the last round, and in every round with the tool choice `none`.
      const mayCall = options.toolChoice?.type !== 'none';
      if (isIncomplete(summary)) calls.abandon('The response ended before this tool had finished.');
      else if (!mayCall) {
        // A turn of one round reaches its limit only if the model calls a tool regardless.
        if (number === 1 && calls.size > 0) reportLimit(turn, number, limits.reachedLimit(number));
        calls.abandon(`Not run: ${record.reachedLimit?.reason ?? 'the tool choice is "none".'}`);
      } else if (!isCompleteReason(finishReason)) calls.refuseRepairs(UNCLEAR_END);
      const outcomes = (await calls.waitForAll()).filter(
        ({ call }) => !hostApprovals.isAsked(call.toolCallId),
      );
      const isWaiting = outcomes.length < calls.size;
      const isCompaction =
        isCompacting && !isIncomplete(summary) && compaction.read(number, summary) && calls.size === 0;
      hiddenCalls.add(outcomes);
      summary.release();
      record.addRound({ ...summary, isCompaction }, outcomes);
      limits.recordRound(outcomes);
      turn.emit({
        ...{ type: 'round-end', round: number, finishReason, usage, ...adaptersOf(providerMetadata) },
        ...(summary.isReplayed && { isReplayed: true }),
        ...(isCompaction && { isCompaction }),
      });

      if (isCompaction) {
        isCompacting = false;
        options = withOutcomes(options, { content: summary.content, outcomes });
        round = await turn.openRound(options, number);
        continue;
      }
      if (!mayCall || isWaiting || isFinal(summary, calls)) {
        if (!isWaiting && isWithoutAnswer(summary)) explainLimit(turn, sink);
        hiddenCalls.lastCarrier().forEach(sink.write);
        sink.write(record.toFinish(toFinishReason(summary, calls, { isWaiting }), providerMetadata));
        return;
      }
      // The outcomes are recorded: an error in the next request does not concern them.
      calls = undefined;
      options = withOutcomes(options, { content: summary.content, outcomes });
      const reached = limits.reachedLimit(number + 1);
      if (reached !== undefined) options = withoutCalls(options);
      reportLimit(turn, number, reached);
      const isDue = compaction.isDue(number, usage);
      number++;
      round = isDue ? await openCompaction(turn, options, number) : undefined;
      isCompacting = round !== undefined;
      round ??= await turn.openRound(options, number);
    }
  } catch (cause) {
    const error = lifetime.signal.aborted ? lifetime.signal.reason : cause;
    round?.cancel(error);
    if (lifetime.isAborted()) throw error;
    calls?.abandon('The turn ended before this tool had finished.');
    hiddenCalls.add((await calls?.waitForAll()) ?? []);
    hiddenCalls.lastCarrier().forEach(sink.write);
    reportLimit(turn, number, lifetime.reachedLimit());
    sink.write({ type: 'error', error: record.toFinalError(error) });
    sink.write(record.toFinish('error'));
  }
}

/** Requests a compaction. Returns undefined if the request fails, because the turn can go on without it. */
async function openCompaction(
  { openRound, compaction, lifetime }: Turn,
  options: LanguageModelV2CallOptions,
  number: number,
): Promise<Round | undefined> {
  try {
    return await openRound(withCompactionTrigger(options), number, { isCompacting: true });
  } catch (error) {
    if (lifetime.signal.aborted) throw error;
    compaction.fail(number, error);
    return undefined;
  }
}

const UNCLEAR_END =
  'Not run: the arguments are not valid JSON, and may be truncated, because the response ended without a finish reason.';

/** Reports the limit that ends the calling of tools, as a warning and in the metadata of the turn. */
function reportLimit({ record, warn }: Turn, round: number, reached: ReachedLimit | undefined): void {
  if (reached === undefined) return;
  record.addLimit(reached);
  warn(round, `The calling of tools ended: ${reached.reason}`);
}

/** Writes a text for the user if a limit ended the calling of tools, and the model gave no answer. */
function explainLimit({ record, ids, hiddenCalls }: Turn, { write }: PartSink): void {
  const { reachedLimit } = record;
  if (reachedLimit === undefined) return;
  const id = ids.round().block('limit');
  write({ type: 'text-start', id });
  write({ type: 'text-delta', id, delta: `The model gave no answer: ${reachedLimit.reason}` });
  write(hiddenCalls.mark({ type: 'text-end', id }, { isCarrier: true }));
}

/** Returns the adapters that the model reports. */
function adaptersOf(metadata: SharedV2ProviderMetadata | undefined): { adapters?: readonly string[] } {
  const adapters = metadata?.kelivo?.adapters;
  return Array.isArray(adapters) ? { adapters: adapters.map(String) } : {};
}

const isWithoutAnswer = (summary: RoundSummary): boolean =>
  !isIncomplete(summary) &&
  summary.hostCalls.length === 0 &&
  !summary.content.some(part => part.type === 'file' || (part.type === 'text' && part.text.trim() !== ''));

const isIncomplete = ({ finish }: RoundSummary): boolean => isIncompleteReason(finish.finishReason);

/** Returns true if the turn ends: no call of the loop's tools, a call of the host, or an incomplete response. */
const isFinal = (summary: RoundSummary, calls: CallRunner): boolean =>
  calls.size === 0 || summary.hostCalls.length > 0 || isIncomplete(summary);

function toFinishReason(
  summary: RoundSummary,
  calls: CallRunner,
  { isWaiting }: { isWaiting: boolean },
): LanguageModelV2FinishReason {
  if (isIncomplete(summary)) return summary.finish.finishReason;
  if (isWaiting || summary.hostCalls.length > 0) return 'tool-calls';
  // The model called a tool although the round had the tool choice `none`.
  return calls.size > 0 ? 'other' : summary.finish.finishReason;
}
