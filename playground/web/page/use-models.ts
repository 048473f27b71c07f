import { useEffect, useState } from 'react';
import type { ModelList } from '../../shared/playground-state.js';
import { callApi } from './api.js';

/** The models that the endpoint of a conversation lists. Undefined until they are known. */
export function useModels(endpoint: string | undefined, conversationId: string): ModelList | undefined {
  const [list, setList] = useState<ModelList>();
  useEffect(() => {
    if (endpoint === undefined) return;
    const controller = new AbortController();
    setList(undefined);
    callApi<ModelList>(`/state/models?conversation=${encodeURIComponent(conversationId)}`, {
      signal: controller.signal,
    }).then(setList, () => {});
    return () => controller.abort();
  }, [endpoint, conversationId]);
  return list;
}
