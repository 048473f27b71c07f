import type { LanguageModelV2 } from '@ai-sdk/provider';
import { embed, generateText } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { embeddingIdentity } from '../../src/models/embeddings/index.js';
import { createProviderRegistryFromConfig, providerConfigFromEnvironment } from '../../src/host/index.js';
import { KelivoError } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

const createProviders = (environment: Record<string, string | undefined>) =>
  createProviderRegistryFromConfig(providerConfigFromEnvironment(environment));

const shown = ({ provider, modelId }: LanguageModelV2) => `${provider} ${modelId}`;

const COMPATIBLE = { LLM_PROVIDER: 'openai-compatible', OPENAI_COMPATIBLE_MODEL: 'own' };
const ADDRESS = { OPENAI_COMPATIBLE_BASE_URL: 'https://own.test/v1' };

describe('providerConfigFromEnvironment', () => {
  it.each([
    [{ OPENAI_MODLE: 'm' }, [/^`OPENAI_MODLE` is set, but is not read\. Did you mean `OPENAI_MODEL`\?$/]],
    [{ KELIVO_RESPONCES: 'off' }, [/`KELIVO_RESPONSES`/]],
    [{ OPENAI_COMPATIBLE_URL: 'x' }, [/`OPENAI_COMPATIBLE_BASE_URL`/]],
    [{ AZURE_OPENAI_KEY: 'x' }, [/`AZURE_OPENAI_API_KEY`/]],
    [{ LLM_PROVIDR: 'google' }, [/`LLM_PROVIDER`/]],
    [{ OPENAI_EMBEDDING_DIM: '8' }, [/`OPENAI_EMBEDDING_DIMS`/]],
    // Variables of other programs, and those that are read.
    [{ OLLAMA_MODELS: '/models', OLLAMA_HOST: 'x', OPENAI_ORG_ID: 'x', OPENAI_PROJECT: 'x' }, []],
    [{ AZURE_CLIENT_ID: 'x', AZURE_TENANT_ID: 'x', GOOGLE_APPLICATION_CREDENTIALS: 'x', PATH: '/bin' }, []],
    [{ OPENAI_API_KEY_OLD: 'sk-x', OPENAI_MODLE: ' ', LLM_ROLE_SUMARY: 'gpt-5', LLM_TEMPERATURE: '1' }, []],
    [
      { KELIVO_RESPONSES: 'off', KELIVO_HISTORY_SECRET: 's', EMBEDDING_DIMS: '8', AZURE_RESOURCE_NAME: 'r' },
      [],
    ],
    [
      { GEMINI_API_KEY: 'sk-a', GOOGLE_API_KEY: 'sk-b' },
      [/^`GEMINI_API_KEY` and `GOOGLE_API_KEY` have different values/],
    ],
    [{ GEMINI_API_KEY: 'sk-a', GOOGLE_API_KEY: 'sk-a' }, []],
    [
      { OPENAI_EMBEDDING_DIMS: '8', OPENAI_EMBEDDING_DIMENSIONS: '9' },
      [/`OPENAI_EMBEDDING_DIMENSIONS` have/],
    ],
    [{ ...COMPATIBLE, ...ADDRESS }, []],
    [
      { ...COMPATIBLE, ...ADDRESS, OPENAI_API_KEY: 'sk-x' },
      [/sends no key, because `OPENAI_API_KEY` is not used/],
    ],
    [{ ...COMPATIBLE, ...ADDRESS, OPENAI_API_KEY: 'sk-x', OPENAI_COMPATIBLE_API_KEY: 'k' }, []],
    [{ ...ADDRESS, OPENAI_API_KEY: 'sk-x' }, []],
    [COMPATIBLE, [/has no address\. Set `OPENAI_COMPATIBLE_BASE_URL`/]],
    [
      { ...COMPATIBLE, OPENAI_BASE_URL: 'https://openai.test/v1' },
      [/has no address, and `OPENAI_BASE_URL` is not used beside variables of OPENAI_COMPATIBLE_…\./],
    ],
    [{ LLM_PROVIDER: 'openai-compatible', OPENAI_MODEL: 'm', OPENAI_BASE_URL: 'https://own.test/v1' }, []],
  ])('%j is reported with %j', (environment, expected) => {
    const warnings: string[] = [];
    providerConfigFromEnvironment(environment as Record<string, string>, {
      onWarning: message => void warnings.push(message),
    });
    expect(warnings).toEqual(expected.map(pattern => expect.stringMatching(pattern)));
    expect(warnings.join()).not.toMatch(/sk-|gpt-5/);
  });

  it('reports on the console by default', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    providerConfigFromEnvironment({ OPENAI_MODLE: 'm' });
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^kelivo-responses: `OPENAI_MODLE`/)]]);
  });

  it('never mixes the address and the key of OpenAI with those of a compatible server', () => {
    const openai = {
      OPENAI_API_KEY: 'sk-openai',
      OPENAI_BASE_URL: 'https://openai.test/v1',
      OPENAI_MODEL: 'gpt-5',
    };
    const settingsOf = (more: Record<string, string>, name: string) =>
      providerConfigFromEnvironment({ ...openai, ...more }).providers[name];
    const compatible = { OPENAI_COMPATIBLE_BASE_URL: 'https://own.test/v1', OPENAI_COMPATIBLE_MODEL: 'own' };
    expect(settingsOf(compatible, 'openai-compatible')).toMatchObject({
      settings: { baseURL: 'https://own.test/v1' },
      defaultModels: { chat: 'own' },
    });
    expect(settingsOf(compatible, 'openai-compatible')?.settings).not.toHaveProperty('apiKey');
    expect(settingsOf(compatible, 'openai')).toMatchObject({ settings: { apiKey: 'sk-openai' } });
    expect(settingsOf({}, 'openai-compatible')).toMatchObject({
      settings: { baseURL: 'https://openai.test/v1', apiKey: 'sk-openai' },
      defaultModels: { chat: 'gpt-5' },
    });
  });

  it.each([
    [{}, 'kelivo-responses gpt-5'],
    [{ LLM_PROVIDER: '', OPENAI_MODEL: ' ' }, 'kelivo-responses gpt-5'],
    [{ OPENAI_MODEL: 'gpt-4.1' }, 'kelivo-responses gpt-4.1'],
    [{ OPENAI_MODEL: 'qwen3:8b' }, 'kelivo-responses qwen3:8b'],
    [{ LLM_PROVIDER: 'openai-compatible', OPENAI_MODEL: 'm' }, 'openai-compatible m'],
    [{ LLM_PROVIDER: 'google', GEMINI_MODEL: 'gemini-flash-latest' }, 'google gemini-flash-latest'],
    [{ LLM_PROVIDER: 'mistral', MISTRAL_MODEL: 'mistral-large' }, 'mistral mistral-large'],
  ])('%j sets the role chat to %s', (environment, expected) => {
    expect(shown(createProviders(environment).modelFor('chat'))).toBe(expected);
  });

  it.each([
    ['gemini-2.5-flash', 'google gemini-2.5-flash'],
    ['claude-sonnet-4-5', 'anthropic claude-sonnet-4-5'],
    ['grok-4', 'xai grok-4'],
    ['deepseek-chat', 'deepseek deepseek-chat'],
    ['o4-mini', 'kelivo-responses o4-mini'],
    ['my-own-model', 'mistral my-own-model'],
    ['openai-compatible:my-own-model', 'openai-compatible my-own-model'],
  ])('the model %s of a record is %s with any default provider', (model, expected) => {
    const providers = createProviders({
      LLM_PROVIDER: 'mistral',
      MISTRAL_MODEL: 'mistral-large',
    });
    expect(shown(providers.modelFor('chat', { model }))).toBe(expected);
  });

  it.each(['kelivo-responses', 'openai', 'openai-compatible'])(
    '%s generates and embeds with the key and base URL of the environment',
    async provider => {
      const emulator = await startEmulator({ apiKey: 'sk-environment' });
      const providers = createProviders({
        LLM_PROVIDER: provider,
        EMBEDDING_PROVIDER: provider,
        OPENAI_API_KEY: 'sk-environment',
        OPENAI_BASE_URL: ` ${emulator.baseURL} `,
        OPENAI_MODEL: 'gpt-5-mini',
        OPENAI_EMBEDDING_MODEL: 'text-embedding-3-large',
        OPENAI_EMBEDDING_DIMS: '128',
      });
      const { text } = await generateText({
        model: providers.modelFor('chat'),
        prompt: 'Hello',
        maxRetries: 0,
      });
      expect(text).toBe('You said: Hello');
      const model = providers.embeddingModelFor('embedding');
      expect((await embed({ model, value: 'a' })).embedding).toHaveLength(128);
      expect(await embeddingIdentity(model)).toMatchObject({
        modelId: 'text-embedding-3-large',
        dimensions: 128,
      });
      expect(emulator.requests.map(({ body }) => (body as { model: string }).model)).toEqual([
        'gpt-5-mini',
        'text-embedding-3-large',
      ]);
    },
  );

  it('keeps the other defaults if a record chooses its embedding model', async () => {
    const emulator = await startEmulator();
    const providers = createProviders({
      OPENAI_API_KEY: 'sk',
      OPENAI_BASE_URL: emulator.baseURL,
      OPENAI_EMBEDDING_DIMS: '128',
    });
    const choices = [
      {},
      { model: 'text-embedding-3-large' },
      { dimensions: 32 },
      { model: null, dimensions: null },
    ];
    const identities = await Promise.all(
      choices.map(choice => embeddingIdentity(providers.embeddingModelFor('embedding', choice))),
    );
    expect(identities.map(({ modelId, dimensions }) => [modelId, dimensions])).toEqual([
      ['text-embedding-3-small', 128],
      ['text-embedding-3-large', 128],
      ['text-embedding-3-small', 32],
      ['text-embedding-3-small', 128],
    ]);
  });

  it('reads more roles, and accepts those, aliases and providers of the application', () => {
    const config = providerConfigFromEnvironment({
      OPENAI_API_KEY: 'sk',
      LLM_ROLE_PLANNER: ' gemini:gemini-2.5-flash ',
      LLM_ROLE_TITLE: 'fast',
      LLM_ROLE_BLANK: ' ',
    });
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
    const providers = createProviderRegistryFromConfig({
      ...config,
      roles: { ...config.roles, summary: 'fast' },
      aliases: { fast: 'gpt-5-mini' },
    });
    expect(shown(providers.modelFor('planner'))).toBe('google gemini-2.5-flash');
    expect(shown(providers.modelFor('summary'))).toBe('kelivo-responses gpt-5-mini');
    expect(shown(providers.modelFor('title'))).toBe('kelivo-responses gpt-5-mini');
    expect(() => providers.modelFor('blank')).toThrow('Unknown role "blank"');
    providers.register('mine', { import: 'x', creator: 'y' });
    expect(shown(providers.modelFor('chat', { provider: 'mine', model: 'm' }))).toBe('mine m');
  });

  it.each([
    [
      { LLM_PROVIDER: 'opnai' },
      'unknown-name',
      /`LLM_PROVIDER`.*got "opnai"\. Did you mean "openai"\? Known providers: "kelivo-responses", "openai",/,
    ],
    [{ EMBEDDING_PROVIDER: 'x' }, 'unknown-name', /`EMBEDDING_PROVIDER`/],
    [{ OPENAI_EMBEDDING_DIMS: '1.5' }, 'invalid-settings', /`OPENAI_EMBEDDING_DIMS`.*integer, got "1\.5"/],
    [{ OPENAI_BASE_URL: 'localhost:8000' }, 'invalid-settings', /http:\/\/localhost:8000/],
  ])('rejects %j', (environment, code, message) => {
    try {
      createProviders(environment);
    } catch (error) {
      expect(KelivoError.isInstance(error) && error.code).toBe(code);
      expect(String(error)).toMatch(message);
      return;
    }
    throw new Error('Expected an error');
  });
});
