// Runs a turn in `ai` 7 that the DevTools of `ai` record in the working folder, and prints what the server received.
import { DevToolsTelemetry } from '@ai-sdk/devtools';
import { generateText, registerTelemetry, streamText } from 'ai';
import { z } from 'zod';

globalThis.AI_SDK_LOG_WARNINGS = false;
const [folder, form, mode] = process.argv.slice(2);
const { createKelivoResponsesProvider } = await import(`${folder}/v4.js`);
const { startResponsesEmulator } = await import(`${folder}/testing/index.js`);
registerTelemetry(DevToolsTelemetry());

const emulator = await startResponsesEmulator();
emulator.enqueue(
  [
    { call: 'get_weather', arguments: { city: 'Rome' } },
    { call: 'get_weather', arguments: { city: 'Oslo' } },
  ],
  [{ call: 'get_weather', arguments: { city: 'Turin' } }],
  [{ text: 'Rain everywhere.' }],
);
/** The bodies of the responses. */
const answers = [];
let runs = 0;
const kelivo = createKelivoResponsesProvider({
  baseURL: emulator.baseURL,
  apiKey: 'key',
  async fetch(...request) {
    const response = await fetch(...request);
    answers.push(response.clone().text());
    return response;
  },
  tools: {
    get_weather: {
      description: 'Returns the weather of a city',
      inputSchema: z.object({ city: z.string() }),
      async execute({ city }) {
        runs++;
        return `Rain in ${city}`;
      },
    },
  },
});
const settings = form === 'continuous' ? {} : await kelivo.agentSettings({ runBy: form });
const options = { model: kelivo('gpt-5'), prompt: 'Where does it rain?', ...settings };
const result = mode === 'generate' ? await generateText(options) : streamText(options);
if (mode === 'stream') await result.consumeStream();
await result.steps;
await kelivo.close();
await emulator.close();

const requests = (await Promise.all(answers)).map(answer => {
  // The end of a stream has the usage.
  const tokensOf = name => Number([...answer.matchAll(new RegExp(`"${name}": ?(\\d+)`, 'g'))].at(-1)?.[1]);
  return { input: tokensOf('input_tokens'), output: tokensOf('output_tokens') };
});
console.log(JSON.stringify({ requests, runs }));
