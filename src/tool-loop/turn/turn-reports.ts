import { APICallError } from '@ai-sdk/provider';
import type { JSONObject } from '../../shared/json.js';
import type { Finish, FinishReason, Usage } from '../../core/part.js';
import { addUsage, NO_USAGE, totalOf } from '../../core/finish.js';
import type { ToolCallContext } from '../../tools/tool-source.js';
import { type CallEvent, type CallOutcome, isErrorOutput } from '../calls/calls.js';
import type { ReachedLimit } from './turn-limits.js';

/*
 * What the application reads about a turn: events as they happen, and the record in the `finish` part.
 */

/** An event of a tool loop. */
export type ToolLoopEvent = TurnEvent & TurnFacts;

/** Facts of the turn that every event contains. */
interface TurnFacts extends Pick<ToolCallContext, 'turnId' | 'context'> {
  /** Time in milliseconds since the turn began. */
  readonly at: number;
}

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
  /** A limit ended the calling of tools, a repeated call was not run, or something such as the journal failed. */
  | { type: 'warning'; round: number; message: string }
  | {
      type: 'round-end';
      round: number;
      /** `unknown` for a response that ended without a reason. */
      finishReason: string;
      usage: RoundUsage;
      /** True if the round was read from a record, without a request. @default false */
      isReplayed?: boolean;
      /**
       * True for a response that only compacts the conversation. The round with the same number follows.
       * @default false
       */
      isCompaction?: boolean;
      /** The names of the adapters that were applied to the model. @default none was */
      adapters?: readonly string[];
    };

/** The token counts of a round in an event, the same for every version of `ai`. */
export interface RoundUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
  /** Output tokens of the reasoning. @default unknown */
  readonly reasoningTokens?: number;
  /** Input tokens that were read from the prompt cache. @default unknown */
  readonly cachedInputTokens?: number;
  /** Input tokens that were written to the prompt cache. @default unknown */
  readonly cacheWriteInputTokens?: number;
  /** The usage as the server reported it. @default unknown */
  readonly raw?: JSONObject;
}

/** Returns a usage as events and the metadata of rounds contain it. */
export function toRoundUsage(usage: Usage): RoundUsage {
  const { cacheRead, cacheWrite } = usage.inputTokens;
  const { reasoning } = usage.outputTokens;
  return {
    inputTokens: usage.inputTokens.total,
    outputTokens: usage.outputTokens.total,
    totalTokens: totalOf(usage),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(cacheRead !== undefined && { cachedInputTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteInputTokens: cacheWrite }),
    ...(usage.raw !== undefined && { raw: usage.raw }),
  };
}

/** Reports an event of a turn. Never throws. */
export type EmitEvent = (event: TurnEvent) => void;

export function createEventEmitter(
  onEvent: ((event: ToolLoopEvent) => void) | undefined,
  turn: Pick<ToolCallContext, 'turnId' | 'context'>,
): EmitEvent {
  if (onEvent === undefined) return () => {};
  const startedAt = performance.now();
  return event => {
    try {
      onEvent({ ...event, ...turn, at: performance.now() - startedAt });
    } catch {
      // An observer must not break the turn.
    }
  };
}

/** Facts of a round that has ended. */
interface EndedRound {
  readonly finish: Finish;
  readonly responseId: string | undefined;
  /** True if the round was read from a record. */
  readonly isReplayed: boolean;
  /** True for a response that only compacts the conversation. */
  readonly isCompaction: boolean;
  /** Number of responses, of which the last one counts. */
  readonly attempts: number;
}

export type TurnRecord = ReturnType<typeof createTurnRecord>;

/**
 * Records what the end of a turn reports.
 *
 * @param onFinish Called before the turn ends regularly, with the error that ended it.
 */
export function createTurnRecord(onFinish: (outcome: { readonly error?: unknown }) => void = () => {}) {
  let usage = NO_USAGE;
  const rounds: JSONObject[] = [];
  const warnings = new Set<string>();
  let reachedLimit: ReachedLimit | undefined;
  let turnId: string | undefined;
  let didToolRun = false;
  let finalError: unknown;
  let roundStartedAt = performance.now();

  return {
    addUsage(added: Usage): void {
      usage = addUsage(usage, added);
    },

    /** Sets the id of a turn whose steps are recorded, which the end of the turn then reports. */
    setTurnId(id: string): void {
      turnId = id;
    },

    addRound(
      { finish, responseId, isReplayed, isCompaction, attempts }: EndedRound,
      outcomes: readonly CallOutcome[],
    ): void {
      const now = performance.now();
      rounds.push({
        ...(responseId !== undefined && { responseId }),
        usage: definedCounts(toRoundUsage(finish.usage)),
        ...(isReplayed && { isReplayed }),
        ...(isCompaction && { isCompaction }),
        ...(attempts > 1 && { attempts }),
        toolCalls: outcomes.map(({ call, output, duration, isReplayed: isCallReplayed = false }) => ({
          toolCallId: call.toolCallId,
          toolName: call.toolName,
          durationMs: Math.round(duration),
          isError: isErrorOutput(output),
          ...(isCallReplayed && { isReplayed: true }),
        })),
        durationMs: Math.round(now - roundStartedAt),
        ...toIssues(finish.own),
      });
      roundStartedAt = now;
    },

    markToolRun(): void {
      didToolRun = true;
    },

    /** Adds a warning that arose after the stream had started. Each text is kept once. */
    addWarning(message: string): void {
      warnings.add(message);
    },

    /** Records the limit that ended the calling of tools. */
    addLimit(reached: ReachedLimit): void {
      reachedLimit = reached;
    },

    get reachedLimit(): ReachedLimit | undefined {
      return reachedLimit;
    },

    get warnings(): readonly string[] {
      return [...warnings];
    },

    /** Returns the finish part, with the usage of all rounds and each round in `own.rounds`. */
    toFinish(
      finishReason: FinishReason,
      { providerMetadata, own, structuredOutputText }: Partial<Omit<Finish, 'type'>> = {},
    ): Finish {
      onFinish({ error: finalError });
      return {
        type: 'finish',
        finishReason,
        usage,
        ...(providerMetadata !== undefined && { providerMetadata }),
        ...(structuredOutputText !== undefined && { structuredOutputText }),
        own: {
          ...own,
          ...(turnId !== undefined && { turnId }),
          rounds,
          ...(reachedLimit !== undefined && { stoppedBy: reachedLimit.limit }),
          ...(warnings.size > 0 && { warnings: [...warnings] }),
        },
      };
    },

    /** Returns the error for the host. It is not retryable after a tool ran, because a retry would run the tool again. */
    toFinalError(error: unknown): unknown {
      finalError = error;
      return didToolRun && isRetryable(error) ? withoutRetry(error) : error;
    },
  };
}

/** Returns what the model reports about its response only in the finish part, of which the host sees the last. */
const toIssues = (own: JSONObject = {}): JSONObject =>
  Object.fromEntries(
    Object.entries(own).filter(([name]) =>
      ['mcpErrors', 'unnamedCalls', 'droppedEvents', 'incompleteReason'].includes(name),
    ),
  );

const definedCounts = (usage: RoundUsage): JSONObject =>
  Object.fromEntries(
    Object.entries(usage).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );

/** Hosts retry errors that are marked as retryable: an `APICallError`, and the errors of the AI gateway. */
const isRetryable = (error: unknown): error is Error =>
  error instanceof Error && 'isRetryable' in error && error.isRetryable === true;

function withoutRetry(error: Error): Error {
  if (!APICallError.isInstance(error))
    return Object.assign(new Error(error.message, { cause: error }), { name: error.name });
  const { message, url, requestBodyValues, statusCode, responseHeaders, responseBody, data } = error;
  return new APICallError({
    message,
    url,
    requestBodyValues,
    statusCode,
    responseHeaders,
    responseBody,
    data,
    cause: error,
    isRetryable: false,
  });
}
