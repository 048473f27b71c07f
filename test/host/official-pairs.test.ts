import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createProviderRegistryFromConfig, createSwitchableProvider } from '../../src/host/index.js';
import { startEmulator } from '../testing/_emulator.js';

interface Host {
  readonly version: 'v2' | 'v3' | 'v4';
  readonly ai: Pick<typeof ai5, 'generateText' | 'streamText'>;
  readonly importOpenAI: () => Promise<unknown>;
}

const hosts: Readonly<Record<string, Host>> = {
  'ai@5': { version: 'v2', ai: ai5, importOpenAI: () => import('@ai-sdk/openai') },
  'ai@6': { version: 'v3', ai: ai6 as never, importOpenAI: () => import('openai3') },
  'ai@7': { version: 'v4', ai: ai7 as never, importOpenAI: () => import('openai4') },
};

type Item = Readonly<Record<string, unknown>>;

/** Runs one turn with the provider and one with the official provider, and returns the input of the last request. */
async function switchOff(
  { version, ai, importOpenAI }: Host,
  { store, stubs, isStream }: { store: boolean | undefined; stubs: boolean; isStream: boolean },
): Promise<readonly Item[]> {
  const emulator = await startEmulator();
  let isOn = true;
  const provider = createSwitchableProvider({
    kelivo: {
      baseURL: emulator.baseURL,
      apiKey: 'sk-test',
      tools: {
        pay: { inputSchema: z.object({ amount: z.number() }), execute: ({ amount }) => `paid ${amount}` },
      },
      ...(store !== undefined && { store }),
    },
    enabled: () => isOn,
    specificationVersion: version,
    importOpenAI,
  });
  onTestFinished(() => provider.close());
  emulator.enqueue(
    [
      { call: 'pay', arguments: { amount: 1 } },
      { call: 'pay', arguments: { amount: 2 } },
    ],
    [{ text: 'Paid.' }],
    [{ text: 'Yes.' }],
  );
  const tools = stubs ? await provider.tools() : undefined;
  const run = async (messages: readonly ai5.ModelMessage[]): Promise<ai5.ModelMessage[]> => {
    const options = {
      model: provider('gpt-5') as ai5.LanguageModel,
      tools,
      messages: [...messages],
      maxRetries: 0,
    };
    if (!isStream) return (await ai.generateText(options)).response.messages;
    const streamed = ai.streamText(options);
    await streamed.consumeStream();
    return (await streamed.response).messages;
  };
  const asked: ai5.ModelMessage[] = [{ role: 'user', content: 'Pay twice.' }];
  const answered = await run(asked);
  isOn = false;
  await run([...asked, ...answered, { role: 'user', content: 'Did you?' }]);
  const { input } = emulator.requests.at(-1)?.body as { input: readonly Item[] };
  return input;
}

const cases = [true, false, undefined].flatMap(store =>
  [true, false].flatMap(stubs => [true, false].map(isStream => ({ store, stubs, isStream }))),
);

describe.each(Object.entries(hosts))('a conversation that is switched off in %s', (_, host) => {
  it.each(cases)('contains each call once, with its id and its output: %o', async options => {
    const input = await switchOff(host, options);
    const calls = input.filter(({ type }) => type === 'function_call');
    const outputs = input.filter(({ type }) => type === 'function_call_output');
    expect(outputs.map(({ output }) => output)).toEqual(['paid 1', 'paid 2']);
    const ids = outputs.map(({ call_id: id }) => id);
    expect(new Set(ids).size).toBe(2);
    // With `store: true`, references stand for calls.
    const references = input.filter(
      ({ type, id }) => type === 'item_reference' && String(id).startsWith('fc_'),
    );
    if (calls.length > 0) expect(calls.map(({ call_id: id }) => id)).toEqual(ids);
    expect(calls.length + references.length).toBe(2);
  });
});

describe.each(Object.entries(hosts))('a registry for %s', (_, { version, ai, importOpenAI }) => {
  it('gives models of its version, and logs no warning', async () => {
    const logged: unknown[] = [];
    const before = globalThis.AI_SDK_LOG_WARNINGS;
    globalThis.AI_SDK_LOG_WARNINGS = (told: unknown) => void logged.push(told);
    onTestFinished(() => {
      globalThis.AI_SDK_LOG_WARNINGS = before;
    });
    const { baseURL } = await startEmulator();
    const settings = { baseURL, apiKey: 'sk-test' };
    const registry = createProviderRegistryFromConfig(
      {
        providers: {
          ours: { type: 'kelivo-responses', settings },
          imported: { import: '@ai-sdk/openai', creator: 'createOpenAI', settings },
        },
      },
      { specificationVersion: version, importModule: importOpenAI },
    );
    onTestFinished(() => registry.close());
    const { createOpenAI } = (await importOpenAI()) as { createOpenAI(settings: object): never };
    registry.register('instance', createOpenAI(settings));
    for (const name of ['ours', 'imported', 'instance']) {
      const model = registry.languageModel(`${name}:gpt-5`);
      expect(model.specificationVersion).toBe(version);
      const { text, usage } = await ai.generateText({ model: model as never, prompt: 'Hello' });
      expect(text).toBe('You said: Hello');
      expect(usage.totalTokens).toBeGreaterThan(0);
      const embedding = registry.embeddingModelFor('', { model: `${name}:text-embedding-3-small` });
      expect(embedding.specificationVersion).toBe(version);
    }
    expect(logged).toEqual([]);
  });

  it('rejects an unknown version', () => {
    const config = { providers: { ours: { type: 'kelivo-responses' as const } } };
    expect(() => createProviderRegistryFromConfig(config, { specificationVersion: 'v9' as never })).toThrow(
      'Expected `specificationVersion` of the registry to be v2, v3, v4, got "v9".',
    );
  });
});
