import { expect } from 'vitest';
import * as z from 'zod';
import { runInProvider } from '../../../src/tool-loop/tool-loop.js';
import type { Scenario } from '../_scenario.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const toolsInTheProvider: Scenario = {
  name: "the host's tools in the provider",
  async play({ run, sdk, major, version, emulator, inputOf }) {
    const seen: unknown[] = [];
    const weather = sdk.tool({
      description: 'Tells the weather.',
      inputSchema: z.object({ city: z.string() }),
      async *execute({ city }, { toolCallId, messages, abortSignal, ...rest }) {
        seen.push({ city, toolCallId: typeof toolCallId, roles: messages.map(({ role }) => role), ...rest });
        expect(abortSignal).toBeInstanceOf(AbortSignal);
        yield 'Looking …';
        yield `Sun in ${city}.`;
      },
    });
    const image = { type: 'media', data: png, mediaType: 'image/png' };
    const draw = sdk.tool({
      inputSchema: sdk.jsonSchema<object>({ type: 'object' }),
      execute: async () => ({ png }),
      // Since `ai@6`, it receives the call with the output, and uses the type `image-data`.
      toModelOutput: ((told: { png?: string; output?: { png: string } }) => {
        const data = major === 5 ? told.png : told.output?.png;
        return { type: 'content', value: [{ ...image, type: major === 5 ? 'media' : 'image-data', data }] };
      }) as never,
    });
    emulator.enqueue(
      [
        { call: 'weather', arguments: { city: 'Oslo' } },
        { call: 'get-sum', arguments: { a: 1, b: 2 } },
      ],
      [{ call: 'draw', arguments: {} }],
      [{ text: 'Done.' }],
    );
    const context = { user: 'ada' };
    const { text, steps, errors } = await run({
      prompt: 'Go.',
      ...runInProvider({ weather, draw }, { context, ...(version === 'V2' && { aiVersion: major }) }),
    });
    expect({ text, errors }).toEqual({ text: 'Done.', errors: [] });
    expect(seen).toEqual([
      {
        city: 'Oslo',
        toolCallId: 'string',
        idempotencyKey: expect.stringMatching(/ 1\.1 weather$/),
        roles: ['user'],
        turnId: expect.any(String),
        round: 1,
        experimental_context: context,
        context,
      },
    ]);
    // Everything is one step, which includes the calls of the host's own tools.
    expect(steps).toHaveLength(1);
    const shown = steps[0]?.toolCalls.filter(({ toolName }) => toolName !== 'get-sum');
    expect(shown).toMatchObject([
      { toolName: 'weather', providerExecuted: true },
      { toolName: 'draw', providerExecuted: true },
    ]);
    const outputs = inputOf(2).flatMap(({ type, output }) =>
      type === 'function_call_output' ? [output] : [],
    );
    expect(outputs).toEqual([
      'Sun in Oslo.',
      'The sum of 1 and 2 is 3.',
      [expect.objectContaining({ type: 'input_image', image_url: `data:image/png;base64,${png}` })],
    ]);
    expect(emulator.requests).toHaveLength(3);
  },
};
