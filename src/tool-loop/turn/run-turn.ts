import type { JSONObject } from '../../shared/json.js';
import type { CoreCall } from '../../core/call.js';
import type { Prompt, ToolResultOutput } from '../../core/prompt.js';
import type { Finish, FinishReason } from '../../core/part.js';
import { toReasonText } from '../../core/finish.js';
import type { PartSink } from '../../core/source.js';
import type { CallRunner } from '../calls/call-runner.js';
import { withOutcomes, withoutCalls } from '../context/history.js';
import { isCompleteReason, isIncompleteReason } from '../calls/host-calls.js';
import { toMissingToolText } from '../approvals/host-approvals.js';
import { createRoundCalls } from '../calls/round-calls.js';
import { readRound, type RoundSummary } from './round-reader.js';
import type { Round } from '../durable/recorded-rounds.js';
import type { Turn } from './turn.js';
import type { ReachedLimit } from './turn-limits.js';
import { toRoundUsage } from './turn-reports.js';

/**
 * Runs a turn to its end: reads a round, runs its calls, and sends their outcomes in the next request, until a round
 * contains no call of the loop's tools.
 *
 * Writes one `stream-start`, the parts of all rounds, and one `finish` with the usage of all rounds. Rejects only on
 * abort: any other failure ends the turn with an `error` part and `finish`.
 */
export async function runTurn(turn: Turn, firstRound: Round | undefined, sink: PartSink): Promise<void> {
  const { lifetime, limits, record, hostApprovals, compaction } = turn;
  let { request } = turn;
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
        finishTurn(turn, sink, { unified: 'tool-calls', raw: undefined });
        return;
      }
      request = answered;
      round = await turn.openRound(request, 1);
    }
    for (;;) {
      const { isReplayed } = round;
      calls = createRoundCalls(turn, { round: number, request, sink, isReplayed });
      const summary = await readRound(round, { turn, calls, sink, isFirst: round === firstRound });
      const { finish } = summary;
      record.addUsage(finish.usage);

      // Calls are forbidden in the last round, and in every round with the tool choice `none`.
      const mayCall = request.toolChoice?.type !== 'none';
      if (isIncomplete(summary)) calls.abandon('The response ended before this tool had finished.');
      else if (!mayCall) {
        // A turn of one round reaches its limit only if the model calls a tool regardless.
        if (number === 1 && calls.size > 0) reportLimit(turn, number, limits.reachedLimit(number));
        calls.abandon(`Not run: ${record.reachedLimit?.reason ?? 'the tool choice is "none".'}`);
      } else if (!isCompleteReason(finish.finishReason)) calls.refuseRepairs(UNCLEAR_END);
      const outcomes = (await calls.waitForAll()).filter(
        ({ call }) => !hostApprovals?.isAsked(call.toolCallId),
      );
      const isWaiting = outcomes.length < calls.size;
      const isCompaction =
        isCompacting && !isIncomplete(summary) && compaction.read(number, summary) && calls.size === 0;
      summary.release();
      record.addRound({ ...summary, isCompaction }, outcomes);
      limits.recordRound(outcomes);
      turn.emit({
        type: 'round-end',
        round: number,
        finishReason: toReasonText(finish.finishReason),
        usage: toRoundUsage(finish.usage),
        ...adaptersOf(finish.own),
        ...(summary.isReplayed && { isReplayed: true }),
        ...(isCompaction && { isCompaction }),
      });

      if (isCompaction) {
        isCompacting = false;
        request = withOutcomes(request, { content: summary.content, outcomes });
        round = await turn.openRound(request, number);
        continue;
      }
      if (!mayCall || isWaiting || isFinal(summary, calls)) {
        if (!isWaiting && isWithoutAnswer(summary)) explainLimit(turn, sink);
        finishTurn(turn, sink, toFinishReason(summary, calls, { isWaiting }), finish);
        return;
      }
      // The outcomes are recorded: an error in the next request does not concern them.
      calls = undefined;
      request = withOutcomes(request, { content: summary.content, outcomes });
      const reached = limits.reachedLimit(number + 1);
      if (reached !== undefined) request = withoutCalls(request);
      reportLimit(turn, number, reached);
      const isDue = compaction.isDue(number, finish.usage);
      number++;
      round = isDue ? await openCompaction(turn, request, number) : undefined;
      isCompacting = round !== undefined;
      round ??= await turn.openRound(request, number);
    }
  } catch (cause) {
    const error = lifetime.signal.aborted ? lifetime.signal.reason : cause;
    round?.cancel(error);
    if (lifetime.isAborted()) throw error;
    calls?.abandon('The turn ended before this tool had finished.');
    reportLimit(turn, number, lifetime.reachedLimit());
    sink.write({ type: 'error', error: record.toFinalError(error) });
    finishTurn(turn, sink, { unified: 'error', raw: undefined });
  }
}

/**
 * Runs the approved calls of the prompt and requests the missing approvals again. Writes each call with its result.
 *
 * @returns the call of the first round, with the output of every call; undefined if approvals are missing, so that the
 *   turn ends.
 */
async function runApprovedCalls(turn: Turn, sink: PartSink): Promise<CoreCall | undefined> {
  const { hostApprovals, request, tools } = turn;
  const pendingCalls = new Map(turn.pendingCalls.map(call => [call.part.toolCallId, call]));

  const calls = createRoundCalls(turn, { round: 0, request, sink, pendingCalls });
  for (const { part, mark } of pendingCalls.values()) {
    const { toolCallId, toolName, providerOptions: providerMetadata } = part;
    const own = { ...part.own, approval: { ...mark, answered: true } };
    const call = {
      toolCallId,
      toolName,
      input: JSON.stringify(part.input),
      ...(providerMetadata !== undefined && { providerMetadata }),
      own,
    };
    const tool = tools.get(toolName);
    if (tool === undefined) calls.refuse(call, toMissingToolText(toolName));
    else calls.add(call, tool, { isComplete: true });
  }
  const outcomes = await calls.waitForAll();
  if (outcomes.some(({ call }) => hostApprovals?.isAsked(call.toolCallId))) return undefined;

  const outputs = new Map<ToolResultOutput, ToolResultOutput>();
  for (const { call, output } of outcomes) {
    const placeholder = pendingCalls.get(call.toolCallId)?.placeholder;
    if (placeholder !== undefined) outputs.set(placeholder, output);
  }
  return { ...request, prompt: withOutputs(request.prompt, outputs) };
}

/** Replaces the placeholders in a prompt. */
const withOutputs = (prompt: Prompt, outputs: ReadonlyMap<ToolResultOutput, ToolResultOutput>): Prompt =>
  prompt.map(message => {
    if (message.role !== 'tool') return message;
    const content = message.content.map(part =>
      part.type === 'tool-result' ? { ...part, output: outputs.get(part.output) ?? part.output } : part,
    );
    return { ...message, content };
  });

/** Writes the end of a turn. A response that is not streamed has all warnings in its result. */
function finishTurn(
  { record, request }: Turn,
  { write }: PartSink,
  finishReason: FinishReason,
  last?: Omit<Finish, 'type' | 'finishReason' | 'usage'>,
): void {
  const warnings = record.warnings.map(message => ({ type: 'other' as const, message }));
  if (!request.isStream && warnings.length > 0) write({ type: 'stream-start', warnings });
  write(record.toFinish(finishReason, last));
}

/** Requests a compaction. Returns undefined if the request fails, because the turn can go on without it. */
async function openCompaction(
  { openRound, compaction, lifetime }: Turn,
  request: CoreCall,
  number: number,
): Promise<Round | undefined> {
  try {
    return await openRound(request, number, { isCompaction: true });
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
function explainLimit({ record, ids }: Turn, { write }: PartSink): void {
  const { reachedLimit } = record;
  if (reachedLimit === undefined) return;
  const id = ids.round().block('limit');
  write({ type: 'text-start', id });
  write({ type: 'text-delta', id, delta: `The model gave no answer: ${reachedLimit.reason}` });
  write({ type: 'text-end', id });
}

/** Returns the adapters that the model reports. */
function adaptersOf({ adapters }: JSONObject = {}): { adapters?: readonly string[] } {
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
  { finish: { finishReason }, hostCalls }: RoundSummary,
  calls: CallRunner,
  { isWaiting }: { isWaiting: boolean },
): FinishReason {
  if (isIncompleteReason(finishReason)) return finishReason;
  if (isWaiting || hostCalls.length > 0) return { unified: 'tool-calls', raw: finishReason.raw };
  // The model called a tool although the round had the tool choice `none`.
  return calls.size > 0 ? { unified: 'other', raw: finishReason.raw } : finishReason;
}
