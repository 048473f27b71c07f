// A ToolLoopAgent of `ai` 7, one of whose tools asks a model, too.
import { generateText, registerTelemetry, tool, ToolLoopAgent } from 'ai7';
import { devTools } from 'kelivo-responses/devtools';
import { createOpenAI } from 'openai4';
import * as z from 'zod';

registerTelemetry(devTools.telemetry({ name: 'agent' }));

const openai = createOpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'sk-of-the-application' });
const ask = tool({
  description: 'Asks an expert',
  inputSchema: z.object({ text: z.string().optional() }),
  execute: async () =>
    (await generateText({ model: openai('gpt-5-mini'), prompt: 'You are the expert.' })).text,
});
const agent = new ToolLoopAgent({ model: openai('gpt-5'), tools: { ask } });
const result = await agent.stream({ prompt: process.argv[2] });
await result.consumeStream();
