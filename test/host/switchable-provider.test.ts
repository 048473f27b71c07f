import { LoadAPIKeyError } from '@ai-sdk/provider';
import type { LanguageModelV3 } from 'provider3';
import { generateText, type ModelMessage, streamText, tool } from 'ai';
import { generateText as generateTextOf6, wrapLanguageModel } from 'ai6';
import { generateText as generateTextOf7 } from 'ai7';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createSwitchableProvider, type SwitchableProviderOptions } from '../../src/host/index.js';
import { KelivoError, type KelivoResponsesSettings } from '../../src/index.js';
import { toProviderV3 } from '../../src/v3.js';
import { shapeOf } from '../integration/_provider.js';
import { loopTools } from '../integration/_tools.js';
import { startEmulator } from '../testing/_emulator.js';
import { startSwitchedConversation } from './_switched-conversation.js';

afterEach(() => vi.unstubAllEnvs());

interface Start extends Omit<Partial<SwitchableProviderOptions>, 'kelivo'> {
  /** Path of the base URL. @default '/v1' */
  readonly basePath?: string;
  readonly apiKeys?: readonly string[];
  readonly kelivo?: KelivoResponsesSettings;
}

async function start({ kelivo, basePath = '/v1', apiKeys, ...options }: Start = {}) {
  const emulator = await startEmulator({ apiKey: apiKeys });
  const sent: { url: string; headers: Record<string, string> }[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.push({ url: String(input), headers: Object.fromEntries(new Headers(init?.headers)) });
    return globalThis.fetch(input, init);
  };
  const settings = { baseURL: emulator.url + basePath, apiKey: 'sk-test', fetch, ...kelivo };
  const provider = createSwitchableProvider({ ...options, kelivo: settings });
  onTestFinished(() => provider.close());
  return { emulator, provider, sent };
}

/** Returns the provider name of the implementation that is selected for a model. */
const implementationOf = (
  provider: { responses(modelId: string): { provider: string } },
  modelId = 'gpt-5',
) => provider.responses(modelId).provider;

const OURS = 'kelivo-responses';
const OFFICIAL = 'openai.responses';

describe('the setting `enabled`', () => {
  it.each([
    [undefined, OURS],
    ['', OURS],
    [' , ', OURS],
    ['on', OURS],
    ['ON ', OURS],
    ['true', OURS],
    ['1', OURS],
    ['off', OFFICIAL],
    ['false', OFFICIAL],
    ['0', OFFICIAL],
    ['gpt-5', OURS],
    ['o4-*, gpt-5*', OURS],
    ['gpt-5-mini,o4-*', OFFICIAL],
    ['gpt', OFFICIAL],
    ['GPT-5', OURS],
    [' Disabled', OFFICIAL],
    ['none', OFFICIAL],
    ['enabled', OURS],
  ])('KELIVO_RESPONSES=%s selects for gpt-5: %s', async (value, expected) => {
    vi.stubEnv('KELIVO_RESPONSES', value);
    const { provider } = await start();
    expect(implementationOf(provider)).toBe(expected);
  });

  it.each([
    [true, OURS],
    [false, OFFICIAL],
    ['on', OURS],
    ['off', OFFICIAL],
    ['gpt-*', OURS],
    [['o4-*', 'gpt-5'], OURS],
    [[], OFFICIAL],
    [(modelId: string) => modelId.startsWith('o'), OFFICIAL],
    [() => 'gpt-5*', OURS],
    [() => [], OFFICIAL],
  ])('%s selects for gpt-5: %s, regardless of the environment', async (enabled, expected) => {
    vi.stubEnv('KELIVO_RESPONSES', expected === OURS ? 'off' : 'on');
    const { provider } = await start({ enabled });
    expect(implementationOf(provider)).toBe(expected);
  });

  it.each(['offf', 'ture', 'disable', 'null', 'undefined', 'gpt-5 , off', 'on,off', 'flase'])(
    'refuses %s, which as a pattern would switch every model off',
    async value => {
      const message = `expected "on", "off" or patterns of model ids such as "gpt-5*, o4-mini", got ${JSON.stringify(value)}`;
      await expect(start({ enabled: value })).rejects.toThrow(message);
      vi.stubEnv('KELIVO_RESPONSES', value);
      const ask = async (options?: Parameters<typeof start>[0]) => {
        const { provider } = await start(options);
        return generateText({ model: provider('gpt-5'), prompt: 'Hello' });
      };
      await expect(ask()).rejects.toThrow(`Invalid KELIVO_RESPONSES: ${message}`);
      await expect(ask({ enabled: () => value })).rejects.toThrow(message);
    },
  );

  it.each(['gpt', 'sonar', 'command', 'nova', 'grok', 'phi', 'yi', 'o3', 'on*', 'router-off'])(
    'accepts %s as a pattern',
    async value => {
      const { provider } = await start({ enabled: [value] });
      expect(implementationOf(provider)).toBe(OFFICIAL);
    },
  );

  it('falls back to the environment if a function returns undefined', async () => {
    vi.stubEnv('KELIVO_RESPONSES', 'off');
    const { provider } = await start({ enabled: modelId => (modelId === 'gpt-5' ? true : undefined) });
    expect([implementationOf(provider), implementationOf(provider, 'o4-mini')]).toEqual([OURS, OFFICIAL]);
  });

  it('is read for every call of an existing model', async () => {
    vi.stubEnv('KELIVO_RESPONSES', 'off');
    const { provider } = await start({ fallback: 'plain', kelivo: { tools: loopTools } });
    const model = provider('gpt-5');
    const ask = async () => (await generateText({ model, prompt: 'Use find_book "Momo"' })).text;
    expect(await ask()).toBe('You said: Use find_book "Momo"');
    vi.stubEnv('KELIVO_RESPONSES', 'gpt-5*');
    expect(await ask()).toContain('shelf 7');
    vi.stubEnv('KELIVO_RESPONSES', 'o4-*');
    expect(await ask()).toBe('You said: Use find_book "Momo"');
  });

  it('applies to the bare model, and not to embedding models', async () => {
    const { provider } = await start({ enabled: 'off' });
    expect(provider.responses('gpt-5').provider).toBe(OFFICIAL);
    expect(provider.textEmbeddingModel('text-embedding-3-small').provider).toBe(OURS);
  });

  it('keeps our provider name for an official model inside our loop', async () => {
    const { provider } = await start({ enabled: 'off', kelivo: { tools: loopTools } });
    expect(provider('gpt-5').provider).toBe(OURS);
    expect(provider.responses('gpt-5').provider).toBe(OFFICIAL);
  });

  it.each([
    [
      { enabled: 3 },
      '`enabled` of the options of createSwitchableProvider(): expected true, false, "on", "off"',
    ],
    [{ enabled: ' ' }, '`enabled` of the options of createSwitchableProvider()'],
    [{ fallback: 'loop' }, '`fallback` of the options'],
    [{ kelivo: undefined }, '`kelivo` of the options'],
    [{ kelivo: { baseUrl: 'x' } }, 'Did you mean `baseURL`?'],
    [{ flag: 'on' }, 'Unknown setting `flag`'],
  ])('rejects %j', (options, message) => {
    const create = () => createSwitchableProvider({ kelivo: {}, ...options } as SwitchableProviderOptions);
    expect(create).toThrow(KelivoError);
    expect(create).toThrow(message);
  });
});

describe('a model that is switched off', () => {
  it('uses address, key, headers, query and `fetch` of the settings', async () => {
    const { emulator, provider, sent } = await start({
      enabled: 'off',
      kelivo: {
        organization: 'org-1',
        project: 'proj-1',
        headers: () => ({ 'X-Team': 'blue' }),
        models: { 'gpt-*': { headers: { 'x-model': 'gpt' } } },
        query: { tenant: 't1' },
      },
    });
    await generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    expect(sent).toEqual([
      {
        url: `${emulator.baseURL}/responses?tenant=t1`,
        headers: expect.objectContaining({
          authorization: 'Bearer sk-test',
          'openai-organization': 'org-1',
          'openai-project': 'proj-1',
          'x-team': 'blue',
          'x-model': 'gpt',
        }),
      },
    ]);
    expect(emulator.requests[0]).toMatchObject({
      path: '/v1/responses?tenant=t1',
      body: { model: 'gpt-5', store: false, include: ['reasoning.encrypted_content'] },
    });
  });

  it.each(['/', '/v1/responses'])('accepts a base URL that ends in "%s"', async end => {
    const emulator = await startEmulator();
    const kelivo = { baseURL: emulator.url + end, apiKey: 'sk-test' };
    const provider = createSwitchableProvider({ enabled: 'off', kelivo });
    await generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    expect(emulator.requests.map(({ path }) => path)).toEqual(['/v1/responses']);
  });

  it('sends the Azure key in the header `api-key`', async () => {
    const { provider, sent } = await start({
      enabled: 'off',
      basePath: '/openai/v1',
      kelivo: { api: 'azure', apiKey: 'azure-key' },
    });
    await generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    expect(sent[0]?.headers).toMatchObject({ 'api-key': 'azure-key' });
    expect(sent[0]?.headers).not.toHaveProperty('authorization');
  });

  it('continues with the next key if one is rejected', async () => {
    const { provider, sent } = await start({
      enabled: 'off',
      apiKeys: ['sk-good'],
      kelivo: { apiKey: ['sk-bad', 'sk-good'] },
    });
    const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Hello', maxRetries: 0 });
    expect(text).toBe('You said: Hello');
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-bad', 'Bearer sk-good']);
  });

  it('calls a key function for every call', async () => {
    let count = 0;
    const { provider, sent } = await start({
      enabled: 'off',
      kelivo: { apiKey: async () => `sk-${++count}` },
    });
    await generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    await generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-1', 'Bearer sk-2']);
  });

  it('needs no key for servers other than OpenAI', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    const { provider, sent } = await start({ enabled: 'off', kelivo: { apiKey: undefined } });
    await generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    expect(sent[0]?.headers).not.toHaveProperty('authorization');
  });

  it('reports a missing key for OpenAI', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    const provider = createSwitchableProvider({
      enabled: 'off',
      kelivo: { baseURL: 'https://api.openai.com/v1' },
    });
    const error = await generateText({ model: provider('gpt-5'), prompt: 'Hello' }).catch(
      (reason: unknown) => reason,
    );
    expect(LoadAPIKeyError.isInstance(error)).toBe(true);
  });

  it.each([
    [undefined, undefined, false],
    [true, undefined, true],
    [true, false, false],
    [undefined, true, true],
  ])('uses `store` of the settings (%s) unless the call sets it (%s)', async (setting, option, sent) => {
    const { emulator, provider } = await start({ enabled: 'off', kelivo: { store: setting } });
    await generateText({
      model: provider('gpt-5'),
      prompt: 'Hello',
      ...(option !== undefined && { providerOptions: { openai: { store: option } } }),
    });
    expect(emulator.requests[0]?.body).toMatchObject({ store: sent });
  });

  it('applies call options under `kelivo`', async () => {
    const { emulator, provider } = await start({ enabled: 'off' });
    await generateText({
      model: provider('gpt-5'),
      prompt: 'Hello',
      providerOptions: {
        openai: { reasoningEffort: 'low' },
        kelivo: { reasoningEffort: 'high', turnId: 't' },
      },
    });
    expect(emulator.requests[0]?.body).toMatchObject({ reasoning: { effort: 'high' } });
  });

  it.each([
    ['low', 'low'],
    ['provider-default', undefined],
  ])('applies the reasoning option of `ai@7` (%s)', async (reasoning, effort) => {
    const { emulator, provider } = await start({ enabled: 'off' });
    const ask = { model: provider('gpt-5') as never, prompt: 'Hello', reasoning: reasoning as 'low' };
    await generateTextOf7(ask);
    const { reasoning: sent } = emulator.requests[0]?.body as { reasoning?: { effort: string } };
    expect(sent?.effort).toBe(effort);
    await generateTextOf7({ ...ask, providerOptions: { openai: { reasoningEffort: 'high' } } });
    expect(emulator.requests[1]?.body).toMatchObject({ reasoning: { effort: 'high' } });
  });

  it('reports its requests to the logger', async () => {
    const entries: unknown[] = [];
    const { provider } = await start({ enabled: 'off', kelivo: { logger: entry => entries.push(entry) } });
    await generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    expect(entries).toMatchObject([
      { phase: 'request', headers: { authorization: '[redacted]' } },
      { phase: 'response', status: 200 },
    ]);
  });

  it('converts to version 3 for `ai@6`', async () => {
    let isOn = false;
    const { provider } = await start({
      enabled: () => isOn,
      fallback: 'plain',
      kelivo: { tools: loopTools },
    });
    const model = wrapLanguageModel({
      model: toProviderV3(provider)('gpt-5') as LanguageModelV3,
      middleware: [],
    });
    const ask = async () => {
      const { text, finishReason, usage } = await generateTextOf6({ model, prompt: 'Use find_book "Momo"' });
      expect(usage.inputTokens).toBeGreaterThan(0);
      return { text, finishReason };
    };
    expect(await ask()).toEqual({ text: 'You said: Use find_book "Momo"', finishReason: 'stop' });
    isOn = true;
    expect(await ask()).toEqual({ text: expect.stringContaining('shelf 7'), finishReason: 'stop' });
  });

  it.each(['plain', 'with-tool-loop'] as const)(
    '(%s) renames tools whose names the API rejects',
    async fallback => {
      const { emulator, provider } = await start({ enabled: 'off', fallback });
      const lookUp = tool({ inputSchema: z.object({ title: z.string() }), execute: async () => 'shelf 7' });
      const history: ModelMessage[] = [
        { role: 'user', content: 'Find it' },
        {
          role: 'assistant',
          content: [
            {
              type: 'tool-call',
              toolCallId: 'call_1',
              toolName: 'shop.find',
              input: {},
              providerExecuted: true,
            },
            {
              type: 'tool-result',
              toolCallId: 'call_1',
              toolName: 'shop.find',
              output: { type: 'text', value: '7' },
            },
            { type: 'text', text: 'Found.' },
          ],
        },
        { role: 'user', content: 'Go.' },
      ];
      const options = { model: provider('gpt-5'), messages: history, tools: { 'books.look_up': lookUp } };
      await generateText(options);
      const [name = ''] = toolNamesOf(emulator.requests[0]?.body);
      const items = [{ call: name, arguments: { title: 'Momo' } }];
      emulator.enqueue(items, items);
      const { toolCalls } = await generateText(options);
      const streamed = await streamText(options).toolCalls;
      expect(name).toMatch(/^books_look_up_[0-9a-f]{8}$/);
      expect(shapeOf(emulator.requests[0])).toEqual([
        'user',
        'function_call',
        'function_call_output',
        'assistant',
        'user',
      ]);
      expect([...toolCalls, ...streamed].map(({ toolName }) => toolName)).toEqual([
        'books.look_up',
        'books.look_up',
      ]);
    },
  );

  it('continues after a turn of ours that was aborted during reasoning', async () => {
    const conversation = await startSwitchedConversation();
    await conversation.send('Hello', { on: true, mode: 'stream' });
    conversation.messages.push(
      { role: 'user', content: 'Think' },
      {
        role: 'assistant',
        content: [{ type: 'reasoning', text: 'First', providerOptions: { openai: { itemId: 'rs_1' } } }],
      },
    );
    const { text, inputs } = await conversation.send('Never mind', { on: false, mode: 'stream' });
    expect(text).toBe('You said: Never mind');
    expect(inputs[0]?.filter(({ type }) => type === 'reasoning')).toHaveLength(1);
  });
});

const toolNamesOf = (body: unknown): string[] =>
  (body as { tools?: { name: string }[] } | undefined)?.tools?.map(({ name }) => name) ?? [];
