import type { MiddlewareHandler } from 'hono';

/** The routes for applications, which check the origin themselves: programs have none. */
export const APPS_PATH = '/v1';

/** The frame that draws diagrams, and its scripts. */
const DIAGRAM_PATH = '/diagram/';

/**
 * Accepts only requests from the playground's page on this machine. The host must be a local name, which prevents DNS
 * rebinding. Requests that change state require the origin of the page, and other sites cannot read responses.
 */
export function localOnly({ port }: { port: () => number }): MiddlewareHandler {
  return async (context, next) => {
    const { method, header } = toParts(context.req.raw);
    const hosts = ['127.0.0.1', 'localhost', '[::1]'].map(name => `${name}:${port()}`);
    if (!hosts.includes(header('host') ?? '')) {
      return context.json(
        { error: 'Expected a local host name, such as 127.0.0.1, in the Host header, got another host.' },
        403,
      );
    }
    if (context.req.path.startsWith(`${APPS_PATH}/`)) return next();
    const origin = header('origin');
    const isOwnOrigin = hosts.some(host => origin === `http://${host}`);
    const isSafe = method === 'GET' || method === 'HEAD';
    // Two public scripts, for a frame without an origin.
    if (isSafe && context.req.path.startsWith(DIAGRAM_PATH)) return next();
    if (origin === undefined ? !isSafe : !isOwnOrigin) {
      return context.json(
        { error: 'Expected a request from the page of the playground, got another origin.' },
        403,
      );
    }
    const site = header('sec-fetch-site');
    // Browsers send `none` for addresses that the user entered.
    const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
    if (context.req.path.startsWith('/api/') && !isOwnSite) {
      return context.json(
        { error: 'Expected a request from the page of the playground, got another origin.' },
        403,
      );
    }
    return next();
  };
}

const toParts = ({ method, headers }: Request) => ({
  method,
  header: (name: string): string | undefined => headers.get(name) ?? undefined,
});

/**
 * Blocks all requests to other origins, so that an image in a model's response cannot send the conversation to another
 * server.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Attachments are fetched with the token, and shown as blobs.
  "img-src 'self' data: blob:",
  "media-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Gives the frame that draws diagrams an opaque origin, and lets it load nothing but its scripts. */
const DIAGRAM_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  const isDiagram = context.req.path.startsWith(DIAGRAM_PATH);
  // Pages of MCP apps bring their own policy.
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', isDiagram ? DIAGRAM_POLICY : POLICY);
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('cross-origin-resource-policy', isDiagram ? 'cross-origin' : 'same-origin');
  headers.set('cross-origin-opener-policy', 'same-origin');
  // A cache would keep conversations.
  headers.set('cache-control', 'no-store');
};

/**
 * Replaces a service worker that another program has left on this port, and that would answer for the page. Browsers ask for
 * its script again when the port is visited.
 */
export const replaceServiceWorker: MiddlewareHandler = (context, next) =>
  context.req.header('service-worker') === 'script'
    ? Promise.resolve(context.body(REMOVAL, 200, { 'content-type': 'text/javascript' }))
    : next();

/** A worker without effects but two: it removes its registration, and loads what the former one has answered again. */
const REMOVAL = `addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(remove()));
async function remove() {
  const pages = await clients.matchAll({ type: 'window' });
  await registration.unregister();
  await Promise.all(pages.map(page => page.navigate(page.url)));
}
`;
