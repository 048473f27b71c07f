import { useCallback, useEffect, useState } from 'react';
import type {
  ConfigurationRejected,
  ConfirmationNeeded,
  ServersResponse,
  ServerView,
} from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';

export interface ServersHook {
  /** Undefined until the server has responded. */
  readonly servers: readonly ServerView[] | undefined;
  readonly config: string;
  /** Returns the required confirmation, if any. Rejects with the reason for an invalid configuration. */
  replace(config: string, confirmation?: string): Promise<ConfirmationNeeded | undefined>;
  reconnect(name: string): Promise<void>;
}

/** Milliseconds between two requests for the states. */
const INTERVAL = 2000;

/** The MCP servers, polled while the page is visible. */
export function useServers(): ServersHook {
  const [response, setResponse] = useState<ServersResponse>();

  const refresh = useCallback(async (): Promise<void> => {
    await callApi<ServersResponse>('/servers').then(setResponse, () => {});
  }, []);
  useEffect(() => {
    void refresh();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh();
    }, INTERVAL);
    return () => clearInterval(timer);
  }, [refresh]);

  return {
    servers: response?.servers,
    config: response?.config ?? '',
    async replace(config, confirmation) {
      const body = { config, ...(confirmation !== undefined && { confirmation }) };
      const result = await callApi<ServersResponse | ConfirmationNeeded | ConfigurationRejected>('/servers', {
        method: 'PUT',
        body,
      });
      if ('problem' in result) throw new Error(result.problem);
      if ('needsConfirmation' in result) return result;
      setResponse(result);
      return undefined;
    },
    async reconnect(name) {
      const path = `/servers/${encodeURIComponent(name)}/reconnect`;
      await callApi<ServersResponse>(path, { method: 'POST' }).then(setResponse, refresh);
    },
  };
}
