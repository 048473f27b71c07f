import { Hono } from 'hono';
import * as z from 'zod';
import type {
  Conversation,
  FoundConversation,
  ListedConversation,
  StoredMessage,
  Thread,
} from '../../shared/playground-state.js';
import { toFixture } from '../bug-report.js';
import type { PlaygroundContext } from '../context.js';
import { redactMessages, redactTraces, withoutFiles } from '../redaction/trace-redaction.js';
import { describeFile } from '../store/attachments.js';
import { readJson } from './json-body.js';
import { listRequests } from './servers.js';

type Context = Pick<PlaygroundContext, 'conversations' | 'turns' | 'redactor'>;

/** Returns the conversations with their running turns, and what waits for the user in them. */

export function listConversations(
  playground: Context & Pick<PlaygroundContext, 'servers'>,
): readonly ListedConversation[] {
  const { conversations, turns } = playground;
  const requests = listRequests(playground);
  return conversations.list().map(conversation => ({
    ...conversation,
    ...turns.counts(conversation.id),
    pendingRequests: requests.filter(({ conversationId }) => conversationId === conversation.id).length,
  }));
}

/** Returns a conversation as the page displays it, without secrets in responses. */
export function readConversation({ conversations, redactor }: Context, id: string): Conversation | null {
  const conversation = conversations.read(id);
  if (conversation === undefined) return null;
  const threads = Object.entries(conversation.threads).map(([thread, messages]) => [
    thread,
    redactMessages(messages, { redactor }),
  ]);
  return {
    ...conversation,
    threads: Object.fromEntries(threads) as Conversation['threads'],
    // An application can name its model as it likes.
    usages: redactor.json(conversation.usages),
  };
}

/**
 * `GET /`, `GET /search?text=`, `GET|PATCH|DELETE /:id`, `POST /:id/restore`, `PUT /:id/shown`, `GET /:id/traces/:message`,
 * `GET /:id/attachments/:hash`, `GET /:id/export|fixture`.
 */
export function conversationRoutes(playground: PlaygroundContext): Hono {
  const { conversations, attachments, turns, redactor, channel } = playground;
  const readTurns = ({ id, threads }: Conversation) =>
    Object.entries(threads).flatMap(([thread, messages]) =>
      messages.map(stored => ({
        thread: thread as Thread,
        stored,
        trace: conversations.readTrace(id, stored.message.id) ?? [],
      })),
    );
  const changed = (conversationId: string): void => {
    channel.changed({ conversationId });
    channel.changed('conversations');
  };

  return (
    new Hono()
      .get('/', context => context.json(listConversations(playground)))
      .get('/search', context => context.json(search(playground, context.req.query('text')?.trim() ?? '')))
      // A conversation is created with its first message.
      .get('/:id', context => context.json(readConversation(playground, context.req.param('id'))))
      .patch('/:id', async context => {
        const { title } = await readJson(context, z.object({ title: z.string().trim().min(1).max(200) }));
        conversations.rename(context.req.param('id'), title);
        changed(context.req.param('id'));
        return context.json({});
      })
      .delete('/:id', context => {
        const id = context.req.param('id');
        turns.stopConversation(id);
        conversations.delete(id);
        changed(id);
        return context.json({});
      })
      .post('/:id/restore', context => {
        const id = context.req.param('id');
        if (!conversations.restore(id)) return context.notFound();
        changed(id);
        return context.json({});
      })
      .get('/:id/attachments/:hash', context => {
        const file = attachments.read(context.req.param('id'), context.req.param('hash'));
        if (file === undefined) return context.notFound();
        return context.body(new Uint8Array(file.data), 200, { 'content-type': file.mediaType });
      })
      // Shows another version of a message.
      .put('/:id/shown', async context => {
        const { messageId } = await readJson(context, z.object({ messageId: z.string().max(100) }));
        if (!conversations.show(context.req.param('id'), messageId)) return context.notFound();
        channel.changed({ conversationId: context.req.param('id') });
        return context.json({});
      })
      .get('/:id/traces/:message', context => {
        const trace = conversations.readTrace(context.req.param('id'), context.req.param('message'));
        if (trace === undefined) return context.notFound();
        const [redacted] = redactTraces([trace], { redactor });
        return context.json(redacted);
      })
      .get('/:id/export', context => {
        const conversation = conversations.read(context.req.param('id'));
        if (conversation === undefined) return context.notFound();
        const found = readTurns(conversation);
        const traces = redactTraces(
          found.map(({ trace }) => withoutFiles(trace)),
          { redactor },
        );
        const read = (hash: string) => attachments.read(conversation.id, hash);
        const messages = redactor.json(
          found.map(({ thread, stored: { message, parentId } }) => ({
            thread,
            parentId,
            message: {
              ...message,
              parts: message.parts.map(part => (part.type === 'file' ? describeFile(part, { read }) : part)),
            },
          })),
          ({ path: [index, part, parts, number, name] }) =>
            part === 'message' && parts === 'parts' && name === 'text'
              ? [`${index} ${toPartType(found[Number(index)]?.stored, Number(number))}`]
              : [],
        );
        const { id, title, mode, updatedAt } = conversation;
        return context.json(
          {
            ...redactor.json({ title, mode, updatedAt }),
            id,
            messages: messages.map((message, index) => ({ ...message, trace: traces[index] })),
          },
          200,
          toDownload(`conversation-${id}`),
        );
      })
      .get('/:id/fixture', context => {
        const conversation = conversations.read(context.req.param('id'));
        if (conversation === undefined) return context.notFound();
        const reported = readTurns(conversation).filter(({ trace }) => trace.length > 0);
        const fixture = toFixture(reported, { redactor });
        return context.json(fixture, 200, toDownload(`bug-report-${conversation.id}`));
      })
  );
}

/** Characters of an excerpt before and after the match. */
const CONTEXT = 40;

/** Longer lists of matches are not read by anyone. */
const MAX_FOUND = 50;

/** Finds conversations by title and text. Excerpts of responses have no secrets. */
function search({ conversations, redactor }: Context, text: string): readonly FoundConversation[] {
  if (text === '') return [];
  const found = conversations.search(text).slice(0, MAX_FOUND);
  const texts = redactor.json(
    found.map(({ message }) => (message?.role === 'assistant' ? message.text : '')),
  );
  return found.map(({ id, message }, index) => {
    const shown = message?.role === 'assistant' ? (texts[index] ?? '') : (message?.text ?? '');
    const at = shown.toLowerCase().indexOf(text.toLowerCase());
    if (at < 0) return { id };
    const from = Math.max(0, at - CONTEXT);
    const to = at + text.length + CONTEXT;
    const excerpt = shown.slice(from, to).replace(/\s+/g, ' ');
    return { id, excerpt: `${from > 0 ? '…' : ''}${excerpt}${to < shown.length ? '…' : ''}` };
  });
}

const toPartType = (stored: StoredMessage | undefined, part: number): string =>
  stored?.message.parts[part]?.type ?? '';

const toDownload = (name: string) => ({ 'content-disposition': `attachment; filename="${name}.json"` });
