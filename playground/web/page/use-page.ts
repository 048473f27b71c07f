import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type {
  ConfigurationRejected,
  ConfirmationNeeded,
  ConversationSummary,
  Preset,
  PriceTable,
  Retention,
  ServersResponse,
  Settings,
  ToolPolicy,
} from '../../shared/playground-state.js';
import { callApi, callInOrder } from './api.js';
import { createPageStore, type PageState } from './page-store.js';
import { describeFailure } from '../../shared/failure.js';

/** The server's state, and the requests that change it. Changes arrive by the channel of the page. */
export interface PageHook extends PageState {
  /** Reason why the last change was rejected. */
  readonly problem: string | undefined;
  change(settings: Partial<Settings>): Promise<void>;
  /** Keeps the settings of the conversation under a name. Resolves to false if the name was rejected. */
  addPreset(name: string): Promise<boolean>;
  changePreset(id: string, change: Partial<Pick<Preset, 'name' | 'isDefault'>>): Promise<void>;
  removePreset(id: string): Promise<void>;
  saveKey(key: string): Promise<void>;
  saveRetention(retention: Retention): Promise<void>;
  /** Rejects with the reason if the prices cannot be stored. */
  savePrices(prices: PriceTable): Promise<void>;
  renameConversation(id: string, title: string): Promise<void>;
  /** Deletes a conversation, which can be restored until the playground stops. */
  removeConversation(conversation: Pick<ConversationSummary, 'id' | 'title'>): Promise<void>;
  /** The conversation that was deleted last, if it was not restored. */
  readonly removed: Pick<ConversationSummary, 'id' | 'title'> | undefined;
  restoreConversation(): Promise<void>;
  /** Stops offering to restore the conversation that was deleted last. */
  forgetRemoved(): void;
  /** Asks again before the tool runs. */
  removePolicy(policy: Omit<ToolPolicy, 'definition'>): Promise<void>;
  reconnectServer(name: string): Promise<void>;
  signOut(name: string): Promise<void>;
  /**
   * Returns the required confirmation, if any: the same change needs the code that the terminal shows. Rejects with the
   * reason for an invalid configuration.
   */
  replaceServers(config: string, code?: string): Promise<ConfirmationNeeded | undefined>;
}

const store = createPageStore();

export function usePage(conversationId: string): PageHook {
  const page = useSyncExternalStore(store.subscribe, store.read);
  useEffect(() => store.watch(conversationId), [conversationId]);
  const [problem, setProblem] = useState<string>();
  const [removed, setRemoved] = useState<PageHook['removed']>();
  const actions = useMemo(() => {
    const query = `?conversation=${encodeURIComponent(conversationId)}`;
    /** Returns false if the server rejected the change. */
    const isAccepted = async (
      path: string,
      options: { method: string; body?: unknown },
      call: typeof callInOrder = callApi,
    ): Promise<boolean> => {
      try {
        await call(path, options);
        setProblem(undefined);
        return true;
      } catch (error) {
        setProblem(describeFailure(error));
        return false;
      }
    };
    const send = async (...request: Parameters<typeof isAccepted>): Promise<void> => {
      await isAccepted(...request);
    };
    return {
      change: (settings: Partial<Settings>) =>
        send(`/state${query}`, { method: 'PATCH', body: settings }, callInOrder),
      addPreset: (name: string) =>
        isAccepted(`/state/presets${query}`, { method: 'POST', body: { name } }, callInOrder),
      changePreset: (id: string, change: Partial<Pick<Preset, 'name' | 'isDefault'>>) =>
        send(`/state/presets/${id}${query}`, { method: 'PATCH', body: change }, callInOrder),
      removePreset: (id: string) => send(`/state/presets/${id}${query}`, { method: 'DELETE' }, callInOrder),
      saveKey: (key: string) => send(`/state/key${query}`, { method: 'PUT', body: { key } }, callInOrder),
      savePrices: async (prices: PriceTable) => {
        await callApi('/state/prices', { method: 'PUT', body: prices });
      },
      saveRetention: (retention: Retention) =>
        send('/state/retention', { method: 'PUT', body: retention }, callInOrder),
      renameConversation: (id: string, title: string) =>
        send(`/conversations/${id}`, { method: 'PATCH', body: { title } }),
      async removeConversation({ id, title }: Pick<ConversationSummary, 'id' | 'title'>) {
        if (await isAccepted(`/conversations/${id}`, { method: 'DELETE' })) setRemoved({ id, title });
      },
      forgetRemoved: () => setRemoved(undefined),
      restore: (id: string) => isAccepted(`/conversations/${id}/restore`, { method: 'POST' }),
      removePolicy: ({ server, tool, conversationId: chat }: Omit<ToolPolicy, 'definition'>) =>
        send('/state/policies', {
          method: 'DELETE',
          body: { server, tool, ...(chat !== undefined && { conversationId: chat }) },
        }),
      reconnectServer: (name: string) =>
        send(`/servers/${encodeURIComponent(name)}/reconnect`, { method: 'POST' }),
      signOut: (name: string) => send(`/servers/${encodeURIComponent(name)}/sign-out`, { method: 'POST' }),
      async replaceServers(config: string, code?: string) {
        const body = { config, ...(code !== undefined && { code }) };
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
  }, [conversationId]);
  // Before the first event of another conversation, nothing of the previous one is shown.
  const watched =
    page.conversationId === conversationId
      ? page
      : { ...page, conversation: undefined, isMissing: false, turns: {} };
  const restoreConversation = async (): Promise<void> => {
    if (removed === undefined) return;
    if (await actions.restore(removed.id)) setRemoved(undefined);
  };
  return { ...watched, problem, ...actions, removed, restoreConversation };
}
