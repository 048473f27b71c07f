// Sample consumer: imports the given entries and runs a tool call.
import { APICallError, generateText, streamText } from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses';
import { startResponsesEmulator } from 'kelivo-responses/testing';
import { z } from 'zod';

declare const process: { readonly argv: readonly string[] };
declare const console: { log(text: string): void };

const specifiers = process.argv.slice(2);
for (const specifier of specifiers) await import(specifier);

const emulator = await startResponsesEmulator();
const provider = createKelivoResponsesProvider({
  baseURL: emulator.baseURL,
  tools: {
    add: {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }: { a: number; b: number }) => a + b,
    },
  },
});
const model = provider('gpt-5');
const prompt = 'Use the tool add with 20 and 22.';

const { text } = await generateText({ model, prompt });
const { textStream } = streamText({ model, prompt, tools: await provider.tools() });
let streamed = '';
for await (const piece of textStream) streamed += piece;

emulator.enqueue({ status: 400 });
const error: unknown = await generateText({ model, prompt }).catch((reason: unknown) => reason);

await provider.close();
await emulator.close();
if (!text.includes('42') || streamed !== text) {
  throw new Error(`Expected the sum of 20 and 22 twice, got ${JSON.stringify({ text, streamed })}.`);
}
if (!APICallError.isInstance(error) || error.statusCode !== 400) {
  throw new Error(`Expected an APICallError with status 400, got ${String(error)}.`);
}
console.log(`${specifiers.length} entries`);
