import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateObject, generateText, type LanguageModel, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startEmulator } from '../testing/_emulator.js';
import type { MultiApiEmulatorOptions } from './start-emulator.js';
import { hostTools } from '../integration/_tools.js';
import { hostResponse, hostTurn } from '../testing/_host-turn.js';

// Independent clients confirm that the emulator matches the API.

const clients: readonly {
  readonly name: string;
  readonly options?: MultiApiEmulatorOptions;
  readonly toModel: (baseURL: string) => LanguageModel;
}[] = [
  {
    name: '@ai-sdk/openai',
    toModel: baseURL => createOpenAI({ baseURL, apiKey: 'sk-test' }).chat('gpt-5'),
  },
  {
    name: '@ai-sdk/openai-compatible',
    toModel: baseURL =>
      createOpenAICompatible({
        name: 'local',
        baseURL,
        apiKey: 'sk-test',
        includeUsage: true,
        supportsStructuredOutputs: true,
      })('qwen3-coder'),
  },
  {
    name: '@ai-sdk/mistral',
    options: { rules: 'mistral' },
    toModel: baseURL => createMistral({ baseURL, apiKey: 'sk-test' })('mistral-small-latest'),
  },
];

describe.each(clients)('$name', ({ options, toModel }) => {
  const start = async () => toModel((await startEmulator({ apiKey: 'sk-test', ...options })).baseURL);

  it('streams two rounds with parallel calls and counts tokens', async () => {
    const errors: unknown[] = [];
    const result = streamText({
      ...hostTurn,
      model: await start(),
      onError: ({ error }) => void errors.push(error),
    });
    const steps = await result.steps;
    expect(errors).toEqual([]);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[0]?.toolCalls.map(({ input }) => input)).toEqual([{ city: 'Oslo' }, { a: 2, b: 3 }]);
    expect(await result.text).toBe(hostResponse);
    expect(steps[1]?.usage.inputTokens).toBeGreaterThan(20);
    expect(steps[1]?.usage.outputTokens).toBeGreaterThan(5);
  });

  it('runs the same rounds without streaming', async () => {
    const { text, steps } = await generateText({ ...hostTurn, model: await start() });
    expect(text).toBe(hostResponse);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[1]?.usage.inputTokens).toBeGreaterThan(20);
  });

  it('receives an object that matches its schema', async () => {
    const { object } = await generateObject({
      model: await start(),
      schema: z.object({ city: z.string(), days: z.number().int() }),
      prompt: 'A trip to Rome for 3 days',
    });
    expect(object).toEqual({ city: 'Rome', days: 3 });
  });

  it('receives an image', async () => {
    const { text } = await generateText({
      model: await start(),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
          ],
        },
      ],
    });
    expect(text).toBe('You said: Look, an image (image/png)');
  });

  it('follows the tool choice', async () => {
    const model = await start();
    const forced = await generateText({ model, prompt: 'Hello', tools: hostTools, toolChoice: 'required' });
    expect(forced.toolCalls).toHaveLength(1);
    const named = await generateText({
      model,
      prompt: 'Hello',
      tools: hostTools,
      toolChoice: { type: 'tool', toolName: 'add' },
    });
    expect(named.toolCalls.map(({ toolName }) => toolName)).toEqual(['add']);
    const none = await generateText({ ...hostTurn, model, toolChoice: 'none' });
    expect(none.text).toBe('You said: Get the weather in Oslo and add 2 and 3');
  });

  it('reports a response that is truncated at its limit', async () => {
    const prompt = 'Say something long. '.repeat(50);
    const { finishReason, text } = await generateText({
      model: await start(),
      prompt,
      maxOutputTokens: 100,
    });
    expect(finishReason).toBe('length');
    expect(`You said: ${prompt}`.startsWith(text)).toBe(true);
    expect(text.length).toBeLessThanOrEqual(400);
  });
});
