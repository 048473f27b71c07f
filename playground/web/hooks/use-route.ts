import { useCallback, useEffect, useState } from 'react';

export interface RouteHook {
  readonly conversationId: string;
  go(conversationId: string): void;
}

/** The conversation id in the URL, which survives a reload and is part of the browser history. */
export function useRoute(): RouteHook {
  const [conversationId, setConversationId] = useState(() => readHash() ?? newId());

  useEffect(() => {
    if (readHash() === undefined) history.replaceState(null, '', `#/${conversationId}`);
    const follow = (): void => setConversationId(readHash() ?? newId());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [conversationId]);

  const go = useCallback((id: string): void => {
    location.hash = `#/${id}`;
  }, []);
  return { conversationId, go };
}

export const newId = (): string => crypto.randomUUID();

const readHash = (): string | undefined => /^#\/([\w-]{8,64})$/.exec(location.hash)?.[1];
