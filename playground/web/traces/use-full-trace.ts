import { useEffect, useState } from 'react';
import type { TraceEvent } from '../../shared/trace-event.js';
import { type Trace, toTrace } from '../../shared/trace.js';
import { callApi } from '../page/api.js';
import type { LiveTrace, LiveTurn } from '../page/page-store.js';
import { describeFailure } from '../../shared/failure.js';

/** A trace without contents of requests and responses if they could not be loaded. */
export interface FullTrace extends LiveTrace {
  readonly failure?: { readonly problem: string; readonly retry: () => void };
}

type Loaded = { readonly id: string } & ({ readonly live: LiveTrace } | { readonly problem: string });

/**
 * The complete trace of a response: the live one while it runs, then the stored one. Until the stored one is loaded, it has
 * no contents of requests and responses.
 */
export function useFullTrace(
  conversationId: string,
  shown: { readonly message: { readonly id: string }; readonly trace: Trace | undefined } | undefined,
  turns: Readonly<Record<string, LiveTurn>>,
): FullTrace | undefined {
  const [result, setResult] = useState<Loaded>();
  const [attempt, setAttempt] = useState(1);
  const id = shown?.message.id;
  const live = id === undefined ? undefined : turns[id];
  const isStored = shown?.trace?.end !== undefined && live === undefined;
  useEffect(() => {
    if (!isStored || id === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    callApi<readonly TraceEvent[]>(`/conversations/${conversationId}/traces/${id}`, { signal })
      .then(events => setResult({ id, live: { trace: toTrace(events), beganAt: 0 } }))
      .catch((error: unknown) => {
        if (signal.aborted) return;
        setResult({ id, problem: describeFailure(error) });
      });
    return () => controller.abort();
  }, [conversationId, id, isStored, attempt]);

  if (live !== undefined) return live;
  const loaded = result?.id === id ? result : undefined;
  if (loaded !== undefined && 'live' in loaded) return loaded.live;
  if (shown?.trace === undefined) return undefined;
  const outline = { trace: shown.trace, beganAt: 0, isOutline: true };
  if (loaded === undefined) return outline;
  const retry = (): void => {
    setResult(undefined);
    setAttempt(attempt + 1);
  };
  return { ...outline, failure: { problem: loaded.problem, retry } };
}
