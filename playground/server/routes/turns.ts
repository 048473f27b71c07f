import { Hono } from 'hono';
import * as z from 'zod';
import type { TurnPlace } from '../../shared/page-event.js';
import {
  ATTACHMENT_LIMITS,
  ATTACHMENT_TYPES,
  MAX_MESSAGE_CHARACTERS,
  type PlaygroundMessage,
  type Settings,
  type TurnRequest,
} from '../../shared/playground-state.js';
import type { PlaygroundContext } from '../context.js';
import { findSchemaProblems, toRefusal } from '../mcp/schema-check.js';
import { findFileProblem } from '../store/attachments.js';
import { settingsSchema } from '../store/settings.js';
import { adaptersFor } from '../turn/model.js';
import { runTurn } from '../turn/turn.js';
import { readJson } from './json-body.js';

const id = z.string().regex(/^[\w-]{8,64}$/, 'Expected an id of 8 to 64 letters, digits, "-" and "_"');

const text = z
  .string()
  .min(1)
  .max(
    MAX_MESSAGE_CHARACTERS,
    `Expected a message of at most ${MAX_MESSAGE_CHARACTERS.toLocaleString('en-US')} characters, got a longer one`,
  );

const file = z.object({
  type: z.literal('file'),
  mediaType: z.enum(
    ATTACHMENT_TYPES as [string, ...string[]],
    'Expected a PNG, JPEG, GIF or WebP image or a PDF, got a file of another type',
  ),
  filename: z.string().max(200).optional(),
  url: z.string(),
});

const turnRequest: z.ZodType<TurnRequest> = z.object({
  conversationId: id,
  thread: z.enum(['main', 'left', 'right']),
  responseId: id,
  parentId: id.nullable(),
  message: z
    .object({
      id,
      role: z.literal('user'),
      parts: z
        .array(z.discriminatedUnion('type', [z.object({ type: z.literal('text'), text }), file]))
        .min(1)
        .max(10 + ATTACHMENT_LIMITS.count),
    })
    .optional(),
  side: settingsSchema.pick({ flag: true, modelId: true }).optional(),
});

/** `POST /` starts or joins a turn; `POST /:id/stop` stops it. Pages receive turns by the channel. */
export function turnRoutes(playground: PlaygroundContext): Hono {
  const { conversations, attachments, settings, turns, channel } = playground;

  return new Hono()
    .post('/', async context => {
      const request = await readJson(context, turnRequest);
      const { conversationId, thread, responseId, message } = request;
      const parentId = message?.id ?? request.parentId;
      const running = turns.inThread(request);
      if (running?.responseId === responseId || conversations.has(conversationId, responseId))
        return context.json({ responseId });
      if (parentId === null)
        return context.json({ error: 'Expected a message or the id of one, got neither.' }, 400);
      // The same question from another page, or a retry whose first attempt has arrived.
      if (running?.parentId === parentId) return context.json({ responseId: running.responseId });
      if (running !== undefined) {
        return context.json(
          { error: 'Another response of this conversation is still running. Stop it or wait for it.' },
          409,
        );
      }
      if (request.parentId !== null && !conversations.has(conversationId, request.parentId)) {
        return context.json(
          { error: 'The message that this one follows is not stored. Reload the page.' },
          409,
        );
      }
      if (message !== undefined) {
        const problem = findFileProblem(message.parts, {
          read: hash => attachments.read(conversationId, hash),
        });
        if (problem !== undefined) return context.json({ error: problem }, 400);
        const mode = thread === 'main' ? 'chat' : 'compare';
        conversations.open(conversationId, { mode, title: toTitle(message) });
        const stored = attachments.store(conversationId, message);
        if (!conversations.addQuestion({ conversationId, thread, parentId: request.parentId }, stored))
          return context.json({ error: 'Another message with this id is stored. Reload the page.' }, 409);
        channel.changed({ conversationId });
      }
      const place: TurnPlace = { conversationId, thread, responseId, parentId };
      settings.pin(conversationId);
      const chosen: Settings = { ...settings.read(conversationId), ...request.side };
      turns.start(place, turn =>
        runTurn(
          {
            ...playground,
            conversationId,
            responseId,
            history: conversations.pathTo(conversationId, parentId).map(stored => ({
              ...stored,
              message: attachments.inline(conversationId, stored.message),
            })),
            settings: chosen,
            adapters: adaptersFor(chosen),
            mcpTools: playground.servers.tools(chosen.disabledTools),
          },
          turn,
        ),
      );
      return context.json({ responseId }, 202);
    })
    .post('/:id/stop', context => context.json({ isStopped: turns.stop(context.req.param('id')) }));
}

const MAX_TITLE = 60;

function toTitle({ parts }: PlaygroundMessage): string {
  const title = parts
    .map(part => {
      if (part.type === 'text') return part.text.slice(0, 10 * MAX_TITLE);
      return part.type === 'file' ? (part.filename ?? 'A file') : '';
    })
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1).trimEnd()}…` : title;
}

const decisionRequest = z.object({
  approved: z.boolean(),
  reason: z.string().max(2000).optional(),
  /** Arguments that the user has changed. */
  input: z.record(z.string(), z.unknown()).optional(),
  /** Allows further calls of the same tool, too. @default this call only */
  scope: z.enum(['chat', 'always']).optional(),
  /** Required to always allow a destructive tool. */
  isConfirmed: z.boolean().optional(),
});

/** `POST /:id` decides whether a tool may run. */
export function approvalRoutes({ desk, policies, channel }: PlaygroundContext): Hono {
  return new Hono().post('/:id', async context => {
    const id = context.req.param('id');
    const { scope, isConfirmed = false, ...decision } = await readJson(context, decisionRequest);
    const call = desk.find(id);
    if (call === undefined) return context.json({ error: 'This approval is no longer pending.' }, 410);
    const { server, tool, definition, conversationId, inputSchema, isDestructive } = call;
    if (decision.input !== undefined) {
      const problems = findSchemaProblems(inputSchema, decision.input, { ignoreUnreadable: true });
      if (problems.length > 0) return context.json(toRefusal(problems), 422);
    }
    if (decision.approved && scope !== undefined) {
      if (definition === undefined)
        return context.json({ error: 'Only this call can be allowed, because its tool is not listed.' }, 409);
      if (scope === 'always' && isDestructive && !isConfirmed)
        return context.json({ error: 'This tool can destroy data. Confirm that it may always run.' }, 409);
      policies.add({ server, tool, definition, ...(scope === 'chat' && { conversationId }) });
      channel.changed('state');
    }
    desk.decide(id, decision);
    return context.json({});
  });
}
