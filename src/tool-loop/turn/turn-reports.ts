import { inform } from '../../core/shared/inform.js';
import { asJson, type JSONObject } from '../../core/shared/json.js';
import type { CoreCall, Host } from '../../core/call.js';
import type { CallTelemetry } from '../../core/telemetry.js';
import type { Content, Custom, Finish, FinishReason, Usage } from '../../core/part.js';
import { addUsage, NO_USAGE, type RoundUsage, toReasonText, toRoundUsage } from '../../core/finish.js';
import type { ToolCallContext } from '../../tools/tool-source.js';
import { type CallEvent, type CallOutcome } from '../calls/calls.js';
import { isErrorOutput } from '../calls/outputs.js';
import type { FeatureEvent, ReachedLimit, RequestPurpose } from '../features/feature.js';
import {
  copyError,
  type AnsweredRound,
  type PartialTurn,
  toCallContent,
  toPartialTurn,
  withPartialTurn,
} from './partial-turn.js';

/*
 * What the application reads about a turn: events as they happen, and the record in the `finish` part.
 */

/** An event of a tool loop. */
export type ToolLoopEvent = TurnEvent &
  Pick<ToolCallContext, 'turnId' | 'context'> & {
    /** Time in milliseconds since the turn began. */
    readonly at: number;
  };

type TurnEvent =
  | { type: 'round-start'; round: number }
  | CallEvent
  /**
   * The response of a round broke, and the round is requested again after a delay. The text and the reasoning of the broken
   * response do not count, nor do its calls without a `tool-start`.
   */
  | {
      type: 'round-retry';
      round: number;
      /** Number of the attempt that follows, from 2. */
      attempt: number;
      /** The message of the error. */
      cause: string;
    }
  | FeatureEvent
  /** A limit ended the calling of tools, a repeated call was not run, or something such as the journal failed. */
  | { type: 'warning'; round: number; message: string }
  | (RequestPurpose & {
      type: 'round-end';
      round: number;
      /** `unknown` for a response that ended without a reason. */
      finishReason: string;
      usage: RoundUsage;
      /** True if the round was read from a record, without a request. @default false */
      isReplayed?: boolean;
      /** The names of the adapters that were applied to the model. @default none was */
      adapters?: readonly string[];
    })
  | {
      type: 'turn-end';
      /** `aborted` if the application ended the turn. */
      outcome: 'finished' | 'failed' | 'aborted';
      /** The cost of the turn in US dollars. @default unknown */
      cost?: number;
      /** For a turn that did not finish: what it has done. @default nothing */
      turn?: PartialTurn;
    };

/** Reports an event of a turn. Never throws. */
export type EmitEvent = (event: TurnEvent) => void;

/** Creates the reports of a turn. Its id may still change: events have the id of their time. */
export function createTurnReports(
  turnId: string,
  call: CoreCall,
  onEvent: ((event: ToolLoopEvent) => void) | undefined,
) {
  const { context } = call.own;
  const identity = { turnId, ...(context !== undefined && context !== null && { context }) };
  const startedAt = performance.now();
  const emit: EmitEvent = event =>
    void inform(onEvent, { ...event, ...identity, at: performance.now() - startedAt });
  const record = new TurnRecord(call.telemetry);
  const warn = (round: number, message: string): void => {
    record.warnings.add(message);
    emit({ type: 'warning', round, message });
  };
  const startRequest = (round: number, purpose: RequestPurpose) => {
    const requestStartedAt = performance.now();
    emit({ type: 'round-start', round });
    return (finish: Finish): void => {
      record.addRequest(finish, purpose, performance.now() - requestStartedAt);
      const { finishReason, usage } = finish;
      emit({
        type: 'round-end',
        round,
        finishReason: toReasonText(finishReason),
        usage: toRoundUsage(usage),
        ...purpose,
      });
    };
  };
  return { identity, emit, record, warn, startRequest };
}

/** Facts of a round that has ended. */
interface EndedRound {
  readonly content: readonly Content[];
  readonly finish: Finish;
  readonly responseId: string | undefined;
  readonly isReplayed: boolean;
  /** Set if it was the request of a feature. */
  readonly purpose: RequestPurpose | undefined;
  /** Number of responses, of which the last one counts. */
  readonly attempts: number;
  /** True if the server did not report the usage of all of them. */
  readonly isUsagePartial: boolean;
}

/** Records what the end of a turn reports. */
export class TurnRecord {
  /** The id of a turn whose steps are recorded, which the end of the turn then reports. */
  turnId: string | undefined;
  /** The limit that ended the calling of tools. */
  reachedLimit: ReachedLimit | undefined;
  didToolRun = false;
  /** Warnings that arose after the stream had started. */
  readonly warnings = new Set<string>();
  /** The responses so far with their calls. */
  readonly exchanges: AnsweredRound[] = [];
  /** The reason for which the turn has ended. */
  finishReason: FinishReason['unified'] | undefined;
  /** The calls of the last response if the host has to run or to approve one. */
  hostCalls: readonly string[] = [];
  readonly #telemetry: Pick<CallTelemetry, 'endTurn'>;
  readonly #rounds: JSONObject[] = [];
  #usage: Usage | undefined;
  /** The usage since the last step of the host, and the number of rounds before it. */
  #stepUsage: Usage | undefined;
  #earlierRounds = 0;
  #roundStartedAt = performance.now();
  #finalError: unknown;

  constructor(telemetry: Pick<CallTelemetry, 'endTurn'>) {
    this.#telemetry = telemetry;
  }

  get usage(): Usage {
    return this.#usage ?? NO_USAGE;
  }

  addUsage(added: Usage): void {
    this.#usage = addUsage(this.#usage, added);
    this.#stepUsage = addUsage(this.#stepUsage, added);
  }

  /**
   * Adds a round with the outcomes of its calls. The conversation contains its response unless that failed. Calls of
   * broken attempts at it are `kept`.
   */
  addRound(round: EndedRound, outcomes: readonly CallOutcome[], kept: readonly CallOutcome[] = []): void {
    const { content, finish, responseId } = round;
    const now = performance.now();
    if (finish.finishReason.unified !== 'error')
      this.exchanges.push({ content, outcomes, finish, responseId });
    this.#rounds.push(toRoundFacts(round, [...kept, ...outcomes], now - this.#roundStartedAt));
    this.#roundStartedAt = now;
  }

  /** Adds the request of a feature, whose response is not part of the conversation. */
  addRequest(finish: Finish, purpose: RequestPurpose, duration: number): void {
    this.addUsage(finish.usage);
    const facts = { responseId: undefined, isReplayed: false, attempts: 1, isUsagePartial: false };
    this.#rounds.push(toRoundFacts({ ...facts, content: [], finish, purpose }, [], duration));
    this.#roundStartedAt = performance.now();
  }

  /** Adds calls that ran although their response is not part of the conversation, or that precede the first round. */
  addCalls(outcomes: readonly CallOutcome[], { areNew = true } = {}): void {
    const known = new Set(this.exchanges.flatMap(exchange => exchange.outcomes.map(outcome => outcome.call)));
    const added = outcomes.filter(outcome => !known.has(outcome.call));
    if (added.length > 0)
      this.exchanges.push({ content: areNew ? toCallContent(added) : [], outcomes: added });
  }

  /** Adds the messages of the user that a request contains. */
  addMessages(content: readonly Custom[]): void {
    this.exchanges.push({ content, outcomes: [] });
  }

  /** Returns what the turn has done so far. Undefined if it has done nothing. */
  toPartialTurn(id: string, host: Pick<Host, 'writeMessages'>): PartialTurn | undefined {
    if (this.exchanges.length === 0) return undefined;
    return toPartialTurn({
      turnId: id,
      rounds: this.#rounds,
      usage: this.usage,
      exchanges: this.exchanges,
      writeMessages: host.writeMessages,
    });
  }

  /** Records the calls of a response that the host has to run or to approve. */
  addHostCalls(content: readonly Content[]): void {
    this.hostCalls = callIdsOf(content);
  }

  /** Returns the end of a step of the host after which the turn goes on, with the usage of the step. */
  toStepFinish({
    finishReason: { raw },
    providerMetadata,
    own: { cost: _ofRound, ...facts } = {},
  }: Finish): Finish {
    const { turnId } = this;
    const ofStep = this.#stepUsage ?? NO_USAGE;
    const roundsOfStep = this.#rounds.slice(this.#earlierRounds);
    this.#stepUsage = undefined;
    this.#earlierRounds = this.#rounds.length;
    return {
      type: 'finish',
      finishReason: { unified: 'tool-calls', raw },
      usage: ofStep,
      ...(providerMetadata !== undefined && { providerMetadata }),
      own: {
        ...facts,
        ...turnCostOf(ofStep),
        ...(turnId !== undefined && { turnId }),
        rounds: roundsOfStep,
      },
    };
  }

  /**
   * Returns the finish part, with the usage of all rounds, or of those since the last step of the host, and each of them in
   * `own.rounds`.
   */
  toFinish(
    finishReason: FinishReason,
    {
      providerMetadata,
      own: { cost: _ofLastRound, ...facts } = {},
      structuredOutputText,
      partialTurn,
    }: Partial<Omit<Finish, 'type'>> & { partialTurn?: PartialTurn | undefined } = {},
  ): Finish {
    this.#telemetry.endTurn({ error: this.#finalError });
    const { turnId, reachedLimit, warnings } = this;
    this.finishReason = finishReason.unified;
    return {
      type: 'finish',
      finishReason,
      usage: this.#stepUsage ?? NO_USAGE,
      ...(providerMetadata !== undefined && { providerMetadata }),
      ...(structuredOutputText !== undefined && { structuredOutputText }),
      own: {
        ...facts,
        ...turnCostOf(this.#stepUsage),
        ...(turnId !== undefined && { turnId }),
        rounds: this.#rounds.slice(this.#earlierRounds),
        ...(partialTurn !== undefined && { partialTurn: asJson(partialTurn) }),
        ...(reachedLimit !== undefined && { stoppedBy: reachedLimit.limit }),
        ...(warnings.size > 0 && { warnings: [...warnings] }),
      },
    };
  }

  /**
   * Returns the error for the host, with what the turn has done. It is not retryable after a tool ran, because a retry
   * would run the tool again.
   */
  toFinalError(error: unknown, partialTurn: PartialTurn | undefined): unknown {
    this.#finalError = error;
    const final = this.didToolRun && isRetryable(error) ? copyError(error, { isRetryable: false }) : error;
    return partialTurn === undefined ? final : withPartialTurn(final, partialTurn);
  }
}

/** Returns what the end of the turn reports about a round. */
const toRoundFacts = (
  { finish, responseId, isReplayed, purpose, attempts, isUsagePartial }: EndedRound,
  calls: readonly CallOutcome[],
  duration: number,
): JSONObject => ({
  ...(responseId !== undefined && { responseId }),
  usage: definedCounts(toRoundUsage(finish.usage)),
  ...(isReplayed && { isReplayed }),
  ...purpose,
  ...(attempts > 1 && { attempts }),
  ...(isUsagePartial && { isUsagePartial }),
  toolCalls: calls.map(toRoundCall),
  durationMs: Math.round(duration),
  ...toIssues(finish.own),
});

const toRoundCall = ({ call, output, duration, isReplayed = false }: CallOutcome): JSONObject => ({
  toolCallId: call.toolCallId,
  toolName: call.toolName,
  durationMs: Math.round(duration),
  isError: isErrorOutput(output),
  ...(isReplayed && { isReplayed }),
});

/** Returns the cost of a turn, if it is known. */
export const turnCostOf = (usage: Usage = NO_USAGE): { cost?: number } =>
  usage.cost === undefined ? {} : { cost: usage.cost };

/** Returns what the model reports about its response only in the finish part, of which the host sees the last. */
const toIssues = (own: JSONObject = {}): JSONObject =>
  Object.fromEntries(
    Object.entries(own).filter(([name]) =>
      [
        'answeredBy',
        'mcpErrors',
        'unnamedCalls',
        'quotedCalls',
        'droppedEvents',
        'incompleteReason',
        'textNotes',
      ].includes(name),
    ),
  );

const definedCounts = (usage: RoundUsage): JSONObject =>
  Object.fromEntries(
    Object.entries(usage).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );

/** Hosts retry errors that are marked as retryable: an `APICallError`, and the errors of the AI gateway. */
const isRetryable = (error: unknown): error is Error =>
  error instanceof Error && 'isRetryable' in error && error.isRetryable === true;

const callIdsOf = (content: readonly Content[]): string[] =>
  content.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []));
