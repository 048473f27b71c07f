import { useCallback, useEffect, useState } from 'react';
import { useHashLocation } from 'wouter/use-hash-location';

export interface RouteHook {
  readonly conversationId: string;
  go(conversationId: string): void;
}

/** The conversation id in the URL, which survives a reload and is part of the browser history. */
export function useRoute(): RouteHook {
  const [path, navigate] = useHashLocation();
  const [fallback] = useState(newId);
  const linked = /^\/([\w-]{8,64})$/.exec(path)?.[1];

  useEffect(() => {
    if (linked === undefined) navigate(`/${fallback}`, { replace: true });
  }, [linked, fallback, navigate]);

  const go = useCallback((id: string): void => navigate(`/${id}`), [navigate]);
  return { conversationId: linked ?? fallback, go };
}

export const newId = (): string => crypto.randomUUID();
