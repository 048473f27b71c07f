import { useCallback, useEffect, useState } from 'react';
import type { ConversationSummary } from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';

export interface ConversationsHook {
  /** Undefined until the server has responded. */
  readonly conversations: readonly ConversationSummary[] | undefined;
  refresh(): Promise<void>;
  remove(id: string): Promise<void>;
}

export function useConversations(): ConversationsHook {
  const [conversations, setConversations] = useState<readonly ConversationSummary[]>();

  const refresh = useCallback(async (): Promise<void> => {
    // Errors are ignored here: opening a conversation reports them.
    await callApi<readonly ConversationSummary[]>('/conversations').then(setConversations, () => {});
  }, []);
  useEffect(() => void refresh(), [refresh]);

  return {
    conversations,
    refresh,
    async remove(id) {
      await callApi(`/conversations/${id}`, { method: 'DELETE' }).catch(() => {});
      await refresh();
    },
  };
}
