import type { CoreCall } from '../../core/call.js';
import { toReasonText } from '../../core/finish.js';
import type { Finish, FinishReason } from '../../core/part.js';
import type { Prompt, ToolResultOutput } from '../../core/prompt.js';
import type { PartSink } from '../../core/source.js';
import { toMissingToolText } from '../approvals/host-approvals.js';
import type { CallRunner } from '../calls/call-runner.js';
import type { CallOutcome } from '../calls/calls.js';
import { isCompleteReason, isIncompleteReason } from '../calls/host-calls.js';
import { createRoundCalls } from '../calls/round-calls.js';
import { withOutcomes, withoutCalls } from '../context/history.js';
import type { Round } from '../durable/recorded-rounds.js';
import { readRound, type RoundSummary } from './round-reader.js';
import { createRoundRetry } from './round-retry.js';
import type { Turn, TurnOutside, TurnState } from './turn.js';
import type { ReachedLimit } from './turn-limits.js';
import { toRoundUsage } from './turn-reports.js';

/**
 * The end of a round.
 *
 * - `incomplete`: the response may be truncated, so that the turn ends with its reason.
 * - `compaction`: the response contains nothing but the compacted conversation, and the round itself follows.
 * - `waiting`: the host has to run or to approve a call.
 * - `answer`: the model called no tool of the loop.
 * - `limit`: the model called a tool although it was not allowed to.
 * - `next`: the outputs of the calls are sent in another round.
 */
export type RoundEnd = 'incomplete' | 'compaction' | 'waiting' | 'answer' | 'limit' | 'next';

interface RoundFacts {
  readonly finishReason: FinishReason;
  /** True if the request allowed calls. */
  readonly mayCall: boolean;
  /** True if the response contains nothing but a requested compaction. */
  readonly isCompaction: boolean;
  /** Number of calls of the loop. */
  readonly calls: number;
  /** Number of calls that the host has to run or to approve. */
  readonly hostCalls: number;
}

/**
 * Returns how a round ends.
 *
 * @internal
 */
export function endOf({ finishReason, mayCall, isCompaction, calls, hostCalls }: RoundFacts): RoundEnd {
  if (isIncompleteReason(finishReason)) return 'incomplete';
  if (isCompaction) return 'compaction';
  if (hostCalls > 0) return 'waiting';
  if (calls === 0) return 'answer';
  return mayCall ? 'next' : 'limit';
}

/**
 * Runs a turn to its end: reads a round, runs its calls, and sends their outcomes in the next request, until a round
 * contains no call of the loop's tools.
 *
 * Writes one `stream-start`, the parts of all rounds, and one `finish` with the usage of all rounds. Rejects only on
 * abort: any other failure ends the turn with an `error` part and `finish`.
 */
export async function runTurn(turn: Turn, firstRound: Round | undefined, sink: PartSink): Promise<void> {
  const { plan, state, outside } = turn;
  const { limits, record, compaction } = state;
  const retry = createRoundRetry(turn);
  const { lifetime, openRound } = outside;
  let { request } = plan;
  let round = firstRound;
  let number = 1;
  let calls: CallRunner | undefined;
  let isCompacting = false;

  try {
    if (round === undefined) {
      sink.write({ type: 'stream-start', warnings: [...plan.warnings] });
      const answered = await runPendingCalls(turn, sink);
      if (answered === undefined) {
        finishTurn(turn, sink, { unified: 'tool-calls', raw: undefined });
        return;
      }
      request = answered;
      round = await openRound(request, 1);
    }
    for (;;) {
      const { isReplayed } = round;
      const { callsBefore } = retry;
      calls = createRoundCalls(turn, { round: number, request, write: sink.write, isReplayed, callsBefore });
      const isFirst = round === firstRound && retry.attempt === 1;
      const summary = await readRound(round, { turn, calls, sink, isFirst, isRepeatable: retry.accepts });
      const { finish } = summary;
      if (summary.isRepeated) {
        request = await retry.next(request, { round: number, calls, summary });
        round = await openRound(request, number, { isCompaction: isCompacting, attempt: retry.attempt });
        continue;
      }
      const { finishReason } = finish;
      record.addUsage(finish.usage);

      // Calls are forbidden in the last round, and in every round with the tool choice `none`.
      const mayCall = request.toolChoice?.type !== 'none';
      const isIncomplete = isIncompleteReason(finishReason);
      if (isIncomplete) calls.abandon('The response ended before this tool had finished.');
      else if (!mayCall) {
        // A turn of one round reaches its limit only if the model calls a tool regardless.
        if (number === 1 && calls.size > 0) reportLimit(turn, number, limits.reachedLimit(number));
        calls.abandon(`Not run: ${record.reachedLimit?.reason ?? 'the tool choice is "none".'}`);
      } else if (!isCompleteReason(finishReason)) calls.refuseRepairs(UNCLEAR_END);
      const outcomes = withoutAsked(await calls.waitForAll(), state);
      const isCompaction =
        isCompacting && !isIncomplete && compaction.read(number, summary) && calls.size === 0;
      summary.release();
      const allOutcomes = [...retry.kept, ...outcomes];
      record.addRound({ ...summary, isCompaction, attempts: retry.attempt }, allOutcomes);
      limits.recordRound(allOutcomes);
      retry.reset();
      reportRound(outside, number, { summary, isCompaction });

      const end = endOf({
        finishReason,
        mayCall,
        isCompaction,
        calls: calls.size,
        hostCalls: summary.hostCalls.length + calls.size - outcomes.length,
      });
      switch (end) {
        case 'incomplete':
          finishTurn(turn, sink, finishReason, finish);
          return;
        case 'waiting':
          finishTurn(turn, sink, { unified: 'tool-calls', raw: finishReason.raw }, finish);
          return;
        case 'answer':
        case 'limit':
          if (isWithoutText(summary)) explainLimit(state, sink);
          finishTurn(
            turn,
            sink,
            end === 'answer' ? finishReason : { unified: 'other', raw: finishReason.raw },
            finish,
          );
          return;
        case 'compaction':
          isCompacting = false;
          request = withOutcomes(request, { content: summary.content, outcomes });
          round = await openRound(request, number);
          break;
        case 'next': {
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
          round ??= await openRound(request, number);
        }
      }
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

/** Removes the calls that wait for an approval of the host, which have no outcome in this turn. */
const withoutAsked = (
  outcomes: readonly CallOutcome[],
  { hostApprovals }: Pick<TurnState, 'hostApprovals'>,
): CallOutcome[] => outcomes.filter(({ call }) => hostApprovals?.isAsked(call.toolCallId) !== true);

/**
 * Runs the approved calls of the prompt and requests the missing approvals again. Writes each call with its result.
 *
 * @returns the call of the first round, with the output of every call; undefined if approvals are missing, so that the
 *   turn ends.
 */
async function runPendingCalls(turn: Turn, { write }: PartSink): Promise<CoreCall | undefined> {
  const { plan, state } = turn;
  const { request } = plan;
  const pendingCalls = new Map(plan.pendingCalls.map(call => [call.part.toolCallId, call]));

  const calls = createRoundCalls(turn, { round: 0, request, write, pendingCalls });
  for (const { part, mark } of pendingCalls.values()) {
    const { toolCallId, toolName, providerOptions: providerMetadata } = part;
    const call = {
      toolCallId,
      toolName,
      input: JSON.stringify(part.input),
      ...(providerMetadata !== undefined && { providerMetadata }),
      own: { ...part.own, approval: { ...mark, answered: true } },
    };
    const tool = state.tools.get(toolName);
    if (tool === undefined) calls.refuse(call, toMissingToolText(toolName));
    else calls.add(call, tool, { isComplete: true });
  }
  const outcomes = withoutAsked(await calls.waitForAll(), state);
  if (outcomes.length < calls.size) return undefined;

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
  { plan, state: { record } }: Turn,
  { write }: PartSink,
  finishReason: FinishReason,
  last?: Omit<Finish, 'type' | 'finishReason' | 'usage'>,
): void {
  const warnings = record.warnings.map(message => ({ type: 'other' as const, message }));
  if (!plan.request.isStream && warnings.length > 0) write({ type: 'stream-start', warnings });
  write(record.toFinish(finishReason, last));
}

/** Requests a compaction. Returns undefined if the request fails, because the turn can go on without it. */
async function openCompaction(
  { state, outside: { openRound, lifetime } }: Turn,
  request: CoreCall,
  number: number,
): Promise<Round | undefined> {
  try {
    return await openRound(request, number, { isCompaction: true });
  } catch (error) {
    if (lifetime.signal.aborted) throw error;
    state.compaction.fail(number, error);
    return undefined;
  }
}

const UNCLEAR_END =
  'Not run: the arguments are not valid JSON, and may be truncated, because the response ended without a finish reason.';

function reportRound(
  { emit }: Pick<TurnOutside, 'emit'>,
  round: number,
  { summary, isCompaction }: { summary: RoundSummary; isCompaction: boolean },
): void {
  const { finish, isReplayed } = summary;
  const { adapters } = finish.own ?? {};
  emit({
    type: 'round-end',
    round,
    finishReason: toReasonText(finish.finishReason),
    usage: toRoundUsage(finish.usage),
    ...(Array.isArray(adapters) && { adapters: adapters.map(String) }),
    ...(isReplayed && { isReplayed }),
    ...(isCompaction && { isCompaction }),
  });
}

/** Reports the limit that ends the calling of tools, as a warning and in the metadata of the turn. */
function reportLimit({ state, outside }: Turn, round: number, reached: ReachedLimit | undefined): void {
  if (reached === undefined) return;
  state.record.addLimit(reached);
  outside.warn(round, `The calling of tools ended: ${reached.reason}`);
}

/** Writes a text for the user if a limit ended the calling of tools. */
function explainLimit(
  { record, ids }: Pick<TurnState, 'record' | 'ids'>,
  { write }: Pick<PartSink, 'write'>,
): void {
  const { reachedLimit } = record;
  if (reachedLimit === undefined) return;
  const id = ids.round().block('limit');
  write({ type: 'text-start', id });
  write({ type: 'text-delta', id, delta: `The model gave no answer: ${reachedLimit.reason}` });
  write({ type: 'text-end', id });
}

const isWithoutText = ({ content }: RoundSummary): boolean =>
  !content.some(part => part.type === 'file' || (part.type === 'text' && part.text.trim() !== ''));
