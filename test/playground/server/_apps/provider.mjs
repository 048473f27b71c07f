// This package, whose provider runs the tools.
import { generateText, streamText, wrapLanguageModel } from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses';
import { devTools } from 'kelivo-responses/devtools';
import * as z from 'zod';

const add = {
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
};
const provider = createKelivoResponsesProvider({
  baseURL: process.env.MODEL_URL,
  apiKey: 'none',
  tools: { add },
});
const model = wrapLanguageModel({ model: provider('gpt-5'), middleware: devTools({ name: 'provider' }) });
if (process.argv[3] === 'generate') await generateText({ model, prompt: process.argv[2], maxRetries: 0 });
else await streamText({ model, prompt: process.argv[2], maxRetries: 0, onError: () => {} }).consumeStream();
await provider.close();
