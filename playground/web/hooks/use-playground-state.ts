import { useCallback, useEffect, useState } from 'react';
import type { PlaygroundState, Settings } from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';

export interface PlaygroundStateHook {
  /** Undefined until the server has responded. */
  readonly state: PlaygroundState | undefined;
  readonly problem: string | undefined;
  change(settings: Partial<Settings>): Promise<void>;
  saveKey(key: string): Promise<void>;
}

/** The settings, which the server stores. */
export function usePlaygroundState(): PlaygroundStateHook {
  const [state, setState] = useState<PlaygroundState>();
  const [problem, setProblem] = useState<string>();

  const apply = useCallback(async (update: Promise<PlaygroundState>): Promise<void> => {
    try {
      setState(await update);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);

  useEffect(() => void apply(callApi('/state')), [apply]);

  return {
    state,
    problem,
    change: settings => apply(callApi('/state', { method: 'PATCH', body: settings })),
    saveKey: key => apply(callApi('/state/key', { method: 'PUT', body: { key } })),
  };
}
