import type { LanguageModelV2CallOptions, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { APICallError } from '@ai-sdk/provider';
import { expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../../src/index.js';
import { type RequestRules, startResponsesEmulator } from '../../../src/testing/index.js';
import { collect, summarize } from '../../_parts.js';

/** Starts a server with its own input rules, and creates a provider for it. */
async function start(rules: RequestRules, settings: KelivoResponsesSettings = {}) {
  const server = await startResponsesEmulator({ rules });
  onTestFinished(() => server.close());
  const provider = createKelivoResponsesProvider({ baseURL: server.baseURL, apiKey: 'test', ...settings });
  const ask = async (prompt: LanguageModelV2Prompt, options: Partial<LanguageModelV2CallOptions> = {}) => {
    const { stream } = await provider.responses('qwen3').doStream({ prompt, ...options });
    const parts = await collect(stream);
    const warnings = parts.flatMap(part => (part.type === 'stream-start' ? part.warnings : []));
    return { ...summarize(parts), parts, warnings };
  };
  const bodies = () => server.requests.map(request => request.body as { input: Record<string, unknown>[] });
  return { server, provider, ask, bodies };
}

const image = { type: 'media' as const, data: 'AAAA', mediaType: 'image/png' };
const history: LanguageModelV2Prompt = [
  { role: 'user', content: [{ type: 'text', text: 'What is it?' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'look',
        output: { type: 'content', value: [{ type: 'text', text: 'a cat' }, image] },
      },
    ],
  },
];

it.each<[RequestRules, KelivoResponsesSettings, number]>([
  ['llamacpp', { compatibility: 'llamacpp' }, 2],
  ['vllm', { compatibility: 'vllm' }, 2],
  ['responses.js', { compatibility: 'huggingface' }, 1],
  ['llamacpp', {}, 2],
  ['vllm', {}, 4],
  ['responses.js', { compatibility: { toolOutput: 'string' } }, 1],
])(
  '%s accepts a history with text, a call and an image, with the settings %j',
  async (rules, settings, count) => {
    const { ask, bodies } = await start(rules, settings);
    const { texts, warnings } = await ask(history);
    expect(texts.join('')).not.toBe('');
    expect(bodies()).toHaveLength(count);
    // Models without vision are learned: no image is sent again.
    await ask([{ role: 'user', content: [{ type: 'text', text: 'Else.' }] }, ...history]);
    const before = bodies().length;
    expect(before).toBeLessThanOrEqual(2 * count);
    await ask(history);
    expect(bodies()).toHaveLength(before + 1);
    if (rules !== 'responses.js') {
      expect(JSON.stringify(bodies().at(-1))).not.toContain('input_image');
      expect(warnings).toContainEqual({
        type: 'other',
        message: expect.stringContaining('does not accept images'),
      });
    }
  },
);

it('rejects an image that the model does not see, without a retry, if nothing can replace it', async () => {
  const { server, ask } = await start('llamacpp', { compatibility: 'llamacpp' });
  const body = {
    error: { code: 500, message: 'image input is not supported - hint: you may need to provide the mmproj' },
  };
  server.enqueue({ status: 500, body });
  const error = await ask(history.slice(0, 1)).catch((reason: unknown) => reason);
  expect(APICallError.isInstance(error) && error.isRetryable).toBe(false);
  expect(server.requests).toHaveLength(1);
});

it.each<[string, boolean]>([
  ['429 Rate limit reached.', true],
  ['503 Service Unavailable', true],
  ['401 Invalid token', false],
  ['404 The model does not exist', false],
])('reads the status of responses.js in "%s"', async (message, isRetryable) => {
  const { server, ask } = await start('responses.js', { compatibility: 'huggingface' });
  server.enqueue({ fault: 'failed', code: 'server_error', message });
  const error = await ask(history).catch((reason: unknown) => reason);
  expect(
    APICallError.isInstance(error) && { status: error.statusCode, isRetryable: error.isRetryable },
  ).toEqual({
    status: Number(message.slice(0, 3)),
    isRetryable,
  });
});

it.each(['llamacpp', 'vllm'] as const)('sends the plain reasoning of %s back', async name => {
  const { server, ask, bodies } = await start(name, { compatibility: name });
  server.enqueue([{ reasoning: 'A cat has whiskers.' }, { text: 'A cat.' }]);
  const question = history.slice(0, 1);
  const { parts } = await ask(question);
  const opened = parts.find(part => part.type === 'reasoning-start');
  const closed = parts.find(part => part.type === 'reasoning-end');
  const text = parts.flatMap(part => (part.type === 'reasoning-delta' ? part.delta : [])).join('');
  const reasoning = {
    type: 'reasoning' as const,
    text,
    providerOptions: { ...opened?.providerMetadata, ...closed?.providerMetadata },
  };
  const { warnings } = await ask([
    ...question,
    { role: 'assistant', content: [reasoning, { type: 'text', text: 'A cat.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Sure?' }] },
  ]);
  expect(bodies()[1]?.input[1]).toMatchObject({
    type: 'reasoning',
    summary: [],
    content: [{ type: 'reasoning_text', text: 'A cat has whiskers.' }],
  });
  expect(warnings).toEqual([]);
});
