import { describe, expect, it } from 'vitest';
import { refuse, tool } from './_emulator.js';

type Json = Record<string, unknown>;

const weather = tool('get_weather', { city: { type: 'string' } });

describe('validateTools', () => {
  const refuseTool = (changes: Json) =>
    refuse({ model: 'gpt-4o', input: 'Hi', tools: [{ ...weather, ...changes }] });
  const schema = (properties: Json, rest: Json = {}) => ({
    parameters: { type: 'object', properties, ...rest },
  });

  it('rejects names outside the pattern and names that are too long', async () => {
    expect(await refuseTool({ name: 'files.read' })).toMatchObject({
      message:
        "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      param: 'tools[0].name',
    });
    expect(await refuseTool({ name: 'x'.repeat(65) })).toMatchObject({
      message: expect.stringContaining('maximum length 64, but got a string with length 65'),
      code: 'string_above_max_length',
    });
  });

  it('rejects more than 128 tools', async () => {
    const tools = Array.from({ length: 129 }, (_, index) => tool(`tool_${index}`));
    expect(await refuse({ model: 'gpt-4o', input: 'Hi', tools })).toMatchObject({
      message: expect.stringContaining('maximum length 128, but got an array with length 129'),
      param: 'tools',
      code: 'array_above_max_length',
    });
  });

  const invalid = "Invalid schema for function 'get_weather': ";
  const cases: [string, Json, string][] = [
    [
      'without a type',
      { parameters: {} },
      `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
    ],
    [
      'with names of properties',
      schema({ map: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} } }),
      "In context=('properties', 'map'), 'propertyNames' is not permitted.",
    ],
    [
      'with lookaround in a pattern',
      schema({ name: { type: 'string', pattern: '^(?!x)[(?=]' } }),
      "In context=('properties', 'name'), 'pattern' is not a valid regex: lookaround is not supported.",
    ],
    [
      'with allOf in strict mode',
      {
        ...schema({ a: { allOf: [{ type: 'string' }] } }, { required: ['a'], additionalProperties: false }),
        strict: true,
      },
      "In context=('properties', 'a'), 'allOf' is not permitted.",
    ],
    [
      'of another type',
      { parameters: { type: 'array' } },
      `schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`,
    ],
    [
      'without properties',
      { parameters: { type: 'object' } },
      'In context=(), object schema missing properties.',
    ],
    [
      'with an array of anything',
      schema({ tags: { type: 'array' } }),
      "In context=('properties', 'tags'), array schema missing items.",
    ],
    [
      'with a list of items',
      schema({ pair: { type: 'array', items: [{ type: 'string' }] } }),
      "[{'type': 'string'}] is not of type 'object', 'boolean'.",
    ],
    ['with a type as a schema', schema({ a: 'string' }), "'string' is not of type 'object', 'boolean'."],
    ['with null as a schema', schema({ a: { anyOf: [null] } }), "None is not of type 'object', 'boolean'."],
    [
      'with an unknown type',
      schema({ a: { type: ['any', 'null'] } }),
      "['any', 'null'] is not valid under any of the given schemas.",
    ],
    ['with a flag as a bound', schema({ a: { exclusiveMinimum: true } }), "True is not of type 'number'."],
    ['with a flag as required', schema({ a: { required: true } }), "True is not of type 'array'."],
    [
      'with a name that is required twice',
      schema({ a: {} }, { required: ['a', 'a'] }),
      "['a', 'a'] has non-unique elements.",
    ],
    ['with a text as a length', schema({ a: { minLength: '1' } }), "'1' is not of type 'integer'."],
    [
      'that is strict but allows additional properties',
      { ...schema({}), strict: true },
      "In context=(), 'additionalProperties' is required to be supplied and to be false.",
    ],
    [
      'that is strict and has an optional property',
      { ...schema({ city: { type: 'string' } }, { additionalProperties: false }), strict: true },
      "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'city'.",
    ],
    [
      'that is strict and has an unknown format',
      {
        ...schema(
          { url: { type: 'string', format: 'uri' } },
          { additionalProperties: false, required: ['url'] },
        ),
        strict: true,
      },
      "In context=('properties', 'url'), 'uri' is not a valid format.",
    ],
  ];
  it.each(cases)('rejects a schema %s', async (_, changes, issue) => {
    expect(await refuseTool(changes)).toMatchObject({
      status: 400,
      message: invalid + issue,
      param: 'tools[0].parameters',
      code: 'invalid_function_parameters',
    });
  });

  it('rejects a strict response format that allows additional properties', async () => {
    const format = {
      type: 'json_schema',
      name: 'city',
      strict: true,
      schema: { type: 'object', properties: {} },
    };
    expect(await refuse({ model: 'gpt-4o', input: 'Hi', text: { format } })).toMatchObject({
      message: expect.stringMatching(
        /^Invalid schema for response_format 'city': In context=\(\), 'additional/,
      ),
      param: 'text.format.schema',
    });
  });
});
