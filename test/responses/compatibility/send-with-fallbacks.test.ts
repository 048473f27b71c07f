import type { LanguageModelV2CallOptions, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { afterEach, expect, it } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../../src/index.js';
import { type ResponsesEmulator, startResponsesEmulator } from '../../../src/testing/index.js';
import type { ScriptedStatus } from '../../../src/testing/protocol/scripts.js';
import { collect, summarize } from '../../_parts.js';

const emulators: ResponsesEmulator[] = [];

afterEach(async () => {
  await Promise.all(emulators.splice(0).map(emulator => emulator.close()));
});

/** Starts a server that rejects only what it is scripted to reject, and creates a provider for it. */
async function start(settings: KelivoResponsesSettings = {}) {
  const server = await startResponsesEmulator({ rules: 'none' });
  emulators.push(server);
  const provider = createKelivoResponsesProvider({
    baseURL: server.baseURL,
    apiKey: 'test',
    // The histories contain items that the tests have written.
    historySecret: false,
    ...settings,
  });
  const ask = async (modelId: string, options: Partial<LanguageModelV2CallOptions> = {}) => {
    const { stream, request } = await provider.responses(modelId).doStream({ prompt, ...options });
    const parts = await collect(stream);
    const warnings = parts.flatMap(part => (part.type === 'stream-start' ? part.warnings : []));
    return { ...summarize(parts), warnings, request };
  };
  const bodies = () => server.requests.map(request => request.body as Record<string, unknown>);
  return { server, provider, ask, bodies };
}

const prompt: LanguageModelV2Prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];

/** Returns the same request in another conversation. */
const elsewhere = (given: LanguageModelV2Prompt = prompt): LanguageModelV2Prompt => [
  { role: 'user', content: [{ type: 'text', text: 'Something else.' }] },
  ...given,
];

const withImage: LanguageModelV2Prompt = [
  ...prompt,
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: {} }] },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'look',
        output: { type: 'content', value: [{ type: 'media', data: 'AAAA', mediaType: 'image/png' }] },
      },
    ],
  },
];

const rejection = (message: string, status = 400): ScriptedStatus => ({
  status,
  body: { error: { message, type: 'invalid_request_error' } },
});

const noImages = rejection("Output of tool call should be 'Input text'");
const noTemperature = rejection("Unsupported parameter: 'temperature' is not supported with this model.");

it('sends a changed request after a rejection, and other conversations changed at once after two of them', async () => {
  const { server, ask, bodies } = await start();
  server.enqueue(noImages, [{ text: 'A cat.' }], noImages, [{ text: 'A cat, too.' }], [{ text: 'Still.' }]);

  expect((await ask('qwen3', { prompt: withImage })).texts).toEqual(['A cat.']);
  expect(bodies()).toHaveLength(2);
  expect(bodies()[1]?.input).toMatchObject([
    { role: 'user' },
    { type: 'function_call' },
    { type: 'function_call_output', output: '[image: shown in the next message]' },
    { role: 'user', content: [{ type: 'input_text' }, { type: 'input_image' }] },
  ]);

  expect((await ask('qwen3', { prompt: elsewhere(withImage) })).texts).toEqual(['A cat, too.']);
  expect(bodies()).toHaveLength(4);
  expect((await ask('qwen3', { prompt: withImage })).texts).toEqual(['Still.']);
  expect(bodies()).toHaveLength(5);
  expect(bodies()[4]?.input).toEqual(bodies()[1]?.input);
});

it('sends a request unchanged again after a rejection in the same conversation', async () => {
  const { server, ask, bodies } = await start();
  server.enqueue(noTemperature, [{ text: 'A.' }], noTemperature, [{ text: 'B.' }]);
  for (let call = 0; call < 2; call++) await ask('qwen3', { temperature: 0.5 });
  expect(bodies().map(({ temperature }) => temperature)).toEqual([0.5, undefined, 0.5, undefined]);
});

it('learns only for the rejected model', async () => {
  const { server, ask, bodies } = await start();
  server.enqueue(noTemperature);
  await ask('qwen3', { temperature: 0.5 });
  await ask('llama4', { temperature: 0.5 });
  expect(bodies().map(({ model, temperature }) => [model, temperature])).toEqual([
    ['qwen3', 0.5],
    ['qwen3', undefined],
    ['llama4', 0.5],
  ]);
});

it('warns about a setting that the server rejects, even when it is no longer sent', async () => {
  const { server, ask } = await start();
  server.enqueue(noTemperature, [{ text: 'A.' }], noTemperature);
  await ask('qwen3', { temperature: 0.5, prompt: elsewhere() });
  const warning = {
    type: 'unsupported-setting',
    setting: 'temperature',
    details: 'temperature is not accepted by the server for this model',
  };
  expect((await ask('qwen3', { temperature: 0.5 })).warnings).toContainEqual(warning);
  expect((await ask('qwen3', { temperature: 0.5 })).warnings).toContainEqual(warning);
  expect((await ask('qwen3')).warnings).not.toContainEqual(warning);
});

it('applies fallbacks without streaming and reports the request that was sent', async () => {
  const { server, provider, bodies } = await start();
  server.enqueue(noTemperature, [{ text: 'Hello.' }]);
  const { content, request } = await provider.responses('qwen3').doGenerate({ prompt, temperature: 0.5 });
  expect(content).toMatchObject([{ type: 'text', text: 'Hello.' }]);
  expect(request?.body).toEqual(bodies()[1]);
});

it('combines what it has learned', async () => {
  const { server, ask, bodies } = await start();
  for (const given of [elsewhere(withImage), withImage]) {
    server.enqueue(noTemperature, noImages, [{ text: 'Seen.' }]);
    expect((await ask('qwen3', { prompt: given, temperature: 0.5 })).texts).toEqual(['Seen.']);
  }
  expect(bodies()).toHaveLength(6);

  await ask('qwen3', { prompt: withImage, temperature: 0.5 });
  expect(bodies()).toHaveLength(7);
  expect(bodies()[6]).toEqual(bodies()[5]);
});

it('fails with the second rejection if the change did not help, and learns nothing from it', async () => {
  const { server, ask, bodies } = await start();
  server.enqueue(noTemperature, rejection('No temperature at all, I said.'));
  await expect(ask('qwen3', { temperature: 0.5 })).rejects.toMatchObject({
    message: 'No temperature at all, I said.',
    statusCode: 400,
  });
  await ask('qwen3', { temperature: 0.5 });
  expect(bodies().map(({ temperature }) => temperature)).toEqual([0.5, undefined, 0.5]);
});

it('makes each change once', async () => {
  const { server, ask, bodies } = await start();
  server.enqueue(noImages, noImages, noImages);
  await expect(ask('qwen3', { prompt: withImage })).rejects.toThrow(
    "Output of tool call should be 'Input text'",
  );
  expect(bodies().filter(body => body?.model !== undefined)).toHaveLength(2);
});

it('gives up after three changes of one request', async () => {
  const { server, ask } = await start();
  const rejections = ['temperature', 'top_p', 'max_output_tokens', 'reasoning'].map(name =>
    rejection(`Unsupported parameter: '${name}'`),
  );
  server.enqueue(...rejections);
  const call = ask('qwen3', {
    temperature: 0.5,
    topP: 0.5,
    maxOutputTokens: 100,
    providerOptions: { openai: { reasoningEffort: 'low' } },
  });
  await expect(call).rejects.toThrow("Unsupported parameter: 'reasoning'");
  expect(server.requests).toHaveLength(4);
});

it('does not send a request again after an unknown rejection', async () => {
  const { server, ask } = await start();
  server.enqueue(rejection('The model is not loaded.'));
  await expect(ask('qwen3')).rejects.toMatchObject({ message: 'The model is not loaded.' });
  expect(server.requests).toHaveLength(1);
});

it('sends reasoning again in the next request, whose items were not rejected', async () => {
  const { server, ask, bodies } = await start();
  const openai = { itemId: 'rs_1', reasoningEncryptedContent: 'secret' };
  const withReasoning: LanguageModelV2Prompt = [
    ...prompt,
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: { openai } },
        { type: 'text', text: 'Hello.' },
      ],
    },
    ...prompt,
  ];
  server.enqueue(rejection('The encrypted content for item rs_1 could not be verified.'));
  await ask('gpt-5', { prompt: withReasoning });
  await ask('gpt-5', { prompt: withReasoning });
  const types = bodies().map(({ input }) =>
    (input as { type?: string }[]).some(item => item.type === 'reasoning'),
  );
  expect(types).toEqual([true, false, true]);
});

it('sends requests in the format of a named server without a rejection', async () => {
  const { ask, bodies } = await start({ compatibility: 'lmstudio' });
  await ask('qwen3', { prompt: withImage });
  expect(bodies()).toHaveLength(1);
  expect(bodies()[0]?.input).toMatchObject([{}, {}, { output: '[image: shown in the next message]' }, {}]);
});

it('adds the headers and fields of matching models, before those of the call', async () => {
  const { server, ask, bodies } = await start({
    headers: { 'x-team': 'all', 'x-call': 'provider' },
    models: {
      'qwen*': {
        headers: { 'X-Team': 'qwen', 'x-call': 'model' },
        body: { top_k: 20, temperature: 0.7, store: undefined },
        compatibility: { messageType: true },
      },
    },
  });
  const { request } = await ask('qwen3', { temperature: 0.1, headers: { 'x-call': 'call' } });
  await ask('llama4', { temperature: 0.1 });

  expect(bodies()[0]).toMatchObject({ top_k: 20, temperature: 0.7, input: [{ type: 'message' }] });
  expect(bodies()[0]).not.toHaveProperty('store');
  expect(request?.body).toMatchObject({ top_k: 20, temperature: 0.7 });
  expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'qwen', 'x-call': 'call' });
  expect(bodies()[1]).toMatchObject({ temperature: 0.1, store: false });
  expect(bodies()[1]).not.toHaveProperty('top_k');
  expect(server.requests[1]?.headers).toMatchObject({ 'x-team': 'all', 'x-call': 'provider' });
});

it('keeps a field that the settings set for a model, and throws the error of the server', async () => {
  const { server, ask } = await start({ models: { qwen3: { body: { temperature: 0.7 } } } });
  server.enqueue(noTemperature);
  await expect(ask('qwen3')).rejects.toThrow("Unsupported parameter: 'temperature'");
  expect(server.requests).toHaveLength(1);
});

it('sends a stored item again that the server no longer has, and says so', async () => {
  const { server, ask, bodies } = await start({ store: true });
  const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAA' };
  const compacted: LanguageModelV2Prompt = [
    ...prompt,
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '', providerOptions: { openai: { itemId: 'cmp_1' }, kelivo: { item } } },
        { type: 'text', text: 'Hi.' },
      ],
    },
    ...prompt,
  ];
  server.enqueue(rejection("Item with id 'cmp_1' not found.", 404), [{ text: 'Hello.' }]);
  const { texts, warnings } = await ask('gpt-5', { prompt: compacted });
  expect(texts).toEqual(['Hello.']);
  const inputs = bodies().map(({ input }) => input as unknown[]);
  expect(inputs[0]).toContainEqual({ type: 'item_reference', id: 'cmp_1' });
  expect(inputs[1]).toContainEqual(item);
  expect(warnings).toContainEqual({ type: 'other', message: expect.stringContaining('has not stored 1') });
});

/** A history of items that the server has stored, with the ids `note_1` to `note_<count>`. */
const withStoredItems = (count: number): LanguageModelV2Prompt => [
  ...prompt,
  {
    role: 'assistant',
    content: Array.from({ length: count }, (_, index) => {
      const item = { type: 'note', id: `note_${index + 1}`, text: 'Remember.' };
      return {
        type: 'reasoning' as const,
        text: '',
        providerOptions: { openai: { itemId: item.id }, kelivo: { item } },
      };
    }),
  },
  ...prompt,
];

const missing = (count: number) =>
  Array.from({ length: count }, (_, index) => rejection(`Item with id 'note_${index + 1}' not found.`, 404));

it.each([
  { missingItems: 9, otherChanges: 0, requests: 10 },
  { missingItems: 10, otherChanges: 0, requests: 11 },
  { missingItems: 10, otherChanges: 1, requests: 12 },
])(
  'sends $missingItems missing items again, one per request, with $otherChanges other changes',
  async ({ missingItems, otherChanges, requests }) => {
    const { server, ask, bodies } = await start({ store: true });
    const others = Array.from({ length: otherChanges }, () => noTemperature);
    server.enqueue(...others, ...missing(missingItems), [{ text: 'Hello.' }]);
    const { texts, warnings } = await ask('qwen3', { prompt: withStoredItems(12), temperature: 0.5 });
    expect(texts).toEqual(['Hello.']);
    expect(server.requests).toHaveLength(requests);
    const types = (bodies().at(-1)?.input as { type?: string }[]).map(({ type }) => type);
    expect(types.filter(type => type === 'note')).toHaveLength(missingItems);
    expect(types.filter(type => type === 'item_reference')).toHaveLength(12 - missingItems);
    expect(warnings).toContainEqual({
      type: 'other',
      message: expect.stringContaining(`has not stored ${missingItems} of`),
    });
  },
);

it('gives up at the eleventh missing item, with the rejection of the server', async () => {
  const { server, ask } = await start({ store: true });
  server.enqueue(...missing(11), [{ text: 'Hello.' }]);
  await expect(ask('qwen3', { prompt: withStoredItems(12) })).rejects.toThrow("'note_11' not found");
  expect(server.requests).toHaveLength(11);
});

it('replaces an effort that the model does not support, and remembers the levels', async () => {
  const { server, ask, bodies } = await start();
  const message =
    "Unsupported value: 'low' is not supported with the 'gpt-5.2-codex' model. Supported values are: 'medium'.";
  const rejected = {
    status: 400,
    body: { error: { message, param: 'reasoning.effort', code: 'unsupported_value' } },
  };
  server.enqueue(rejected, [{ text: 'a' }], rejected, [{ text: 'b' }], [{ text: 'c' }]);
  const options = { providerOptions: { openai: { reasoningEffort: 'low' } } };
  const { warnings } = await ask('gpt-5.2-codex', options);
  await ask('gpt-5.2-codex', { ...options, prompt: elsewhere() });
  await ask('gpt-5.2-codex', options);
  expect(bodies().map(({ reasoning }) => (reasoning as { effort: string }).effort)).toEqual([
    'low',
    'medium',
    'low',
    'medium',
    'medium',
  ]);
  expect(warnings).toContainEqual({
    type: 'other',
    message: expect.stringContaining('mapped to effort "medium"'),
  });
});
