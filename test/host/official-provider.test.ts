import { generateText } from 'ai';
import { afterEach, expect, it, vi } from 'vitest';
import { createProviderRegistryFromConfig, createSwitchableProvider } from '../../src/host/index.js';
import { KelivoError } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';

const settings = { kelivo: { baseURL: 'http://127.0.0.1:9', apiKey: 'sk-test' }, enabled: 'off' };

const fail = () => {
  const provider = createSwitchableProvider(settings);
  return generateText({ model: provider('gpt-5'), prompt: 'Hello', maxRetries: 0 }).catch(
    (error: unknown) => error,
  );
};

afterEach(() => {
  vi.doUnmock('@ai-sdk/openai');
  vi.resetModules();
});

it('reports how to install the official provider if it is missing', async () => {
  vi.doMock('@ai-sdk/openai', () => {
    throw new Error("Cannot find package '@ai-sdk/openai'");
  });
  const error = await fail();
  expect(KelivoError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('npm install @ai-sdk/openai@2'),
    cause: expect.anything(),
  });
});

it('rejects an imported package without `createOpenAI`', async () => {
  const provider = createSwitchableProvider({
    ...settings,
    importOpenAI: async () => ({ createOther: () => {} }),
  });
  const failing = generateText({ model: provider('gpt-5'), prompt: 'Hello', maxRetries: 0 });
  await expect(failing).rejects.toMatchObject({
    code: 'missing-package',
    cause: expect.objectContaining({ message: expect.stringContaining('createOpenAI') }),
  });
});

it('reports the required version if the installed one is unknown', async () => {
  vi.doMock('@ai-sdk/openai', () => ({
    createOpenAI: () => ({ responses: () => ({ specificationVersion: 'v5' }) }),
  }));
  expect(await fail()).toMatchObject({
    code: 'missing-package',
    message: expect.stringMatching(
      /`ai@5`, 3 for `ai@6`, 4 for `ai@7`.*models have version v5.*npm install @ai-sdk\/openai@2/,
    ),
  });
});

it('imports the official provider under another name, also in a registry', async () => {
  vi.doMock('@ai-sdk/openai', () => {
    throw new Error('not under this name');
  });
  const emulator = await startEmulator();
  const kelivo = { baseURL: emulator.baseURL, apiKey: 'sk-test' };
  const imported: string[] = [];
  const official = await vi.importActual('@ai-sdk/openai');
  const provider = createSwitchableProvider({ kelivo, enabled: 'off', importOpenAI: async () => official });
  const registry = createProviderRegistryFromConfig(
    { providers: { main: { type: 'kelivo-responses', settings: kelivo, enabled: 'off' } } },
    { importModule: async name => (imported.push(name), official) },
  );
  for (const model of [provider('gpt-5'), registry.languageModel('main:gpt-5')]) {
    expect((await generateText({ model, prompt: 'Hello' })).text).toBe('You said: Hello');
  }
  expect(imported).toEqual(['@ai-sdk/openai']);
});
