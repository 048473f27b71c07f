import { createUIMessageStreamResponse } from 'ai';
import { Hono } from 'hono';
import * as z from 'zod';
import type { PlaygroundMessage, Settings } from '../../shared/playground-state.js';
import type { PlaygroundContext } from '../context.js';
import { runTurn } from '../turn/turn.js';
import { readJson } from './json-body.js';
import { type ModelAdapter, modelAdapters } from 'kelivo-responses/adapters';

const thread = z.enum(['main', 'kelivo', 'official']);
const conversationId = z.string().regex(/^[\w-]{8,64}$/, 'Expected a conversation id');

const chatRequest = z.object({
  conversationId,
  thread,
  /** The new user message. Without it, the last response is generated again. */
  message: z
    .object({
      id: z.string().min(1).max(100),
      role: z.literal('user'),
      parts: z
        .array(z.object({ type: z.literal('text'), text: z.string().min(1).max(200_000) }))
        .min(1)
        .max(10),
    })
    .optional(),
});

const stopRequest = z.object({ conversationId, thread });

/** `POST /chat` streams a response; `POST /chat/stop` stops one. */
export function chatRoutes(playground: PlaygroundContext): Hono {
  const { conversations, settings, turns } = playground;

  return new Hono()
    .post('/', async context => {
      const request = await readJson(context, chatRequest);
      const chosen = settings.read();
      const message: PlaygroundMessage | undefined = request.message;
      if (message === undefined) {
        conversations.dropResponse(request.conversationId, request.thread);
      } else {
        conversations.open(request.conversationId, {
          mode: request.thread === 'main' ? 'chat' : 'compare',
          title: toTitle(message),
        });
        conversations.save(request.conversationId, request.thread, message);
      }
      const history = conversations.read(request.conversationId)?.threads[request.thread] ?? [];
      if (history.length === 0)
        return context.json({ error: 'Expected a conversation with a user message, got an empty one.' }, 409);

      const { signal, close } = turns.open(`${request.conversationId} ${request.thread}`, {
        signal: context.req.raw.signal,
      });
      const stream = runTurn({
        ...playground,
        history,
        flag: request.thread === 'main' ? chosen.flag : request.thread,
        settings: chosen,
        adapters: adaptersFor(chosen),
        mcpTools: playground.servers.tools(),
        signal,
        onResponse(response, trace) {
          conversations.save(request.conversationId, request.thread, response, trace);
          close();
        },
      });
      return createUIMessageStreamResponse({ stream });
    })
    .post('/stop', async context => {
      const request = await readJson(context, stopRequest);
      const isStopped = turns.stop(`${request.conversationId} ${request.thread}`);
      return context.json({ isStopped });
    });
}

const MAX_TITLE = 60;

function toTitle({ parts }: PlaygroundMessage): string {
  const text = parts
    .map(part => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > MAX_TITLE ? `${text.slice(0, MAX_TITLE - 1).trimEnd()}…` : text;
}

/** Returns the enabled adapters that match the model. */
const adaptersFor = ({
  modelId,
  disabledAdapters,
}: Pick<Settings, 'modelId' | 'disabledAdapters'>): readonly ModelAdapter[] =>
  modelAdapters.findFor(modelId).filter(({ name }) => !disabledAdapters.includes(name));

const decisionRequest = z.object({ approved: z.boolean(), reason: z.string().max(2000).optional() });

/** `POST /:id` decides whether a tool may run. */
export function approvalRoutes({ desk }: PlaygroundContext): Hono {
  return new Hono().post('/:id', async context => {
    const decision = await readJson(context, decisionRequest);
    const wasPending = desk.decide(context.req.param('id'), decision);
    return wasPending
      ? context.json({})
      : context.json({ error: 'This approval is no longer pending.' }, 410);
  });
}
