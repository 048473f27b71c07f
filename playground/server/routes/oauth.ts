import type { Handler } from 'hono';
import type { PlaygroundContext } from '../context.js';

const toPage = (text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${text}</title><p>${text}</p></html>`;

/**
 * The page to which an authorization server returns the user, without the token of the session. It accepts only the `state`
 * of a sign-in that has started, once, and shows nothing of the session.
 */
export const oauthCallback =
  ({ servers, channel }: Pick<PlaygroundContext, 'servers' | 'channel'>): Handler =>
  async context => {
    const parameters = new URL(context.req.url).searchParams;
    const isAccepted =
      context.req.method === 'GET' &&
      servers.awaitsSignIn(parameters.get('state') ?? '') &&
      (await servers.finishAuth(parameters));
    if (isAccepted) channel.changed('servers');
    return isAccepted
      ? context.html(toPage('You are signed in. You can close this page.'))
      : context.html(toPage('The sign-in was not accepted. Start it again in the playground.'), 400);
  };
