import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { KelivoError } from 'kelivo-responses';
import { describeFailure } from '../shared/failure.js';
import type { PlaygroundContext } from './context.js';
import { localOnly } from './guard.js';
import { securityHeaders } from './guard.js';
import { approvalRoutes } from './routes/chat.js';
import { chatRoutes } from './routes/chat.js';
import { conversationRoutes } from './routes/conversations.js';
import { serverRoutes } from './routes/servers.js';
import { stateRoutes } from './routes/state.js';

export interface AppOptions {
  readonly playground: PlaygroundContext;
  /** Returns the port on which the server listens. */
  readonly port: () => number;
  /** The folder of the built page. */
  readonly page: string;
}

const MAX_BODY = 4_000_000;

/** Creates the app with its routes and guards. */
export function createApp({ playground, port, page }: AppOptions): Hono {
  const app = new Hono();
  app.use(securityHeaders);
  app.use(localOnly({ port }));
  app.use('/api/*', bodyLimit({ maxSize: MAX_BODY }));
  app.route('/api/chat', chatRoutes(playground));
  app.route('/api/conversations', conversationRoutes(playground));
  app.route('/api/state', stateRoutes(playground));
  app.route('/api/servers', serverRoutes(playground));
  app.route('/api/approvals', approvalRoutes(playground));
  app.use('/*', serveStatic({ root: page }));
  app.notFound(context => context.json({ error: 'Not found.' }, 404));
  app.onError((error, context) => {
    const status = error instanceof HTTPException ? error.status : error instanceof KelivoError ? 400 : 500;
    return context.json({ error: playground.redactor.text(describeFailure(error)) }, status);
  });
  return app;
}
