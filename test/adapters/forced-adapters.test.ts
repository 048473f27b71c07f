import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { generateText } from 'ai';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  adaptModel,
  type AdapterChoice,
  defineModelAdapter,
  families,
  matchModelName,
  modelAdapters,
} from '../../src/adapters/index.js';
import { adapterNames } from '../../src/adapters/adapter-choice.js';
import { importAdapter } from '../../src/adapters/registry.js';
import { createProviderRegistryFromConfig } from '../../src/host/index.js';
import { createKelivoResponsesProvider, type ToolLoopEvent } from '../../src/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { apiKey } from '../integration/_provider.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { openTools } from '../tools/mcp/_fixture-server.js';
import { generate, scriptedModel, textRound } from '../tool-loop/_scripted-model.js';

const loud = defineModelAdapter({
  name: 'loud',
  appliesTo: matchModelName('loud'),
  adaptBack: part => (part.type === 'text-delta' ? { ...part, delta: part.delta.toUpperCase() } : part),
});
const named = (modelId: string, text = 'hi'): LanguageModelV2 => ({
  ...scriptedModel(textRound(text)),
  modelId,
});
const call = '<tool_call>{"name": "get-sum", "arguments": {"a": 2, "b": 3}}</tool_call>';
const tools = [
  { type: 'function' as const, name: 'get-sum', inputSchema: { type: 'object' as const, properties: {} } },
];
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Add.' }] }];

afterEach(() => void modelAdapters.unregister('loud'));

describe('the adapters of a list', () => {
  it('apply whatever the id if they are named', async () => {
    const model = adaptModel(named('assistant', call), { adapters: ['qwen'] });
    const { content, finishReason } = await model.doGenerate({ prompt, tools });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: 'get-sum' }]);
    expect(finishReason).toBe('tool-calls');
    const given = adaptModel(named('assistant', call), { adapters: [families.qwen] });
    expect((await given.doGenerate({ prompt, tools })).content).toMatchObject([{ type: 'tool-call' }]);
  });

  it('apply as objects to one model and to an override, and by id in the list of a provider', async () => {
    const emulator = await startEmulator({ apiKey });
    const settings = { baseURL: emulator.baseURL, apiKey };
    const all = createKelivoResponsesProvider({ ...settings, adapters: ['qwen', loud] });
    const some = createKelivoResponsesProvider({ ...settings, models: { 'team-*': { adapters: [loud] } } });
    const adaptersOf = async (model: LanguageModelV2) =>
      (await model.doGenerate({ prompt })).providerMetadata?.kelivo?.adapters;
    expect(await adaptersOf(all('assistant'))).toEqual(['qwen']);
    expect(await adaptersOf(all('loud-7b'))).toEqual(['qwen', 'loud']);
    expect(await adaptersOf(some('team-a'))).toEqual(['loud']);
    expect(await adaptersOf(adaptModel(named('assistant'), { adapters: [loud] }))).toEqual(['loud']);
  });

  it('can be named after an application has registered them', () => {
    expect(() => adaptModel(named('x'), { adapters: ['loud'] })).toThrow('Unknown adapter "loud"');
    onTestFinished(() => void modelAdapters.unregister('loud'));
    modelAdapters.register(loud);
    expect(adaptModel(named('x'), { adapters: ['loud'] })).toBeDefined();
    expect(() => createKelivoResponsesProvider({ adapters: ['loud'] })).not.toThrow();
  });

  it('are checked', () => {
    const check = (...adapters: unknown[]) =>
      adaptModel(named('x'), { adapters: adapters as AdapterChoice[] });
    expect(() => check('qwne')).toThrow(
      /^Unknown adapter "qwne"\. Did you mean "qwen"\? Known adapters: .*"claude", .*"qwen"/,
    );
    expect(() => check('qwen', 'qwen')).toThrow('a second "qwen"');
    expect(() => check(7)).toThrow('Expected `name` to be the name of a model family, got undefined.');
    expect(() => check({ import: '' })).toThrow('Expected `import` of an adapter module to be a name');
    expect(() => check({ import: 'a', name: 'b' })).toThrow('got the key `name`');
  });

  it.each([
    [
      { adapters: 'qwen' },
      'Expected `adapters` of adaptModel() to be a list of adapters, a registry or false, got "qwen".',
    ],
    [
      { adapter: ['qwen'] },
      'Unknown option `adapter` of adaptModel(). Did you mean "adapters"? Known options: "adapters"',
    ],
    [
      { undeclared: 'hide' },
      "Expected `undeclared` of adaptModel() to be 'call', 'text' or 'drop', got \"hide\".",
    ],
    [
      { startsInReasoning: 'yes' },
      'Expected `startsInReasoning` of adaptModel() to be a boolean, got "yes".',
    ],
    [
      { toolPrompting: true },
      'Expected `toolPrompting` of adaptModel() to be the name of a syntax, `{ chatTemplate }` with a text, or false, got true.',
    ],
  ])('have options that are checked: %j', (options, message) => {
    expect(() => adaptModel(named('x'), options as never)).toThrow(message);
  });

  it('are none with false', () => {
    const model = createKelivoResponsesProvider()('qwen3');
    expect(adaptModel(model, { adapters: false })).toBe(model);
  });
});

it('lists the names of the default registry, in order', () => {
  const names = modelAdapters.all().map(({ name }) => name);
  expect([...adapterNames].sort()).toEqual(names.sort());
});

it('returns an adapter of a registry by its name', () => {
  expect(modelAdapters.get('qwen')?.appliesTo('qwen3')).toBe(true);
  expect(modelAdapters.get('nope')).toBeUndefined();
});

describe('the adapters of a provider', () => {
  it('are checked when it is created, also those of single models', () => {
    expect(() => createKelivoResponsesProvider({ adapters: ['qwne'] })).toThrow('Did you mean "qwen"?');
    expect(() => createKelivoResponsesProvider({ models: { a: { adapters: ['qwne'] } } })).toThrow(
      'Did you mean "qwen"?',
    );
    const wrong = { models: { a: { adapters: 'qwen' } } } as never;
    expect(() => createKelivoResponsesProvider(wrong)).toThrow('Invalid `models.a.adapters`');
    expect(() => createKelivoResponsesProvider({ undeclared: 'hide' } as never)).toThrow(
      'Invalid `undeclared`',
    );
    const beside = { providers: { a: { type: 'kelivo-responses', undeclared: 'drop' } } } as never;
    expect(() => createProviderRegistryFromConfig(beside)).toThrow(
      'Unknown setting `undeclared` in `providers.a` of the provider configuration. Did you mean `settings.undeclared`?',
    );
  });

  it('are overridden for single models, by the most specific pattern', async () => {
    const emulator = await startEmulator({ apiKey });
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      apiKey,
      models: {
        'team-*': { adapters: ['mistral'] },
        'team-a': { adapters: ['qwen'] },
        'qwen-b': { adapters: false },
      },
    });
    const adaptersOf = async (modelId: string) =>
      (await provider(modelId).doGenerate({ prompt })).providerMetadata?.kelivo?.adapters;
    expect(await adaptersOf('team-a')).toEqual(['qwen']);
    expect(await adaptersOf('team-b')).toEqual(['mistral']);
    expect(await adaptersOf('qwen-b')).toBeUndefined();
    expect(await adaptersOf('qwen-c')).toEqual(['qwen']);
  });
});

describe('a forced adapter on an alias', () => {
  const question = 'Get the sum of 2 and 3';
  const answer = 'The tool get-sum returned: The sum of 2 and 3 is 5.';

  it('reads the calls of a chat endpoint in the tool loop, with a real MCP server', async () => {
    const emulator = await startEmulator({ toolCallFormat: 'glm' });
    const chat = createOpenAICompatible({ name: 'local', baseURL: emulator.baseURL });
    const events: ToolLoopEvent[] = [];
    const mcp = openTools({ everything: everythingOverStdio() });
    const model = withToolLoop(adaptModel(chat('assistant'), { adapters: ['glm'] }), {
      tools: mcp,
      onEvent: event => events.push(event),
    });
    const { text } = await generateText({ model, prompt: question });
    expect(text).toBe(answer);
    expect(emulator.requests).toHaveLength(2);
    const ends = events.filter(event => event.type === 'round-end');
    expect(ends.map(event => event.adapters)).toEqual([['glm'], ['glm']]);
  });

  it('is named in the settings of a provider with MCP servers', async () => {
    const emulator = await startEmulator({ apiKey, toolCallFormat: 'kimi' });
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      apiKey,
      mcpServers: { everything: everythingOverStdio() },
      models: { 'my-*': { adapters: ['kimi'] } },
    });
    onTestFinished(() => provider.close());
    const { content, providerMetadata } = await provider('my-model').doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: question }] }],
    });
    expect(content.filter(part => part.type === 'text')).toMatchObject([{ text: answer }]);
    expect(providerMetadata?.kelivo?.adapters).toEqual(['kimi']);
  });

  it('starts in reasoning if the setting requires it, whatever the id', async () => {
    const text = 'I must add.</think>It is 5.';
    const typesOf = async (model: LanguageModelV2) =>
      (await model.doGenerate({ prompt, tools })).content.map(
        part => 'text' in part && [part.type, part.text],
      );
    const alias = (startsInReasoning?: boolean) =>
      adaptModel(named('assistant', text), {
        adapters: ['qwen'],
        ...(startsInReasoning && { startsInReasoning }),
      });
    expect(await typesOf(alias(true))).toEqual([
      ['reasoning', 'I must add.'],
      ['text', 'It is 5.'],
    ]);
    const known = adaptModel(named('qwq-32b', 'It is 5.<tool'), { startsInReasoning: false });
    expect(await typesOf(known)).toEqual([['text', 'It is 5.<tool']]);
  });

  const drops = { undeclared: 'drop' };
  const streams = { streamArgumentsFrom: 1000 };
  /** A call that would have started with the default length, and would be invalid then. */
  const truncated = `<tool_call>{"name": "${tools[0]?.name}", "arguments": {"a": "${'x'.repeat(300)}`;
  it.each<[string, object, object, object]>([
    ['the settings', { ...drops, ...streams, startsInReasoning: true }, {}, {}],
    ['an override', drops, { ...streams, startsInReasoning: true }, {}],
    ['a configuration', { ...drops, ...streams, startsInReasoning: true }, {}, { isEntry: true }],
  ])('is given options by %s', async (_, settings, override, { isEntry = false }: { isEntry?: boolean }) => {
    const emulator = await startEmulator({ apiKey });
    emulator.enqueue([
      {
        text: `I must.</think>Adding.\n<tool_call>{"name": "gone", "arguments": {}}</tool_call>${truncated}`,
      },
    ]);
    const models = { '*': { adapters: ['qwen'], ...override } };
    const given = { baseURL: emulator.baseURL, apiKey, models, ...settings };
    const local = { type: 'kelivo-responses', settings: given };
    const registry = isEntry
      ? createProviderRegistryFromConfig({ providers: { local } } as never)
      : createKelivoResponsesProvider(given);
    onTestFinished(() => registry.close());
    const model = registry.languageModel('assistant');
    const { content } = await model.doGenerate({ prompt, tools });
    expect(content.map(part => 'text' in part && [part.type, part.text.trim()])).toEqual([
      ['reasoning', 'I must.'],
      ['text', `Adding.\n${truncated}`],
    ]);
  });

  it('is named in a configuration, also as the export of a module', async () => {
    const emulator = await startEmulator({ apiKey, toolCallFormat: 'qwen-xml' });
    const registry = createProviderRegistryFromConfig(
      {
        providers: {
          local: {
            type: 'kelivo-responses',
            settings: {
              baseURL: emulator.baseURL,
              apiKey,
              models: { b: { adapters: [{ import: 'acme', export: 'loud' }] } },
              adapters: [{ import: 'acme', export: 'loud' }, 'qwen'],
            },
          },
        },
        mcpServers: { everything: everythingOverStdio() },
      },
      { importModule: async name => (name === 'acme' ? { loud } : {}) },
    );
    onTestFinished(() => registry.close());
    const ask = async (modelId: string) =>
      registry.languageModel(modelId).doGenerate({
        prompt: [{ role: 'user', content: [{ type: 'text', text: question }] }],
      });
    const { content, providerMetadata } = await ask('a');
    expect(content.filter(part => part.type === 'text')).toMatchObject([{ text: answer.toUpperCase() }]);
    expect(providerMetadata?.kelivo?.adapters).toEqual(['acme#loud', 'qwen']);
    expect((await ask('b')).providerMetadata?.kelivo?.adapters).toEqual(['acme#loud']);
  });
});

describe('a module', () => {
  const failing = (load: (name: string) => Promise<unknown>) =>
    adaptModel(named('x'), {
      adapters: [importAdapter({ import: 'acme', export: 'loud' }, load)],
    }).doGenerate({
      prompt,
    });

  it('that cannot be imported, or lacks the export, makes the call fail', async () => {
    await expect(failing(() => Promise.reject(new Error('not found')))).rejects.toMatchObject({
      code: 'missing-package',
      message: expect.stringContaining('The module "acme" of an adapter cannot be imported') as string,
    });
    await expect(failing(async () => ({ lowd: loud }))).rejects.toThrow('Did you mean "lowd"?');
    await expect(failing(async () => ({ loud: {} }))).rejects.toThrow('Expected `name`');
  });
});

describe('adaptBack', () => {
  const model = (): LanguageModelV2 =>
    adaptModel(named('loud-1', 'hello'), {
      adapters: [
        defineModelAdapter({
          name: 'twice',
          appliesTo: () => true,
          middleware: { transformParams: async ({ params }) => ({ ...params, temperature: 0 }) },
          adaptBack: (part, { modelId, params }) => {
            if (part.type !== 'text-delta') return part;
            expect({ modelId, temperature: params.temperature }).toEqual({
              modelId: 'loud-1',
              temperature: undefined,
            });
            return [part, { ...part, delta: '!' }];
          },
        }),
        loud,
      ],
    });

  it('serves generated and streamed responses', async () => {
    expect((await generate(model())).content).toMatchObject([{ type: 'text', text: 'HELLO!' }]);
    const { stream } = await model().doStream({ prompt });
    const parts: LanguageModelV2StreamPart[] = [];
    for await (const part of stream as unknown as AsyncIterable<LanguageModelV2StreamPart>) parts.push(part);
    const text = parts.map(part => (part.type === 'text-delta' ? part.delta : '')).join('');
    expect(text.replaceAll('!', '')).toBe('HELLO');
    expect(text).toContain('!');
  });

  it.each([null, 5, 'text', [undefined], [Promise.resolve()]])(
    'must return parts, not %j',
    async returned => {
      const silent = defineModelAdapter({
        name: 'silent',
        appliesTo: () => true,
        adaptBack: () => returned as never,
      });
      const adapted = () => adaptModel(named('x'), { adapters: [silent] });
      const message =
        'Expected `adaptBack` of the adapter "silent" to return a part or a list of parts, got ';
      await expect(generate(adapted())).rejects.toThrow(message);
      const { stream } = await adapted().doStream({ prompt });
      await expect(stream.getReader().read()).rejects.toThrow(message);
    },
  );

  it('drops a part by undefined, and cannot drop the finish part', async () => {
    const shorten = (type: string) =>
      defineModelAdapter({
        name: 'short',
        appliesTo: () => true,
        adaptBack: part => (part.type === type ? undefined : part),
      });
    const answer = (type: string) => generate(adaptModel(named('x'), { adapters: [shorten(type)] }));
    expect((await answer('text-delta')).content).toMatchObject([{ text: '' }]);
    await expect(answer('finish')).rejects.toThrow('the adapter "short" to return the part `finish`');
  });

  it('is checked', () => {
    const wrong = { name: 'x', appliesTo: () => true, adaptBack: 'no' } as never;
    expect(() => defineModelAdapter(wrong)).toThrow(
      'Expected `adaptBack` of the adapter "x" to be a function',
    );
  });
});
