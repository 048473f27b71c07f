import { convertToModelMessages, streamText, UI_MESSAGE_STREAM_HEADERS, type UIMessage } from 'ai';
import { build } from 'esbuild';
import { createJournal, createRedisStore } from 'kelivo-responses/journal';
import { toolLoopCallOptions } from 'kelivo-responses/tool-loop';
import { createKelivoResponsesProvider, readClientMessages } from 'kelivo-responses/v4';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { createResumableStreamContext } from 'resumable-stream';

const { TRAIN_API = '', REDIS_URL = 'redis://127.0.0.1:6379', PORT = '4200', LEASE = '30000' } = process.env;

/** A conversation of one user, as the application keeps it. */
interface Chat {
  readonly messages: UIMessage[];
  /** The stream of the turn that runs. */
  readonly activeStreamId?: string;
}

const redis = await createClient({ url: REDIS_URL }).connect();
const subscriber = await redis.duplicate().connect();
const streams = createResumableStreamContext({ waitUntil: null, publisher: redis, subscriber });

const keyOf = (chatId: string): string => `chat:${chatId}`;
const loadChat = async (chatId: string): Promise<Chat> =>
  JSON.parse((await redis.get(keyOf(chatId))) ?? '{"messages":[]}') as Chat;
const saveChat = (chatId: string, chat: Chat) => redis.set(keyOf(chatId), JSON.stringify(chat));

const provider = createKelivoResponsesProvider({
  mcpServers: {
    trains: {
      command: process.execPath,
      args: [fileURLToPath(new URL('../shared/train-server.mjs', import.meta.url))],
      env: { TRAIN_API },
      trustAnnotations: true,
    },
  },
  toolLoop: {
    approvals: 'never',
    journal: createJournal({ store: createRedisStore({ client: redis }), lease: Number(LEASE) }),
  },
});

/** Runs the newest turn of a chat, or continues it from its journal. It goes on if the reader of the stream leaves. */
async function runTurn(chatId: string, { messages }: Chat): Promise<Response> {
  const streamId = crypto.randomUUID();
  await saveChat(chatId, { messages, activeStreamId: streamId });
  const result = streamText({
    model: provider('gpt-5'),
    messages: await convertToModelMessages(messages),
    // The id of the message to answer names the turn. The owner of the chat is its scope.
    providerOptions: { kelivo: toolLoopCallOptions({ turnId: messages.at(-1)?.id, scope: chatId }) },
  });
  return result.toUIMessageStreamResponse({
    originalMessages: messages,
    generateMessageId: () => `answer-to-${messages.at(-1)?.id}`,
    onFinish: async ({ messages }) => void (await saveChat(chatId, { messages })),
    async consumeSseStream({ stream }) {
      await streams.createNewResumableStream(streamId, () => stream);
    },
  });
}

/** Returns the stream of the turn that runs, if there is one. */
async function resumeTurn(chatId: string): Promise<Response> {
  const chat = await loadChat(chatId);
  if (chat.activeStreamId === undefined) return new Response(null, { status: 204 });
  // It rejects if no process answers for the stream.
  const stream = await streams.resumeExistingStream(chat.activeStreamId).catch(() => undefined);
  if (stream === null) return new Response(null, { status: 204 });
  if (stream === undefined) return runTurn(chatId, chat);
  return new Response(stream.pipeThrough(new TextEncoderStream()), { headers: UI_MESSAGE_STREAM_HEADERS });
}

const page = await build({
  entryPoints: [fileURLToPath(new URL('page.tsx', import.meta.url))],
  ...{ bundle: true, write: false, format: 'esm', jsx: 'automatic', minify: true },
  define: { 'process.env.NODE_ENV': '"production"' },
});
const script = page.outputFiles[0]?.text ?? '';
const document = `<!doctype html><meta charset="utf-8"><title>Chat</title><div id="root"></div>
<script type="module">${script.replaceAll('</script', '<\\/script')}</script>`;

async function respond(request: IncomingMessage): Promise<Response> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const [, root, , chatId = '', action] = pathname.split('/');
  if (root !== 'api') return new Response(document, { headers: { 'content-type': 'text/html' } });
  if (request.method === 'GET' && action === 'stream') return resumeTurn(chatId);
  if (request.method === 'GET') return Response.json((await loadChat(chatId)).messages);
  const { id, message: received } = (await json(request)) as { id: string; message: UIMessage };
  // The page sends the newest message only, and the others are read from the store.
  const [message] = readClientMessages([received]);
  if (message?.role !== 'user') return new Response('Expected a message of the user.', { status: 400 });
  const { messages, activeStreamId } = await loadChat(id);
  if (activeStreamId !== undefined) return new Response('The chat has a turn that runs.', { status: 409 });
  return runTurn(id, { messages: [...messages, message] });
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void outgoing.end();
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  outgoing.once('close', () => body.destroy());
  body.on('error', () => outgoing.destroy()).pipe(outgoing);
}

const server = createServer((request, outgoing) => {
  respond(request)
    .then(response => send(response, outgoing))
    .catch(error => {
      console.error(error);
      outgoing.writeHead(500).end();
    });
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Ready at http://127.0.0.1:${PORT}`));

process.once('SIGTERM', async () => {
  server.closeAllConnections();
  server.close();
  await provider.close();
  // Waits for commands that are on their way.
  await Promise.all([redis.close(), subscriber.close()]);
});
