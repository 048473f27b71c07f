import { streamText as streamTextOfCore } from '@cherrystudio/ai-core';
import {
  cleanup,
  createAndRegisterProvider,
  providerConfigSchema as schemaOfCore,
  registerProviderConfig,
} from '@cherrystudio/ai-core/provider';
import { createProviderRegistry, customProvider, streamText, wrapLanguageModel } from 'ai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z4 from 'zod/v4';
import { z as z3 } from 'zod/v3';
import {
  createKelivoResponsesExtension,
  createKelivoResponsesProviderConfig,
  kelivoResponsesProviderConfig,
} from '../../src/host/index.js';
import type { EmulatorRequest } from '../../src/testing/index.js';
import { KelivoError } from '../../src/index.js';
import { question, readResult, useMcpQuestion } from './_mcp-question.js';
import { createSmallHost } from './_small-host.js';

const reserved = 'openai openai-chat openai-compatible anthropic google xai azure deepseek openrouter'.split(
  ' ',
);

const hostSchema3 = z3
  .object({
    id: z3
      .string()
      .min(1)
      .refine(id => !reserved.includes(id)),
    name: z3.string().min(1),
    creator: z3.function().args(z3.any()).returns(z3.any()).optional(),
    import: z3.function().optional(),
    creatorFunctionName: z3.string().optional(),
    supportsImageGeneration: z3.boolean().default(false),
    imageCreator: z3.function().optional(),
    validateOptions: z3.function().args(z3.any()).returns(z3.boolean()).optional(),
    aliases: z3.array(z3.string()).optional(),
  })
  .strict();

const hostSchema4 = z4.strictObject({
  id: z4
    .string()
    .min(1)
    .refine(id => !reserved.includes(id)),
  name: z4.string().min(1),
  creator: z4.custom(value => typeof value === 'function').optional(),
  import: z4.custom(value => typeof value === 'function').optional(),
  creatorFunctionName: z4.string().optional(),
  supportsImageGeneration: z4.boolean().default(false),
  imageCreator: z4.custom(value => typeof value === 'function').optional(),
  validateOptions: z4.custom(value => typeof value === 'function').optional(),
  aliases: z4.array(z4.string()).optional(),
});

const ask = useMcpQuestion();

/** The official package names itself in a header. */
const isOfficial = (request: EmulatorRequest | undefined): boolean =>
  /ai-sdk\/openai\//.test(String(request?.headers['user-agent']));

describe('kelivoResponsesProviderConfig', () => {
  it.each([
    ['zod 3', hostSchema3],
    ['zod 4', hostSchema4],
    ['@cherrystudio/ai-core 1', schemaOfCore],
  ])('matches the schema of a host with %s, with `creator` and with `import`', (_, schema) => {
    const { creator, import: load, creatorFunctionName, ...rest } = kelivoResponsesProviderConfig;
    for (const entry of [
      kelivoResponsesProviderConfig,
      { ...rest, creator },
      { ...rest, import: load, creatorFunctionName },
    ]) {
      expect(schema.safeParse(entry).error).toBeUndefined();
    }
    expect(schema.parse(kelivoResponsesProviderConfig)).toMatchObject({
      id: 'kelivo-responses',
      name: 'Kelivo Responses',
      supportsImageGeneration: false,
      aliases: ['kelivo'],
    });
  });

  it('creates synchronously, ignores options of the host and rejects misspelled settings', () => {
    const { creator, validateOptions } = kelivoResponsesProviderConfig;
    const options = { baseURL: 'http://localhost/v1', apiKey: 'sk', mode: 'responses', instance: 2 };
    expect(creator(options).languageModel('gpt-5').provider).toBe('kelivo-responses');
    expect(creator().languageModel('gpt-5').provider).toBe('kelivo-responses');
    expect(() => creator({ baseUrl: 'http://localhost/v1' })).toThrow(KelivoError);
    expect(() => creator({ apiKey: 3 } as never)).toThrow('`apiKey`');
    expect([options, undefined, { baseUrl: 'x' }, { baseURL: 'localhost' }].map(validateOptions)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each(['v2', 'v3', 'v4'] as const)('has models of version %s, and obeys the switch', async version => {
    const { creator, validateOptions } = createKelivoResponsesProviderConfig({
      specificationVersion: version,
    });
    const extension = createKelivoResponsesExtension({ specificationVersion: version });
    for (const create of [creator, extension.create]) {
      const provider = create({ ...ask.options(), enabled: 'off' });
      expect(provider('gpt-5').specificationVersion).toBe(version);
      expect(provider.responses('gpt-5').provider).toBe('openai.responses');
      vi.stubEnv('KELIVO_RESPONSES', 'off');
      expect(create(ask.options()).responses('gpt-5').provider).toBe('openai.responses');
      vi.unstubAllEnvs();
      expect(create({ ...ask.options(), enabled: true }).responses('gpt-5').provider).toBe(
        'kelivo-responses',
      );
    }
    expect(
      [{ enabled: 3 }, { fallback: 'x' }, { enabled: 'off' }].map(one => validateOptions(one as never)),
    ).toEqual([false, false, true]);
    const enabled = () => true;
    expect(() => extension.create({ enabled })).toThrow('`instance`');
    expect(extension.create({ enabled, instance: 'a' }).responses('gpt-5').provider).toBe('kelivo-responses');
  });

  it('imports the same creator', async () => {
    const { import: load, creatorFunctionName, creator } = kelivoResponsesProviderConfig;
    const module = await load();
    expect(module[creatorFunctionName]({ mode: 'x' }).languageModel('m').provider).toBe(
      creator({ mode: 'x' }).languageModel('m').provider,
    );
  });
});

describe('in @cherrystudio/ai-core 1', () => {
  afterEach(cleanup);

  const { creator: _, ...importEntry } = kelivoResponsesProviderConfig;

  it.each([
    ['as it is', kelivoResponsesProviderConfig, 'kelivo-responses'],
    ['with `import` only', importEntry, 'kelivo-responses'],
    ['under its alias', kelivoResponsesProviderConfig, 'kelivo'],
  ])('streamText runs an MCP tool with the entry %s', async (_, config, id) => {
    expect(registerProviderConfig(config)).toBe(true);
    expect(await createAndRegisterProvider('kelivo-responses', ask.options())).toBe(true);
    const result = await streamTextOfCore(id as never, ask.options() as never, {
      model: 'gpt-5',
      prompt: question,
    });
    ask.expectCompleted(await readResult(result));
  });

  it('the flag turns the entry while the process runs, and its tools stay', async () => {
    let isOn = false;
    registerProviderConfig(createKelivoResponsesProviderConfig({ enabled: () => isOn }));
    await createAndRegisterProvider('kelivo-responses', ask.options());
    const senders: boolean[] = [];
    for (const on of [false, true]) {
      isOn = on;
      const before = ask.requests.length;
      const result = await streamTextOfCore('kelivo-responses' as never, ask.options() as never, {
        model: 'gpt-5',
        prompt: question,
      });
      expect((await readResult(result)).text).toContain('The sum of 2 and 3 is 5.');
      senders.push(isOfficial(ask.requests[before]));
    }
    expect(senders).toEqual([true, false]);
  });

  it('middlewares and namespaced model ids work', async () => {
    registerProviderConfig(kelivoResponsesProviderConfig);
    await createAndRegisterProvider('kelivo-responses', ask.options());
    const wrapped: string[] = [];
    const result = await streamTextOfCore(
      'kelivo-responses' as never,
      ask.options() as never,
      { model: 'kelivo-responses|gpt-5:free', prompt: question },
      [],
      [
        {
          wrapStream: ({ doStream, model }) => {
            wrapped.push(model.modelId);
            return doStream();
          },
        },
      ],
    );
    ask.expectCompleted(await readResult(result));
    expect(wrapped).toEqual(['gpt-5:free']);
    expect(ask.requests[0]?.body).toMatchObject({ model: 'gpt-5:free' });
  });
});

describe('in the AI SDK', () => {
  const create = () => kelivoResponsesProviderConfig.creator(ask.options());

  it.each([':', ' > '])(
    'createProviderRegistry with the separator "%s" runs an MCP tool',
    async separator => {
      const registry = createProviderRegistry({ kelivo: create() }, { separator });
      const result = streamText({
        model: registry.languageModel(`kelivo${separator}gpt-5` as `kelivo:${string}`),
        prompt: question,
      });
      ask.expectCompleted(await readResult(result));
    },
  );

  it('customProvider runs an MCP tool with a renamed model and with the fallback provider', async () => {
    const provider = create();
    const custom = customProvider({
      languageModels: { smart: wrapLanguageModel({ model: provider('gpt-5'), middleware: [] }) },
      fallbackProvider: provider,
    });
    ask.expectCompleted(
      await readResult(streamText({ model: custom.languageModel('smart'), prompt: question })),
    );
    expect(custom.languageModel('gpt-5-mini').modelId).toBe('gpt-5-mini');
  });
});

describe('in a host with configurations, registry, resolver and executor', () => {
  const account = () => ({ id: 'account-1', type: 'kelivo-responses', options: ask.options() });

  it('streamText runs an MCP tool without the tool handling of the host', async () => {
    const host = createSmallHost();
    host.register(kelivoResponsesProviderConfig);
    const result = host.streamText(account(), { modelId: 'gpt-5', prompt: question });
    ask.expectCompleted(await readResult(result));
    expect(host.applied).toEqual([]);
  });

  it('model ids that contain the separator and aliases of the entry work', async () => {
    const host = createSmallHost();
    host.register(kelivoResponsesProviderConfig);
    const result = host.streamText(
      { ...account(), type: 'kelivo' },
      { modelId: 'gpt-5:free', prompt: question },
    );
    ask.expectCompleted(await readResult(result));
    expect(ask.requests[0]?.body).toMatchObject({ model: 'gpt-5:free' });
  });

  it('an account with a changed key gets a new provider', async () => {
    const host = createSmallHost();
    const created: unknown[] = [];
    const { id, name, creator } = kelivoResponsesProviderConfig;
    host.register({ id, name, creator: options => (created.push(options.apiKey), creator(options)) });
    const first = account();
    await host.streamText(first, { modelId: 'gpt-5', prompt: 'Hello' }).text;
    await host.streamText(first, { modelId: 'gpt-5-mini', prompt: 'Hello' }).text;
    const changed = { ...first, options: { ...first.options, apiKey: 'sk-other' } };
    await host.streamText(changed, { modelId: 'gpt-5', prompt: 'Hello' }).text;
    expect(created).toEqual(['sk-test', 'sk-other']);
  });
});
