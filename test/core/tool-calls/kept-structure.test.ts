import type { JSONSchema7 } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { parseToolArguments } from '../../../src/core/tool-calls/index.js';

it.each([
  '{"port":"a" : "b"}',
  '{"port":"a": "b", "x": 1}',
  '{"list": [{"port":"a" : 3}]}',
  "{'port':'a' : 'b'}",
  '{"port":"a" /* or */ : "b"}',
])('refuses %s, whose repair would make structure part of a value', text => {
  expect(parseToolArguments(text).success).toBe(false);
});

it.each([
  ['{"text": "He said "a": b", "n": 1}', { text: 'He said "a": b', n: 1 }],
  ['{"code": "{"a": 1}"}', { code: '{"a": 1}' }],
  ['{"time": "12:30", \'zone\': "a : b"}', { time: '12:30', zone: 'a : b' }],
])('reads a colon within quotes of %s', (text, input) => {
  expect(parseToolArguments(text)).toMatchObject({ success: true, input });
});

it.each([
  ['{"content":"foo\\\nbar"}', 'foo\nbar'],
  ['{"content":"foo\\\tbar"}', 'foo\tbar'],
  ['{"content":"a\\\\\nb"}', 'a\\\nb'],
])('reads a backslash before a control character as its escape: %j', (text, content) => {
  expect(parseToolArguments(text)).toMatchObject({ success: true, input: { content } });
});

const list = { type: 'array', items: { type: 'string' } } as const;

// https://github.com/anthropics/claude-code/issues/95239
it.each<JSONSchema7>([
  { anyOf: [list, { type: 'null' }] },
  { oneOf: [list, { type: 'null' }] },
  { oneOf: [{ type: 'null' }, list] },
  { type: ['array', 'null'], items: { type: 'string' } },
  { anyOf: [{ anyOf: [list, { type: 'integer' }] }, { oneOf: [{ type: 'null' }] }] },
  { anyOf: [{ type: 'object' }, list, { type: 'null' }] },
])('reads the word for null as null before a list of one text: %j', schema => {
  for (const word of ['null', 'None', 'NULL']) {
    const text = JSON.stringify({ tags: word });
    const parsed = parseToolArguments(text, { schema: { type: 'object', properties: { tags: schema } } });
    expect(parsed).toMatchObject({ success: true, input: { tags: null } });
  }
});

it.each<[JSONSchema7, unknown]>([
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'null'],
  [list, 'null'],
  [{ enum: ['null', 1] }, 'null'],
])('keeps the word where a text is allowed, or null is not: %j', (schema, expected) => {
  const parsed = parseToolArguments('{"tags":"null"}', {
    schema: { type: 'object', properties: { tags: schema } },
  });
  expect(parsed).toMatchObject({ success: true, input: { tags: expected } });
});
