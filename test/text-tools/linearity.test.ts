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

/** How often a character is looked at, at most and on average, whatever the text. */
const LOOKS = 8;
const LENGTH = 40_000;

const fill = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length));
const open = '<tool_call>\n<function=save>\n<parameter=a>\n';
const close = '\n</parameter>\n</function>\n</tool_call>';
const inValue = (unit: string): string => open + fill(unit) + close;

function read(text: string, length: number) {
  let input = 0;
  let calls = 0;
  let shown = 0;
  const parser = createTextParser(
    {
      formats: [hermesFormat, qwenXmlFormat, glmFormat, mistralFormat, dsmlFormat],
      reasoning: [thinkTags],
      tools,
    },
    {
      text: piece => void (shown += piece.length),
      reasoning: piece => void (shown += piece.length),
      callStart: () => {},
      callInput: piece => void (input += piece.length),
      callEnd: () => void calls++,
      callDiscarded: () => {},
    },
  );
  for (let at = 0; at < text.length; at += length) parser.feed(text.slice(at, at + length));
  parser.end();
  return { looks: parser.visited / text.length, input, calls, shown };
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
  ['ends of calls in a value', inValue(`\n</function>${' '.repeat(200)}`)],
  ['ends of calls and lists in a value', inValue('\n</function></tool_call>x')],
  ['pairs that may be real in a value', inValue('\n<parameter=b>x</parameter>y')],
  ['tags of parameters in a value', inValue('\n<parameter=b>')],
  ['halves of tags in a value', inValue('</par ')],
  ['drifted tags in a value', inValue('</parameter1> ')],
  ['digits of a number', `<function=save><parameter=n>${fill('1')}</parameter></function>`],
  [
    'distinct parameters that are not closed',
    `<function=any>\n<parameter=a>\n${Array.from({ length: 5000 }, (_, index) => `\n<parameter=k${index}>x`).join('')}\n</function>`,
  ],
  ['JSON in JSON', `<tool_call>{"name": "any", "arguments": ${fill('{"a":')}`],
  ['backslashes', `<tool_call>{"name": "any", "arguments": {"a": "${fill('\\\\')}"}}`],
  ['halves of JSON calls', fill('<tool_call>{"name": "any", "arguments": {"a": "')],
  ['arguments before a name', `<tool_call>{${fill('"arguments": {}, ')}`],
  ['pairs of keys and values', `<tool_call>any${fill('<arg_key>a</arg_key> <arg_value>x')}`],
  ['markers of lists', fill('[TOOL_CALLS][')],
  ['backticks', fill('```\n')],
  ['quoted markers', fill('`<tool_call>')],
  ['reasoning that does not end', `<think>${fill('</thin')}`],
  ['ends of lists behind a call', `${open}x${close}${fill('\n</tool_call>')}`],
])('looks at each character a few times: %s', (_, text) => {
  for (const length of [1, 4, text.length]) expect(read(text, length).looks).toBeLessThan(LOOKS);
});

it('streams an argument of a megabyte as it comes, in four characters each', () => {
  const value = 'abc <d> "e"\n'.repeat(90_000);
  const { looks, input, calls, shown } = read(open + value + close, 4);
  expect({ calls, shown }).toEqual({ calls: 1, shown: 0 });
  expect(input).toBe(JSON.stringify({ a: value }).length);
  expect(looks).toBeLessThan(LOOKS);
});
