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

it('says how to install the official provider where it is missing', async () => {
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

it('says so where what is imported in its place is another package', async () => {
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

it('says which version it needs where another is installed', async () => {
  vi.doMock('@ai-sdk/openai', () => ({
    createOpenAI: () => ({ responses: () => ({ specificationVersion: 'v3' }) }),
  }));
  expect(await fail()).toMatchObject({
    code: 'missing-package',
    message: expect.stringMatching(/Expected @ai-sdk\/openai 2.*got one with models of version v3/),
  });
});

it('takes the official provider under another name, also in a registry', async () => {
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
