import { useEffect, useState } from 'react';
import type { ServerInspection } from '../../shared/mcp-inspection.js';
import { callApi } from '../page/api.js';

/** Milliseconds between the end of an update and the next one. */
const INTERVAL = 500;

/** Messages, and lines of standard error, that the page keeps. */
const MAX_ENTRIES = 1000;

/** The tools and the traffic of a server, updated while the component is mounted. Undefined until the first response. */
export function useInspection(path: string): ServerInspection | undefined {
  const [inspection, setInspection] = useState<ServerInspection>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isMounted = true;
    let shown: ServerInspection | undefined;
    async function update(): Promise<void> {
      try {
        const next = await callApi<ServerInspection>(`${path}?after=${shown?.last ?? 0}`);
        // After a change of its configuration, a server counts from the start.
        shown = shown !== undefined && next.last < shown.last ? undefined : merge(shown, next);
        if (isMounted && shown !== undefined) setInspection(shown);
      } catch {
        // The page shows that the playground cannot be reached.
      }
      if (isMounted) timer = setTimeout(() => void update(), INTERVAL);
    }
    void update();
    return () => {
      isMounted = false;
      clearTimeout(timer);
    };
  }, [path]);
  return inspection;
}

const merge = (shown: ServerInspection | undefined, next: ServerInspection): ServerInspection => ({
  ...next,
  messages: [...(shown?.messages ?? []), ...next.messages].slice(-MAX_ENTRIES),
  stderr: [...(shown?.stderr ?? []), ...next.stderr].slice(-MAX_ENTRIES),
});
