// Uses the package in a web page. The test bundles this file and runs it in a browser.
import { createProviderRegistry, generateText, stepCountIs, streamText } from 'ai';
import { generateText as generateTextOf6 } from 'ai6';
import { createCorsProxyFetch, createKelivoResponsesProvider } from 'kelivo-responses';
import { adaptModel } from 'kelivo-responses/adapters';
import { runInProvider } from 'kelivo-responses/tool-loop';
import { createKelivoResponsesProvider as createV3Provider } from 'kelivo-responses/v3';
import * as z from 'zod';

const settings = { baseURL: `${location.origin}/api/v1`, apiKey: 'sk-page' };
const double = {
  description: 'Doubles a number.',
  inputSchema: z.object({ value: z.number() }),
  execute: async ({ value }: { value: number }) => `twice ${value} is ${value * 2}`,
};
const prompt = 'Call double with 21';

export const page = {
  async streams() {
    const provider = createKelivoResponsesProvider({ ...settings, tools: { double } });
    const registry = createProviderRegistry({ kelivo: provider });
    const tools = await provider.tools();
    const result = streamText({ model: registry.languageModel('kelivo:gpt-5'), prompt, tools });
    const types = new Set<string>();
    for await (const { type } of result.fullStream) types.add(type);
    return { text: await result.text, types: [...types] };
  },

  async callsMcp() {
    const url = `${location.origin}/mcp`;
    const provider = createKelivoResponsesProvider({ ...settings, mcpServers: { everything: { url } } });
    const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Use get-sum with 2 and 3' });
    await provider.close();
    return text;
  },

  /** A page cannot start a process. The other tools still work. */
  async skipsStdioServers() {
    const mcpServers = { files: { command: 'npx', args: ['some-server'] } };
    const provider = createKelivoResponsesProvider({ ...settings, mcpServers, tools: { double } });
    const { text, warnings } = await generateText({ model: provider('gpt-5'), prompt });
    await provider.close();
    return { text, warnings };
  },

  async runsHostTools() {
    const provider = createKelivoResponsesProvider(settings);
    const { text, steps } = await generateText({
      model: provider('gpt-5'),
      prompt,
      stopWhen: stepCountIs(3),
      ...runInProvider({ double }),
    });
    return { text, steps: steps.length };
  },

  async worksWithAi6() {
    const provider = createV3Provider({ ...settings, tools: { double } });
    const { text, toolCalls } = await generateTextOf6({ model: provider('gpt-5'), prompt });
    return { text, toolNames: toolCalls.map(({ toolName }) => toolName) };
  },

  async adaptsModels() {
    const model = createKelivoResponsesProvider({ ...settings, adapters: false })('qwen3-8b');
    const { text } = await generateText({ model: adaptModel(model), prompt: 'Hello' });
    return text;
  },

  async usesProxy() {
    const fetch = createCorsProxyFetch('/proxy?url={url}');
    const provider = createKelivoResponsesProvider({ baseURL: 'https://api.test/v1', apiKey: 'sk-1', fetch });
    const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    return text;
  },

  async aborts() {
    const controller = new AbortController();
    const provider = createKelivoResponsesProvider({
      ...settings,
      tools: {
        double: {
          ...double,
          execute: () => {
            controller.abort();
            return new Promise<string>(() => {});
          },
        },
      },
    });
    return generateText({ model: provider('gpt-5'), prompt, abortSignal: controller.signal }).then(
      () => 'no error',
      (error: Error) => error.name,
    );
  },
};

export type PageTasks = typeof page;

declare global {
  interface Window {
    page?: PageTasks;
  }
}

window.page = page;
