import { jsonSchema } from 'ai';
import { expect, it, vi } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';

/** Counts how often a turn with a call of these arguments parses and writes them. */
async function countPasses(numbers: number): Promise<{ parsed: number; written: number; sum: number }> {
  const input = JSON.stringify({ values: Array.from({ length: numbers }, () => 7) });
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: input };
  const content = [{ type: 'output_text', text: 'Done.', annotations: [] }];
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content };
  const documents = [call, message].map(item =>
    JSON.stringify({ id: 'resp_1', object: 'response', status: 'completed', output: [item] }),
  );
  let sum = 0;
  const provider = createKelivoResponsesProvider({
    apiKey: 'test-key',
    fetch: async () => new Response(documents.shift(), { headers: { 'content-type': 'application/json' } }),
    tools: {
      add: {
        inputSchema: jsonSchema<{ values: number[] }>({
          type: 'object',
          properties: { values: { type: 'array', items: { type: 'number' } } },
        }),
        execute: async ({ values }) => (sum = values.reduce((total, value) => total + value, 0)),
      },
    },
  });
  const parse = vi.spyOn(JSON, 'parse');
  const write = vi.spyOn(JSON, 'stringify');
  try {
    await provider('gpt-5').doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Add them.' }] }],
    });
    const isLarge = (text: unknown): boolean => typeof text === 'string' && text.length >= input.length;
    return {
      parsed: parse.mock.calls.filter(([text]) => isLarge(text)).length,
      written: write.mock.results.filter(({ value }) => isLarge(value)).length,
      sum,
    };
  } finally {
    parse.mockRestore();
    write.mockRestore();
  }
}

it('reads a million numbers in arguments as often as a thousand', async () => {
  const few = await countPasses(1000);
  expect(few.sum).toBe(7000);
  // The response, its call twice, and the call for the host, for the tool and for the next request.
  expect(few.parsed).toBeLessThanOrEqual(6);
  expect(few.written).toBeLessThanOrEqual(8);
  const many = await countPasses(1_000_000);
  expect(many.sum).toBe(7_000_000);
  expect(many.parsed).toBeLessThanOrEqual(few.parsed);
  expect(many.written).toBeLessThanOrEqual(few.written);
});
