// Checks that the provider matches the types of `ai@6`. Compiled by `accepted-types.test.ts`, not run.
import {
  createProviderRegistry,
  customProvider,
  embed,
  generateText,
  streamText,
  tool,
  type ToolSet,
  wrapLanguageModel,
} from 'ai6';
import type { EmbeddingModelV3, LanguageModelV3, ProviderV3 } from 'provider3';
import { openai } from 'openai3';
import type { LanguageModelV4 } from 'provider4';
import { adaptModel } from '../../../../src/adapters/index.js';
import { runInProvider, withToolLoop } from '../../../../src/tool-loop/index.js';
import { createKelivoResponsesProvider, hostedTools, toLanguageModelV3 } from '../../../../src/v3.js';
import { createKelivoResponsesProvider as createV2Provider } from '../../../../src/index.js';
import { middlewares, readWeather, toShellOutput, weatherInput } from './_shared.js';

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

/** Wrappers return the version of the model, whatever the package. */
const native: LanguageModelV3 = openai('gpt-5');
export const adapted: LanguageModelV3 = adaptModel(native);
export const looping: LanguageModelV3 = withToolLoop(native, { tools: [] });
export const wrappedByHost: LanguageModelV3[] = [
  wrapLanguageModel({ model: native, middleware: middlewares.family }),
  wrapLanguageModel({ model: native, middleware: middlewares.loop }),
  wrapLanguageModel({ model: native, middleware: [middlewares.family, middlewares.text] }),
  wrapLanguageModel({ model: native, middleware: middlewares.joined }),
  wrapLanguageModel({ model: native, middleware: middlewares.devTools }),
];
// @ts-expect-error The result is no model of another version.
export const other: LanguageModelV4 = withToolLoop(native, { tools: [] });

/** Tools of the provider are tools of the host. */
export const hosted = {
  ...{ web: provider.tools.webSearch({ searchContextSize: 'low' }), code: provider.tools.codeInterpreter() },
  ...{ docs: hostedTools.mcp({ serverLabel: 'docs', serverUrl: 'https://mcp.test/mcp' }) },
  shell: hostedTools.shell({
    execute: async ({ action }) => ({ output: action.commands.map(toShellOutput) }),
  }),
  sql: hostedTools.custom({ name: 'sql', execute: async (input: string) => input.length }),
} satisfies ToolSet;

export async function run() {
  const tools = await provider.tools();
  await generateText({ model: provider('gpt-5'), prompt: '', tools });
  await generateText({ model: registry.languageModel('kelivo:gpt-5'), prompt: '' });
  await generateText({ model: custom.languageModel('chat'), prompt: '' });
  await generateText({ model: wrapped, prompt: '' });
  await generateText({ model: adapted, prompt: '', tools: hosted });
  streamText({ model: looped, prompt: '', ...runInProvider({ weather }) });
  await embed({ model: provider.embeddingModel('text-embedding-3-small'), value: '' });
  // @ts-expect-error The registry of `ai@6` does not accept a version 2 provider, so there is a version 3 provider.
  createProviderRegistry({ kelivo: createV2Provider() });
  // `generateText` also accepts a version 2 model.
  await generateText({ model: createV2Provider({ tools: { weather } })('gpt-5'), prompt: '' });
}
