import type { ModelMessage, ToolSet } from 'ai';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../_scenario.js';

export const imagesAcrossTurns: Scenario = {
  name: 'generated images in the next turn',
  async play({ run, emulator, inputOf, major, version }) {
    const tools = {
      image_generation: {
        type: version === 'V2' && major === 5 ? 'provider-defined' : 'provider',
        id: 'openai.image_generation',
        name: 'image_generation',
        args: {},
        inputSchema: z.object({}),
        isProviderExecuted: true,
      },
    } as unknown as ToolSet;
    const image = {
      type: 'image_generation_call',
      id: 'ig_1',
      status: 'completed',
      result: 'iVBORw0KGgo=',
      output_format: 'png',
    };
    emulator.enqueue([image, { text: 'Here.' }], [{ text: 'Bluer.' }]);
    const providerOptions = { openai: { store: true } };
    const prompt: ModelMessage = { role: 'user', content: 'Draw a boat.' };
    const first = await run({ messages: [prompt], tools, providerOptions });
    expect(first).toMatchObject({ text: 'Here.', errors: [] });
    expect(first.steps[0]?.toolResults).toMatchObject([
      { toolName: 'image_generation', output: { result: 'iVBORw0KGgo=' } },
    ]);
    const next = await run({
      messages: [prompt, ...first.messages, { role: 'user', content: 'Make it bluer.' }],
      tools,
      providerOptions,
    });
    expect(next).toMatchObject({ text: 'Bluer.', errors: [] });
    expect(inputOf(1)).toContainEqual({ type: 'item_reference', id: 'ig_1' });
  },
};
