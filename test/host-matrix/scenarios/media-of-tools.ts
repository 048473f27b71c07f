import type { ModelMessage } from 'ai';
import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Images in a tool output, in the format of each major. */
const content = {
  5: [{ type: 'media', data: png, mediaType: 'image/png' }],
  6: [
    { type: 'image-data', data: png, mediaType: 'image/png' },
    { type: 'image-url', url: 'https://images.test/a.png' },
  ],
  7: [
    { type: 'file', data: { type: 'data', data: png }, mediaType: 'image/png' },
    { type: 'image-url', url: 'https://images.test/a.png' },
  ],
} as const;

export const mediaOfTools: Scenario = {
  name: 'images in tool outputs',
  async play({ run, major, inputOf }) {
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', image: png, mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'see', input: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName: 'see',
            output: { type: 'content', value: content[major] },
          },
        ],
      },
      { role: 'user', content: 'Thanks' },
    ] as unknown as ModelMessage[];
    const { text, errors } = await run({ messages });
    expect({ text, errors }).toEqual({ text: 'You said: Thanks', errors: [] });
    const image = { type: 'input_image', image_url: `data:image/png;base64,${png}` };
    const linked = { image_url: 'https://images.test/a.png' };
    expect(inputOf(0)[0]).toMatchObject({ content: [{ type: 'input_text' }, image] });
    const seen = inputOf(0).find(({ type }) => type === 'function_call_output')?.output;
    expect(seen).toMatchObject(major === 5 ? [image] : [image, linked]);
  },
};
