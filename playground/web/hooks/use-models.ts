import { useEffect, useState } from 'react';
import type { ModelList } from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';

/** The models that an endpoint lists. Undefined until they are known. */
export function useModels(endpoint: string | undefined): ModelList | undefined {
  const [list, setList] = useState<ModelList>();
  useEffect(() => {
    if (endpoint === undefined) return;
    const controller = new AbortController();
    setList(undefined);
    callApi<ModelList>('/state/models', { signal: controller.signal }).then(setList, () => {});
    return () => controller.abort();
  }, [endpoint]);
  return list;
}
