import { Hono } from 'hono';
import * as z from 'zod';
import type { PendingRequest } from '../../shared/mcp-inspection.js';
import type { ServersResponse } from '../../shared/playground-state.js';
import type { PlaygroundContext } from '../context.js';
import { readJson } from './json-body.js';

const replaceRequest = z.object({
  config: z.string().max(200_000),
  /** The code that the request for the same change has printed in the terminal. */
  code: z.string().max(100).optional(),
});

/** Returns the requests of servers that wait for the user, with the chat of their call. */
export const listRequests = ({
  servers,
  turns,
}: Pick<PlaygroundContext, 'servers' | 'turns'>): readonly PendingRequest[] =>
  servers.desk.pending().map(request => {
    const conversationId = turns.findCall(request.toolCallId ?? '');
    return { ...request, ...(conversationId !== undefined && { conversationId }) };
  });

/** Returns states and configuration of the MCP servers, without secrets. */
export const readServers = (playground: Pick<PlaygroundContext, 'servers' | 'turns'>): ServersResponse => ({
  servers: playground.servers.views(),
  config: playground.servers.configText(),
  requests: listRequests(playground),
});

/** `GET|PUT /` of the MCP servers, `POST /:name/reconnect` and `POST /:name/sign-out`. */
export function serverRoutes(playground: PlaygroundContext): Hono {
  const { servers, channel } = playground;
  const read = (): ServersResponse => readServers(playground);
  return new Hono()
    .get('/', context => context.json(read()))
    .put('/', async context => {
      const { config, code } = await readJson(context, replaceRequest);
      const refusal = await servers.replace(config, { code });
      channel.changed('servers');
      return context.json(refusal ?? read());
    })
    .post('/:name/sign-out', async context => {
      const isKnown = await servers.signOut(context.req.param('name'));
      channel.changed('servers');
      return isKnown ? context.json(read()) : context.notFound();
    })
    .post('/:name/reconnect', async context => {
      const isKnown = await servers.reconnect(context.req.param('name'));
      channel.changed('servers');
      return isKnown ? context.json(read()) : context.notFound();
    });
}
