import { convertToModelMessages, streamText, type UIMessage } from 'ai';
import { createKelivoResponsesProvider, readClientMessages } from 'kelivo-responses/v4';
import { z } from 'zod';

interface Env {
  readonly OPENAI_API_KEY: string;
  readonly OPENAI_BASE_URL?: string;
}

const tools = {
  get_weather: {
    description: 'Returns the weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }: { city: string }) => `snow in ${city}`,
  },
};

let provider: ReturnType<typeof createKelivoResponsesProvider> | undefined;

export default {
  async fetch(
    request: Request,
    { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL }: Env,
  ): Promise<Response> {
    if (request.method !== 'POST') return new Response('Expected POST', { status: 405 });
    // MCP servers over Streamable HTTP work as well: `mcpServers: { search: { url: 'https://…' } }`.
    provider ??= createKelivoResponsesProvider({ apiKey, ...(baseURL && { baseURL }), tools });
    const { messages } = (await request.json()) as { messages: UIMessage[] };
    const result = streamText({
      model: provider('gpt-5'),
      messages: await convertToModelMessages(readClientMessages(messages)),
      abortSignal: request.signal,
    });
    return result.toUIMessageStreamResponse();
  },
};
