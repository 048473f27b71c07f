import {
  generateText,
  type JSONValue,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
} from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProviderRegistryFromConfig } from '../../src/host/index.js';
import { inputOf } from '../integration/_provider.js';
import { combine, everyValue } from '../_products.js';
import { hostTools } from '../integration/_tools.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { officialPackages } from './_switched-conversation.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

const cases = everyValue(
  combine({
    official: [2, 3, 4],
    mode: ['generate', 'stream'],
    other: ['imported', 'looped', 'instance'],
  }),
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
            main: { type: 'kelivo-responses', settings: { ...settings, mcpServers } },
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

/** Other packages with the models of OpenAI, which have their own namespace for options and metadata. */
const relatives = [
  ['@ai-sdk/azure', () => import('@ai-sdk/azure'), { creator: 'createAzure' }, 'azure'],
  ['@ai-sdk/openai 2 with a name', officialPackages[2], { settings: { name: 'corp' } }, 'corp'],
  ['@ai-sdk/openai 4 with a name', officialPackages[4], { settings: { name: 'my-azure' } }, 'azure'],
] as const;

describe.each(relatives)(
  '%s in a registry',
  (_name, load, { settings: more, creator }: Relative, namespace) => {
    it.each(['generate', 'stream'] as const)('takes over, and keeps reasoning (%s)', async mode => {
      const emulator = await startEmulator();
      const settings = { baseURL: emulator.baseURL, apiKey: 'sk-test' };
      const registry = createProviderRegistryFromConfig(
        {
          providers: {
            main: { type: 'kelivo-responses', settings },
            other: {
              import: 'relative',
              creator: creator ?? 'createOpenAI',
              settings: { ...settings, ...more },
            },
          },
          roles: { chat: 'main:gpt-5' },
        },
        { importModule: load },
      );
      onTestFinished(() => registry.close());
      const messages: ModelMessage[] = [];
      const providerOptions: Record<string, Record<string, JSONValue>> = {
        openai: { reasoningSummary: 'auto', include: ['reasoning.encrypted_content'] },
        [namespace]: { reasoningEffort: 'low' },
      };
      for (const [turn, provider] of ['main', 'other', 'main', 'other'].entries()) {
        messages.push({ role: 'user', content: `Question ${turn}` });
        emulator.enqueue([{ reasoning: `Thought ${turn}` }, { text: `Answer ${turn}` }]);
        const options = {
          model: registry.modelFor('chat', { provider, model: 'gpt-5' }),
          messages: [...messages],
          maxRetries: 0,
          providerOptions,
        };
        const errors: unknown[] = [];
        const result =
          mode === 'stream'
            ? streamText({ ...options, onError: ({ error }) => void errors.push(error) })
            : await generateText(options);
        await result.text;
        expect(errors).toEqual([]);
        messages.push(...(await result.response).messages);
      }
      const bodies = emulator.requests.map(({ body }) => body as Record<string, unknown>);
      expect(bodies.map(({ store }) => store)).toEqual([false, false, false, false]);
      expect(bodies[3]).toMatchObject({ reasoning: { effort: 'low' } });
      const types = emulator.requests.map(request => inputOf(request).map(({ type, role }) => role ?? type));
      const turns = (count: number) =>
        Array.from({ length: count }, () => ['user', 'reasoning', 'assistant']).flat();
      expect(types).toEqual([0, 1, 2, 3].map(count => [...turns(count), 'user']));
    });
  },
);

interface Relative {
  readonly creator?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}
