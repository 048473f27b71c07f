import { expect } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../_scenario.js';

const schema = z.object({ city: z.string(), days: z.number().int() });
const plan = { city: 'Oslo', days: 3 };

export const structuredOutput: Scenario = {
  name: 'structured output',
  async play({ mode, sdk, provider, emulator, run }) {
    const { generateObject, streamObject, Output } = sdk;
    const model = provider('gpt-5');
    emulator.enqueue([{ text: JSON.stringify(plan) }]);
    if (mode === 'generate') {
      const { object, finishReason } = await generateObject({ model, schema, prompt: 'Plan.' });
      expect({ object, finishReason }).toEqual({ object: plan, finishReason: 'stop' });
    } else {
      const { object, partialObjectStream } = streamObject({ model, schema, prompt: 'Plan.' });
      const partial: unknown[] = [];
      for await (const one of partialObjectStream) partial.push(one);
      expect(await object).toEqual(plan);
      expect(partial.at(-1)).toEqual(plan);
    }
    const format = { format: { type: 'json_schema', schema: { properties: { city: { type: 'string' } } } } };
    expect(emulator.requests[0]?.body).toMatchObject({ text: format });

    // The same after a round with tools.
    emulator.enqueue([{ call: 'get-sum', arguments: { a: 1, b: 2 } }], [{ text: JSON.stringify(plan) }]);
    const { text, errors } = await run({
      prompt: 'Plan with get-sum.',
      experimental_output: Output.object({ schema }),
      output: Output.object({ schema }),
    });
    expect({ object: JSON.parse(text), errors }).toEqual({ object: plan, errors: [] });
    expect(emulator.requests[2]?.body).toMatchObject({ text: format });
  },
};
