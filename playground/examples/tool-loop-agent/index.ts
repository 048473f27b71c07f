import { tool, ToolLoopAgent } from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses/v4';
import { z } from 'zod';

const provider = createKelivoResponsesProvider({
  mcpServers: { files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] } },
});
const agent = new ToolLoopAgent({
  model: provider('gpt-5'),
  instructions: 'Answer in one sentence.',
  // The tools of MCP servers run in the model, and those of the agent in the agent. A turn may call both.
  tools: {
    add: tool({
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    }),
  },
});

const [prompt = 'List the directory ".", then add 20 and 22.'] = process.argv.slice(2);
const { fullStream } = await agent.stream({ prompt });
for await (const part of fullStream) {
  if (part.type === 'tool-call') console.log(part.toolName, JSON.stringify(part.input));
  if (part.type === 'tool-result') console.log('→', JSON.stringify(part.output));
  if (part.type === 'text-delta') process.stdout.write(part.text);
  if (part.type === 'error') throw part.error;
}
console.log();
await provider.close();
