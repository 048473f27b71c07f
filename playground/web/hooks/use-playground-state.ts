import { useCallback, useEffect, useState } from 'react';
import type { PlaygroundState, Settings } from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';

export interface PlaygroundStateHook {
  /** Undefined until the server has answered. */
  readonly state: PlaygroundState | undefined;
  readonly problem: string | undefined;
  change(settings: Partial<Settings>): Promise<void>;
  keepKey(key: string): Promise<void>;
}

/** The settings as the server keeps them. */
export function usePlaygroundState(): PlaygroundStateHook {
  const [state, setState] = useState<PlaygroundState>();
  const [problem, setProblem] = useState<string>();

  const take = useCallback(async (answer: Promise<PlaygroundState>): Promise<void> => {
    try {
      setState(await answer);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);

  useEffect(() => void take(callApi('/state')), [take]);

  return {
    state,
    problem,
    change: settings => take(callApi('/state', { method: 'PATCH', body: settings })),
    keepKey: key => take(callApi('/state/key', { method: 'PUT', body: { key } })),
  };
}
