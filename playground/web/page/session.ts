const KEY = 'kelivo-playground-token';

/** Present in the printed address: the part behind `#`. */
const PREFIX = '#token=';

const listeners = new Set<() => void>();

/**
 * The token of this tab. A browser keeps `sessionStorage` for one tab and one port, sends it nowhere, and forgets it with the
 * tab.
 */
export const readToken = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined;

/** Calls a listener after each sign-in. */
export const onSignIn = (listener: () => void): void => void listeners.add(listener);

/**
 * Keeps the token of a printed address, or a token alone, for this tab. The server decides whether it is the right one.
 *
 * @returns the reason why the text contains no token of this playground.
 */
export function signIn(text: string): string | undefined {
  const entered = text.trim();
  const at = entered.indexOf(PREFIX);
  const token = at < 0 ? entered : entered.slice(at + PREFIX.length);
  if (!/^[\w-]{43}$/.test(token))
    return `Expected the address that the terminal shows, with ${PREFIX} and 43 characters at its end.`;
  const port = URL.canParse(entered) ? new URL(entered).port : location.port;
  if (port !== location.port)
    return `This address belongs to the playground on port ${port}. This page is on port ${location.port}.`;
  sessionStorage.setItem(KEY, token);
  for (const listener of listeners) listener();
  return undefined;
}

/**
 * Takes the token out of the address bar and the history.
 *
 * @param hash Part of the address that remains.
 */
function takeToken(hash: string): void {
  if (!location.hash.startsWith(PREFIX)) return;
  signIn(location.href);
  history.replaceState(history.state, '', location.pathname + location.search + hash);
}

/** Signs in with the address of the page, now and when the printed address is opened in this tab. */
export function watchAddress(): void {
  takeToken('');
  window.addEventListener('hashchange', ({ oldURL }) => takeToken(new URL(oldURL).hash));
}
