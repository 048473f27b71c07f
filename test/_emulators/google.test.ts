import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { generateObject, generateText, type ModelMessage, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startEmulator } from '../testing/_emulator.js';
import { hostTools } from '../integration/_tools.js';
import { hostResponse, hostTurn } from '../testing/_host-turn.js';

// An independent client confirms that the emulator matches the API.

type Json = Record<string, unknown>;

async function start(modelId = 'gemini-3-pro-preview', apiKey = 'key') {
  const emulator = await startEmulator({ apiKey: 'key' });
  const google = createGoogleGenerativeAI({ baseURL: `${emulator.url}/v1beta`, apiKey });
  return { emulator, model: google(modelId) };
}

describe('@ai-sdk/google', () => {
  it('streams two rounds with parallel calls, signed and without ids', async () => {
    const { emulator, model } = await start();
    const errors: unknown[] = [];
    const result = streamText({ ...hostTurn, model, onError: ({ error }) => void errors.push(error) });
    const steps = await result.steps;
    expect(errors).toEqual([]);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(await result.text).toBe(hostResponse);
    expect(steps[1]?.usage.inputTokens).toBeGreaterThan(20);
    const replayed = (emulator.requests[1]?.body as { contents: { parts: Json[] }[] }).contents[1]?.parts;
    expect(replayed?.map(part => typeof part.thoughtSignature)).toEqual(['string', 'undefined']);
  });

  it('runs the same rounds without streaming', async () => {
    const { model } = await start('gemini-2.5-flash');
    const { text, steps } = await generateText({ ...hostTurn, model });
    expect(text).toBe(hostResponse);
    expect(steps).toHaveLength(2);
  });

  it('receives an object that matches its schema', async () => {
    const { model } = await start();
    const { object } = await generateObject({
      model,
      schema: z.object({ city: z.string(), days: z.number().int() }),
      prompt: 'A trip to Rome for 3 days',
    });
    expect(object).toEqual({ city: 'Rome', days: 3 });
  });

  it('receives reasoning on request', async () => {
    const { model } = await start();
    const { reasoningText, usage } = await generateText({
      model,
      prompt: 'Hello',
      providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
    });
    expect(reasoningText).toContain('I answer now');
    expect(usage.reasoningTokens).toBe(64);
  });

  it('receives an image', async () => {
    const { model } = await start();
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
    ] as const;
    const { text } = await generateText({ model, messages: [{ role: 'user', content: [...content] }] });
    expect(text).toBe('You said: Look, an image (image/png)');
  });

  it('follows the tool choice', async () => {
    const { model } = await start();
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
    const { model } = await start();
    const prompt = 'Say something long. '.repeat(50);
    const { finishReason } = await generateText({ model, prompt, maxOutputTokens: 100 });
    expect(finishReason).toBe('length');
  });

  it('reports a wrong key and an exhausted quota', async () => {
    const wrong = await start('gemini-2.5-flash', 'wrong');
    await expect(generateText({ model: wrong.model, prompt: 'Hi', maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 400,
      message: 'API key not valid. Please pass a valid API key.',
    });
    const { emulator, model } = await start();
    emulator.enqueue({ status: 429 });
    await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 429,
      isRetryable: true,
      message: 'Resource has been exhausted (e.g. check quota).',
    });
  });

  it('reports a failure within a stream', async () => {
    const { emulator, model } = await start();
    emulator.enqueue({ output: [{ text: 'One two' }], fault: 'error-event', after: 1, message: 'Oh no' });
    const errors: unknown[] = [];
    const result = streamText({ model, prompt: 'Hi', onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    expect(String(errors[0])).toContain('Oh no');
  });
});

describe('a history of the Gemini API', () => {
  const call = (id: string, name = 'add') =>
    ({ type: 'tool-call', toolCallId: id, toolName: name, input: {} }) as const;
  const result = (id: string, name = 'add') =>
    ({ type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: '5' } }) as const;
  const hello: ModelMessage = { role: 'user', content: 'Hello' };

  it.each<[string, ModelMessage[], string]>([
    [
      'a call without a result',
      [
        hello,
        { role: 'assistant', content: [call('a'), call('b')] },
        { role: 'tool', content: [result('a')] },
      ],
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    ],
    [
      'a result without a call',
      [hello, { role: 'tool', content: [result('a')] }],
      'Please ensure that function response turn comes immediately after a function call turn.',
    ],
    [
      'a call at the beginning',
      [
        { role: 'assistant', content: [call('a')] },
        { role: 'tool', content: [result('a')] },
      ],
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    ],
  ])('is rejected with %s', async (_, messages, message) => {
    const { model } = await start('gemini-2.5-flash');
    await expect(generateText({ model, messages, maxRetries: 0 })).rejects.toMatchObject({ message });
  });

  it.each([
    ['gemini-3-pro-preview', 400],
    ['gemini-2.5-flash', 200],
  ])('without a signature gets from %s the status %i', async (modelId, status) => {
    const { emulator } = await start();
    const response = await fetch(`${emulator.url}/v1beta/models/${modelId}:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': 'key' },
      body: JSON.stringify({
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          { role: 'model', parts: [{ functionCall: { name: 'add', args: {} } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'add', response: { result: 5 } } }] },
        ],
      }),
    });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(
      status === 400 ? 'missing a thought_signature in functionCall parts' : 'The tool add returned: 5',
    );
  });
});
