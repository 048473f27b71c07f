import type { Handler, MiddlewareHandler } from 'hono';
import type { PlaygroundContext } from '../context.js';
import type { ServerRegistry } from '../mcp/servers.js';

const toPage = (title: string, { head = '' }: { head?: string } = {}): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8">${head}<title>${title}</title><p>${title}</p></html>`;

/**
 * The page to which an authorization server returns the user. The cookie of the session is not sent with a navigation from
 * another site, so this page, which does nothing else, navigates once more from this site. Only requests with the `state`
 * of a sign-in that has started receive it; the others are left to the guard of the session.
 */
export const oauthCallback =
  ({ servers }: { readonly servers: Pick<ServerRegistry, 'awaitsSignIn'> }): MiddlewareHandler =>
  async (context, next) => {
    const parameters = new URL(context.req.url).searchParams;
    if (!servers.awaitsSignIn(parameters.get('state') ?? '')) return next();
    const head = `<meta http-equiv="refresh" content="0; url=/oauth/finish?${parameters}">`;
    // Serialized parameters contain no quotation marks and no angle brackets.
    return context.html(toPage('Signing in …', { head }));
  };

/** Completes the sign-in of the server that started it: each rejects callbacks with another `state`. */
export function finishOAuth({ servers, channel }: Pick<PlaygroundContext, 'servers' | 'channel'>): Handler {
  return async context => {
    const isAccepted = await servers.finishAuth(new URL(context.req.url).searchParams);
    channel.changed('servers');
    return isAccepted
      ? context.html(toPage('You are signed in. You can close this page.'))
      : context.html(toPage('The sign-in was not accepted. Start it again in the playground.'), 400);
  };
}
