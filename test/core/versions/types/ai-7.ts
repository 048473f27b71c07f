// Checks that the provider matches the types of `ai@7`. Compiled by `accepted-types.test.ts`, not run.
import {
  createProviderRegistry,
  customProvider,
  embed,
  generateText,
  registerTelemetry,
  streamText,
  tool,
  type ToolSet,
  wrapLanguageModel,
} from 'ai7';
import type { EmbeddingModelV4, LanguageModelV4, ProviderV4 } from 'provider4';
import type { LanguageModelV3 } from 'provider3';
import { devTools } from '../../../../src/telemetry/devtools/index.js';
import { adaptModel } from '../../../../src/adapters/index.js';
import { runInProvider, withToolLoop } from '../../../../src/tool-loop/index.js';
import { openai as openai3 } from 'openai3';
import { openai as openai4 } from 'openai4';
import {
  createKelivoResponsesProvider,
  hostedTools,
  toLanguageModelV2,
  toLanguageModelV4,
} from '../../../../src/v4.js';
import { createKelivoResponsesProvider as createV2Provider } from '../../../../src/index.js';
import { middlewares, readWeather, toShellOutput, weatherInput } from './_shared.js';

registerTelemetry(devTools.telemetry());

const provider = createKelivoResponsesProvider();
const weather = tool({
  inputSchema: weatherInput,
  execute: readWeather,
  toModelOutput: ({ output }) => ({ type: 'text', value: output.sky }),
});

export const asProvider: ProviderV4 = provider;
export const asModel: LanguageModelV4 = provider('gpt-5');
/** The setting determines the type of the models, and without it the entry does. */
const ofSetting = createV2Provider({ specificationVersion: 'v4', tools: { weather } });
export const asProviderOfSetting: ProviderV4 = ofSetting;
export const ofEntry: ReturnType<typeof createKelivoResponsesProvider> = provider;
export const version2: 'v2' = createKelivoResponsesProvider({ specificationVersion: 'v2' })(
  'gpt-5',
).specificationVersion;
// @ts-expect-error There is no such version.
createV2Provider({ specificationVersion: 'v9' });
// @ts-expect-error The models of the main entry have version 2.
export const notOfSetting: LanguageModelV4 = createV2Provider({ tools: { weather } })('gpt-5');
export const asEmbeddingModel: EmbeddingModelV4 = provider.embeddingModel('text-embedding-3-small');

const registry = createProviderRegistry({ kelivo: provider });
const custom = customProvider({
  languageModels: { chat: provider('gpt-5') },
  embeddingModels: { words: provider.embeddingModel('text-embedding-3-small') },
  fallbackProvider: provider,
});
const wrapped = wrapLanguageModel({
  model: provider('gpt-5'),
  middleware: { specificationVersion: 'v4', wrapGenerate: ({ doGenerate }) => doGenerate() },
});
/** A later model in the loop. */
export const official = [openai3('gpt-5'), openai4('gpt-5')].map(model =>
  toLanguageModelV4(withToolLoop(toLanguageModelV2(model), { tools: { weather } })),
);
const looped = toLanguageModelV4(withToolLoop(createV2Provider()('gpt-5'), { tools: { weather } }));

/** Wrappers return the version of the model, whatever the package. */
const native: LanguageModelV4 = openai4('gpt-5');
export const adapted: LanguageModelV4 = adaptModel(native);
export const looping: LanguageModelV4 = withToolLoop(native, { tools: [] });
export const wrappedByHost: LanguageModelV4[] = [
  wrapLanguageModel({ model: native, middleware: middlewares.family }),
  wrapLanguageModel({ model: native, middleware: middlewares.loop }),
  wrapLanguageModel({ model: native, middleware: [middlewares.family, middlewares.text] }),
  wrapLanguageModel({ model: native, middleware: middlewares.joined }),
  wrapLanguageModel({ model: native, middleware: middlewares.devTools }),
];
// @ts-expect-error The result is no model of another version.
export const other: LanguageModelV3 = withToolLoop(native, { tools: [] });

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
  // `generateText` also accepts a version 2 model.
  await generateText({ model: createV2Provider({ tools: { weather } })('gpt-5'), prompt: '' });
}
