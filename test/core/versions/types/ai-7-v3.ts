// Checks that the provider matches the types of `ai@7`. Compiled by `accepted-types.test.ts`, not run.
import {
  createProviderRegistry,
  customProvider,
  embed,
  generateText,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai7';
import type { EmbeddingModelV3, LanguageModelV3, ProviderV3 } from 'provider3';
import { runInProvider, withToolLoop } from '../../../../src/tool-loop/index.js';
import { createKelivoResponsesProvider, toLanguageModelV3 } from '../../../../src/v3.js';
import { createKelivoResponsesProvider as createV2Provider } from '../../../../src/index.js';
import { readWeather, weatherInput } from './_shared.js';

const provider = createKelivoResponsesProvider();
const weather = tool({
  inputSchema: weatherInput,
  execute: readWeather,
  toModelOutput: ({ output }) => ({ type: 'text', value: output.sky }),
});

export const asProvider: ProviderV3 = provider;
export const asModel: LanguageModelV3 = provider('gpt-5');
export const asEmbeddingModel: EmbeddingModelV3 = provider.embeddingModel('text-embedding-3-small');

const registry = createProviderRegistry({ kelivo: provider });
const custom = customProvider({
  languageModels: { chat: provider('gpt-5') },
  embeddingModels: { words: provider.embeddingModel('text-embedding-3-small') },
  fallbackProvider: provider,
});
const wrapped = wrapLanguageModel({
  model: provider('gpt-5'),
  middleware: { specificationVersion: 'v3', wrapGenerate: ({ doGenerate }) => doGenerate() },
});
const looped = toLanguageModelV3(withToolLoop(createV2Provider()('gpt-5'), { tools: { weather } }));

export async function run() {
  const tools = await provider.tools();
  await generateText({ model: provider('gpt-5'), prompt: '', tools });
  await generateText({ model: registry.languageModel('kelivo:gpt-5'), prompt: '' });
  await generateText({ model: custom.languageModel('chat'), prompt: '' });
  await generateText({ model: wrapped, prompt: '' });
  streamText({ model: looped, prompt: '', ...runInProvider({ weather }) });
  await embed({ model: provider.embeddingModel('text-embedding-3-small'), value: '' });
  // `generateText` also accepts a version 2 model.
  await generateText({ model: createV2Provider({ tools: { weather } })('gpt-5'), prompt: '' });
}
