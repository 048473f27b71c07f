import type { CoreCall } from '../../core/call.js';
import { toReasonText, toRoundUsage } from '../../core/finish.js';
import type { Finish, FinishReason, Part } from '../../core/part.js';
import type { Prompt, ToolResultOutput } from '../../core/prompt.js';
import type { PartSink } from '../../core/source.js';
import { untilAborted } from '../../shared/abort.js';
import { toMissingToolText } from '../approvals/host-approvals.js';
import type { CallOutcome } from '../calls/calls.js';
import { isCompleteReason, isIncompleteReason } from '../calls/host-calls.js';
import { RoundCalls } from '../calls/round-calls.js';
import { withOutcomes, withoutCalls } from '../context/history.js';
import { type PreparedRound, withSettings } from '../context/round-control.js';
import type { SteeringNotDeliveredReason, TurnSteering } from '../context/steering.js';
import type { Round } from '../durable/recorded-rounds.js';
import { toModelMessages } from '../../versions/write-call.js';
import { readRound, type RoundSummary, type TurnSink } from './round-reader.js';
import { createRoundRetry } from './round-retry.js';
import { closeShown } from './round-text.js';
import type { Turn } from './turn.js';
import { endOf, type ReachedLimit, type RoundEnd } from './turn-limits.js';
import type { PartialTurn } from './partial-turn.js';
import { costOf } from './turn-reports.js';

/** A round whose response has begun. */
export interface OpenedRound extends PreparedRound {
  readonly round: Round;
  /** Parts that precede those of the round. */
  readonly before: readonly Part[];
}

type TakenMessages = Awaited<ReturnType<TurnSteering['take']>>;

/** Prepares and opens a round, with the messages of the user that have arrived. */
export async function openNext(
  turn: Turn,
  request: CoreCall,
  number: number,
  steered?: TakenMessages,
): Promise<OpenedRound> {
  const { control, record, steering, tools } = turn;
  const taken = steered ?? (await steering.take(number));
  const prepared = await control.prepare(steering.addTo(request, taken), number);
  tools.activate(prepared.settings?.activeTools);
  const { messages, parts } = steering.deliver(taken, { round: number, prompt: prepared.request.prompt });
  record.addMessages(parts);
  const round = await turn.openRound(withSettings(prepared), number);
  if (messages.length > 0)
    turn.emit({ type: 'steering', round: number, messages: toModelMessages(messages) });
  return { ...prepared, before: parts, round };
}

/**
 * Runs a turn to its end: reads a round, runs its calls, and sends their outcomes in the next request, until a round
 * contains no call of the loop's tools.
 *
 * Writes one `stream-start`, the parts of all rounds, and one `finish` with the usage of all rounds. Rejects only on
 * abort: any other failure ends the turn with an `error` part and `finish`.
 */
export async function runTurn(turn: Turn, first: OpenedRound | undefined, sink: TurnSink): Promise<void> {
  const { limits, record, compaction, control, steering, lifetime, openRound } = turn;
  const retry = createRoundRetry(turn);
  let opened = first;
  let number = 1;
  let calls: RoundCalls | undefined;
  let isCompacting = false;
  let steered: TakenMessages | undefined;

  try {
    if (opened === undefined) {
      sink.write({ type: 'stream-start', warnings: [...turn.warnings] });
      const answered = await runPendingCalls(turn, sink);
      if (answered === undefined) {
        steering.end('waiting-for-tool-results');
        finishTurn(turn, sink, { unified: 'tool-calls', raw: undefined });
        return;
      }
      opened = await openNext(turn, answered, 1);
    }
    for (;;) {
      const { round } = opened;
      const sent = withSettings(opened);
      const { callsBefore } = retry;
      calls = new RoundCalls(turn, {
        number,
        request: sent,
        write: sink.write,
        isReplayed: round.isReplayed,
        callsBefore,
      });
      const isFirst = opened === first && retry.attempt === 1;
      const summary = await readRound(round, {
        turn,
        calls,
        sink,
        isFirst,
        before: opened.before,
        retry,
        isJson: sent.responseFormat?.type === 'json',
        maxOutputTokens: turn.reportsLength ? undefined : sent.maxOutputTokens,
      });
      const { finish } = summary;
      if (summary.isRepeated) {
        const request = await retry.next(opened.request, { round: number, calls, summary });
        const prepared: PreparedRound = { request, settings: opened.settings };
        const options = { isCompaction: isCompacting, attempt: retry.attempt };
        opened = { ...prepared, before: [], round: await openRound(withSettings(prepared), number, options) };
        continue;
      }
      const { finishReason } = finish;
      record.addUsage(finish.usage);

      // Calls are forbidden in the last round, and in every round with the tool choice `none`.
      const mayCall = sent.toolChoice?.type !== 'none';
      const isIncomplete = isIncompleteReason(finishReason);
      if (isIncomplete) calls.abandon('The response ended before this tool had finished.');
      else if (!mayCall) {
        // A turn of one round reaches its limit only if the model calls a tool regardless.
        if (number === 1 && calls.size > 0) reportLimit(turn, number, limits.reachedLimit(number));
        calls.abandon(`Not run: ${record.reachedLimit?.reason ?? 'the tool choice is "none".'}`);
      } else if (!isCompleteReason(finishReason)) calls.refuseRepairs(UNCLEAR_END);
      // Nothing new starts for a reader that has not taken the calls: it may have gone away.
      const taken = calls.size > 0 ? sink.taken() : undefined;
      if (taken !== undefined) await untilAborted(taken, lifetime.signal);
      const outcomes = withoutAsked(await calls.waitForAll(), turn);
      const isCompaction =
        isCompacting && !isIncomplete && compaction.read(number, summary) && calls.size === 0;
      summary.release();
      const allOutcomes = [...retry.kept, ...outcomes];
      const attempts = round.attempts ?? retry.attempt;
      const isUsagePartial = retry.isUsagePartial || round.attempts !== undefined;
      record.addRound({ ...summary, isCompaction, attempts, isUsagePartial }, outcomes, retry.kept);
      limits.recordRound(allOutcomes);
      retry.reset();
      reportRound(turn, number, { summary, isCompaction });
      if (!isCompaction) control.addRound(number, summary, allOutcomes);

      const end = endOf({
        finishReason,
        mayCall,
        isCompaction,
        calls: calls.size,
        hostCalls: summary.hostCalls + calls.size - outcomes.length,
      });
      let request = withOutcomes(opened.request, { ...summary, outcomes });
      if (end === 'compaction') {
        isCompacting = false;
        opened = await openNext(turn, request, number, steered);
        continue;
      }
      // The outcomes are recorded: an error in the next request does not concern them.
      if (end === 'next') calls = undefined;
      const following = await takeFollowing(turn, { end, finishReason, number });
      if (typeof following === 'string') {
        if (end === 'incomplete' && finishReason.unified === 'error') record.addCalls(calls?.ran() ?? []);
        if (end === 'waiting') record.addHostCalls(summary.content);
        endTurn(turn, sink, { end, summary, reason: following });
        return;
      }
      steered = following;
      const reached = limits.reachedLimit(number + 1);
      if (reached !== undefined) request = withoutCalls(request);
      reportLimit(turn, number, reached);
      const isDue = compaction.isDue(number, finish.usage);
      number++;
      const compacting = isDue ? await openCompaction(turn, request, number) : undefined;
      isCompacting = compacting !== undefined;
      opened = compacting ?? (await openNext(turn, request, number, steered));
    }
  } catch (cause) {
    const error = lifetime.signal.aborted ? lifetime.signal.reason : cause;
    opened?.round.cancel(error);
    if (!lifetime.isAborted()) calls?.abandon('The turn ended before this tool had finished.');
    record.addCalls(calls?.ran() ?? []);
    steering.end(lifetime.isAborted() ? 'aborted' : 'error');
    if (lifetime.isAborted()) {
      reportEnd(turn, 'aborted');
      throw error;
    }
    closeShown(retry.shown, sink.write);
    reportLimit(turn, number, lifetime.reachedLimit());
    finishTurn(turn, sink, { unified: 'error', raw: undefined }, { errors: [error] });
  }
}

/**
 * Decides if a turn goes on after a round. Returns the messages of the user for the next round, or the reason why messages
 * that arrive from now on are not delivered.
 */
async function takeFollowing(
  { control, limits, record, steering }: Turn,
  { end, finishReason, number }: { end: RoundEnd; finishReason: FinishReason; number: number },
): Promise<TakenMessages | SteeringNotDeliveredReason> {
  if (end === 'incomplete') return finishReason.unified === 'error' ? 'error' : 'finished';
  if (end === 'waiting') return 'waiting-for-tool-results';
  if (end === 'next') {
    if (!(await control.isStopped())) return steering.take(number + 1);
    record.reachedLimit = { limit: 'stop-when', reason: 'a condition of `stopWhen` is met.' };
    return 'stop-condition';
  }
  if (end === 'limit' || (record.reachedLimit ?? limits.reachedLimit(number)) !== undefined) return 'limit';
  const taken = await steering.take(number + 1, { afterAnswer: true });
  if (taken.length === 0) return 'finished';
  return (await control.isStopped()) ? 'stop-condition' : taken;
}

/** Ends a turn after a round. */
function endTurn(
  turn: Turn,
  sink: PartSink,
  { end, summary, reason }: { end: RoundEnd; summary: RoundSummary; reason: SteeringNotDeliveredReason },
): void {
  const { finish } = summary;
  const { unified, raw } = finish.finishReason;
  turn.steering.end(reason);
  if ((end === 'answer' || end === 'limit') && isWithoutText(summary)) explainLimit(turn, sink);
  const byEnd = { waiting: 'tool-calls', next: 'tool-calls', limit: 'other' } as const;
  finishTurn(
    turn,
    sink,
    { unified: end in byEnd ? byEnd[end as keyof typeof byEnd] : unified, raw },
    { ...finish, errors: end === 'incomplete' ? summary.errors : [] },
  );
}

/** Removes the calls that wait for an approval of the host, which have no outcome in this turn. */
const withoutAsked = (
  outcomes: readonly CallOutcome[],
  { hostApprovals }: Pick<Turn, 'hostApprovals'>,
): CallOutcome[] => outcomes.filter(({ call }) => hostApprovals?.isAsked(call.toolCallId) !== true);

/**
 * Runs the approved calls of the prompt and requests the missing approvals again. Writes each call with its result.
 *
 * @returns the call of the first round, with the output of every call; undefined if approvals are missing, so that the
 *   turn ends.
 */
async function runPendingCalls(turn: Turn, { write }: PartSink): Promise<CoreCall | undefined> {
  const { request, record, tools } = turn;
  const pendingCalls = new Map(turn.pendingCalls.map(call => [call.part.toolCallId, call]));

  const calls = new RoundCalls(turn, { number: 0, request, write, pendingCalls });
  for (const { part, mark } of pendingCalls.values()) {
    const { toolCallId, toolName, providerOptions: providerMetadata } = part;
    const call = {
      toolCallId,
      toolName,
      input: JSON.stringify(part.input),
      ...(providerMetadata !== undefined && { providerMetadata }),
      own: { ...part.own, approval: { ...mark, answered: true } },
    };
    const tool = tools.get(toolName);
    if (tool === undefined) calls.refuse(call, toMissingToolText(toolName));
    else calls.add(call, tool, { isComplete: true });
  }
  const outcomes = withoutAsked(await calls.waitForAll(), turn);
  record.addCalls(outcomes, { areNew: false });
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
  turn: Turn,
  { write }: PartSink,
  finishReason: FinishReason,
  {
    errors = [],
    ...last
  }: Partial<Omit<Finish, 'type' | 'finishReason' | 'usage'>> & { errors?: readonly unknown[] } = {},
): void {
  const { request, record } = turn;
  const partialTurn = reportEnd(turn, errors.length > 0 ? 'failed' : 'finished');
  for (const error of errors) write({ type: 'error', error: record.toFinalError(error, partialTurn) });
  const warnings = [...record.warnings].map(message => ({ type: 'other' as const, message }));
  if (!request.isStream && warnings.length > 0) write({ type: 'stream-start', warnings });
  write(record.toFinish(finishReason, { ...last, partialTurn }));
}

/** Reports the end of a turn. Returns what it has done if it did not finish. */
export function reportEnd(
  { identity, request, record, emit, onFailure }: Turn,
  outcome: 'finished' | 'failed' | 'aborted',
): PartialTurn | undefined {
  const turn = outcome === 'finished' ? undefined : record.toPartialTurn(identity.turnId, request.host);
  if (outcome === 'failed') onFailure(record.exchanges);
  emit({ type: 'turn-end', outcome, ...costOf(record.usage), ...(turn !== undefined && { turn }) });
  return turn;
}

/** Requests a compaction. Returns undefined if the request fails, because the turn can go on without it. */
async function openCompaction(
  { compaction, openRound, lifetime }: Turn,
  request: CoreCall,
  number: number,
): Promise<OpenedRound | undefined> {
  try {
    const round = await openRound(request, number, { isCompaction: true });
    return { request, settings: undefined, before: [], round };
  } catch (error) {
    if (lifetime.signal.aborted) throw error;
    compaction.fail(number, error);
    return undefined;
  }
}

const UNCLEAR_END =
  'Not run: the arguments are not valid JSON, and may be truncated, because the response ended without a finish reason.';

function reportRound(
  { emit, warn }: Pick<Turn, 'emit' | 'warn'>,
  round: number,
  { summary, isCompaction }: { summary: RoundSummary; isCompaction: boolean },
): void {
  const { finish, isReplayed } = summary;
  const { adapters, quotedCalls } = finish.own ?? {};
  for (const name of Array.isArray(quotedCalls) ? quotedCalls : []) {
    warn(
      round,
      `A call of the tool "${String(name)}" in the text of the model was not run: a tool result or a text of the user contains it.`,
    );
  }
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
function reportLimit({ record, warn }: Turn, round: number, reached: ReachedLimit | undefined): void {
  if (reached === undefined) return;
  record.reachedLimit = reached;
  warn(round, `The calling of tools ended: ${reached.reason}`);
}

/** Writes a text for the user if a limit ended the calling of tools. */
function explainLimit({ record, ids }: Pick<Turn, 'record' | 'ids'>, { write }: PartSink): void {
  const { reachedLimit } = record;
  if (reachedLimit === undefined) return;
  const id = ids.round().block('limit');
  write({ type: 'text-start', id });
  write({ type: 'text-delta', id, delta: `The model gave no answer: ${reachedLimit.reason}` });
  write({ type: 'text-end', id });
}

const isWithoutText = ({ content }: RoundSummary): boolean =>
  !content.some(part => part.type === 'file' || (part.type === 'text' && part.text.trim() !== ''));
