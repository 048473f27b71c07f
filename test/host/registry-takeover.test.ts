import { generateText, type LanguageModel, type ModelMessage, stepCountIs, streamText } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProviderRegistryFromConfig } from '../../src/host/index.js';
import { inputOf } from '../integration/_provider.js';
import { hostTools } from '../integration/_tools.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { officialPackages } from './_switched-conversation.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

const cases = ([2, 3, 4] as const).flatMap(official =>
  (['generate', 'stream'] as const).flatMap(mode =>
    (['imported', 'looped', 'instance'] as const).map(other => ({ official, mode, other })),
  ),
);

describe.each(cases)(
  '@ai-sdk/openai $official in a registry ($other, $mode)',
  ({ official, mode, other }) => {
    it('continues the conversation of this package, which continues its own', async () => {
      const emulator = await startEmulator();
      const settings = { baseURL: emulator.baseURL, apiKey: 'sk-test' };
      const mcpServers = { everything: everythingOverStdio() };
      const imported = { import: '@ai-sdk/openai', creator: 'createOpenAI', settings };
      const registry = createProviderRegistryFromConfig(
        {
          providers: {
            main: { type: 'kelivo-responses', settings, mcpServers },
            imported,
            looped: { ...imported, mcpServers },
          },
          roles: { chat: 'main:gpt-5' },
        },
        { importModule: officialPackages[official] },
      );
      onTestFinished(() => registry.close());
      registry.register('instance', (await officialPackages[official]()).createOpenAI(settings));

      const messages: ModelMessage[] = [];
      const send = async (provider: string, content: string) => {
        messages.push({ role: 'user', content });
        const model: LanguageModel = registry.modelFor('chat', { provider, model: 'gpt-5' });
        const options = { model, messages: [...messages], tools: hostTools, stopWhen: stepCountIs(5) };
        const errors: unknown[] = [];
        const result =
          mode === 'stream'
            ? streamText({ ...options, maxRetries: 0, onError: ({ error }) => void errors.push(error) })
            : await generateText({ ...options, maxRetries: 0 });
        const text = await result.text;
        expect(errors).toEqual([]);
        messages.push(...(await result.response).messages);
        return text;
      };

      for (const [turn, provider] of ['main', other, 'main', other].entries()) {
        const text = await send(provider, `Use get-sum with ${turn} and 3, then get_weather in Oslo`);
        expect(text).toContain('Oslo: 18 degrees');
        const hasMcp = provider === 'main' || provider === 'looped';
        expect(text.includes(`The sum of ${turn} and 3 is ${turn + 3}.`)).toBe(hasMcp);
      }
      const requests = emulator.requests.map(request => inputOf(request));
      const sent = requests.at(-1) ?? [];
      expect(sent.filter(({ type }) => type === 'item_reference')).toEqual([]);
      expect(JSON.stringify(sent)).toContain('The sum of 0 and 3 is 3.');
      const stores = emulator.requests.map(({ body }) => (body as { store?: boolean }).store);
      expect(new Set(stores)).toEqual(new Set([false]));
    });
  },
);
