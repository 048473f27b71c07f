import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  UI_MESSAGE_STREAM_HEADERS,
  type UIMessage,
} from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses/v4';
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
  messages: UIMessage[];
  /** The chunks that a running turn has sent. */
  stream?: ReadableStream<string>;
}

/** The chats of this process. With several processes, use a database, and the package `resumable-stream`. */
const chats = new Map<string, Chat>();

/** Starts a turn, or continues one with the answers to its approval requests. */
export async function POST(request: Request) {
  const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] };
  const chat: Chat = { messages };
  chats.set(id, chat);
  const { stream } = streamText({
    model: provider('gpt-5'),
    messages: await convertToModelMessages(messages),
  });
  const onEnd = (turn: { messages: UIMessage[] }) => void chats.set(id, { messages: turn.messages });
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
export async function GET(_request: Request, { params }: { params: Promise<{ path?: string[] }> }) {
  const [id = '', action] = (await params).path ?? [];
  const chat = chats.get(id);
  if (action !== 'stream') return Response.json(chat?.messages ?? []);
  if (chat?.stream === undefined) return new Response(null, { status: 204 });
  const [copy, kept] = chat.stream.tee();
  chat.stream = kept;
  return new Response(copy.pipeThrough(new TextEncoderStream()), { headers: UI_MESSAGE_STREAM_HEADERS });
}
