import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import { isStrictSchema } from '../../../src/core/tool-calls/strict-schema.js';
import type { ToolSource } from '../../../src/tools/tool-source.js';
import { textRound, scriptedModel, stream } from '../../tool-loop/_scripted-model.js';

const closed = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : closed({ a: nested(levels - 1) });
const range = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const text = { type: 'string', description: 'A text' };

describe('isStrictSchema', () => {
  it.each([
    ['no properties', closed({})],
    ['required properties', closed({ a: text, b: { type: ['number', 'null'] } })],
    ['nested closed objects', closed({ a: { type: 'array', items: closed({ b: text }) } })],
    ['alternatives', closed({ a: { anyOf: [text, closed({ b: text })] } })],
    ['formats that it knows', closed({ a: { type: 'string', format: 'date-time' } })],
    ['ten levels', closed({ a: nested(8) })],
    ['recursion', { ...closed({ a: { $ref: '#' } }) }],
    ['definitions', { ...closed({ a: { $ref: '#/$defs/b' } }), $defs: { b: closed({ c: text }) } }],
  ])('accepts %s', (_title, schema) => {
    expect(isStrictSchema(schema)).toBe(true);
  });

  it.each([
    ['an open object', { type: 'object', properties: { a: text }, required: ['a'] }],
    ['an optional property', closed({ a: text, b: text }, ['a'])],
    ['a nested open object', closed({ a: { type: 'object', properties: {} } })],
    ['an open alternative', closed({ a: { anyOf: [text, { type: 'object' }] } })],
    ['an open definition', { ...closed({}), $defs: { b: { type: 'object' } } }],
    ['a keyword that strict mode does not support', closed({ a: { type: 'string', format: 'uri' } })],
    ['alternatives at the root', { anyOf: [closed({ a: text })] }],
    ['another type at the root', { type: 'array', items: text }],
    ['`allOf`', closed({ a: { allOf: [text] } })],
    ['a default', closed({ a: { type: 'string', default: 'x' } })],
    ['an object that may be null and is open', closed({ a: { type: ['object', 'null'] } })],
    ['too many levels', closed({ a: nested(10) })],
    ['too many properties', closed(Object.fromEntries(range(5_001).map(name => [name, text])))],
    ['too many enum values', closed({ a: { enum: range(1_001) } })],
    ['a large enum', closed({ a: { enum: range(251).map(name => name.repeat(30)) } })],
    ['too many characters', closed({ ['x'.repeat(120_001)]: text })],
    ['no schema', true],
  ])('rejects %s', (_title, schema) => {
    expect(isStrictSchema(schema)).toBe(false);
  });
});

it('sends no tool of the loop as strict if strict mode would reject its schema', async () => {
  const schemas = { loose: { type: 'object' as const }, closed: closed({ a: text }) as never };
  const tools: ToolSource = {
    name: 'tools',
    listTools: async () => ({
      tools: Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema })),
      warnings: [],
    }),
    callTool: async () => ({ type: 'text', value: '' }),
    close: async () => {},
  };
  const model = scriptedModel(textRound('Hello.'));
  await stream(withToolLoop(model, { tools }));
  expect(model.requests[0]?.tools).toMatchObject([{ name: 'loose', strict: false }, { name: 'closed' }]);
  expect(model.requests[0]?.tools?.[1]).not.toHaveProperty('strict');
});
