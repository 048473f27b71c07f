import { generateText, jsonSchema, type JSONSchema7, Output } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/v4';
import { createSwitchableProvider } from '../../src/host/index.js';
import { startEmulator } from '../testing/_emulator.js';

const step = z.object({ kind: z.literal('step'), text: z.string() });
const end = z.object({ kind: z.literal('end') });

/** Schemas that applications use, with an answer for each. The API rejects most of them as they are. */
const SCHEMAS: Readonly<Record<string, [schema: unknown, answer: object]>> = {
  'any object': [{ type: 'object' }, { a: 1 }],
  nothing: [{}, { a: 1 }],
  'a record': [z.toJSONSchema(z.record(z.string(), z.any())), { a: 1 }],
  'a record of an object': [
    z.toJSONSchema(z.object({ byName: z.record(z.string(), z.any()) })),
    { byName: {} },
  ],
  alternatives: [z.toJSONSchema(z.discriminatedUnion('kind', [step, end])), { kind: 'end' }],
  'a list of any values': [{ type: 'object', properties: { list: { type: 'array' } } }, { list: [1] }],
  'a strict object': [z.toJSONSchema(step), { kind: 'step', text: 'x' }],
  'a lookaround': [
    { type: 'object', properties: { id: { type: 'string', pattern: '^(?!x)' } } },
    { id: 'a' },
  ],
};

describe.each(Object.entries(SCHEMAS))('a response in the schema of %s', (_, [schema, answer]) => {
  it('is accepted by the API, by both implementations in the same format and with the same warnings', async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    let isOn = true;
    const provider = createSwitchableProvider({
      kelivo: { baseURL: emulator.baseURL, apiKey: 'sk-test' },
      enabled: () => isOn,
    });
    const results = [];
    for (isOn of [true, false]) {
      emulator.enqueue([{ text: JSON.stringify(answer) }]);
      const { experimental_output: output, warnings = [] } = await generateText({
        model: provider('gpt-4.1'),
        prompt: 'Answer.',
        maxRetries: 0,
        experimental_output: Output.object({ schema: jsonSchema(schema as JSONSchema7) }),
      });
      expect(output).toEqual(answer);
      const body = emulator.requests.at(-1)?.body as { text: object };
      results.push({ text: body.text, warnings });
    }
    expect(results[1]).toEqual(results[0]);
  });
});
