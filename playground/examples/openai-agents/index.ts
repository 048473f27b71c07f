import { Agent, run, setTracingDisabled, tool } from '@openai/agents';
import { aisdk } from '@openai/agents-extensions/ai-sdk';
import { createKelivoResponsesProvider } from 'kelivo-responses/v4';
import { z } from 'zod';

setTracingDisabled(true); // traces go to OpenAI with a key of their own

const provider = createKelivoResponsesProvider({
  tools: {
    get_weather: {
      description: 'Returns the weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }: { city: string }) => {
        console.log('get_weather', city);
        return `snow in ${city}`;
      },
    },
  },
  // The agent runs every call that it receives and rejects calls of tools that are not its own.
  toolLoop: { toolActivity: 'none' },
});
const agent = new Agent({
  name: 'Assistant',
  model: aisdk(provider('gpt-5')),
  tools: [
    tool({
      name: 'add',
      description: 'Adds two numbers.',
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => {
        console.log('add', a, b);
        return String(a + b);
      },
    }),
  ],
});

const [prompt = 'Use get_weather with the city "Oslo", then add 20 and 22.'] = process.argv.slice(2);
const { finalOutput } = await run(agent, prompt);
console.log(finalOutput);
await provider.close();
