import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type {
  ConfigurationRejected,
  ConfirmationNeeded,
  ServersResponse,
  Settings,
} from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';
import { createPageStore, type PageState } from '../lib/page-store.js';

/** The server's state, and the requests that change it. Changes arrive by the channel of the page. */
export interface PageHook extends PageState {
  /** Reason why the last change was rejected. */
  readonly problem: string | undefined;
  change(settings: Partial<Settings>): Promise<void>;
  saveKey(key: string): Promise<void>;
  removeConversation(id: string): Promise<void>;
  reconnectServer(name: string): Promise<void>;
  /** Returns the required confirmation, if any. Rejects with the reason for an invalid configuration. */
  replaceServers(config: string, confirmation?: string): Promise<ConfirmationNeeded | undefined>;
}

const store = createPageStore();

export function usePage(conversationId: string): PageHook {
  const page = useSyncExternalStore(store.subscribe, store.read);
  useEffect(() => store.watch(conversationId), [conversationId]);
  const [problem, setProblem] = useState<string>();
  const actions = useMemo(() => {
    const send = async (path: string, options: { method: string; body?: unknown }): Promise<void> => {
      try {
        await callApi(path, options);
        setProblem(undefined);
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
      }
    };
    return {
      change: (settings: Partial<Settings>) => send('/state', { method: 'PATCH', body: settings }),
      saveKey: (key: string) => send('/state/key', { method: 'PUT', body: { key } }),
      removeConversation: (id: string) => send(`/conversations/${id}`, { method: 'DELETE' }),
      reconnectServer: (name: string) =>
        send(`/servers/${encodeURIComponent(name)}/reconnect`, { method: 'POST' }),
      async replaceServers(config: string, confirmation?: string) {
        const body = { config, ...(confirmation !== undefined && { confirmation }) };
        const result = await callApi<ServersResponse | ConfirmationNeeded | ConfigurationRejected>(
          '/servers',
          {
            method: 'PUT',
            body,
          },
        );
        if ('problem' in result) throw new Error(result.problem);
        return 'needsConfirmation' in result ? result : undefined;
      },
    };
  }, []);
  // Before the first event of another conversation, nothing of the previous one is shown.
  const watched =
    page.conversationId === conversationId ? page : { ...page, conversation: undefined, turns: {} };
  return { ...watched, problem, ...actions };
}
