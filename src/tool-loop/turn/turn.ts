import type { CoreCall } from '../../core/call.js';
import { addUsage, toReasonText, toRoundUsage } from '../../core/finish.js';
import type { Content, Custom, Finish, FinishReason, Part } from '../../core/part.js';
import type { Prompt, ToolResultOutput } from '../../core/prompt.js';
import type { PartSink, PartSource } from '../../core/source.js';
import { untilAborted } from '../../core/shared/abort.js';
import { toMissingToolText } from '../approvals/host-approvals.js';
import type { CallOutcome } from '../calls/calls.js';
import { isCompleteReason, isIncompleteReason } from '../calls/host-calls.js';
import { RoundCalls } from '../calls/round-calls.js';
import { hasOutput, withOutcomes, withoutCalls } from '../context/history.js';
import type { RoundSource } from '../durable/recorded-rounds.js';
import type {
  RoundDecision,
  EndedRound,
  Interlude,
  ReachedLimit,
  RequestPurpose,
  RoundChanges,
  TurnEndReason,
} from '../features/feature.js';
import type { OpenedTurn } from './opened-turn.js';
import type { PartialTurn } from './partial-turn.js';
import { readRound, type RoundSummary } from './round-reader.js';
import { RoundRetry } from './round-retry.js';
import { Rounds, withSettings } from './rounds.js';
import { closeShown } from './round-text.js';
import { turnCostOf } from './turn-reports.js';

/**
 * - `opening`: a request is sent, and its response has not begun its output.
 * - `reading`: the parts of a response arrive, and the calls that may start early run.
 * - `running`: the response has ended, and the turn waits for its calls.
 * - `interlude`: the response to the request of a feature is read.
 * - `ended`: the host has its end, or its error.
 */
type TurnState = 'opening' | 'reading' | 'running' | 'interlude' | 'ended';

/**
 * The end of a round.
 *
 * - `incomplete`: the response may be truncated, so that the turn ends with its reason.
 * - `interlude`: the response contains nothing but what a feature has requested, and the round itself follows.
 * - `waiting`: the host has to run or to approve a call.
 * - `answer`: the model called no tool of the loop.
 * - `limit`: the model called a tool although it was not allowed to.
 * - `next`: the outputs of the calls are sent in another round.
 */
export type RoundEnd = 'incomplete' | 'interlude' | 'waiting' | 'answer' | 'limit' | 'next';

interface RoundFacts {
  readonly finishReason: FinishReason;
  /** True if the request allowed calls. */
  readonly mayCall: boolean;
  /** True if the response contains nothing but what a feature has requested. */
  readonly isInterlude: boolean;
  /** Number of calls of the loop. */
  readonly calls: number;
  /** Number of calls that the host has to run or to approve. */
  readonly hostCalls: number;
}

/** Returns how a round ends. @internal */
export function endOf(facts: RoundFacts): RoundEnd {
  if (isIncompleteReason(facts.finishReason)) return 'incomplete';
  if (facts.isInterlude) return 'interlude';
  if (facts.hostCalls > 0) return 'waiting';
  if (facts.calls === 0) return 'answer';
  return facts.mayCall ? 'next' : 'limit';
}

/** The states in which no output arrives. */
const WAITING: ReadonlySet<TurnState> = new Set<TurnState>(['opening', 'running']);

/** Receives the parts of a turn. */
export interface TurnSink extends PartSink {
  /** Tells if the turn waits for something else than the output of a response. */
  setIdle(isIdle: boolean): void;
  /** Ends the step of a host that takes one for each round with calls. Called for each round when its calls have ended. */
  endStep?(round: StepEnd): void;
}

/** The end of a round. */
export interface StepEnd {
  readonly content: readonly Content[];
  /** True if it has calls of the loop, whose outputs are sent in another round. */
  readonly isFollowed: boolean;
  /** Returns the end of the step. */
  readonly toFinish: () => Finish;
}

/** The sink before the turn is read. */
const NO_SINK: TurnSink = { write() {}, ready: () => undefined, taken: () => undefined, setIdle() {} };

/** A round whose response has begun. */
interface OpenRound {
  readonly number: number;
  /** The request without the settings of the round. Later rounds begin with it. */
  readonly request: CoreCall;
  readonly settings: RoundChanges['settings'];
  /** The request with them, as it was sent. */
  readonly sent: CoreCall;
  readonly source: RoundSource;
  /** Parts that precede those of the round. */
  readonly before: readonly Part[];
  /** Set for the request of a feature before the round of this number. */
  readonly interlude: Interlude | undefined;
}

/** A round whose response has been read, with its calls. */
interface ReadRound extends OpenRound {
  readonly calls: RoundCalls;
  readonly summary: RoundSummary;
  /** True if the request allowed calls. */
  readonly mayCall: boolean;
}

/**
 * A turn of a conversation: opening → reading → running → (interlude →) opening … → ended.
 *
 * Opens the next round; forwards its parts and adds its calls; when they are done, asks the features what comes next; until a
 * round has no call of the loop. Writes one `stream-start`, the parts of all rounds, and one `finish` with the usage of all
 * rounds.
 */
export class Turn {
  readonly #turn: OpenedTurn;
  readonly #rounds: Rounds;
  readonly #retry: RoundRetry;
  #state: TurnState = 'opening';
  #sink: TurnSink = NO_SINK;
  /** The round that was opened with the turn. */
  #first: OpenRound | undefined;
  /** The newest round whose response has begun. */
  #round: OpenRound | undefined;
  /** The calls whose outcomes are not recorded. */
  #calls: RoundCalls | undefined;

  constructor(turn: OpenedTurn) {
    this.#turn = turn;
    this.#rounds = new Rounds(turn);
    this.#retry = new RoundRetry(turn);
  }

  /** The response of the newest round. */
  get source(): PartSource | undefined {
    return this.#round?.source;
  }

  /** Ends the turn for its reader. */
  abort(reason: unknown): void {
    this.#turn.lifetime.abort(reason);
  }

  /**
   * Opens the first round. A host repeats a request that fails, but not the calls before it: the stream of a turn that begins
   * with calls opens before they run.
   *
   * @returns undefined for such a turn.
   */
  async open(): Promise<RoundSource | undefined> {
    const { pendingCalls, request } = this.#turn;
    try {
      if (pendingCalls.length === 0) this.#first = await this.#open(request, 1);
      return this.#first?.source;
    } catch (cause) {
      const error = this.#toFirstError(cause);
      await this.#turn.close(error);
      throw error;
    }
  }

  /** Runs the turn to its end. Rejects only on abort: any other failure ends it with an `error` part and `finish`. */
  async run(sink: TurnSink): Promise<void> {
    this.#sink = sink;
    // A response that has begun is read at once; the first calls of other turns are waited for.
    if (this.#first === undefined) sink.setIdle(true);
    try {
      await this.#runRounds();
    } catch (error) {
      await this.#turn.close(error);
      throw error;
    } finally {
      this.#enter('ended');
    }
    await this.#turn.close();
  }

  async #runRounds(): Promise<void> {
    try {
      let round = this.#first ?? (await this.#runPendingCalls());
      while (round !== undefined) round = await this.#follow(await this.#read(round));
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** Enters a state. The reader is told whether the turn waits for something else than output. */
  #enter(state: TurnState): void {
    const wasIdle = WAITING.has(this.#state);
    this.#state = state;
    if (WAITING.has(state) !== wasIdle) this.#sink.setIdle(!wasIdle);
  }

  /** Prepares and sends the request of a round. */
  async #open(given: CoreCall, number: number): Promise<OpenRound> {
    this.#enter('opening');
    const { features, record, tools } = this.#turn;
    let request = given;
    let settings: RoundChanges['settings'];
    this.#turn.facts = undefined;
    for (const feature of features) {
      const changes = (await feature.prepare?.(request, number)) ?? {};
      const { prompt, settings: changed, facts } = changes;
      request = changes.request ?? request;
      if (prompt !== undefined) request = { ...request, prompt };
      if (changed !== undefined) settings = { ...settings, ...changed };
      if (facts !== undefined) this.#turn.facts = facts;
    }
    request = this.#limit(request, number);
    tools.activate(settings?.activeTools);
    const before: Custom[] = [];
    for (const feature of features) before.push(...(feature.sent?.(request, number) ?? []));
    if (before.length > 0) record.addMessages(before);
    const sent = withSettings(request, settings);
    const source = await this.#rounds.open(sent, number);
    for (const feature of features) feature.opened?.(number);
    return { number, request, settings, sent, source, before, interlude: undefined };
  }

  /** Sends the request of a feature. Returns undefined if it fails, because the turn can go on without it. */
  async #openInterlude(
    interlude: Interlude,
    request: CoreCall,
    number: number,
  ): Promise<OpenRound | undefined> {
    this.#enter('opening');
    try {
      const source = await this.#rounds.open(request, number, { purpose: interlude.purpose });
      return { number, request, settings: undefined, sent: request, source, before: [], interlude };
    } catch (error) {
      if (this.#turn.lifetime.signal.aborted) throw error;
      interlude.fail(number, error);
      return undefined;
    }
  }

  /** Forwards the parts of a round and adds its calls. A round whose response breaks is requested again. */
  async #read(given: OpenRound): Promise<ReadRound> {
    const retry = this.#retry;
    for (let round = given; ;) {
      this.#round = round;
      const { number, sent, source, before } = round;
      // A recorded round has declared no tools.
      this.#turn.tools.read(sent.prompt);
      const calls = new RoundCalls(this.#turn, {
        number,
        request: sent,
        write: this.#sink.write,
        isReplayed: source.isReplayed,
        callsBefore: retry.callsBefore,
      });
      this.#calls = calls;
      const summary = await readRound(source, {
        turn: this.#turn,
        calls,
        sink: this.#sink,
        onOutput: () => this.#enter(round.interlude === undefined ? 'reading' : 'interlude'),
        isFirst: round === this.#first,
        before,
        retry,
        isJson: sent.responseFormat?.type === 'json',
        maxOutputTokens: this.#turn.reportsLength ? undefined : sent.maxOutputTokens,
      });
      // Calls are forbidden in the last round, and in every round with the tool choice `none`.
      if (!summary.isRepeated) return { ...round, calls, summary, mayCall: sent.toolChoice?.type !== 'none' };
      round = await this.#openAgain({ ...round, calls, summary });
    }
  }

  /** Requests a round again, with the outcomes of the calls that had started. */
  async #openAgain({ calls, summary, ...broken }: Omit<ReadRound, 'mayCall'>): Promise<OpenRound> {
    const { number, settings, interlude } = broken;
    this.#enter('opening');
    const request = await this.#retry.next(broken.request, { round: number, calls, summary });
    const { attempt, usage: usageBefore } = this.#retry;
    const sent = withSettings(request, settings);
    const source = await this.#rounds.open(sent, number, {
      purpose: interlude?.purpose,
      attempt,
      usageBefore,
    });
    return { ...broken, request, sent, source, before: [] };
  }

  /** Waits for the calls of a round, records it, and opens the next one. Returns undefined if the turn has ended. */
  async #follow(round: ReadRound): Promise<OpenRound | undefined> {
    const { number, summary, calls } = round;
    const { finishReason } = summary.finish;
    const { record, features } = this.#turn;
    record.addUsage(summary.finish.usage);
    if (this.#isFailedInterlude(round)) return this.#goOnWithout(round);
    const outcomes = await this.#finishCalls(round);
    const isInterlude =
      round.interlude !== undefined &&
      !isIncompleteReason(finishReason) &&
      round.interlude.read(number, summary.content) &&
      calls.size === 0;
    summary.held.release(finishReason, this.#sink.write);
    const allOutcomes = this.#record(round, outcomes, isInterlude ? round.interlude?.purpose : undefined);
    const end = endOf({
      finishReason,
      mayCall: round.mayCall,
      isInterlude,
      calls: calls.size,
      hostCalls: summary.hostCalls + calls.size - outcomes.length,
    });
    const { content } = summary;
    const toFinish = (): Finish => record.toStepFinish(summary.finish);
    this.#sink.endStep?.({ content, isFollowed: end === 'next', toFinish });
    const request = withOutcomes(round.request, { ...summary, outcomes });
    if (end === 'interlude') return this.#open(request, number);
    // The outcomes are recorded: an error in the next request does not concern them.
    if (end === 'next') this.#calls = undefined;

    const ended = { ...summary, number, outcomes: allOutcomes, isAnswer: end === 'answer' };
    let decision = this.#decide(end, round);
    for (const feature of features) decision = (await feature.after?.({ ...ended, decision })) ?? decision;
    if (decision === 'next') return this.#openNext(request, { ...ended, decision });
    if (decision.limit !== undefined) record.reachedLimit = decision.limit;
    this.#end(round, end, decision.end);
    return undefined;
  }

  /** Returns true for the response to the request of a feature that failed and has shown nothing of an answer. */
  #isFailedInterlude({ interlude, calls, summary: { content, finish } }: ReadRound): boolean {
    return (
      interlude !== undefined &&
      isIncompleteReason(finish.finishReason) &&
      !this.#turn.lifetime.signal.aborted &&
      calls.size === 0 &&
      !hasOutput(content)
    );
  }

  /** Opens the round that follows a failed request of a feature. */
  #goOnWithout(round: ReadRound): Promise<OpenRound> {
    const { number, request, interlude, summary } = round;
    const { unified, raw } = summary.finish.finishReason;
    const reason = summary.errors[0] ?? new Error(`The response ended with the reason "${unified}"`);
    interlude?.fail(number, reason);
    const finish = { ...summary.finish, finishReason: { unified: 'error' as const, raw } };
    this.#record({ ...round, summary: { ...summary, finish } }, [], interlude?.purpose);
    return this.#open(request, number);
  }

  /** Returns what follows a round if no feature decides otherwise. */
  #decide(end: RoundEnd, round: ReadRound): RoundDecision {
    if (end === 'next') return 'next';
    if (end === 'incomplete')
      return { end: round.summary.finish.finishReason.unified === 'error' ? 'error' : 'finished' };
    if (end === 'waiting') return { end: 'waiting-for-tool-results' };
    const limit = this.#turn.record.reachedLimit ?? this.#reachedLimit(round.number);
    return { end: end === 'limit' || limit !== undefined ? 'limit' : 'finished' };
  }

  /** Opens the round after another one. */
  async #openNext(request: CoreCall, ended: EndedRound): Promise<OpenRound> {
    const number = ended.number + 1;
    let interlude: Interlude | undefined;
    for (const feature of this.#turn.features) interlude ??= feature.between?.(ended);
    const opened = interlude && (await this.#openInterlude(interlude, this.#limit(request, number), number));
    return opened ?? this.#open(request, number);
  }

  /** If a limit is reached, the model must answer without calls. A request of a feature may have reached it. */
  #limit(request: CoreCall, number: number): CoreCall {
    const reached = number === 1 ? undefined : this.#reachedLimit(number);
    if (reached === undefined) return request;
    if (this.#turn.record.reachedLimit?.limit !== reached.limit) this.#reportLimit(number - 1, reached);
    return withoutCalls(request);
  }

  /** Returns the outcomes of the calls of a round, without those that wait for an approval of the host. */
  async #finishCalls({ number, calls, summary, mayCall }: ReadRound): Promise<CallOutcome[]> {
    this.#enter('running');
    const { lifetime, record } = this.#turn;
    const { finishReason } = summary.finish;
    if (isIncompleteReason(finishReason)) calls.abandon('The response ended before this tool had finished.');
    else if (!mayCall) {
      // A turn of one round reaches its limit only if the model calls a tool regardless.
      if (number === 1 && calls.size > 0) this.#reportLimit(number, this.#reachedLimit(number));
      calls.abandon(`Not run: ${record.reachedLimit?.reason ?? 'the tool choice is "none".'}`);
    } else if (!isCompleteReason(finishReason)) calls.refuseRepairs(UNCLEAR_END);
    // Nothing new starts for a reader that has not taken the calls: it may have gone away.
    const taken = calls.size > 0 ? this.#sink.taken() : undefined;
    if (taken !== undefined) await untilAborted(taken, lifetime.signal);
    return calls.waitForAll();
  }

  /** Records a round and reports it. Returns the outcomes of its calls, also of broken attempts. */
  #record(
    round: ReadRound,
    outcomes: readonly CallOutcome[],
    purpose: RequestPurpose | undefined,
  ): CallOutcome[] {
    const { record, emit, warn } = this.#turn;
    const { kept, attempt, usage, isUsagePartial } = this.#retry;
    const { finish: ofResponse, isReplayed } = round.summary;
    // Broken attempts have cost something as well.
    const finish = { ...ofResponse, usage: addUsage(usage, ofResponse.usage) };
    const all = [...kept, ...outcomes];
    const attempts = round.source.attempts ?? attempt;
    const isPartial = isUsagePartial || round.source.attempts !== undefined;
    record.addRound(
      { ...round.summary, finish, purpose, attempts, isUsagePartial: isPartial },
      outcomes,
      kept,
    );
    this.#retry.reset();
    const { adapters, quotedCalls } = finish.own ?? {};
    for (const name of Array.isArray(quotedCalls) ? quotedCalls : []) {
      warn(
        round.number,
        `A call of the tool "${String(name)}" in the text of the model was not run: a tool result or a text of the user contains it.`,
      );
    }
    emit({
      type: 'round-end',
      round: round.number,
      finishReason: toReasonText(finish.finishReason),
      usage: toRoundUsage(finish.usage),
      ...(Array.isArray(adapters) && { adapters: adapters.map(String) }),
      ...(isReplayed && { isReplayed }),
      ...purpose,
    });
    return all;
  }

  /**
   * Begins a turn with the calls that an earlier one left for approval: runs those that are approved, requests the missing
   * approvals again, and writes each call with its result.
   *
   * @returns undefined if approvals are missing, so that the turn has ended.
   */
  async #runPendingCalls(): Promise<OpenRound | undefined> {
    this.#enter('running');
    const { request, record, tools, warnings } = this.#turn;
    this.#sink.write({ type: 'stream-start', warnings: [...warnings] });
    const pendingCalls = new Map(this.#turn.pendingCalls.map(call => [call.part.toolCallId, call]));
    const calls = new RoundCalls(this.#turn, { number: 0, request, write: this.#sink.write, pendingCalls });
    this.#calls = calls;
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
    const outcomes = await calls.waitForAll();
    record.addCalls(outcomes, calls);
    this.#calls = undefined;
    if (outcomes.length < calls.size) {
      this.#endFeatures('waiting-for-tool-results');
      this.#finish({ unified: 'tool-calls', raw: undefined }, {});
      return undefined;
    }
    const outputs = new Map<ToolResultOutput, ToolResultOutput>();
    for (const { call, output } of outcomes) {
      const placeholder = pendingCalls.get(call.toolCallId)?.placeholder;
      if (placeholder !== undefined) outputs.set(placeholder, output);
    }
    return this.#open({ ...request, prompt: withOutputs(request.prompt, outputs) }, 1);
  }

  #reachedLimit(number: number): ReachedLimit | undefined {
    let reached: ReachedLimit | undefined;
    for (const feature of this.#turn.features) reached ??= feature.limit?.(number);
    return reached;
  }

  /** Reports the limit that ends the calling of tools, as a warning and in the metadata of the turn. */
  #reportLimit(number: number, reached: ReachedLimit | undefined): void {
    if (reached === undefined) return;
    this.#turn.record.reachedLimit = reached;
    this.#turn.warn(number, `The calling of tools ended: ${reached.reason}`);
  }

  /** Ends the turn after a round. */
  #end(round: ReadRound, end: RoundEnd, reason: TurnEndReason): void {
    const { record } = this.#turn;
    const { finish, content, errors } = round.summary;
    const { unified, raw } = finish.finishReason;
    if (end === 'incomplete' && unified === 'error') record.addCalls(this.#calls?.ran() ?? []);
    if (end === 'waiting') record.addHostCalls(content);
    this.#endFeatures(reason);
    if ((end === 'answer' || end === 'limit') && isWithoutText(content)) this.#explainLimit();
    const byEnd: Partial<Record<RoundEnd, FinishReason['unified']>> = {
      waiting: 'tool-calls',
      next: 'tool-calls',
      limit: 'other',
    };
    const last = { ...finish, errors: end === 'incomplete' ? errors : [] };
    this.#finish({ unified: byEnd[end] ?? unified, raw }, last);
  }

  /** Writes a text for the user if a limit ended the calling of tools. */
  #explainLimit(): void {
    const { record, ids } = this.#turn;
    const { write } = this.#sink;
    if (record.reachedLimit === undefined) return;
    const id = ids.takeBlock('limit');
    write({ type: 'text-start', id });
    write({ type: 'text-delta', id, delta: `The model gave no answer: ${record.reachedLimit.reason}` });
    write({ type: 'text-end', id });
  }

  #endFeatures(reason: TurnEndReason): void {
    for (const feature of this.#turn.features) feature.end?.(reason);
  }

  /** Writes the end of the turn. A response that is not streamed has all warnings in its result. */
  #finish(
    finishReason: FinishReason,
    { errors = [], ...last }: Partial<Finish> & { readonly errors?: readonly unknown[] },
  ): void {
    this.#enter('ended');
    const { request, record } = this.#turn;
    const { write } = this.#sink;
    const partialTurn = this.#reportEnd(errors.length > 0 ? 'failed' : 'finished');
    for (const error of errors) write({ type: 'error', error: record.toFinalError(error, partialTurn) });
    const warnings = [...record.warnings].map(message => ({ type: 'other' as const, message }));
    if (!request.isStream && warnings.length > 0) write({ type: 'stream-start', warnings });
    write(record.toFinish(finishReason, { ...last, partialTurn }));
  }

  /** Ends the turn with an error. Throws the reason of an abort. */
  #fail(cause: unknown): void {
    const { lifetime, record } = this.#turn;
    const error = lifetime.signal.aborted ? lifetime.signal.reason : cause;
    const isAborted = lifetime.isAborted();
    this.#round?.source.cancel(error);
    const calls = this.#calls;
    if (!isAborted) calls?.abandon('The turn ended before this tool had finished.');
    if (calls !== undefined) record.addCalls(calls.ran(), calls);
    this.#endFeatures(isAborted ? 'aborted' : 'error');
    if (isAborted) {
      this.#reportEnd('aborted');
      throw error;
    }
    closeShown(this.#retry.shown, this.#sink.write);
    this.#reportLimit(Math.max(this.#turn.round, 1), lifetime.reachedLimit());
    this.#finish({ unified: 'error', raw: undefined }, { errors: [error] });
  }

  /** Reports the end of the turn. Returns what it has done if it did not finish. */
  #reportEnd(outcome: 'finished' | 'failed' | 'aborted'): PartialTurn | undefined {
    const { identity, request, record, emit, onFailure } = this.#turn;
    const done = outcome === 'finished' ? undefined : record.toPartialTurn(identity.turnId, request.host);
    if (outcome === 'failed') onFailure(record.exchanges);
    emit({
      type: 'turn-end',
      outcome,
      ...turnCostOf(record.usage),
      ...(done !== undefined && { turn: done }),
    });
    return done;
  }

  /** Returns the error of a turn whose first request failed, with the messages of the user that it contained. */
  #toFirstError(error: unknown): unknown {
    const { record, lifetime } = this.#turn;
    if (record.exchanges.length === 0) return error;
    const isAborted = lifetime.isAborted();
    const partialTurn = this.#reportEnd(isAborted ? 'aborted' : 'failed');
    return isAborted ? error : record.toFinalError(error, partialTurn);
  }
}

const isWithoutText = (content: readonly Content[]): boolean =>
  !content.some(part => part.type === 'file' || (part.type === 'text' && part.text.trim() !== ''));

/** Replaces the placeholders in a prompt. */
const withOutputs = (prompt: Prompt, outputs: ReadonlyMap<ToolResultOutput, ToolResultOutput>): Prompt =>
  prompt.map(message => {
    if (message.role !== 'tool') return message;
    const content = message.content.map(part =>
      part.type === 'tool-result' ? { ...part, output: outputs.get(part.output) ?? part.output } : part,
    );
    return { ...message, content };
  });

const UNCLEAR_END =
  'Not run: the arguments are not valid JSON, and may be truncated, because the response ended without a finish reason.';
