import {
  APICallError,
  type JSONObject,
  type LanguageModelV2FinishReason,
  type LanguageModelV2StreamPart,
  type LanguageModelV2Usage,
  type SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { addUsage } from '../parts/usage.js';
import { type CallOutcome, isErrorOutput } from './calls.js';
import type { RoundSummary } from './round.js';
import type { ReachedLimit } from './turn-limits.js';

/** Records what the end of a turn reports. */
export interface TurnRecord {
  addUsage(usage: LanguageModelV2Usage): void;
  addRound(round: RoundSummary & { isCompaction?: boolean }, outcomes: readonly CallOutcome[]): void;
  /** Sets the id of a turn whose steps are recorded, which the end of the turn then reports. */
  setTurnId(turnId: string): void;
  markToolRun(): void;
  /** Adds a warning that arose after the stream had started. Each text is kept once. */
  addWarning(message: string): void;
  /** Records the limit that ended the calling of tools. */
  addLimit(reached: ReachedLimit): void;
  /** The limit that ended the calling of tools. */
  readonly reachedLimit: ReachedLimit | undefined;
  /** The warnings so far. */
  readonly warnings: readonly string[];
  /** Returns the finish part, with the usage of all rounds and each round in `providerMetadata.kelivo.rounds`. */
  toFinish(
    finishReason: LanguageModelV2FinishReason,
    providerMetadata?: SharedV2ProviderMetadata,
  ): Extract<LanguageModelV2StreamPart, { type: 'finish' }>;
  /** Returns the error for the host. It is not retryable after a tool ran, because a retry would run the tool again. */
  toFinalError(error: unknown): unknown;
}

interface TurnRecordOptions {
  /** Called before the turn ends regularly, with the error that ended it. */
  readonly onFinish?: (outcome: { readonly error?: unknown }) => void;
}

export function createTurnRecord({ onFinish }: TurnRecordOptions = {}): TurnRecord {
  let usage: LanguageModelV2Usage = {
    inputTokens: undefined,
    outputTokens: undefined,
    totalTokens: undefined,
  };
  const rounds: JSONObject[] = [];
  const warnings = new Set<string>();
  let reachedLimit: ReachedLimit | undefined;
  let turnId: string | undefined;
  let didToolRun = false;
  let finalError: unknown;
  let roundStartedAt = performance.now();

  return {
    addUsage(added) {
      usage = addUsage(usage, added);
    },

    setTurnId(id) {
      turnId = id;
    },

    addRound({ finish, responseId, isReplayed, isCompaction }, outcomes) {
      const now = performance.now();
      rounds.push({
        ...(responseId !== undefined && { responseId }),
        usage: definedCounts(finish.usage),
        ...(isReplayed && { isReplayed }),
        ...(isCompaction && { isCompaction }),
        toolCalls: outcomes.map(({ call, output, duration, isReplayed: isCallReplayed = false }) => ({
          toolCallId: call.toolCallId,
          toolName: call.toolName,
          durationMs: Math.round(duration),
          isError: isErrorOutput(output),
          ...(isCallReplayed && { isReplayed: true }),
        })),
        durationMs: Math.round(now - roundStartedAt),
        ...toIssues(finish.providerMetadata),
      });
      roundStartedAt = now;
    },

    markToolRun() {
      didToolRun = true;
    },

    addWarning(message) {
      warnings.add(message);
    },

    addLimit(reached) {
      reachedLimit = reached;
    },

    get reachedLimit() {
      return reachedLimit;
    },

    get warnings() {
      return [...warnings];
    },

    toFinish(finishReason, providerMetadata) {
      onFinish?.({ error: finalError });
      return {
        type: 'finish',
        finishReason,
        usage,
        providerMetadata: {
          ...providerMetadata,
          kelivo: {
            ...providerMetadata?.kelivo,
            ...(turnId !== undefined && { turnId }),
            rounds,
            ...(reachedLimit !== undefined && { stoppedBy: reachedLimit.limit }),
            ...(warnings.size > 0 && { warnings: [...warnings] }),
          },
        },
      };
    },

    toFinalError(error) {
      finalError = error;
      return didToolRun && isRetryable(error) ? withoutRetry(error) : error;
    },
  };
}

/** Returns what the model reports about its response only in the finish part, of which the host sees the last. */
const toIssues = (metadata: SharedV2ProviderMetadata | undefined): JSONObject =>
  Object.fromEntries(
    Object.entries(metadata?.kelivo ?? {}).filter(([name]) =>
      ['mcpErrors', 'unnamedCalls', 'droppedEvents', 'incompleteReason'].includes(name),
    ),
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

const definedCounts = (usage: LanguageModelV2Usage): JSONObject =>
  Object.fromEntries(
    Object.entries(usage).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
