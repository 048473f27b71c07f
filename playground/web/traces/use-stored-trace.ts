import { useEffect, useState } from 'react';
import type { TurnRecord } from '../../shared/playground-state.js';
import { type Trace, toTrace } from '../../shared/trace.js';
import { callApi, isNotFound } from '../page/api.js';
import { describeFailure } from '../../shared/failure.js';

/** A stored turn with its complete trace and its conversation. */
export interface StoredTrace extends Omit<TurnRecord, 'events'> {
  readonly trace: Trace;
}

export interface StoredTraceHook {
  /** Undefined until it is loaded. */
  readonly stored: StoredTrace | undefined;
  readonly isMissing: boolean;
  readonly problem: string | undefined;
  /** Loads the turn again. */
  readonly retry: () => void;
}

/**
 * Loads a turn by the id of its response.
 *
 * @param version Changes with the list of turns. A turn of an application that still runs is loaded again then.
 */
export function useStoredTrace(messageId: string, version?: unknown): StoredTraceHook {
  const [result, setResult] = useState<{ readonly id: string } & Omit<StoredTraceHook, 'retry'>>();
  const [attempt, setAttempt] = useState(1);
  const isRunning = result?.id === messageId && result.stored?.trace.end === undefined;
  const wanted = isRunning ? version : undefined;
  useEffect(() => {
    const controller = new AbortController();
    const finish = (found: Partial<Omit<StoredTraceHook, 'retry'>>): void => {
      if (controller.signal.aborted) return;
      setResult({ id: messageId, stored: undefined, isMissing: false, problem: undefined, ...found });
    };
    callApi<TurnRecord>(`/traces/${encodeURIComponent(messageId)}`, { signal: controller.signal }).then(
      ({ events, ...turn }) => finish({ stored: { ...turn, trace: toTrace(events) } }),
      (error: unknown) =>
        finish(isNotFound(error) ? { isMissing: true } : { problem: describeFailure(error) }),
    );
    return () => controller.abort();
  }, [messageId, wanted, attempt]);
  const retry = (): void => {
    setResult(undefined);
    setAttempt(attempt + 1);
  };
  const loaded =
    result?.id === messageId ? result : { stored: undefined, isMissing: false, problem: undefined };
  return { ...loaded, retry };
}
