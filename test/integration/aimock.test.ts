import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { tool } from 'ai';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { hostNames, hosts } from './_provider.js';

// Runs against a mock server of a third party.

let upstream: LLMock;
beforeEach(async () => {
  upstream = new LLMock({ port: 0 });
  await upstream.start();
});
afterEach(() => upstream.stop());

function start({ initialDelay = 10_000 } = {}) {
  const cities: string[] = [];
  const getWeather = tool({
    description: 'Returns the weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    async execute({ city }) {
      cities.push(city);
      return { city, sky: city === 'Oslo' ? 'snow' : 'sun' };
    },
  });
  const provider = createKelivoResponsesProvider({
    baseURL: upstream.url,
    apiKey: 'mock',
    tools: { get_weather: getWeather },
    toolLoop: { retry: { initialDelay } },
  });
  return { cities, model: provider('gpt-5') };
}

const weatherIn = (city: string) => ({ name: 'get_weather', arguments: JSON.stringify({ city }) });
const limited = { error: { message: 'Slow down.', type: 'rate_limit_error' }, status: 429, retryAfter: 0 };

describe.each(hostNames)('%s against aimock', name => {
  const run = hosts[name];

  it('returns text', async () => {
    upstream.onMessage('hello', { content: 'Hi there!', usage: { input_tokens: 3, output_tokens: 2 } });
    const { model } = start();
    expect(await run({ model, prompt: 'hello' })).toMatchObject({
      text: 'Hi there!',
      finishReason: 'stop',
      errors: [],
      totalUsage: { inputTokens: 3, outputTokens: 2 },
    });
  });

  it('runs a tool over two rounds', async () => {
    upstream.on({ userMessage: 'weather', hasToolResult: false }, { toolCalls: [weatherIn('Oslo')] });
    upstream.on({ userMessage: 'weather', toolResultContains: 'snow' }, { content: 'It snows.' });
    const { model, cities } = start();
    const { text, finishReason, errors } = await run({ model, prompt: 'the weather in Oslo?' });
    expect({ text, finishReason, errors }).toEqual({ text: 'It snows.', finishReason: 'stop', errors: [] });
    expect(cities).toEqual(['Oslo']);
    expect(upstream.getRequests()).toHaveLength(2);
  });

  it('runs parallel calls and sends each output once', async () => {
    upstream.on(
      { userMessage: 'weather', hasToolResult: false },
      { toolCalls: [weatherIn('Oslo'), weatherIn('Rome')] },
    );
    upstream.on({ userMessage: 'weather', hasToolResult: true }, { content: 'Snow and sun.' });
    const { model, cities } = start();
    const { text, errors } = await run({ model, prompt: 'the weather in Oslo and Rome?' });
    expect({ text, errors }).toEqual({ text: 'Snow and sun.', errors: [] });
    expect(cities).toEqual(['Oslo', 'Rome']);
    const { messages } = (upstream.getLastRequest()?.body ?? { messages: [] }) as ChatCompletionRequest;
    expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      '{"city":"Oslo","sky":"snow"}',
      '{"city":"Rome","sky":"sun"}',
    ]);
  });

  it('leaves a rate limit of the first request to the host, which retries after the delay of the server', async () => {
    upstream.on({ userMessage: 'hello', sequenceIndex: 0 }, limited);
    upstream.onMessage('hello', { content: 'Hi there!' });
    const { model } = start();
    const timer = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timer.mockRestore());
    expect(await run({ model, prompt: 'hello' })).toMatchObject({ text: 'Hi there!', errors: [] });
    const delays = timer.mock.calls.map(([, delay]) => delay);
    expect(delays).toContain(0);
    // The default delay of the host.
    expect(delays).not.toContain(2000);
    expect(upstream.getRequests()).toHaveLength(2);
  });

  it('reports a rate limit if the host does not retry', async () => {
    upstream.onMessage('hello', limited);
    const { model } = start();
    const call = run({ model, prompt: 'hello', maxRetries: 0 });
    if (name === 'generateText') {
      await expect(call).rejects.toMatchObject({ statusCode: 429, isRetryable: true, message: 'Slow down.' });
    } else {
      await expect(call).rejects.toMatchObject({ name: 'AI_NoOutputGeneratedError' });
    }
    expect(upstream.getRequests()).toHaveLength(1);
  });

  it('retries a follow-up request without running the tool again', async () => {
    upstream.on({ userMessage: 'weather', hasToolResult: false }, { toolCalls: [weatherIn('Oslo')] });
    upstream.on({ userMessage: 'weather', hasToolResult: true, sequenceIndex: 0 }, limited);
    upstream.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It snows.' });
    const { model, cities } = start();
    const { text, errors } = await run({ model, prompt: 'the weather in Oslo?', maxRetries: 0 });
    expect({ text, errors }).toEqual({ text: 'It snows.', errors: [] });
    expect(cities).toEqual(['Oslo']);
    expect(upstream.getRequests()).toHaveLength(3);
  });
});

describe('a stream that aimock truncates', () => {
  it.each([
    ['in its first round', false],
    ['after a tool has run', true],
  ])('%s is an error and never a stop', async (_, isFollowUp) => {
    const truncation = { truncateAfterChunks: 8, chunkSize: 4, latency: 5 };
    upstream.on({ userMessage: 'weather', hasToolResult: false }, { toolCalls: [weatherIn('Oslo')] });
    upstream.on(
      { userMessage: isFollowUp ? 'weather' : 'story', hasToolResult: isFollowUp },
      { content: 'Once upon a time there was a king' },
      truncation,
    );
    const { model } = start({ initialDelay: 0 });
    const { finishReason, errors, text } = await hosts.streamText({
      model,
      prompt: isFollowUp ? 'the weather in Oslo?' : 'a story',
    });
    expect(finishReason).toBe('error');
    expect(text).toMatch(/^Once/);
    expect(text).not.toMatch(/king$/);
    expect(errors).toMatchObject([{ name: 'AI_APICallError', isRetryable: !isFollowUp }]);
    expect(String(errors[0])).toContain('broke before the response was complete');
  });
});
