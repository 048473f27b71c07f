import type { LanguageModelV2FinishReason } from '@ai-sdk/provider';

/** The reason itself: models of the third specification wrap it. */
export const toReason = (reason: unknown): unknown => (isWrapped(reason) ? reason.unified : reason);

/** The finish reason of an answer in which calls were found. That it was cut or filtered, or failed, stays. */
export function withToolCalls<Reason extends LanguageModelV2FinishReason>(reason: Reason): Reason {
  if (!CAN_CALL.has(toReason(reason))) return reason;
  // Both forms go through: the type knows the older one.
  return (isWrapped(reason) ? Object.assign({}, reason, { unified: 'tool-calls' }) : 'tool-calls') as Reason;
}

const CAN_CALL: ReadonlySet<unknown> = new Set(['stop', 'tool-calls', 'other', 'unknown']);

const isWrapped = (reason: unknown): reason is { unified: unknown } =>
  typeof reason === 'object' && reason !== null && 'unified' in reason;
