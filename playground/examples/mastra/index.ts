import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
// Version 4 of the model interface has a newer finish reason than the types of Mastra 1.71.
import { createKelivoResponsesProvider } from 'kelivo-responses/v3';
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
const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Answer in one sentence.',
  model: provider('gpt-5'),
  tools: {
    add: createTool({
      id: 'add',
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: async ({ a, b }) => a + b,
    }),
  },
});

const [prompt = 'Use get_weather with the city "Oslo", then add 20 and 22.'] = process.argv.slice(2);
const { fullStream } = await agent.stream(prompt);
for await (const part of fullStream) {
  if (part.type === 'tool-call') console.log(part.payload.toolName, JSON.stringify(part.payload.args));
  if (part.type === 'tool-result') console.log('→', JSON.stringify(part.payload.result));
  if (part.type === 'text-delta') process.stdout.write(part.payload.text);
  if (part.type === 'error') throw part.payload.error;
}
console.log();
await provider.close();
