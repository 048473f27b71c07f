import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import { createProviderRegistry, embed, generateText } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProviderRegistryFromConfig, type ProviderRegistryConfig } from '../../src/host/index.js';
import { embeddingIdentity } from '../../src/models/embeddings/index.js';
import { KelivoError } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

const server = { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'sk-test' };

const config: ProviderRegistryConfig = {
  providers: {
    main: { type: 'kelivo-responses', settings: server, aliases: ['openai'], models: ['gpt-*', 'o?-*'] },
    gemini: {
      import: '@ai-sdk/google',
      creator: 'createGoogleGenerativeAI',
      settings: { apiKey: 'k' },
      models: ['gemini-*'],
    },
    local: {
      import: '@ai-sdk/openai-compatible',
      creator: 'createOpenAICompatible',
      settings: { name: 'local', baseURL: server.baseURL },
    },
  },
  defaultProvider: 'local',
  aliases: { fast: 'main:gpt-5-mini', quick: 'fast', 'gpt-5': 'main:gpt-5' },
  roles: {
    chat: 'main:gpt-5',
    summary: 'fast',
    planner: 'gemini:gemini-2.5-pro',
    embedding: 'main:text-embedding-3-small',
  },
};

const shown = ({ provider, modelId }: LanguageModelV2) => `${provider} ${modelId}`;

const messageOf = (run: () => unknown): string => {
  try {
    run();
    return 'no error';
  } catch (error) {
    return KelivoError.isInstance(error) ? `${error.code}: ${error.message}` : String(error);
  }
};

describe('a model name', () => {
  const registry = createProviderRegistryFromConfig(config);

  it.each([
    ['main:gpt-5', 'kelivo-responses gpt-5'],
    ['openai:gpt-5', 'kelivo-responses gpt-5'],
    ['main:ft:gpt-4.1:mine', 'kelivo-responses ft:gpt-4.1:mine'],
    ['fast', 'kelivo-responses gpt-5-mini'],
    ['quick', 'kelivo-responses gpt-5-mini'],
    ['gpt-5', 'kelivo-responses gpt-5'],
    ['chat', 'kelivo-responses gpt-5'],
    ['planner', 'gemini gemini-2.5-pro'],
    ['gpt-4.1', 'kelivo-responses gpt-4.1'],
    ['gemini-2.5-flash', 'gemini gemini-2.5-flash'],
    ['qwen3-8b', 'local qwen3-8b'],
    ['local:qwen3:8b', 'local qwen3:8b'],
  ])('%s resolves to %s', (name, expected) => {
    expect(shown(registry.languageModel(name))).toBe(expected);
  });

  it('rejects an unknown provider and lists the known ones', () => {
    expect(messageOf(() => registry.languageModel('opneai:gpt'))).toBe(
      'unknown-name: Unknown provider "opneai". Did you mean "openai"? Known providers: "main", "openai", "gemini", "local".',
    );
  });

  it('ignores the case of a provider, unless two differ in nothing else', () => {
    const kelivo = { type: 'kelivo-responses' as const };
    const names = createProviderRegistryFromConfig({
      providers: { Main: kelivo, Local: kelivo, LOCAL: kelivo },
    });
    expect(shown(names.languageModel('main:gpt-5'))).toBe('kelivo-responses gpt-5');
    expect(() => names.languageModel('LOCAL:gpt-5')).not.toThrow();
    expect(messageOf(() => names.languageModel('local:gpt-5'))).toMatch(
      /^unknown-name: Unknown provider "local"/,
    );
  });
});

describe('the model of a role', () => {
  const registry = createProviderRegistryFromConfig(config);

  it.each([
    ['chat', undefined, 'kelivo-responses gpt-5'],
    ['summary', { model: null, provider: null }, 'kelivo-responses gpt-5-mini'],
    ['chat', { model: 'gpt-4.1' }, 'kelivo-responses gpt-4.1'],
    ['chat', { model: 'gemini-2.5-flash' }, 'gemini gemini-2.5-flash'],
    ['chat', { model: 'fast' }, 'kelivo-responses gpt-5-mini'],
    ['chat', { provider: 'local', model: 'qwen3:8b' }, 'local qwen3:8b'],
    ['planner', { provider: 'openai', model: 'qwen3:8b' }, 'kelivo-responses qwen3:8b'],
    ['unknown', { model: 'gpt-5' }, 'kelivo-responses gpt-5'],
  ])('%s with the record %j is %s', (role, choice, expected) => {
    expect(shown(registry.modelFor(role, choice))).toBe(expected);
  });

  it('rejects unknown roles and providers and lists the known ones', () => {
    expect(messageOf(() => registry.modelFor('chta'))).toBe(
      'unknown-name: Unknown role "chta". Did you mean "chat"? Known roles: "chat", "summary", "planner", "embedding".',
    );
    expect(messageOf(() => registry.modelFor('chat', { provider: 'x' }))).toContain(
      'Unknown provider "x". Known providers:',
    );
  });

  it('uses the base URL and the key of the record', async () => {
    const emulator = await startEmulator({ apiKey: 'sk-record' });
    const choice = { baseURL: emulator.baseURL, apiKey: 'sk-record' };
    for (const provider of ['main', 'local']) {
      const { text } = await generateText({
        model: registry.modelFor('chat', { ...choice, provider, model: 'gpt-5' }),
        prompt: 'Hello',
        maxRetries: 0,
      });
      expect(text).toBe('You said: Hello');
    }
    expect(emulator.requests.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions']);
  });
});

describe('embedding models', () => {
  it.each(['main', 'imported'])(
    'of the provider %s return vectors of the configured length, or of the length in the record',
    async provider => {
      const emulator = await startEmulator();
      const settings = { baseURL: emulator.baseURL, apiKey: 'sk-test' };
      const registry = createProviderRegistryFromConfig({
        providers: {
          main: { type: 'kelivo-responses', settings, embeddingDimensions: 64 },
          imported: {
            import: '@ai-sdk/openai',
            creator: 'createOpenAI',
            settings,
            embeddingDimensions: 64,
          },
        },
        roles: { embedding: `${provider}:text-embedding-3-small` },
      });
      const lengthOf = async (dimensions?: number) => {
        const model = registry.embeddingModelFor('embedding', { dimensions });
        expect(await embeddingIdentity(model)).toMatchObject({ dimensions: dimensions ?? 64 });
        return (await embed({ model, value: 'a' })).embedding.length;
      };
      expect([await lengthOf(), await lengthOf(32)]).toEqual([64, 32]);
      const model = registry.textEmbeddingModel('embedding');
      const { embedding } = await embed({
        model,
        value: 'a',
        providerOptions: { openai: { dimensions: 16 } },
      });
      expect(embedding).toHaveLength(16);
    },
  );
});

describe('providers registered at run time', () => {
  const start = () => createProviderRegistryFromConfig({ providers: { main: { type: 'kelivo-responses' } } });

  it('resolve by name, alias and pattern, as instances and as entries', async () => {
    const emulator = await startEmulator();
    const registry = start();
    const settings = { name: 'mine', baseURL: emulator.baseURL };
    registry.register('mine', createOpenAICompatible(settings), { aliases: ['own'], models: ['llama*'] });
    registry.register('entry', {
      import: '@ai-sdk/openai-compatible',
      creator: 'createOpenAICompatible',
      settings,
      models: ['qwen*'],
    });
    for (const name of ['mine:m', 'own:m', 'llama-4', 'entry:m', 'qwen3']) {
      const { text } = await generateText({ model: registry.languageModel(name), prompt: 'Hello' });
      expect(text).toBe('You said: Hello');
    }
    expect(registry.providerNames).toEqual(['main', 'mine', 'entry']);
    expect(messageOf(() => registry.languageModel('x:y'))).toContain('"main", "mine", "own", "entry"');
  });

  it('need unique names and valid entries', () => {
    const registry = start();
    const provider = createOpenAICompatible({ name: 'a', baseURL: server.baseURL });
    expect(messageOf(() => registry.register('main', provider))).toContain(
      'got "main", which is already in use',
    );
    expect(messageOf(() => registry.register('b', provider, { aliases: ['main'] }))).toContain('got "main"');
    expect(messageOf(() => registry.register('b', { import: 'x' } as never))).toContain('`providers.b`');
    expect(messageOf(() => registry.register('b', undefined as never))).toContain('`providers.b`');
    expect(messageOf(() => registry.register('b', provider, { models: 'm*' as never }))).toContain(
      '`models`',
    );
    expect(messageOf(() => registry.register('b:c', provider))).toContain('without ":"');
    registry.register('b', provider);
    expect(messageOf(() => registry.modelFor('chat', { provider: 'b', model: 'm', apiKey: 'sk' }))).toContain(
      'an instance that already has them',
    );
  });
});

it('is a provider for `createProviderRegistry` of `ai`', async () => {
  const emulator = await startEmulator();
  const registry = createProviderRegistryFromConfig({
    providers: { main: { type: 'kelivo-responses', settings: { baseURL: emulator.baseURL } } },
    roles: { chat: 'main:gpt-5' },
  });
  onTestFinished(() => registry.close());
  const model = createProviderRegistry({ app: registry }).languageModel('app:chat');
  expect((await generateText({ model, prompt: 'Hello' })).text).toBe('You said: Hello');
});

describe('packages', () => {
  const withEntry = (
    entry: { import: string; creator: string },
    importModule?: (name: string) => Promise<unknown>,
  ) => {
    const registry = createProviderRegistryFromConfig({ providers: { other: entry } }, { importModule });
    return generateText({ model: registry.languageModel('other:m'), prompt: 'Hello', maxRetries: 0 }).catch(
      (error: unknown) => error,
    );
  };

  it('are imported only when a model is called', async () => {
    const imported: string[] = [];
    const importModule = async (name: string) => {
      imported.push(name);
      return { createIt: () => ({ languageModel: () => ({ specificationVersion: 'v2', doGenerate }) }) };
    };
    const doGenerate = async () => ({
      content: [{ type: 'text', text: 'Imported.' }],
      finishReason: 'stop',
      usage: {},
      warnings: [],
    });
    const entry = { import: 'some-package', creator: 'createIt' };
    const registry = createProviderRegistryFromConfig({ providers: { other: entry } }, { importModule });
    const model = registry.languageModel('other:m');
    expect(imported).toEqual([]);
    expect((await generateText({ model, prompt: 'Hello' })).text).toBe('Imported.');
    expect(new Set(imported)).toEqual(new Set(['some-package']));
  });

  it('report what to install if they are missing, and the creators if the function is missing', async () => {
    expect(await withEntry({ import: 'no-such-package-here', creator: 'x' })).toMatchObject({
      code: 'missing-package',
      message: expect.stringContaining('npm install no-such-package-here'),
    });
    expect(await withEntry({ import: '@ai-sdk/google', creator: 'createGoogle' })).toMatchObject({
      code: 'missing-package',
      message: expect.stringMatching(
        /function `createGoogle`, got undefined\. Creators that it exports: .*createGoogleGenerativeAI/,
      ),
    });
  });

  it('are rejected if their models belong to an unknown AI SDK version', async () => {
    const module = { createIt: () => ({ languageModel: () => ({ specificationVersion: 'v5' }) }) };
    const error = await withEntry({ import: 'newer', creator: 'createIt' }, async () => module);
    expect(error).toMatchObject({
      code: 'missing-package',
      message: expect.stringContaining(
        'version v2, v3 or v4 (`ai` 5, 6 or 7) from newer, got one of version v5',
      ),
    });
  });
});

describe('an invalid configuration', () => {
  const issuesOf = (value: unknown): string =>
    messageOf(() => createProviderRegistryFromConfig(value as ProviderRegistryConfig));

  it('is rejected with all issues, each with its path', () => {
    const message = issuesOf({
      providers: {
        a: { type: 'kelivo', settings: {} },
        b: { type: 'kelivo-responses', settings: { baseUrl: 'x', adapters: ['qwen', 'nope'] } },
        c: { import: '@ai-sdk/google', settings: {} },
        d: { type: 'kelivo-responses', enabled: 3, colour: 'red' },
        e: { type: 'kelivo-responses', settings: { mcpServers: { files: { command: 'x', url: 'y' } } } },
        f: { import: 'x', creator: 'y', toolLoop: { maxRounds: 0 } },
        g: { package: 'x', creator: 'y' },
      },
      mcpServers: { broken: {} },
    });
    expect(message.split('\n- ')).toEqual([
      'invalid-settings: Invalid provider configuration:',
      expect.stringMatching(/^`mcpServers`: .*MCP server "broken"/),
      expect.stringMatching(/`type` of `providers\.a` of the provider configuration/),
      expect.stringMatching(
        /^`providers\.b\.settings`: Unknown setting `baseUrl`.*Did you mean `baseURL`\?$/,
      ),
      expect.stringMatching(
        /^`providers\.b\.settings\.adapters`: Unknown adapter "nope"\. Known adapters: .*"qwen/,
      ),
      expect.stringMatching(/`creator` of `providers\.c`/),
      expect.stringMatching(/`enabled` of `providers\.d`/),
      expect.stringMatching(
        /^Unknown setting `colour` in `providers\.d`.*Valid names: type, settings, enabled, fallback/,
      ),
      expect.stringMatching(/^`providers\.e\.settings\.mcpServers`: .*MCP server "files"/),
      expect.stringMatching(/^Invalid `toolLoop\.maxRounds` of `providers\.f`/),
      expect.stringMatching(/^Invalid `import` of `providers\.g`/),
      expect.stringMatching(/^Unknown setting `package` in `providers\.g`/),
    ]);
  });

  it('is rejected for unknown and duplicate names', () => {
    const entry = { type: 'kelivo-responses' };
    expect(
      issuesOf({
        providers: { a: { ...entry, aliases: ['b', 'x'] }, b: { ...entry, aliases: ['x'] } },
        defaultProvider: 'c',
        aliases: { fast: 'd:gpt-5' },
        roles: { chat: 'a:gpt-5', summary: 'e:gpt-5' },
      }).split('\n- '),
    ).toEqual([
      'invalid-settings: Invalid provider configuration:',
      '`providers.a.aliases.0`: Expected a unique name, got "b", which `providers.b` already uses.',
      '`providers.b.aliases.0`: Expected a unique name, got "x", which `providers.a.aliases.1` already uses.',
      '`defaultProvider`: Unknown provider "c". Known providers: "a", "b", "x".',
      '`aliases.fast`: Unknown provider "d". Known providers: "a", "b", "x".',
      '`roles.summary`: Unknown provider "e". Known providers: "a", "b", "x".',
    ]);
    expect(issuesOf({ providers: {} })).toContain('Expected at least one provider');
  });

  it('is checked completely even if one part is invalid', () => {
    const message = issuesOf({
      providers: {
        a: {
          type: 'kelivo-responses',
          enabled: 3,
          settings: { store: 1, baseUrl: 'x', timeouts: { total: -1 } },
        },
        b: {
          type: 'kelivo-responses',
          fallback: 'x',
          settings: { adapters: ['nope'], mcpServers: { one: {}, two: {} } },
        },
        'c:d': { import: '', creator: 'create' },
      },
      roles: { chat: 'e:gpt-5' },
      mcpServers: 1,
    });
    const places = [
      ...['`mcpServers`', '`enabled` of `providers.a`', '`store`', '`baseUrl`', '`timeouts.total`'],
      ...['`fallback` of `providers.b`', '"nope"', 'MCP server "one"', 'MCP server "two"'],
      ...[
        '`import` of `providers.c:d`',
        '`providers.c:d`: Expected a provider name without ":"',
        '`roles.chat`',
      ],
    ];
    expect(places.filter(place => !message.includes(place))).toEqual([]);
    expect(message.split('\n- ')).toHaveLength(1 + places.length);
  });

  it('names each unknown key of a pasted row, and where it belongs', () => {
    const row = { id: 'main', type: 'openai', apiKey: 'sk-secret', baseUrl: 'http://x', defaultModel: {} };
    const issues = issuesOf({ providers: { main: row } });
    expect(issues).not.toContain('sk-secret');
    expect(issues.split('\n- ')).toEqual([
      'invalid-settings: Invalid provider configuration:',
      expect.stringMatching(
        /^Invalid `type` of `providers\.main` .*or `import` and `creator` of another package/,
      ),
      expect.stringMatching(/^Unknown setting `id` in `providers\.main` .* Valid names: type, settings,/),
      expect.stringMatching(/^Unknown setting `apiKey` in .*Did you mean `settings\.apiKey`\?$/),
      expect.stringMatching(/^Unknown setting `baseUrl` in .*Did you mean `settings\.baseURL`\?$/),
      expect.stringMatching(/^Unknown setting `defaultModel` in .*Did you mean `defaultModels`\?$/),
    ]);
  });

  it('may contain model ids with a colon that match a pattern or an alias', () => {
    const registry = createProviderRegistryFromConfig({
      providers: {
        main: { type: 'kelivo-responses' },
        local: {
          import: '@ai-sdk/openai-compatible',
          creator: 'createOpenAICompatible',
          models: ['qwen3:*'],
        },
      },
      aliases: { 'team:fast': 'main:gpt-5-mini' },
      roles: { chat: 'qwen3:8b', summary: 'team:fast' },
    });
    expect(shown(registry.modelFor('chat'))).toBe('local qwen3:8b');
    expect(shown(registry.modelFor('summary'))).toBe('kelivo-responses gpt-5-mini');
  });

  it.each([undefined, null, [], 'x', {}])('is rejected if it is %j', value => {
    expect(issuesOf(value)).toContain('the provider configuration');
  });
});
