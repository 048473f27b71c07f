import { Hono } from 'hono';
import * as z from 'zod';
import type { PlaygroundContext } from '../context.js';
import { toFixture } from '../bug-report.js';
import { readJson } from './json-body.js';

/** `GET /`, `GET|PATCH|DELETE /:id`, `GET /:id/export` and `GET /:id/fixture`. */
export function conversationRoutes({ conversations, turns, redactor }: PlaygroundContext): Hono {
  return (
    new Hono()
      .get('/', context => context.json(conversations.list()))
      // A conversation is created with its first message.
      .get('/:id', context => context.json(conversations.read(context.req.param('id')) ?? null))
      .patch('/:id', async context => {
        const { title } = await readJson(context, z.object({ title: z.string().trim().min(1).max(200) }));
        conversations.rename(context.req.param('id'), title);
        return context.json({});
      })
      .delete('/:id', context => {
        const id = context.req.param('id');
        for (const thread of ['main', 'kelivo', 'official']) turns.stop(`${id} ${thread}`);
        conversations.delete(id);
        return context.json({});
      })
      .get('/:id/export', context => {
        const conversation = conversations.read(context.req.param('id'));
        if (conversation === undefined) return context.notFound();
        return context.json(redactor.json(conversation), 200, toDownload(`conversation-${conversation.id}`));
      })
      .get('/:id/fixture', context => {
        const conversation = conversations.read(context.req.param('id'));
        if (conversation === undefined) return context.notFound();
        const fixture = toFixture(conversation, { redactor });
        return context.json(fixture, 200, toDownload(`bug-report-${conversation.id}`));
      })
  );
}

const toDownload = (name: string) => ({ 'content-disposition': `attachment; filename="${name}.json"` });
