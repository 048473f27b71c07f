import type { MiddlewareHandler } from 'hono';

/**
 * Lets in what this machine's own browser sends from the playground's own page. The host must be a name of this
 * machine: a foreign name that was made to point here (DNS rebinding) is refused. Whatever changes something must come
 * from the page itself, and reading from another site is refused, too.
 */
export function localOnly({ port }: { port: () => number }): MiddlewareHandler {
  return async (context, next) => {
    const { method, header } = toParts(context.req.raw);
    const hosts = ['127.0.0.1', 'localhost', '[::1]'].map(name => `${name}:${port()}`);
    if (!hosts.includes(header('host') ?? '')) {
      return context.json({ error: 'Expected the name of this machine as the host, got another.' }, 403);
    }
    const origin = header('origin');
    const isOwnOrigin = hosts.some(host => origin === `http://${host}`);
    const isSafe = method === 'GET' || method === 'HEAD';
    if (origin === undefined ? !isSafe : !isOwnOrigin) {
      return context.json({ error: 'Expected a request of the playground’s own page.' }, 403);
    }
    const site = header('sec-fetch-site');
    // Where the browser tells: from the page itself, or typed into the address bar.
    const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
    if (context.req.path.startsWith('/api/') && !isOwnSite) {
      return context.json({ error: 'Expected a request of the playground’s own page.' }, 403);
    }
    return next();
  };
}

const toParts = ({ method, headers }: Request) => ({
  method,
  header: (name: string): string | undefined => headers.get(name) ?? undefined,
});

/**
 * Nothing is loaded from elsewhere and nothing is sent elsewhere: an image in an answer of the model cannot carry the
 * conversation away.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  headers.set('content-security-policy', POLICY);
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('cross-origin-opener-policy', 'same-origin');
  if (context.req.path.startsWith('/api/')) headers.set('cache-control', 'no-store');
};
