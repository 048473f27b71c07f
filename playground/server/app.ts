import { serveStatic } from '@hono/node-server/serve-static';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { KelivoError } from 'kelivo-responses';
import { ATTACHMENT_LIMITS } from '../shared/playground-state.js';
import { describeFailure } from '../shared/failure.js';
import { codeRoutes } from './code/code-view.js';
import type { PlaygroundContext } from './context.js';
import { APPS_PATH, localOnly, replaceServiceWorker, securityHeaders } from './guard.js';
import { APP_PAGE_PATH, createAppPages } from './mcp/app-pages.js';
import { CALLBACK_PATH } from './mcp/sign-in.js';
import { toPageWords } from './page-words.js';
import { appRoutes } from './routes/apps.js';
import { conversationRoutes } from './routes/conversations.js';
import { mcpRoutes } from './routes/mcp.js';
import { oauthCallback } from './routes/oauth.js';
import { serverRoutes } from './routes/servers.js';
import { stateRoutes } from './routes/state.js';
import { traceRoutes } from './routes/traces.js';
import { approvalRoutes, turnRoutes } from './routes/turns.js';
import type { Session } from './session.js';

export interface AppOptions {
  readonly playground: PlaygroundContext;
  /** Returns the port on which the server listens. */
  readonly port: () => number;
  readonly session: Pick<Session, 'guard' | 'renew'>;
  /** The folder of the built page. */
  readonly page: string;
}

/** Bytes. The longest message has a million characters. */
const MAX_BODY = 8_000_000;

/** Bytes of a message with attachments, in base64. */
const MAX_MESSAGE = MAX_BODY + Math.ceil((ATTACHMENT_LIMITS.message * 4) / 3);

const limitBody = (maxSize: number): MiddlewareHandler =>
  bodyLimit({
    maxSize,
    onError() {
      const message = `Expected a request of at most ${Math.floor(maxSize / 1_000_000)} MB, got a larger one.`;
      throw new HTTPException(413, { message });
    },
  });

/**
 * Creates the app with its routes and guards. Everything with data or effects is below `/api/`. The page and its assets are
 * public, because they contain nothing of the session.
 */
export function createApp({ playground, port, session, page }: AppOptions): Hono {
  const app = new Hono();
  // Never buffers streams of events.
  app.use(compress());
  app.use(securityHeaders);
  app.use(localOnly({ port }));
  app.use(replaceServiceWorker);
  app.route(APPS_PATH, appRoutes(playground));
  app.get(CALLBACK_PATH, oauthCallback(playground));
  const appPages = createAppPages();
  app.get(`${APP_PAGE_PATH}:id`, context => {
    const page = appPages.take(context.req.param('id'));
    if (page === undefined) return context.text('This app was shown already. Call its tool again.', 401);
    return context.html(page.html, 200, { 'content-security-policy': page.policy });
  });
  app.use('/api/*', session.guard);
  const limits = { message: limitBody(MAX_MESSAGE), other: limitBody(MAX_BODY) };
  app.use('/api/*', (context, next) =>
    (context.req.path === '/api/turns' ? limits.message : limits.other)(context, next),
  );
  app.route('/api/turns', turnRoutes(playground));
  app.route('/api/conversations', conversationRoutes(playground));
  app.route('/api/state', stateRoutes(playground));
  app.route('/api/servers', serverRoutes(playground));
  app.route('/api/mcp', mcpRoutes(playground, appPages));
  app.route('/api/traces', traceRoutes(playground));
  app.route('/api/code', codeRoutes(playground));
  app.route('/api/approvals', approvalRoutes(playground));
  // The guard above accepts only the current token.
  app.post('/api/session', context => context.json({ token: session.renew() }));
  app.get('/api/events', context => {
    const conversationId = context.req.query('conversation') ?? '';
    if (context.req.query('draft') !== undefined) playground.conversations.addDraft(conversationId);
    const stream = playground.channel.connect(conversationId);
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  });
  app.use('/*', serveStatic({ root: page }));
  // Paths of the page are those of its router, which reports unknown ones.
  for (const part of ['chats', 'servers', 'traces', 'settings'])
    app.use(`/${part}/*`, serveStatic({ root: page, path: 'index.html' }));
  app.notFound(context => context.json({ error: 'Not found.' }, 404));
  app.onError((error, context) => {
    const status = error instanceof HTTPException ? error.status : error instanceof KelivoError ? 400 : 500;
    return context.json({ error: toPageWords(playground.redactor.text(describeFailure(error))) }, status);
  });
  return app;
}
