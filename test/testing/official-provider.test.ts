import { createOpenAI } from '@ai-sdk/openai';
import { embedMany, generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startEmulator } from './_emulator.js';

// An independent client confirms that the emulator matches the API.

const tools = {
  get_weather: tool({
    description: 'Tells the weather of a city.',
    inputSchema: z.object({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) }),
    execute: async ({ city, unit }) => `${city}: 18 degrees ${unit}`,
  }),
  add: tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => a + b,
  }),
};

const statelessReasoning = { openai: { store: false, reasoningSummary: 'auto' } };

async function startProvider() {
  const emulator = await startEmulator({ apiKey: 'sk-test' });
  return { emulator, openai: createOpenAI({ baseURL: emulator.baseURL, apiKey: 'sk-test' }) };
}

describe('the official provider', () => {
  it('streams two rounds with parallel tools and encrypted reasoning', async () => {
    const { emulator, openai } = await startProvider();
    const errors: unknown[] = [];
    const result = streamText({
      model: openai.responses('gpt-5'),
      prompt: 'Get the weather in Oslo in celsius and add 2 and 3',
      tools,
      stopWhen: stepCountIs(5),
      providerOptions: statelessReasoning,
      onError: ({ error }) => void errors.push(error),
    });
    const steps = await result.steps;
    expect(errors).toEqual([]);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[0]?.toolCalls.map(({ input }) => input)).toEqual([
      { city: 'Oslo', unit: 'celsius' },
      { a: 2, b: 3 },
    ]);
    expect(steps[0]?.reasoningText).toContain('get_weather and add');
    expect(await result.text).toBe(
      'The tool get_weather returned: Oslo: 18 degrees celsius\nThe tool add returned: 5',
    );
    expect(await result.totalUsage).toMatchObject({ reasoningTokens: 128, inputTokens: expect.any(Number) });
    expect(emulator.requests).toHaveLength(2);
    const second = emulator.requests[1]?.body as { store: boolean; input: { type?: string }[] };
    expect(second.store).toBe(false);
    expect(second.input.map(({ type }) => type)).toEqual([
      undefined,
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ]);
  });

  it('runs the same rounds without streaming and with stored items', async () => {
    const { emulator, openai } = await startProvider();
    const result = await generateText({
      model: openai.responses('gpt-5'),
      prompt: 'First add 1 and 2, then get the weather in Rome',
      tools,
      stopWhen: stepCountIs(5),
    });
    expect(result.steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([
      ['add'],
      ['get_weather'],
      [],
    ]);
    expect(result.text).toContain('The tool get_weather returned: Rome: 18 degrees celsius');
    expect(JSON.stringify(emulator.requests[2]?.body)).toContain('item_reference');
  });

  it('receives an object that matches its schema', async () => {
    const { openai } = await startProvider();
    const { object } = await generateObject({
      model: openai.responses('gpt-5'),
      schema: z.object({
        city: z.string(),
        days: z.number().int(),
        stops: z.array(z.object({ name: z.string(), optional: z.boolean() })),
      }),
      prompt: 'A trip to Rome for 3 days with a stop at "Ostia"',
      providerOptions: { openai: { strictJsonSchema: true } },
    });
    expect(object).toEqual({ city: 'Ostia', days: 3, stops: [{ name: 'Rome', optional: true }] });
  });

  it('creates embeddings', async () => {
    const { openai } = await startProvider();
    const { embeddings, usage } = await embedMany({
      model: openai.textEmbeddingModel('text-embedding-3-small'),
      values: ['fox', 'sea'],
    });
    expect(embeddings.map(({ length }) => length)).toEqual([1536, 1536]);
    expect(usage.tokens).toBe(2);
  });

  it('reports a wrong key and rate limits', async () => {
    const { emulator } = await startProvider();
    const openai = createOpenAI({ baseURL: emulator.baseURL, apiKey: 'sk-wrong' });
    const call = generateText({ model: openai.responses('gpt-5'), prompt: 'Hi', maxRetries: 0 });
    await expect(call).rejects.toMatchObject({ statusCode: 401, isRetryable: false });
    emulator.enqueue({ status: 429, retryAfter: 1 });
    const limited = createOpenAI({ baseURL: emulator.baseURL, apiKey: 'sk-test' });
    await expect(
      generateText({ model: limited.responses('gpt-5'), prompt: 'Hi', maxRetries: 0 }),
    ).rejects.toMatchObject({
      statusCode: 429,
      isRetryable: true,
      message: expect.stringMatching(/Rate limit reached/),
    });
  });
});
