import { describe, expect, it } from 'vitest';
import { parseToolArguments } from '../../../src/core/tool-calls/index.js';
import { readAs } from '../_read-as.js';
import { isWhole } from '../../_products.js';
import fc from '../../_property.js';

const unit = { type: 'string', enum: ['Celsius', 'Kelvin'] };
const place = {
  type: 'object',
  properties: { name: { type: 'string' }, zip: { type: 'string' }, days: { type: 'integer' }, unit },
};
const properties = {
  note: { type: 'string' },
  unit,
  place,
  places: { type: 'array', items: place },
  days: { type: 'array', items: { type: 'integer' } },
  maybe: { anyOf: [place, { type: 'null' }] },
  either: {
    anyOf: [place, { type: 'object', properties: { days: { type: 'string' } }, required: ['days'] }],
  },
  tree: { $ref: '#/properties/place' },
  open: { type: 'object', additionalProperties: { type: 'number' } },
  any: {},
} as const;
const schema = { type: 'object', properties } as object;
const tools = { plan: properties };

/** What the rules for arguments make of a value. */
function expectedOf(input: object): unknown {
  const parsed = parseToolArguments(JSON.stringify(input), { schema });
  return parsed.success ? parsed.input : input;
}

const toPython = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}: ${toPython(inner)}`)
      .join(', ')}}`;
  return value === null ? 'None' : JSON.stringify(value);
};
const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const toGemma = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(toGemma).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}:${toGemma(inner)}`)
      .join(',')}}`;
  return typeof value === 'string' ? `<|"|>${value}<|"|>` : JSON.stringify(value);
};
const tags = (input: object, toTag: (key: string, value: string) => string) =>
  Object.entries(input)
    .map(([key, value]) => toTag(key, toText(value)))
    .join('\n');

const writers: readonly (readonly [modelId: string, write: (input: object) => string])[] = [
  [
    'Qwen/Qwen2.5-72B-Instruct',
    input => `<tool_call>${JSON.stringify({ name: 'plan', arguments: input })}</tool_call>`,
  ],
  [
    'qwen3-coder-plus',
    input =>
      `<tool_call>\n<function=plan>\n${tags(input, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>\n</tool_call>`,
  ],
  [
    'zai-org/GLM-4.6',
    input =>
      `<tool_call>plan\n${tags(input, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`)}\n</tool_call>`,
  ],
  [
    'deepseek-ai/DeepSeek-V3.2',
    input =>
      `<｜DSML｜function_calls>\n<｜DSML｜invoke name="plan">\n${tags(input, (key, value) => `<｜DSML｜parameter name="${key}">${value}</｜DSML｜parameter>`)}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  ],
  [
    'LiquidAI/LFM2-8B',
    input =>
      `<|tool_call_start|>[plan(${Object.entries(input)
        .map(([key, value]) => `${key}=${toPython(value)}`)
        .join(', ')})]<|tool_call_end|>`,
  ],
  ['google/gemma-4-27b-it', input => `<|tool_call>call:plan${toGemma(input)}<tool_call|>`],
];

describe.each(writers)('%s', (modelId, write) => {
  it.each([
    { place: { zip: 12345, days: '3', unit: 'celsius' } },
    { places: [{ days: '3' }, { zip: 1, unit: 'KELVIN' }], note: 'a' },
    { places: { zip: 7 } },
    { days: ['1', 2, '3'] },
    { days: '4' },
    { unit: 'kelvin' },
    { maybe: { days: '3', unit: 'kelvin' } },
    { either: { days: '3' } },
    { tree: { zip: 5 } },
    { open: { a: '1.5', b: 2 } },
    { place: { name: 'long '.repeat(80), days: '3' } },
  ])('%j', async input => {
    expect(await readAs(modelId, tools)(write(input))).toEqual([{ call: 'plan', input: expectedOf(input) }]);
  });
});

describe('JSON', () => {
  const [[modelId, write] = ['', () => '']] = writers;
  const read = readAs(modelId, tools);
  const leaf = fc.oneof(
    fc.constantFrom(
      '3',
      '1.5',
      'celsius',
      'Kelvin',
      'a "b"\n',
      '[1]',
      '{"days": "1"}',
      'null',
      '',
      true,
      null,
    ),
    fc.integer(),
  );
  const places = fc.record(
    { name: leaf, zip: leaf, days: leaf, unit: leaf, other: leaf },
    { requiredKeys: [] },
  );
  const value = fc.oneof(leaf, places, fc.array(fc.oneof(leaf, places), { maxLength: 3 }));
  const names = ['note', 'unit', 'place', 'places', 'days', 'maybe', 'tree', 'open', 'any'];
  const inputs = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), value), {
    selector: ([name]) => name,
    maxLength: 4,
  });

  it('is converted at every level as arguments of native calls are', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, async entries => {
        const input = Object.fromEntries(entries);
        expect(await read(write(input))).toEqual([{ call: 'plan', input: expectedOf(input) }]);
      }),
      { numRuns: isWhole ? 150 : 50 },
    );
  });
});
