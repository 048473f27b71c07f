import { serve } from '@hono/node-server';
import { convertToModelMessages, streamText, type UIMessage } from 'ai';
import { Hono } from 'hono';
import { createKelivoResponsesProvider, readClientMessages } from 'kelivo-responses/v4';
import { z } from 'zod';

const provider = createKelivoResponsesProvider({
  tools: {
    get_weather: {
      description: 'Returns the weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }: { city: string }) => `snow in ${city}`,
    },
  },
});

const app = new Hono();
app.post('/api/chat', async context => {
  const { messages } = await context.req.json<{ messages: UIMessage[] }>();
  const result = streamText({
    model: provider('gpt-5'),
    messages: await convertToModelMessages(readClientMessages(messages)),
    // A reader who leaves ends the turn and its calls.
    abortSignal: context.req.raw.signal,
  });
  return result.toUIMessageStreamResponse();
});

const server = serve(
  { fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' },
  info => console.log(`Ready at http://127.0.0.1:${info.port}`),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close();
    await provider.close(); // ends running turns and MCP servers
  });
}
