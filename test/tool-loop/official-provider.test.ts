import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { shapeOf } from '../integration/_provider.js';
import { startEmulator } from '../testing/_emulator.js';

// Tests the loop with a model of another package, against a server that validates every request.

const localTools = createLocalTools({
  get_weather: tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, degrees: 18 }),
  }),
  add_numbers: tool({
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => a + b,
  }),
});
const stateless = {
  openai: { store: false, reasoningSummary: 'auto', include: ['reasoning.encrypted_content'] },
};

async function loopedOfficialModel() {
  const emulator = await startEmulator({ apiKey: 'sk-test' });
  const openai = createOpenAI({ baseURL: emulator.baseURL, apiKey: 'sk-test' });
  return { emulator, model: withToolLoop(openai.responses('gpt-5'), { tools: localTools }) };
}

describe('the loop over the official Responses model', () => {
  it('streams rounds with parallel calls and reasoning if responses are not stored', async () => {
    const { emulator, model } = await loopedOfficialModel();
    const errors: unknown[] = [];
    const result = streamText({
      model,
      prompt: 'First get_weather in Oslo and add_numbers 2 and 3',
      providerOptions: stateless,
      onError: ({ error }) => void errors.push(error),
    });
    expect(await result.text).toContain('The tool add_numbers returned: 5');
    expect(errors).toEqual([]);
    expect(await result.steps).toHaveLength(1);
    expect(await result.finishReason).toBe('stop');
    expect(shapeOf(emulator.requests[1])).toEqual([
      'user',
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ]);
  });

  it('chains rounds in `generateText` and continues the conversation', async () => {
    const { emulator, model } = await loopedOfficialModel();
    const prompt = 'add_numbers 1 and 2, then get_weather in Rome';
    const { text, response } = await generateText({ model, prompt, providerOptions: stateless });
    expect(text).toContain('The tool get_weather returned: {"city":"Rome","degrees":18}');
    expect(emulator.requests).toHaveLength(3);
    const next = await generateText({
      model,
      messages: [
        { role: 'user', content: prompt },
        ...response.messages,
        { role: 'user', content: 'Thanks' },
      ],
      providerOptions: stateless,
    });
    expect(next.text).toBe('You said: Thanks');
  });

  it('ends with an error if the official model reports an error but no error finish', async () => {
    const { emulator, model } = await loopedOfficialModel();
    emulator.enqueue({
      output: [{ call: 'add_numbers', arguments: { a: 1, b: 2 } }, { text: 'More to come' }],
      fault: 'error-event',
    });
    const errors: unknown[] = [];
    const result = streamText({ model, prompt: 'Hi', onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    expect(errors).toHaveLength(1);
    expect(await result.finishReason).toBe('error');
    expect(emulator.requests).toHaveLength(1);
  });
});
