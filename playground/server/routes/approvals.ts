import { Hono } from 'hono';
import * as z from 'zod';
import type { PlaygroundContext } from '../context.js';
import { readJson } from './read-json.js';

const decisionRequest = z.object({ approved: z.boolean(), reason: z.string().max(2000).optional() });

/** `POST /:id` answers the question whether a tool may run. */
export function approvalRoutes({ desk }: PlaygroundContext): Hono {
  return new Hono().post('/:id', async context => {
    const decision = await readJson(context, decisionRequest);
    const wasOpen = desk.settle(context.req.param('id'), decision);
    return wasOpen
      ? context.json({})
      : context.json({ error: 'Nobody waits for this answer any more.' }, 410);
  });
}
