import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider';
import { isContextOverflow } from '../core/http/context-overflow.js';
import { statusOfCode } from '../core/http/retry.js';
import { messageOf } from '../core/shared/errors.js';
import { readError } from '../core/shared/reported-error.js';
import { partialTurnOf } from '../tool-loop/turn/partial-turn.js';

/* Reasons why a model has no answer, read from the errors of models of any package. */

/**
 * The reason why a model has no answer.
 *
 * - `outage`: no connection, a time limit, a status of 408, 409 or 5xx, an overload, a broken or unreadable response.
 * - `rate-limit`: a status of 429, also for a spent quota.
 * - `context-overflow`: the conversation is too long for the model.
 * - `content-filter`: a policy or a filter refuses the request, or withholds the response.
 * - `access`: a missing or refused key, no credit, no permission, or no such model (401 to 404).
 */
export type FallbackReason = 'outage' | 'rate-limit' | 'context-overflow' | 'content-filter' | 'access';

/** A model that has failed. */
export interface FallbackFailure {
  readonly reason: FallbackReason;
  readonly error: unknown;
  readonly provider: string;
  readonly modelId: string;
}

export const REASONS = Object.keys({
  outage: true,
  'rate-limit': true,
  'context-overflow': true,
  'content-filter': true,
  access: true,
} satisfies Record<FallbackReason, true>) as readonly FallbackReason[];

/** The texts by which servers report a refusal for the contents of a request or a response. */
const FILTER =
  /content[_ -]?(?:filter|policy|management)|_policy\b|_policy_violation|safety system|PROHIBITED_CONTENT/i;

/** Errors of the AI SDK about responses that cannot be read. */
const UNREADABLE =
  /^AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated)Error$/;

/** Codes of failed connections in Node. */
const CONNECTION = /^(?:E[A-Z]+|UND_ERR_[A-Z_]+)$/;

/** Returns the reason of a failure. Undefined if another model would fail as well, or if a tool may have run. */
export function reasonOf(error: unknown): FallbackReason | undefined {
  if (partialTurnOf(error) !== undefined) return undefined;
  if (LoadAPIKeyError.isInstance(error)) return 'access';
  const isCallError = APICallError.isInstance(error);
  // Models of other packages emit the error object of the stream.
  const reported = readError(isCallError ? error.data : error);
  const text = [reported?.code, reported?.type, reported?.message, messageOf(error)].join(' ');
  if (isContextOverflow({ ...reported, message: text })) return 'context-overflow';
  if (FILTER.test(text)) return 'content-filter';
  if (!isCallError && error instanceof Error) return isOutage(error) ? 'outage' : undefined;
  const status = (isCallError ? error.statusCode : undefined) ?? (reported && statusOfCode(reported));
  if (status === 429) return 'rate-limit';
  if (status !== undefined && status > 400 && status < 405) return 'access';
  // A response with a status of success that could not be read is an outage, too.
  const isFinal = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 409;
  return isFinal ? undefined : 'outage';
}

function isOutage(error: Error): boolean {
  const { code, isRetryable } = error as { code?: unknown; isRetryable?: unknown };
  if (UNREADABLE.test(error.name) || error.name === 'TimeoutError' || isRetryable === true) return true;
  if (typeof code === 'string' && CONNECTION.test(code)) return true;
  return error instanceof TypeError && /fetch|network|terminated|load failed/i.test(error.message);
}

/** Returns the error of a call for which no model has an answer. It contains all of them. */
export function joinErrors(failures: readonly FallbackFailure[], last: unknown): unknown {
  if (failures.length === 0 || partialTurnOf(last) !== undefined) return last;
  const errors = [...failures.map(failure => failure.error), last];
  const texts = failures.map(
    failure => `${failure.provider} ${failure.modelId} (${failure.reason}): ${messageOf(failure.error)}`,
  );
  const message = `No model has an answer. ${[...texts, messageOf(last)].join(' ')}`;
  const isRetryable = errors.some(error => APICallError.isInstance(error) && error.isRetryable);
  return toCallError(message, { cause: new AggregateError(errors, message), isRetryable, like: last });
}

/** Returns an error for which the tool loop repeats the round. */
export const withRetry = (error: unknown): unknown =>
  APICallError.isInstance(error) && error.isRetryable
    ? error
    : toCallError(readError(error)?.message ?? messageOf(error), {
        cause: error,
        isRetryable: true,
        like: error,
      });

function toCallError(
  message: string,
  { cause, isRetryable, like }: { cause: unknown; isRetryable: boolean; like: unknown },
): APICallError {
  const known = APICallError.isInstance(like) ? like : undefined;
  return new APICallError({
    message,
    url: known?.url ?? '',
    requestBodyValues: known?.requestBodyValues,
    statusCode: known?.statusCode,
    responseHeaders: known?.responseHeaders,
    cause,
    isRetryable,
  });
}
