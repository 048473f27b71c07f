import type { PageHook } from './use-page.js';
import { Problem } from '../ui/problem.js';

/** Reports a lost connection to the server. */
export function ConnectionNote({ connection }: Pick<PageHook, 'connection'>) {
  if (connection !== 'lost') return null;
  return (
    <Problem>
      The server of the playground cannot be reached. The page connects again as soon as it runs.
    </Problem>
  );
}
