import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  UI_MESSAGE_STREAM_HEADERS,
  type UIMessage,
} from 'ai';
import { createKelivoResponsesProvider, readClientMessages } from 'kelivo-responses/v4';
import { z } from 'zod';

const provider = createKelivoResponsesProvider({
  tools: {
    book_seat: {
      description: 'Books a seat in a train.',
      inputSchema: z.object({ trip: z.string() }),
      execute: ({ trip }: { trip: string }) => `seat 12, ${trip}`,
    },
  },
  // The page shows a request for each call of a tool that is not read-only.
  toolLoop: { approve: 'host' },
});

interface Chat {
  /** The user who may read and continue it. */
  owner: string;
  messages: UIMessage[];
  /** The chunks that a running turn has sent. */
  stream?: ReadableStream<string>;
}

/** The chats of this process. With several processes, use a database, and the package `resumable-stream`. */
const chats = new Map<string, Chat>();

/** Returns the user of a request. An application reads its session here. */
const userOf = (request: Request): string => request.headers.get('x-user') ?? 'local';

/** Starts a turn, or continues one with the answers to its approval requests. */
export async function POST(request: Request) {
  const owner = userOf(request);
  const { id, messages: received } = (await request.json()) as { id: string; messages: UIMessage[] };
  if ((chats.get(id)?.owner ?? owner) !== owner) return new Response('Not found', { status: 404 });
  const messages = readClientMessages(received);
  const chat: Chat = { owner, messages };
  chats.set(id, chat);
  const { stream } = streamText({
    model: provider('gpt-5'),
    messages: await convertToModelMessages(messages),
    providerOptions: { kelivo: { scope: owner } },
  });
  const onEnd = (turn: { messages: UIMessage[] }) => void chats.set(id, { owner, messages: turn.messages });
  return createUIMessageStreamResponse({
    stream: toUIMessageStream({ stream, originalMessages: messages, onEnd }),
    consumeSseStream({ stream }) {
      const [kept, read] = stream.tee();
      chat.stream = kept;
      void read.pipeTo(new WritableStream()); // the turn goes on without a reader
    },
  });
}

/** Returns the messages of a chat, or the stream of its running turn, from the beginning. */
export async function GET(request: Request, { params }: { params: Promise<{ path?: string[] }> }) {
  const [id = '', action] = (await params).path ?? [];
  const found = chats.get(id);
  const chat = found?.owner === userOf(request) ? found : undefined;
  if (action !== 'stream') return Response.json(chat?.messages ?? []);
  if (chat?.stream === undefined) return new Response(null, { status: 204 });
  const [copy, kept] = chat.stream.tee();
  chat.stream = kept;
  return new Response(copy.pipeThrough(new TextEncoderStream()), { headers: UI_MESSAGE_STREAM_HEADERS });
}
