import { embed } from 'ai';
import { describe, expect, it } from 'vitest';
import { embeddingIdentity, pinEmbeddingModel } from '../../src/models/embeddings/index.js';
import {
  createProviderRegistryFromConfig,
  type ModelChoice,
  providerConfigFromEnvironment,
  type ProviderRegistryConfig,
} from '../../src/host/index.js';
import { KelivoError } from '../../src/index.js';
import { toEmbeddingModelV3 } from '../../src/v3.js';
import { toEmbeddingModelV4 } from '../../src/v4.js';
import { startEmulator } from '../testing/_emulator.js';

type Environment = Record<string, string>;

const createProviders = (environment: Environment, more: Partial<ProviderRegistryConfig> = {}) => {
  const config = providerConfigFromEnvironment(environment);
  return createProviderRegistryFromConfig({ ...config, ...more, roles: { ...config.roles, ...more.roles } });
};

/** Returns the package, the model and the vector length, or the code of the error and its message. */
const shown = (create: () => { provider: string; modelId: string; dimensions?: number }): string => {
  try {
    const { provider, modelId, dimensions } = create();
    return [provider.replace('@ai-sdk/', ''), modelId, dimensions].filter(Boolean).join(' ');
  } catch (error) {
    return KelivoError.isInstance(error) ? `${error.code}: ${error.message}` : String(error);
  }
};

const chatOf = (environment: Environment, choice?: ModelChoice) =>
  shown(() => createProviders(environment).modelFor('chat', choice));
const embeddingOf = (environment: Environment, choice?: ModelChoice) =>
  shown(() => createProviders(environment).embeddingModelFor('embedding', choice));

/** Settings of OpenAI that must not reach another provider. */
const openai = {
  OPENAI_API_KEY: 'sk',
  OPENAI_MODEL: 'gpt-5-mini',
  OPENAI_EMBEDDING_MODEL: 'text-embedding-3-large',
  OPENAI_EMBEDDING_DIMS: '512',
};

const noModel = (name: string, role: string, variable?: string) =>
  `invalid-settings: Expected the name of a model of "${name}", because this provider has no default model for ` +
  `the role "${role}". Pass \`model\`, or set \`defaultModels\` of the provider` +
  (variable === undefined ? '.' : ` (in the environment: ${variable}).`);

/** Provider, alias, its package, its models of both kinds and the prefix of its variables. */
const providers: [string, string | undefined, string, string?, string?, string?][] = [
  ['kelivo-responses', 'kelivo', 'kelivo-responses', 'gpt-5-mini', 'text-embedding-3-large 512', 'OPENAI'],
  ['openai', undefined, 'kelivo-responses', 'gpt-5-mini', 'text-embedding-3-large 512', 'OPENAI'],
  ['openai-compatible', undefined, 'openai-compatible', 'gpt-5-mini', 'text-embedding-3-large 512', 'OPENAI'],
  ['google', 'gemini', 'google', 'gemini-2.5-pro', 'gemini-embedding-001', 'GEMINI'],
  ['anthropic', 'claude', 'anthropic', 'claude-sonnet-4-5', undefined, 'ANTHROPIC'],
  ['mistral', undefined, 'mistral', 'mistral-large-latest', 'mistral-embed', 'MISTRAL'],
  ['xai', 'grok', 'xai', 'grok-4.3', undefined, 'XAI'],
  ['deepseek', undefined, 'deepseek', 'deepseek-v4-flash', undefined, 'DEEPSEEK'],
  ['azure', undefined, 'azure', undefined, undefined, 'AZURE'],
  ['ollama', undefined, 'ollama', 'qwen3:8b', 'nomic-embed-text', 'OLLAMA'],
  ['openrouter', undefined, 'openrouter', 'openrouter/auto', undefined, 'OPENROUTER'],
];
const rows = providers.flatMap(([name, alias, ...rest]) =>
  [name, alias].flatMap(given => (given === undefined ? [] : [{ given, name, rest }])),
);

describe.each(rows)('the provider $given', ({ given, name, rest: [source, chat, embedding, prefix] }) => {
  const isOpenAI = prefix === 'OPENAI';
  const chatModel = chat && `${name === 'openai' ? 'openai.responses' : source} ${chat}`;
  // The switch of `openai` has the tool loop, so its models keep the name of this package.
  const expectedChat = chatModel?.replace('openai.responses', 'kelivo-responses');
  const embeddingVariable = `\`${prefix}_EMBEDDING_MODEL\``;
  const expectedEmbedding = embedding && `${source} ${embedding}`;

  it('has its own default models if a record names it', () => {
    for (const record of [{ provider: given }, { provider: given, model: null }, { llm_provider: given }]) {
      expect(chatOf(openai, record)).toBe(expectedChat ?? noModel(name, 'chat', `\`${prefix}_MODEL\``));
    }
    for (const record of [{ provider: given }, { embedding_provider: given }]) {
      expect(embeddingOf(openai, record)).toBe(
        expectedEmbedding ?? noModel(name, 'embedding', embeddingVariable),
      );
    }
  });

  it('has its own default models if a variable names it', () => {
    const chatResult = chatOf({ ...openai, LLM_PROVIDER: given });
    if (expectedChat !== undefined) expect(chatResult).toBe(expectedChat);
    else
      expect(chatResult).toContain(
        `invalid-settings: Expected \`${prefix}_MODEL\` to name a model of ${name}`,
      );
    const result = embeddingOf({ ...openai, EMBEDDING_PROVIDER: given });
    if (expectedEmbedding !== undefined) expect(result).toBe(expectedEmbedding);
    else
      expect(result).toMatch(
        /^invalid-settings: Expected `(?:EMBEDDING_PROVIDER|\w+_EMBEDDING_MODEL)` to name a/,
      );
  });

  it('has its own default models if a role, an alias or a model name is its name', () => {
    const registry = (role?: string) =>
      createProviders(openai, {
        aliases: { quick: given },
        ...(role !== undefined && { roles: { summary: role, documents: role } }),
      });
    const expected = expectedChat ?? 'invalid-settings: ';
    const named = expectedChat === undefined ? undefined : given;
    if (named !== undefined) {
      expect(shown(() => registry(named).modelFor('summary'))).toBe(expected);
      expect(shown(() => registry(named).modelFor('chat', { model: 'quick' }))).toBe(expected);
      expect(shown(() => registry(named).languageModel(given))).toBe(expected);
      expect(shown(() => registry('azure:m').modelFor('summary', { provider: given }))).toBe(expected);
      const documents = shown(() => registry(named).embeddingModelFor('documents'));
      expect(documents).toBe(expectedEmbedding ?? noModel(name, 'documents', embeddingVariable));
    } else {
      expect(shown(() => registry(given).languageModel(given))).toContain(
        `no default model for the role "quick"`,
      );
    }
  });

  it('reads its own variables', () => {
    const variables = {
      ...openai,
      [`${prefix}_MODEL`]: 'my-model',
      [`${prefix}_EMBEDDING_MODEL`]: 'my-embedding',
      [`${prefix}_EMBEDDING_DIMS`]: '64',
    };
    expect(chatOf(variables, { provider: given })).toMatch(/ my-model$/);
    expect(embeddingOf(variables, { provider: given })).toBe(`${source} my-embedding 64`);
    expect(chatOf({ ...variables, LLM_PROVIDER: given })).toMatch(/ my-model$/);
    // Those of another provider do not change it.
    if (!isOpenAI) expect(chatOf(variables)).toBe('kelivo-responses gpt-5-mini');
  });
});

describe('the connection of a provider', () => {
  /** Returns the settings that the package of a provider receives. */
  const settingsOf = async (provider: string, environment: Environment) => {
    const received: unknown[] = [];
    const create = (settings: unknown) => {
      received.push(settings);
      throw new Error('Created.');
    };
    const registry = createProviderRegistryFromConfig(providerConfigFromEnvironment(environment), {
      importModule: async () => ({
        ...{ createGoogleGenerativeAI: create, createAnthropic: create, createAzure: create },
        ...{ createMistral: create, createOpenAICompatible: create },
      }),
    });
    const model = registry.modelFor('chat', { provider, model: 'm' });
    await expect(model.doGenerate({ prompt: [] })).rejects.toThrow('Created.');
    return received[0];
  };

  it.each([
    [
      'google',
      { GEMINI_API_KEY: 'g', GOOGLE_BASE_URL: 'http://g/v1' },
      { apiKey: 'g', baseURL: 'http://g/v1' },
    ],
    ['google', { GOOGLE_GENERATIVE_AI_API_KEY: 'g' }, { apiKey: 'g' }],
    ['claude', { ANTHROPIC_API_KEY: 'a' }, { apiKey: 'a' }],
    ['azure', { AZURE_API_KEY: 'z', AZURE_RESOURCE_NAME: 'r' }, { apiKey: 'z', resourceName: 'r' }],
    ['ollama', {}, { name: 'ollama', includeUsage: true, baseURL: 'http://localhost:11434/v1' }],
    [
      'ollama',
      { OLLAMA_BASE_URL: 'http://box:11434/' },
      { name: 'ollama', includeUsage: true, baseURL: 'http://box:11434/v1' },
    ],
    [
      'openrouter',
      { OPENROUTER_API_KEY: 'o' },
      { name: 'openrouter', includeUsage: true, baseURL: 'https://openrouter.ai/api/v1', apiKey: 'o' },
    ],
    ['mistral', {}, {}],
  ])('%s has with %j the settings %j', async (provider, environment, expected) => {
    const all = { ...openai, OPENAI_BASE_URL: 'http://openai/v1', ...environment };
    expect(await settingsOf(provider, all as Environment)).toEqual(expected);
  });
});

describe('the provider of a configuration', () => {
  const gemini = { import: '@ai-sdk/google', creator: 'createGoogleGenerativeAI', aliases: ['g'] };
  const compatible = { import: '@ai-sdk/openai-compatible', creator: 'createOpenAICompatible' };
  const config: ProviderRegistryConfig = {
    providers: {
      main: { type: 'kelivo-responses', models: ['gpt-*'], embeddingDimensions: 256 },
      gemini,
      own: { ...gemini, aliases: [], defaultModels: { chat: 'a', summary: 'b', embedding: 'c' } },
      backup: { type: 'kelivo-responses', settings: { baseURL: 'http://localhost:1/v1' }, models: ['gpt-*'] },
      local: { ...compatible, embeddingDimensions: 32, defaultModels: { embedding: 'd' } },
    },
    roles: {
      chat: 'main:gpt-4.1',
      summary: 'main:gpt-5-nano',
      embedding: 'main:text-embedding-3-large',
      swap: 'gemini',
    },
  };

  it.each([
    ['chat', { provider: 'main' }, 'kelivo-responses gpt-4.1'],
    ['chat', { provider: 'gemini' }, 'gemini gemini-2.5-pro'],
    ['chat', { provider: 'g' }, 'gemini gemini-2.5-pro'],
    ['summary', { provider: 'g' }, 'gemini gemini-2.5-pro'],
    ['swap', {}, 'gemini gemini-2.5-pro'],
    ['swap', { provider: 'main' }, 'kelivo-responses gpt-5'],
    ['chat', { provider: 'own' }, 'own a'],
    ['summary', { provider: 'own' }, 'own b'],
    ['chat', { provider: 'backup' }, 'kelivo-responses gpt-4.1'],
    ['swap', { provider: 'backup' }, noModel('backup', 'swap')],
    ['chat', { provider: 'local' }, noModel('local', 'chat')],
    ['chat', { model: 'g' }, 'gemini gemini-2.5-pro'],
    ['chta', { provider: 'g' }, 'unknown-name: Unknown role "chta". Did you mean "chat"? Known roles:'],
  ])('has for the role %s and the record %j the model %s', (role, record, expected) => {
    const result = shown(() => createProviderRegistryFromConfig(config).modelFor(role, record));
    expect(result.startsWith('unknown-name') ? result.slice(0, expected.length) : result).toBe(expected);
  });

  it.each([
    [{ provider: 'main' }, 'kelivo-responses text-embedding-3-large 256'],
    [{ provider: 'gemini' }, 'gemini gemini-embedding-001'],
    [{ provider: 'own', dimensions: 8 }, 'own c 8'],
    [{ provider: 'local' }, 'local d 32'],
    [{ embedding_provider: 'local', embedding_dims: 16 }, 'local d 16'],
    [{ provider: 'backup' }, noModel('backup', 'embedding')],
  ])('embeds for the record %j with %s', (record, expected) => {
    const registry = createProviderRegistryFromConfig(config);
    expect(shown(() => registry.embeddingModelFor('embedding', record))).toBe(expected);
  });

  it('needs a default model if a role names it alone', () => {
    expect(
      shown(() => ({
        ...createProviderRegistryFromConfig({ providers: { local: compatible }, roles: { chat: 'local' } }),
        provider: '',
        modelId: '',
      })),
    ).toContain('`roles.chat`: Expected the name of a model of "local"');
  });

  it('gets default models and a vector length when it is registered', () => {
    const registry = createProviderRegistryFromConfig(config);
    registry.register('late', compatible, {
      defaultModels: { chat: 'x', embedding: 'y' },
      embeddingDimensions: 4,
    });
    registry.register('later', { ...gemini, aliases: [] });
    expect(shown(() => registry.modelFor('chat', { provider: 'late' }))).toBe('late x');
    const embedding = shown(() => registry.embeddingModelFor('embedding', { provider: 'late' }));
    expect(embedding).toBe('late y 4');
    expect(shown(() => registry.modelFor('chat', { provider: 'later' }))).toBe('later gemini-2.5-pro');
  });
});

const noId =
  'invalid-settings: Expected a model id after the colon, got "gemini:". Name the provider alone for its default model.';

describe('a record', () => {
  it.each<[ModelChoice, string, string]>([
    [
      { llm_provider: 'google', embedding_provider: 'mistral' },
      'google gemini-2.5-pro',
      'mistral mistral-embed',
    ],
    [
      { llm_provider: 'claude', llm_model: 'claude-opus-4-5', embedding_model: 'gemini-embedding-001' },
      'anthropic claude-opus-4-5',
      'google gemini-embedding-001',
    ],
    // The fields without a prefix belong to the language model.
    [
      { llm_provider: 'google', model: 'gemini-3.5-flash', api_key: 'k', embedding_dimensions: 64 },
      'google gemini-3.5-flash',
      'kelivo-responses text-embedding-3-large 64',
    ],
    [
      { embedding_provider: 'google', model: 'gpt-4.1' },
      'kelivo-responses gpt-4.1',
      'invalid-settings: Expected `embedding_model` next to `embedding_provider: "google"`, got only ' +
        '`model: "gpt-4.1"`, which belongs to the provider "kelivo-responses".',
    ],
    [
      { provider: ' ', model: '', llm_model: null, dimensions: null },
      'kelivo-responses gpt-5-mini',
      'kelivo-responses text-embedding-3-large 512',
    ],
    // White space, the case of the provider and a repeated provider do not matter.
    [
      { provider: ' Gemini\n', model: ' google:gemini-3.5-flash ' },
      'google gemini-3.5-flash',
      'google gemini-3.5-flash',
    ],
    [{ provider: 'GOOGLE' }, 'google gemini-2.5-pro', 'google gemini-embedding-001'],
    [{ model: 'Google:m' }, 'google m', 'google m'],
    // The model ids of some servers contain colons, and the names of other providers.
    [{ provider: 'ollama', model: 'mistral:7b' }, 'ollama mistral:7b', 'ollama mistral:7b'],
    [
      { embedding_provider: 'google', model: 'openai:gpt-4.1' },
      'kelivo-responses gpt-4.1',
      'invalid-settings: Expected `embedding_model` next to `embedding_provider: "google"`, got only ' +
        '`model: "openai:gpt-4.1"`, which belongs to the provider "openai".',
    ],
    [{ provider: 'google', model: 'gemini:' }, noId, noId],
  ])('%j has the language model %s and the embedding model %s', (record, chat, embedding) => {
    expect(chatOf(openai, record)).toBe(chat);
    expect(embeddingOf(openai, record)).toBe(embedding);
  });

  it.each([
    [
      { provder: 'google' },
      /^invalid-settings: Unknown setting `provder` in the record.*Did you mean `provider`\?$/,
    ],
    [{ baseUrl: 'http://x' }, /`baseUrl`.*Did you mean `baseURL`\?$/],
    [{ llmProvider: 'google' }, /`llmProvider`.*Did you mean `llm_provider`\?$/],
    [{ id: 7, provider: 'google' }, /^invalid-settings: Unknown setting `id` in the record/],
    [{ provider: 7 }, /^invalid-settings: Invalid `provider` of the record of a model: expected string/],
    [{ dimensions: 1.5 }, /`dimensions` of the record/],
    [
      Object.assign(Object.create(null) as object, { id: 7, provider: 'google' }),
      /Unknown setting `id` in the record/,
    ],
    [
      new (class Row {
        id = 7;
        provider = 'google';
      })(),
      /Unknown setting `id` in the record/,
    ],
    [JSON.parse('{"__proto__": {"model": "x"}}'), /Unknown setting `__proto__` in the record/],
  ])('%j is rejected', (record, message) => {
    expect(chatOf(openai, record as never)).toMatch(message);
    expect(embeddingOf(openai, record as never)).toMatch(message);
  });
});

describe('the vector length in variables', () => {
  it.each<[Environment, ModelChoice, string]>([
    [{ EMBEDDING_DIMS: '64' }, {}, 'kelivo-responses text-embedding-3-small 64'],
    [{ EMBEDDING_DIMENSIONS: '64' }, {}, 'kelivo-responses text-embedding-3-small 64'],
    [{ EMBEDDING_DIMENSIONS: '64', EMBEDDING_PROVIDER: 'Gemini' }, {}, 'google gemini-embedding-001 64'],
    // It belongs to the provider of the role.
    [{ EMBEDDING_DIMS: '64' }, { provider: 'google' }, 'google gemini-embedding-001'],
    [{ EMBEDDING_DIMS: '64' }, { dimensions: 8 }, 'kelivo-responses text-embedding-3-small 8'],
    [
      { EMBEDDING_DIMS: '64', OPENAI_EMBEDDING_DIMENSIONS: '32' },
      {},
      'kelivo-responses text-embedding-3-small 32',
    ],
    [
      { EMBEDDING_DIMENSIONS: 'many' },
      {},
      'invalid-settings: Expected `EMBEDDING_DIMENSIONS` to be a positive integer, got "many".',
    ],
  ])('%j and the record %j have the model %s', (environment, record, expected) => {
    expect(embeddingOf(environment, record)).toBe(expected);
  });
});

describe('an embedding identity', () => {
  it('has the name of the provider in the registry, which creates the model again', async () => {
    const emulator = await startEmulator();
    const settings = { baseURL: emulator.baseURL, apiKey: 'sk' };
    const registry = createProviderRegistryFromConfig({
      providers: {
        main: { type: 'kelivo-responses', settings },
        imported: { import: '@ai-sdk/openai', creator: 'createOpenAI', settings },
        elsewhere: { type: 'kelivo-responses', settings: { ...settings, baseURL: 'http://127.0.0.1:9' } },
      },
      roles: { embedding: 'main:text-embedding-3-small' },
    });
    for (const provider of ['main', 'imported']) {
      const model = registry.textEmbeddingModel(`${provider}:text-embedding-3-large`);
      const identity = await embeddingIdentity(model);
      expect(identity).toEqual({
        provider,
        modelId: 'text-embedding-3-large',
        dimensions: 3072,
        server: emulator.baseURL,
      });
      const again = registry.embeddingModelFor('embedding', identity);
      const pinned = pinEmbeddingModel(again, identity);
      expect((await embed({ model: pinned, value: 'a' })).embedding).toHaveLength(3072);
      expect(await embeddingIdentity(pinned)).toEqual(identity);
      expect(await embeddingIdentity(toEmbeddingModelV3(model))).toEqual(identity);
      expect(await embeddingIdentity(toEmbeddingModelV4(model))).toEqual(identity);
      // Identities that were stored without the registry stay valid.
      const { provider: own } = model;
      const old = pinEmbeddingModel(again, { ...identity, provider: own });
      expect((await embed({ model: old, value: 'a' })).embedding).toHaveLength(3072);
      const embedWith = (other: string) => {
        const model = registry.textEmbeddingModel(`${other}:text-embedding-3-large`);
        return embed({ model: pinEmbeddingModel(model, identity), value: 'a' });
      };
      // The model is the same on the same server, whatever the name of the provider.
      const alias = await embedWith(provider === 'main' ? 'imported' : 'main');
      expect(alias.embedding).toHaveLength(3072);
      await expect(embedWith('elsewhere')).rejects.toThrow(
        `Expected embeddings of ${provider} "text-embedding-3-large"`,
      );
    }
  });

  it('leads to the model of another provider with its own vector length', () => {
    const result = embeddingOf(openai, {
      provider: 'google',
      modelId: 'gemini-embedding-001',
      dimensions: 768,
    });
    expect(result).toBe('google gemini-embedding-001 768');
  });
});
