import { streamText } from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses/v4';
import { z } from 'zod';

// For a server of the user, such as LM Studio or llama.cpp. It has to allow requests of this page (CORS). A key in a page is
// public, so paid servers need a proxy that adds it.
const tools = {
  read_page: {
    description: 'Returns the text of an element of this page.',
    inputSchema: z.object({ element: z.string() }),
    execute: ({ element }: { element: string }) =>
      document.querySelector(element)?.textContent ?? 'not found',
  },
};

const form = document.querySelector('form');
const output = document.querySelector('output');

form?.addEventListener('submit', async event => {
  event.preventDefault();
  const data = new FormData(form);
  const [server, message] = ['server', 'message'].map(name => String(data.get(name))) as [string, string];
  const provider = createKelivoResponsesProvider({ baseURL: server, apiKey: 'none', tools });
  const { fullStream } = streamText({ model: provider('local-model'), prompt: message });
  output?.replaceChildren();
  for await (const part of fullStream) {
    if (part.type === 'tool-result') output?.append(`${part.toolName}: ${JSON.stringify(part.output)} `);
    if (part.type === 'text-delta') output?.append(part.text);
    if (part.type === 'error') output?.append(String(part.error));
  }
  await provider.close();
});
