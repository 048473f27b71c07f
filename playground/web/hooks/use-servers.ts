import { useCallback, useEffect, useState } from 'react';
import type {
  ConfigurationRefused,
  ConfirmationNeeded,
  ServersAnswer,
  ServerView,
} from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';

export interface ServersHook {
  /** Undefined until the server has answered. */
  readonly servers: readonly ServerView[] | undefined;
  readonly config: string;
  /** Gives what has to be confirmed, if anything; rejects with the reason why a configuration is not taken. */
  replace(config: string, confirmation?: string): Promise<ConfirmationNeeded | undefined>;
  reconnect(name: string): Promise<void>;
}

/** Milliseconds between two looks at the servers. */
const INTERVAL = 2000;

/** The MCP servers, looked at again and again while somebody sees them. */
export function useServers(): ServersHook {
  const [answer, setAnswer] = useState<ServersAnswer>();

  const refresh = useCallback(async (): Promise<void> => {
    await callApi<ServersAnswer>('/servers').then(setAnswer, () => {});
  }, []);
  useEffect(() => {
    void refresh();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh();
    }, INTERVAL);
    return () => clearInterval(timer);
  }, [refresh]);

  return {
    servers: answer?.servers,
    config: answer?.config ?? '',
    async replace(config, confirmation) {
      const body = { config, ...(confirmation !== undefined && { confirmation }) };
      const result = await callApi<ServersAnswer | ConfirmationNeeded | ConfigurationRefused>('/servers', {
        method: 'PUT',
        body,
      });
      if ('problem' in result) throw new Error(result.problem);
      if ('needsConfirmation' in result) return result;
      setAnswer(result);
      return undefined;
    },
    async reconnect(name) {
      const path = `/servers/${encodeURIComponent(name)}/reconnect`;
      await callApi<ServersAnswer>(path, { method: 'POST' }).then(setAnswer, refresh);
    },
  };
}
