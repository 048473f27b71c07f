import { expect, it } from 'vitest';
import { formats } from '../../../src/adapters/index.js';
import { detectedSyntax } from '../../../src/adapters/text-tools/formats/detected.js';
import {
  type TextToolFormat,
  thinkTags,
  toDeclaredTools,
} from '../../../src/adapters/text-tools/reading/text-tool-format.js';
import { TextParser } from '../../../src/adapters/text-tools/parser/text-parser.js';

const tools = toDeclaredTools({
  tools: [
    {
      type: 'function',
      name: 'save',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { type: 'string' },
          n: { type: 'integer' },
          u: { type: ['string', 'number', 'object', 'null'] },
        },
      },
    },
    { type: 'function', name: 'any', inputSchema: { type: 'object' } },
  ],
});

/** The maximum average number of visits to a character, for any text. */
const MAX_VISITS = 9;
const LENGTH = 10_000;

const fill = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length));
const open = '<tool_call>\n<function=save>\n<parameter=a>\n';
const close = '\n</parameter>\n</function>\n</tool_call>';
const minimaxCall = (key: string): string => `]<]minimax[>[<invoke name="save">]<]minimax[>[<${key}>`;
const kimiCall = (key: string): string =>
  `<|open|>call tool="save" index="1"<|sep|><|open|>argument key="${key}" type="string"<|sep|>`;
const inValue = (unit: string): string => open + fill(unit) + close;

const known: readonly TextToolFormat[] = [
  formats.hermes,
  formats.qwenXml,
  formats.glm,
  formats.mistral,
  formats.dsml,
  formats.gemma4,
  formats.gemmaCall,
  formats.gemmaThought,
  formats.functionGemma,
  formats.pythonic,
  formats.llamaPythonic,
  formats.olmo,
  formats.lfm,
  formats.toolCode,
  formats.harmony,
  formats.bareHarmony,
  formats.minimax,
  formats.minimaxM3,
  formats.kimiK3,
  formats.step3,
];

const newer: readonly TextToolFormat[] = [
  formats.hermes,
  formats.glm,
  formats.solar,
  formats.horizon,
  formats.iquest,
  formats.spacedDsml,
  formats.gcml,
  formats.dots,
  formats.dotsJson,
  formats.plamo,
  formats.hunyuan,
  formats.pairCall,
  formats.inkling,
  formats.muse,
  formats.callLines,
];

function read(text: string, length: number, readFormats = known) {
  let input = 0;
  let calls = 0;
  let emitted = 0;
  const parser = new TextParser(
    {
      formats: readFormats,
      reasoning: [thinkTags],
      tools,
    },
    {
      text: chunk => void (emitted += chunk.length),
      reasoning: chunk => void (emitted += chunk.length),
      callStart: () => {},
      callInput: chunk => void (input += chunk.length),
      callEnd: () => void calls++,
      callBroken: () => {},
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
  ['spaces of a union', `<function=save><parameter=u>${fill(' ')}</parameter></function>`],
  ['digits of a union', `<function=save><parameter=u>${fill('1')}</parameter></function>`],
  ['an object of a union', `<function=save><parameter=u>{${fill('"a":1,')}</parameter></function>`],
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
  ['strings of Gemma', `<|tool_call>call:any{a:<|"|>${fill('<|"<')}<|"|>}`],
  ['bare values of Gemma', `<|tool_call>call:save{a:${fill('x, y: ')}}`],
  ['objects of Gemma', `<|tool_call>call:any{${fill('a:{')}`],
  ['calls of Gemma in lines', fill('\ncall:none{')],
  ['a thought without an end', `thought\n${fill('<channel')}`],
  ['Python strings', `[any(a='${fill('x "')}')]`],
  ['quotation marks in Python strings', `[any(a='${fill("x 'y ")}')]`],
  ['quotation marks and spaces in Python strings', `[any(a='${fill(`x'${' '.repeat(300)}`)}')]`],
  ['adjacent Python strings', `[any(a=${fill("'x' ")})]`],
  ['Python lists in lists', `[any(a=${fill('[')}`],
  ['Python tuples in tuples', `[any(a=${fill('(1, (')}`],
  ['Python dicts', `[any(a={${fill("'a': 1, ")}})]`],
  ['Python calls', `[${fill('any(a=1), ')}]`],
  ['Python calls in lines', `<function_calls>${fill('any(a=1)\n')}`],
  ['repeated calls of LFM2', fill('<|tool_call_start|>[any()]<|tool_call_end|>[any()]<|tool_call_end|>')],
  ['lists after calls of LFM2', fill('<|tool_call_start|>[any()]<|tool_call_end|>[')],
  ['a fence of calls', `\`\`\`tool_code\n${fill('any(a=1)\n')}`],
  ['headers of messages', fill('<|channel|>analysis ')],
  ['messages', fill('<|channel|>final<|message|>x<|end|>')],
  ['reasoning in messages', `<|channel|>analysis<|message|>${fill('<|en')}`],
  ['reasoning without special tokens', `analysisA${fill('assistant')}`],
  ['tokens of MiniMax in a string', `${minimaxCall('a')}${fill(']<]minimax[>[')}`],
  ['brackets in a string of MiniMax', `${minimaxCall('a')}${fill(']')}`],
  ['incomplete tags of MiniMax', `${minimaxCall('a')}${fill(']<]minimax[>[<tag ')}`],
  ['nested elements of MiniMax', `${minimaxCall('n')}${fill(']<]minimax[>[<k>')}`],
  ['elements of MiniMax', `${minimaxCall('n')}${fill(']<]minimax[>[<k>x]<]minimax[>[</k>')}`],
  ['calls of MiniMax', fill(minimaxCall('a'))],
  ['tokens of Kimi K3 in a string', `${kimiCall('a')}${fill('<|close|>')}`],
  ['calls of Kimi K3', fill(kimiCall('a'))],
  ['unclosed headers of Kimi K3', fill('<|open|>call tool="')],
  ['values of Kimi K3', kimiCall('a') + fill('<|open|>argument key="b" type="string"<|sep|>')],
  ['line breaks in a value of MiniMax', `<invoke name="save"><parameter name="a">${fill('\n')}`],
  ['spaces in a value of Step 3', `<steptml:invoke name="save"><steptml:parameter name="a">x${fill(' ')}`],
  ['escaped line breaks between tags', `<tool_call>any${fill('\\n')}<arg_key>`],
  ['wrapped arguments', `<invoke name="save"><parameter name="input">${fill('{"a":"')}`],
  ['list ends after a call', `${open}x${close}${fill('\n</tool_call>')}`],
])('visits each character only a few times: %s', (_, text) => {
  for (const length of [1, 4, text.length]) expect(read(text, length).visits).toBeLessThan(MAX_VISITS);
});

it.each([
  ['words before a marker', fill('a')],
  ['calls in lines without brackets', fill('any(a=1)\n')],
  ['messages of Inkling', fill('<|message_model|>any<|content_text|>')],
  ['authors of Inkling', fill('<|message_model|>any ')],
  ['messages of Muse', fill('<|start|>assistant to=user<|message|>x<|eom|>')],
  ['lists in the messages of Muse', `to=any<|message|>${fill('<atem:function_calls>')}`],
  [
    'pairs of Solar Open',
    `<|tool_call:start|>any${fill('<|tool_arg:start|>a<|tool_arg:value|>x<|tool_arg:end|>')}`,
  ],
  [
    'unclosed pairs of Solar Open',
    `<|tool_call:start|>any\n${fill('<|tool_arg:start|>a<|tool_arg:value|>')}`,
  ],
  ['types of K2-Horizon', `<ifm|tool_call>any${fill('<ifm|arg_key>a</ifm|arg_key><ifm|arg_type>')}`],
  ['keys of GLM without values', `<tool_call>any${fill('<arg_key>a<arg_value>')}`],
  ['tokens of PLaMo', fill('<|plamo:begin_tool_requests:plamo|>')],
  ['markers after a lone backtick', `\` ${fill('<tool_call> ')}`],
  ['markers after runs of backticks', fill('` <tool_call> `` <tool_call> ``` <tool_call> ')],
  ['quoted lines', fill('> <tool_call>{"name": "any"}\n')],
  ['markers of lists and quotations', fill('1. > - > * ')],
])('visits each character only a few times in newer formats: %s', (_, text) => {
  for (const length of [1, 4, text.length]) expect(read(text, length, newer).visits).toBeLessThan(MAX_VISITS);
});

/** `LONG_TEXT=1048576 npm run test:suite -- fuzz linearity` reads a megabyte of each. */
const LONG = Number(process.env.LONG_TEXT ?? 128 * 1024);
const fillLong = (unit: string): string => unit.repeat(Math.ceil(LONG / unit.length)).slice(0, LONG);

/** Markers of a format in a row, with and without words, and a call that never ends. */
function toHostileTexts(format: TextToolFormat): string[] {
  const { openers, lineOpeners = [], startOpeners = [], prefixes: [prefix = ''] = [], closers = [] } = format;
  const [opener = ''] = [...openers, ...lineOpeners, ...startOpeners];
  return [
    fillLong(prefix + opener),
    fillLong(`${opener}any ${closers[0] ?? ''}\n`),
    prefix + opener + fillLong('{"a": "x<'),
  ];
}

it.each([
  ...Object.entries(formats).map(([name, format]) => [name, [format]] as const),
  ['those that are detected', detectedSyntax.formats] as const,
])(
  'visits each character of a long text only a few times, in the format %s',
  { timeout: LONG / 2 },
  (_, readFormats) => {
    for (const text of readFormats.slice(0, 1).flatMap(toHostileTexts)) {
      expect(read(text, 4096, readFormats).visits).toBeLessThan(MAX_VISITS);
    }
  },
);

const undeclared = (name: string) => ({
  'an argument': `<tool_call>\n<function=${name}>\n<parameter=content>\n${fill('line\n')}${close}`,
  'an argument in JSON': `<tool_call>{"name": "${name}", "arguments": {"a": "${fill('abc ')}"}}</tool_call>`,
  'an unclosed call': `<tool_call>{"name": "${name}", "arguments": {"a": "${fill('abc ')}`,
  'many calls': fill(`<tool_call>{"name": "${name}", "arguments": {"a": "b"}}</tool_call>\n`),
});

it.each([
  ...Object.entries(undeclared('none')).map(([title, text]) => [`${title} of an undeclared tool`, text]),
  ...Object.entries(undeclared('any')).map(([title, text]) => [
    `${title} in open reasoning`,
    `<think>${text}`,
  ]),
  ['markers in open reasoning', `<think>${fill('Hm <tool_call> and </thi. ')}`],
  ['failed calls in open reasoning', `<think>${fill('<tool_call>{"name": "any", ')}`],
  ['closing tags without opening tags', fill('x</think>')],
  ['inline code', fill('`a` and ``b` <tool_call>`` c\n')],
])('visits each character only a few times: %s', (_, text = '') => {
  // Text in open reasoning is read twice, and a third time if calls end it.
  for (const length of [1, 4, text.length]) expect(read(text, length).visits).toBeLessThan(2.5 * MAX_VISITS);
});

it('decides from the start of the input whether a call of an undeclared tool is replaced', () => {
  let longest = 0;
  const format: TextToolFormat = {
    ...formats.qwenXml,
    undeclared: {
      mayReplace(start) {
        longest = Math.max(longest, start.length);
        return true;
      },
      replace: () => undefined,
    },
  };
  const text = `<function=none>\n<parameter=a>\n${fill('line\n')}${close}`;
  let emitted = '';
  const parser = new TextParser(
    { formats: [format], reasoning: [], tools, undeclared: 'text' },
    {
      text: chunk => void (emitted += chunk),
      reasoning: () => {},
      callStart: () => {},
      callInput: () => {},
      callEnd: () => {},
      callBroken: () => {},
    },
  );
  for (let at = 0; at < text.length; at += 4) parser.feed(text.slice(at, at + 4));
  parser.end();
  expect(emitted).toBe(text);
  expect(longest).toBe(512);
});

it('streams an argument of a megabyte in chunks of four characters', () => {
  const value = 'abc <d> "e"\n'.repeat(90_000);
  const { visits, input, calls, emitted } = read(open + value + close, 4);
  expect({ calls, emitted }).toEqual({ calls: 1, emitted: 0 });
  expect(input).toBe(JSON.stringify({ a: value }).length);
  expect(visits).toBeLessThan(MAX_VISITS);
});
