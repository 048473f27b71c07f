import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { createKelivoResponsesProvider, registerProvider } from '../../src/index.js';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { createKelivoResponsesProvider as createV3 } from '../../src/v3.js';
import { createKelivoResponsesProvider as createV4 } from '../../src/v4.js';

interface SerializableClass {
  readonly classId: string;
  [key: symbol]: (value: unknown) => unknown;
}

/** Serializes and deserializes as `@workflow/core` does: by the id of the class in a registry of the process. */
function serialize(model: object): { classId: string; text: string } {
  const type = model.constructor as unknown as SerializableClass;
  const { classId } = type;
  const data = type[Symbol.for('workflow-serialize')]?.(model);
  return { classId, text: JSON.stringify(data) };
}

function deserialize({ classId, text }: ReturnType<typeof serialize>): Model {
  const classes = (globalThis as unknown as Record<symbol, Map<string, SerializableClass>>)[
    Symbol.for('workflow-class-registry')
  ];
  return classes?.get(classId)?.[Symbol.for('workflow-deserialize')]?.(JSON.parse(text)) as Model;
}

interface Model {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]>;
  doGenerate(options: LanguageModelV2CallOptions): PromiseLike<{ content: readonly object[] }>;
}

const options: LanguageModelV2CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
};

let number = 0;
/** A name that no other test has registered. */
const freshName = () => `provider-${number++}`;
/** Forgets the registrations, as in another process. */
const forget = () =>
  (globalThis as unknown as Record<symbol, Map<string, unknown>>)[
    Symbol.for('kelivo-responses.providers')
  ]?.clear();

beforeEach(forget);
afterEach(() => void vi.unstubAllEnvs());

async function startServer() {
  const emulator = await startResponsesEmulator({ apiKey: ['sk-first-0123456789', 'sk-second-0123456789'] });
  onTestFinished(() => emulator.close());
  return emulator;
}

const creators = { main: createKelivoResponsesProvider, v3: createV3, v4: createV4 } as const;

describe.each(Object.entries(creators))('a model of the entry %s', (_entry, create) => {
  it.each(['languageModel', 'responses'] as const)('continues after serialization: %s', async method => {
    const { baseURL, requests } = await startServer();
    const settings = { baseURL, apiKey: 'sk-first-0123456789', headers: { 'x-secret': 'header-secret' } };
    const name = freshName();
    const model = registerProvider(name, create(settings))[method]('gpt-5');
    const serialized = serialize(model);
    forget();
    registerProvider(name, create(settings));

    const copy = deserialize(serialized);
    const { specificationVersion, provider, modelId } = model;
    expect(copy).toMatchObject({ specificationVersion, provider, modelId });
    expect(await copy.supportedUrls).toEqual(await model.supportedUrls);
    expect(serialize(copy)).toEqual(serialized);
    const { content } = await copy.doGenerate(options);
    expect(content).toContainEqual(expect.objectContaining({ text: 'You said: Say hello.' }));
    expect(requests).toMatchObject([{ apiKeyIndex: 0, headers: { 'x-secret': 'header-secret' } }]);
    expect(serialized.text).not.toMatch(/sk-|secret/);
  });

  it('contains no part of a URL except for the origin', () => {
    const provider = registerProvider(
      freshName(),
      create({ baseURL: 'https://example.com/secret/v1', query: { key: 'query-secret' } }),
    );
    const { text } = serialize(provider('gpt-5'));
    expect(text).toContain('https://example.com');
    expect(text).not.toMatch(/secret/);
  });

  it('reports that its provider must be registered', () => {
    expect(() => serialize(create({ baseURL: 'https://example.com' })('gpt-5'))).toThrow(
      /Expected a model of a registered provider, got "gpt-5" .* registerProvider\(name, provider\)/,
    );
  });

  it('reports a provider that this process has not registered', async () => {
    const name = freshName();
    const serialized = serialize(registerProvider(name, create({ baseURL: 'https://example.com' }))('gpt-5'));
    forget();
    await expect(deserialize(serialized).doGenerate(options)).rejects.toMatchObject({
      code: 'unknown-name',
      message: expect.stringContaining(`Call registerProvider("${name}", provider)`),
    });
  });

  it.each([
    ['server', { baseURL: 'https://other.example' }],
    ['provider', { baseURL: 'https://example.com', name: 'other' }],
  ])('is not called with a provider with another %s', async (difference, settings) => {
    const fetch = vi.fn();
    const name = freshName();
    const first = create({ baseURL: 'https://example.com', fetch });
    const serialized = serialize(registerProvider(name, first)('gpt-5'));
    forget();
    registerProvider(name, create({ ...settings, fetch }));
    await expect(deserialize(serialized).doGenerate(options)).rejects.toMatchObject({
      code: 'invalid-settings',
      message: expect.stringContaining(`got ${difference} `),
    });
    expect(fetch).not.toHaveBeenCalled();
  });
});

it('does not recreate a model of another version', async () => {
  const settings = { baseURL: 'https://example.com' };
  const serialized = serialize(registerProvider('chat', createV4(settings))('gpt-5'));
  forget();
  registerProvider('chat', createV3(settings));
  await expect(deserialize(serialized).doGenerate(options)).rejects.toThrow(
    'got specificationVersion v3 instead of v4',
  );
});

describe('registerProvider', () => {
  const settings = { baseURL: 'https://example.com', apiKey: 'sk-first-0123456789' };

  it.each<[string, Parameters<typeof createKelivoResponsesProvider>[0]]>([
    ['another key', { ...settings, apiKey: 'sk-second-0123456789' }],
    ['another server', { ...settings, baseURL: 'https://other.example' }],
    ['a function, which may return another key', { ...settings, apiKey: () => 'sk-first-0123456789' }],
  ])('rejects a second provider with %s', (_difference, other) => {
    registerProvider('chat', createKelivoResponsesProvider(settings));
    const second = createKelivoResponsesProvider(other);
    expect(() => registerProvider('chat', second)).toThrow(/one provider with the name "chat"/);
    expect(() => registerProvider('chat', second, { replace: true })).not.toThrow();
  });

  it('rejects equal functions, which may use different variables', () => {
    const register = (key: string) =>
      registerProvider('chat', createKelivoResponsesProvider({ ...settings, apiKey: () => key }));
    register('sk-first-0123456789');
    expect(() => register('sk-second-0123456789')).toThrow(/one provider with the name "chat"/);
  });

  it('accepts the same provider, and another one with equal settings', () => {
    const provider = createKelivoResponsesProvider({ ...settings, logger: () => {} });
    const registered = registerProvider('chat', provider);
    expect(() => registerProvider('chat', provider)).not.toThrow();
    expect(() => registerProvider('chat', registered)).not.toThrow();
    registerProvider('plain', createV4(settings));
    expect(() => registerProvider('plain', createV4(settings))).not.toThrow();
  });

  it('keeps the settings out of the registry', () => {
    registerProvider('chat', createKelivoResponsesProvider(settings));
    const registry = (globalThis as unknown as Record<symbol, Map<string, object>>)[
      Symbol.for('kelivo-responses.providers')
    ];
    expect(JSON.stringify([...(registry?.entries() ?? [])])).not.toContain('sk-');
  });

  it('registers objects that create models of other packages', async () => {
    const { baseURL } = await startServer();
    const inner = createKelivoResponsesProvider({ baseURL, apiKey: 'sk-first-0123456789' });
    const loops = registerProvider('loops', {
      languageModel: (modelId: string) => withToolLoop(inner(modelId), { tools: createLocalTools({}) }),
    });
    const { content } = await deserialize(serialize(loops.languageModel('gpt-5'))).doGenerate(options);
    expect(content).toContainEqual(expect.objectContaining({ text: 'You said: Say hello.' }));
  });
});

describe('the default provider', () => {
  it('is recreated from the environment', async () => {
    const { baseURL, requests } = await startServer();
    // Another file may have created the default provider of these modules.
    vi.resetModules();
    const { kelivoResponses } = await import('../../src/index.js');
    vi.stubEnv('OPENAI_BASE_URL', baseURL);
    vi.stubEnv('OPENAI_API_KEY', 'sk-second-0123456789');
    const serialized = serialize(kelivoResponses('gpt-5'));
    await deserialize(serialized).doGenerate(options);
    expect(requests).toMatchObject([{ apiKeyIndex: 1 }]);
    expect(serialized.text).not.toContain('sk-');
  });

  it('does not replace a provider with settings and the default name', () => {
    const provider = createKelivoResponsesProvider({ baseURL: 'https://example.com' });
    expect(() => serialize(provider('gpt-5'))).toThrow(/registered provider/);
  });
});
