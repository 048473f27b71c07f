import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

/** Access to a running playground. Other programs and users of this machine can reach its port, but lack its token. */
export interface Session {
  /** Part of the printed URL. Random per start. */
  readonly token: string;
  /** Exchanges the token for a cookie, and rejects every request without that cookie. */
  readonly guard: MiddlewareHandler;
}

/** @param port Returns the port: cookies are shared by all ports of a host, so the name contains it. */
export function createSession({ port }: { port: () => number }): Session {
  const token = randomBytes(32).toString('base64url');
  // The cookie differs from the token, so that a URL in a log or a history does not contain it.
  const cookie = randomBytes(32).toString('base64url');
  const cookieName = (): string => `kelivo-playground-${port()}`;

  return {
    token,
    async guard(context, next) {
      const given = context.req.method === 'GET' ? context.req.query('token') : undefined;
      if (given !== undefined && isEqual(given, token)) {
        setCookie(context, cookieName(), cookie, { httpOnly: true, sameSite: 'Strict', path: '/' });
        return context.redirect('/', 303);
      }
      if (isEqual(getCookie(context, cookieName()) ?? '', cookie)) return next();
      if (getCookie(context, cookieName()) !== undefined) deleteCookie(context, cookieName());
      return refuse(context);
    },
  };
}

/** Compares digests, so that the time does not depend on the number of equal characters. */
const isEqual = (first: string, second: string): boolean =>
  timingSafeEqual(createHash('sha256').update(first).digest(), createHash('sha256').update(second).digest());

const reason =
  'This playground belongs to whoever started it. Open the URL that it printed in the terminal: it contains a token. ' +
  'A restart creates a new token.';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in – kelivo-responses</title>
<h1>The playground needs its token</h1>
<p>${reason}</p>
<p>The line looks like this: <code>The playground runs at http://127.0.0.1:4173/?token=…</code></p>
</html>
`;

function refuse(context: Context): Response | Promise<Response> {
  const isPage = context.req.method === 'GET' && !context.req.path.startsWith('/api/');
  return isPage ? context.html(page, 401) : context.json({ error: reason }, 401);
}
