import type { PageHook } from './use-page.js';

/** Reports a lost connection to the server. */
export function ConnectionNote({ connection }: Pick<PageHook, 'connection'>) {
  if (connection !== 'lost') return null;
  return (
    <p className="note problem" role="alert">
      The server of the playground cannot be reached. The page connects again as soon as it runs.
    </p>
  );
}
