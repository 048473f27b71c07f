import { KelivoError } from './errors.js';

type Scope = { process?: { env?: Record<string, string | undefined> } };

/** Returns true on a development server, which evaluates a module again after every edit. */
export const isDevelopment = (): boolean => (globalThis as Scope).process?.env?.NODE_ENV === 'development';

/** Options of registrations. */
export interface RegisterOptions {
  /**
   * Replaces an entry of the same name, at its place. Otherwise a second one is an error.
   * @default true in development (`NODE_ENV`), where a module that registers something is evaluated twice, else false
   */
  readonly replace?: boolean;
}

/**
 * Adds an entry under its name.
 *
 * @param message The error for a name that is taken.
 * @throws KelivoError with code `invalid-settings`.
 */
export function registerUnique<Entry>(
  entries: Map<string, Entry>,
  [name, entry]: readonly [name: string, entry: Entry],
  { replace = isDevelopment(), message }: RegisterOptions & { readonly message: string },
): void {
  if (entries.has(name) && !replace) throw new KelivoError({ code: 'invalid-settings', message });
  entries.set(name, entry);
}
