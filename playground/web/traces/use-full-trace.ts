import { useEffect, useState } from 'react';
import type { TraceEvent } from '../../shared/trace-event.js';
import { type Trace, toTrace } from '../../shared/trace.js';
import { callApi } from '../page/api.js';
import type { LiveTrace, LiveTurn } from '../page/page-store.js';

/**
 * The complete trace of a response: the live one while it runs, then the stored one. Until the stored one is loaded, it has
 * no contents of requests and responses.
 */
export function useFullTrace(
  conversationId: string,
  shown: { readonly message: { readonly id: string }; readonly trace: Trace | undefined } | undefined,
  turns: Readonly<Record<string, LiveTurn>>,
): LiveTrace | undefined {
  const [loaded, setLoaded] = useState<{ id: string; live: LiveTrace }>();
  const id = shown?.message.id;
  const live = id === undefined ? undefined : turns[id];
  const isStored = shown?.trace?.end !== undefined && live === undefined;
  useEffect(() => {
    if (!isStored || id === undefined) return;
    const controller = new AbortController();
    callApi<readonly TraceEvent[]>(`/conversations/${conversationId}/traces/${id}`, {
      signal: controller.signal,
    })
      .then(events => setLoaded({ id, live: { trace: toTrace(events), beganAt: 0 } }))
      .catch(() => {});
    return () => controller.abort();
  }, [conversationId, id, isStored]);

  if (live !== undefined) return live;
  if (loaded !== undefined && loaded.id === id) return loaded.live;
  return shown?.trace === undefined ? undefined : { trace: shown.trace, beganAt: 0, isOutline: true };
}
