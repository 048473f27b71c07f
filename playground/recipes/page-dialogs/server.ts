import { serve } from '@hono/node-server';
import * as ai from 'ai';
import { build } from 'esbuild';
import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { createJournal, createRedisStore } from 'kelivo-responses/journal';
import { toolLoopCallOptions } from 'kelivo-responses/tool-loop';
import { createKelivoResponsesProvider, readClientMessages } from 'kelivo-responses/v4';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { createResumableStreamContext } from 'resumable-stream';
import { type Answer, createQuestions, type Question, type ShownQuestion } from './questions.js';

const { TRAIN_API = '', REDIS_URL = 'redis://127.0.0.1:6379', PORT = '4200', LEASE = '30000' } = process.env;

export type Message = ai.UIMessage<unknown, { question: ShownQuestion }>;

/** A conversation of one user, as the application keeps it, with the stream of the turn that runs. */
interface Chat {
  readonly messages: Message[];
  readonly activeStreamId?: string;
}

/** The `context` of a turn: asks its user, in its stream. */
type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

const redis = await createClient({ url: REDIS_URL }).connect();
const subscriber = await redis.duplicate().connect();
const streams = createResumableStreamContext({ waitUntil: null, publisher: redis, subscriber });
const questions = createQuestions(redis);

const loadChat = async (user: string, id: string): Promise<Chat> =>
  JSON.parse((await redis.hGet(`chats:${user}`, id)) ?? '{"messages":[]}') as Chat;
const saveChat = (user: string, id: string, chat: Chat) =>
  redis.hSet(`chats:${user}`, id, JSON.stringify(chat));

const provider = createKelivoResponsesProvider({
  mcpServers: {
    trains: {
      command: process.execPath,
      args: [fileURLToPath(new URL('booking-server.mjs', import.meta.url))],
      env: { TRAIN_API },
      trustAnnotations: true,
    },
  },
  mcp: {
    onElicitation: (request, { server, context, signal }) => {
      const asked = request.mode === 'url' ? { url: request.url } : { form: request.requestedSchema };
      return (context as Ask)({ server, message: request.message, ...asked }, signal);
    },
  },
  toolLoop: {
    approvals: 'destructive',
    approve: async ({ server = 'this application', originalName, input, context }, { signal }) => {
      const question = { server, message: `Run ${originalName}?`, input };
      return (await (context as Ask)(question, signal)).action === 'accept';
    },
    journal: createJournal({ store: createRedisStore({ client: redis }), lease: Number(LEASE) }),
  },
});

/** Runs the newest turn of a chat, or continues it from its journal. It goes on if the reader of the stream leaves. */
async function runTurn(user: string, chatId: string, { messages }: Chat): Promise<Response> {
  const streamId = crypto.randomUUID();
  const turnId = messages.at(-1)?.id;
  await saveChat(user, chatId, { messages, activeStreamId: streamId });
  const stream = ai.createUIMessageStream<Message>({
    originalMessages: messages,
    generateId: () => `answer-to-${turnId}`,
    async execute({ writer }) {
      // A part with the id of an earlier one replaces it.
      const show = (id: string, data: ShownQuestion) => writer.write({ type: 'data-question', id, data });
      const context: Ask = (question, signal) => questions.ask({ user, question, signal }, show);
      const { stream } = ai.streamText({
        model: provider('gpt-5'),
        messages: await ai.convertToModelMessages(messages),
        providerOptions: { kelivo: toolLoopCallOptions({ turnId, scope: user, context }) },
      });
      writer.merge(ai.toUIMessageStream<ai.ToolSet, Message>({ stream }));
    },
    onEnd: async ({ messages }) => void (await saveChat(user, chatId, { messages })),
  });
  return ai.createUIMessageStreamResponse({
    stream,
    async consumeSseStream({ stream }) {
      await streams.createNewResumableStream(streamId, () => stream);
    },
  });
}

/** Returns the stream of the turn that runs, if there is one. Its open questions are part of it. */
async function resumeTurn(user: string, chatId: string): Promise<Response> {
  const chat = await loadChat(user, chatId);
  if (chat.activeStreamId === undefined) return new Response(null, { status: 204 });
  // It rejects if no process answers for the stream.
  const stream = await streams.resumeExistingStream(chat.activeStreamId).catch(() => undefined);
  if (stream === null) return new Response(null, { status: 204 });
  if (stream === undefined) return runTurn(user, chatId, chat);
  return new Response(stream.pipeThrough(new TextEncoderStream()), { headers: ai.UI_MESSAGE_STREAM_HEADERS });
}

const page = await build({
  entryPoints: [fileURLToPath(new URL('page.tsx', import.meta.url))],
  ...{ bundle: true, write: false, format: 'esm', jsx: 'automatic', minify: true },
  define: { 'process.env.NODE_ENV': '"production"' },
});
const script = page.outputFiles[0]?.text ?? '';
const document = `<!doctype html><meta charset="utf-8"><title>Chat</title><div id="root"></div>
<script type="module">${script.replaceAll('</script', '<\\/script')}</script>`;

const app = new Hono<{ Variables: { user: string } }>();

// Stands for the session of the application, which names the user: a secret that each browser gets with the page.
app.get('/', context => {
  const session = getCookie(context, 'session') ?? crypto.randomUUID();
  setCookie(context, 'session', session, { httpOnly: true, sameSite: 'Strict' });
  return context.html(document);
});
app.use('/api/*', async (context, next) => {
  const session = getCookie(context, 'session');
  if (session === undefined) return context.text('Open the page first.', 401);
  context.set('user', session);
  return next();
});

app.get('/api/chat/:id', async context =>
  context.json((await loadChat(context.get('user'), context.req.param('id'))).messages),
);
app.get('/api/chat/:id/stream', context => resumeTurn(context.get('user'), context.req.param('id')));
app.post('/api/chat', async context => {
  const { id, message: received } = await context.req.json<{ id: string; message: Message }>();
  // The page sends the newest message only, and the others are read from the store.
  const [message] = readClientMessages([received]);
  if (message?.role !== 'user') return context.text('Expected a message of the user.', 400);
  const { messages, activeStreamId } = await loadChat(context.get('user'), id);
  if (activeStreamId !== undefined) return context.text('The chat has a turn that runs.', 409);
  return runTurn(context.get('user'), id, { messages: [...messages, message] });
});
app.post('/api/questions/:id', async context => {
  const issues = await questions.answer(
    context.req.param('id'),
    context.get('user'),
    await context.req.json(),
  );
  return issues.length === 0 ? context.body(null, 204) : context.json(issues, 422);
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, () =>
  console.log(`Ready at http://127.0.0.1:${PORT}`),
);

// Another process continues the turns from their journals. Closing the provider would end them.
process.once('SIGTERM', () => process.exit());
