import { expect } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../_scenario.js';

const schema = z.object({ city: z.string() });
const message = (id: string, phase: string, text: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  phase,
  content: [{ type: 'output_text', text, annotations: [] }],
});

export const commentary: Scenario = {
  name: 'structured output after commentary',
  async play({ mode, sdk, provider, emulator, run }) {
    const { generateObject, streamObject, Output } = sdk;
    const model = provider('gpt-5');
    const output = [
      message('msg_1', 'commentary', 'I compare the cities first.'),
      message('msg_2', 'final_answer', '{"city":"Oslo"}'),
    ];
    emulator.enqueue(output, output);
    if (mode === 'generate') {
      const { object } = await generateObject({ model, schema, prompt: 'Plan.' });
      expect(object).toEqual({ city: 'Oslo' });
    } else {
      const { object, partialObjectStream } = streamObject({ model, schema, prompt: 'Plan.' });
      for await (const partial of partialObjectStream) expect(partial).not.toHaveProperty('error');
      expect(await object).toEqual({ city: 'Oslo' });
    }

    const { text, errors } = await run({
      prompt: 'Plan.',
      experimental_output: Output.object({ schema }),
      output: Output.object({ schema }),
    });
    expect({ text, errors }).toEqual({ text: '{"city":"Oslo"}', errors: [] });
  },
};
