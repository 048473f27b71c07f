// Checks that the provider matches the types of `ai@5`. Compiled by `accepted-types.test.ts`, not run.
import { openai } from '@ai-sdk/openai';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import {
  createProviderRegistry,
  customProvider,
  generateText,
  streamText,
  tool,
  type ToolSet,
  wrapLanguageModel,
} from 'ai';
import type { LanguageModelV3 } from 'provider3';
import { adaptModel } from '../../../../src/adapters/index.js';
import { createKelivoResponsesProvider, hostedTools } from '../../../../src/index.js';
import { runInProvider, withToolLoop } from '../../../../src/tool-loop/index.js';
import { middlewares, readWeather, toShellOutput, weatherInput } from './_shared.js';

const weather = tool({
  inputSchema: weatherInput,
  execute: readWeather,
  toModelOutput: output => ({ type: 'text', value: output.sky }),
});
const provider = createKelivoResponsesProvider({ tools: { weather } });
const registry = createProviderRegistry({ kelivo: provider });
const custom = customProvider({ languageModels: { chat: provider('gpt-5') }, fallbackProvider: provider });
const wrapped = wrapLanguageModel({
  model: provider('gpt-5'),
  middleware: middlewares.loop,
});

/** Wrappers return the version of the model, whatever the package. */
const native: LanguageModelV2 = openai('gpt-5');
export const adapted: LanguageModelV2 = adaptModel(native);
export const looping: LanguageModelV2 = withToolLoop(native, { tools: [] });
export const wrappedByHost: LanguageModelV2[] = [
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
  await generateText({ model: provider('gpt-5'), prompt: '', tools: await provider.tools() });
  await generateText({ model: registry.languageModel('kelivo:gpt-5'), prompt: '' });
  await generateText({ model: custom.languageModel('chat'), prompt: '' });
  await generateText({ model: wrapped, prompt: '' });
  await generateText({ model: adapted, prompt: '', tools: hosted });
  streamText({ model: provider('gpt-5'), prompt: '', ...runInProvider({ weather }) });
}
