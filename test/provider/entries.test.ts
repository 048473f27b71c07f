import { generateText } from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as main from '../../src/index.js';
import * as v3 from '../../src/v3.js';
import * as v4 from '../../src/v4.js';
import { startEmulator } from '../testing/_emulator.js';

const entries = { v2: main, v3, v4 } as const;

it('export the same values, apart from names of a version', () => {
  const namesOf = (entry: object) =>
    Object.keys(entry)
      .filter(name => !/V\d/.test(name))
      .sort();
  expect(namesOf(v3)).toEqual(namesOf(main));
  expect(namesOf(v4)).toEqual(namesOf(main));
  expect(namesOf(main)).toContain('createCorsProxyFetch');
});

it('share the class of errors and the conversions', () => {
  expect(v3.KelivoError).toBe(main.KelivoError);
  expect(v4.KelivoError).toBe(main.KelivoError);
  expect(v4.toLanguageModelV2).toBe(v3.toLanguageModelV2);
});

it.each(Object.entries(entries))('have default models of the version %s', (version, { kelivoResponses }) => {
  vi.stubEnv('OPENAI_BASE_URL', 'https://api.test/v1');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(kelivoResponses('gpt-5').specificationVersion).toBe(version);
  expect(kelivoResponses.responses('gpt-5').specificationVersion).toBe(version);
});

it('create providers whose models the host of the version accepts without a warning', async () => {
  const logged: unknown[] = [];
  const before = globalThis.AI_SDK_LOG_WARNINGS;
  globalThis.AI_SDK_LOG_WARNINGS = (told: unknown) => void logged.push(told);
  onTestFinished(() => {
    globalThis.AI_SDK_LOG_WARNINGS = before;
  });
  const { baseURL } = await startEmulator();
  const texts = [
    generateText({ model: main.createKelivoResponsesProvider({ baseURL })('gpt-5'), prompt: 'Hello' }),
    ai6.generateText({ model: v3.createKelivoResponsesProvider({ baseURL })('gpt-5'), prompt: 'Hello' }),
    ai7.generateText({ model: v4.createKelivoResponsesProvider({ baseURL })('gpt-5'), prompt: 'Hello' }),
  ].map(async result => (await result).text);
  expect(await Promise.all(texts)).toEqual(Array(3).fill('You said: Hello'));
  expect(logged).toEqual([]);
});

it('convert a provider to another version, with the same tools and connections', async () => {
  const { baseURL } = await startEmulator();
  const provider = main.createKelivoResponsesProvider({ baseURL });
  const later = v4.toProviderV4(provider);
  expect(later('gpt-5').specificationVersion).toBe('v4');
  expect(later.files?.().provider).toBe('kelivo-responses');
  expect(Object.keys(later.tools)).toEqual(Object.keys(provider.tools));
  expect(v3.toProviderV3(later)('gpt-5').specificationVersion).toBe('v3');
});
