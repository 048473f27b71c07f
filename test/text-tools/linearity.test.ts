import { expect, it } from 'vitest';
import {
  dsmlFormat,
  glmFormat,
  hermesFormat,
  mistralFormat,
  qwenXmlFormat,
} from '../../src/adapters/index.js';
import { createTextParser } from '../../src/text-tools/text-parser.js';
import { toDeclaredTools } from '../../src/text-tools/text-tool-format.js';
import { thinkTags } from '../../src/text-tools/reasoning.js';

const tools = toDeclaredTools({
  tools: [
    {
      type: 'function',
      name: 'save',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' }, n: { type: 'integer' } },
      },
    },
    { type: 'function', name: 'any', inputSchema: { type: 'object' } },
  ],
});

/** The maximum average number of visits to a character, for any text. */
const MAX_VISITS = 8;
const LENGTH = 40_000;

const fill = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length));
const open = '<tool_call>\n<function=save>\n<parameter=a>\n';
const close = '\n</parameter>\n</function>\n</tool_call>';
const inValue = (unit: string): string => open + fill(unit) + close;

function read(text: string, length: number) {
  let input = 0;
  let calls = 0;
  let emitted = 0;
  const parser = createTextParser(
    {
      formats: [hermesFormat, qwenXmlFormat, glmFormat, mistralFormat, dsmlFormat],
      reasoning: [thinkTags],
      tools,
    },
    {
      text: chunk => void (emitted += chunk.length),
      reasoning: chunk => void (emitted += chunk.length),
      callStart: () => {},
      callInput: chunk => void (input += chunk.length),
      callEnd: () => void calls++,
      callDiscarded: () => {},
    },
  );
  for (let at = 0; at < text.length; at += length) parser.feed(text.slice(at, at + length));
  parser.end();
  return { visits: parser.visited / text.length, input, calls, emitted };
}

it.each([
  ['spaces', fill(' ')],
  ['line breaks', fill('\n')],
  ['brackets', fill('<')],
  ['markers', fill('<tool_call>')],
  ['markers with headers', fill('<tool_call>\n<function=save>\n')],
  ['calls within calls', fill(open)],
  ['calls of any parameter within each other', fill('<function=any>\n<parameter=a>\n')],
  ['calls of unknown tools within each other', fill('<function=none>\n<parameter=a>\n')],
  ['spaces in a value', open + ' '.repeat(100_000) + close],
  ['brackets in a value', inValue('<')],
  ['closing tags in a value', inValue('</parameter>')],
  ['closing tags and spaces in a value', inValue(`</parameter>${' '.repeat(200)}`)],
  ['call ends in a value', inValue(`\n</function>${' '.repeat(200)}`)],
  ['ends of calls and lists in a value', inValue('\n</function></tool_call>x')],
  ['possible parameters in a value', inValue('\n<parameter=b>x</parameter>y')],
  ['tags of parameters in a value', inValue('\n<parameter=b>')],
  ['incomplete tags in a value', inValue('</par ')],
  ['misspelt tags in a value', inValue('</parameter1> ')],
  ['digits of a number', `<function=save><parameter=n>${fill('1')}</parameter></function>`],
  [
    'distinct unclosed parameters',
    `<function=any>\n<parameter=a>\n${Array.from({ length: 5000 }, (_, index) => `\n<parameter=k${index}>x`).join('')}\n</function>`,
  ],
  ['JSON in JSON', `<tool_call>{"name": "any", "arguments": ${fill('{"a":')}`],
  ['backslashes', `<tool_call>{"name": "any", "arguments": {"a": "${fill('\\\\')}"}}`],
  ['incomplete JSON calls', fill('<tool_call>{"name": "any", "arguments": {"a": "')],
  ['arguments before a name', `<tool_call>{${fill('"arguments": {}, ')}`],
  ['pairs of keys and values', `<tool_call>any${fill('<arg_key>a</arg_key> <arg_value>x')}`],
  ['markers of lists', fill('[TOOL_CALLS][')],
  ['backticks', fill('```\n')],
  ['quoted markers', fill('`<tool_call>')],
  ['unclosed reasoning', `<think>${fill('</thin')}`],
  ['list ends after a call', `${open}x${close}${fill('\n</tool_call>')}`],
])('visits each character only a few times: %s', (_, text) => {
  for (const length of [1, 4, text.length]) expect(read(text, length).visits).toBeLessThan(MAX_VISITS);
});

it('streams an argument of a megabyte in chunks of four characters', () => {
  const value = 'abc <d> "e"\n'.repeat(90_000);
  const { visits, input, calls, emitted } = read(open + value + close, 4);
  expect({ calls, emitted }).toEqual({ calls: 1, emitted: 0 });
  expect(input).toBe(JSON.stringify({ a: value }).length);
  expect(visits).toBeLessThan(MAX_VISITS);
});
