// Checks that the provider matches the types of `ai@5`. Compiled by `accepted-types.test.ts`, not run.
import {
  createProviderRegistry,
  customProvider,
  generateText,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { runInProvider, toolLoopMiddleware } from '../../../src/tool-loop/index.js';

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: 'clear' }),
  toModelOutput: output => ({ type: 'text', value: output.sky }),
});
const provider = createKelivoResponsesProvider({ tools: { weather } });
const registry = createProviderRegistry({ kelivo: provider });
const custom = customProvider({ languageModels: { chat: provider('gpt-5') }, fallbackProvider: provider });
const wrapped = wrapLanguageModel({
  model: provider('gpt-5'),
  middleware: toolLoopMiddleware({ tools: [] }),
});

export async function run() {
  await generateText({ model: provider('gpt-5'), prompt: '', tools: await provider.toolStubs() });
  await generateText({ model: registry.languageModel('kelivo:gpt-5'), prompt: '' });
  await generateText({ model: custom.languageModel('chat'), prompt: '' });
  await generateText({ model: wrapped, prompt: '' });
  streamText({ model: provider('gpt-5'), prompt: '', ...runInProvider({ weather }) });
}
