import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/adapters/index.js';
import { readCallArguments } from '../../../src/adapters/text-tools/values/json-call.js';
import { readName } from '../../../src/adapters/text-tools/reading/text-cursor.js';
import { type TextToolFormat, thinkTags } from '../../../src/adapters/text-tools/reading/text-tool-format.js';
import { textToolsMiddleware } from '../../../src/adapters/kit/text-tools-middleware.js';
import { type ReadPart, readText, streamChunks } from './_read-text.js';

const tools = {
  look: { place: { type: 'string' }, days: { type: 'integer' } },
  save: { path: { type: 'string' }, body: { type: 'string' } },
  ping: {},
};

const callOf = (call: string, input: object = {}): ReadPart => ({ call, input });
const look = (input: object) => callOf('look', input);

const reader =
  (...formats: TextToolFormat[]) =>
  async (text: string) =>
    (
      await readText(text, {
        middleware: textToolsMiddleware({
          formats,
          reasoning: [
            thinkTags,
            { open: '[THINK]', close: '[/THINK]' },
            { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
          ],
        }),
        tools,
      })
    ).content;

type Row = [text: string, ...content: ReadPart[]];

function reads(read: (text: string) => Promise<ReadPart[]>, rows: readonly Row[]): void {
  it.each(rows.map(([text, ...content]) => ({ text, content })))('$text', async ({ text, content }) => {
    expect(await read(text)).toEqual(content);
  });
}

/** Checks that texts without a valid call of the format stay text. */
const staysText = (read: (text: string) => Promise<ReadPart[]>, texts: readonly string[]): void => {
  it.each(texts)('%j stays text', async text => {
    const content = await read(text);
    expect(content.map(one => ('text' in one ? one.text : one)).join('')).toBe(text);
  });
};

describe('Hermes', () => {
  const read = reader(formats.hermes);
  reads(read, [
    [
      'So: <tool_call>{"name": "look", "arguments": {"place": "Oslo"}}</tool_call> Done.',
      { text: 'So: ' },
      look({ place: 'Oslo' }),
      { text: ' Done.' },
    ],
    [
      '<tool_call>\r\n{"arguments": {"name": "x", "days": 3}, "name": "look"}\r\n</tool_call>\r\n',
      look({ name: 'x', days: 3 }),
    ],
    [
      '<tool_call>{"name": "look", "arguments": "{\\"place\\": \\"Oslo\\"}"}</tool_call>',
      look({ place: 'Oslo' }),
    ],
    [
      '<tool_call>{"name": "ping"}</tool_call><tool_call>{"name": "ping", "arguments": null}',
      callOf('ping'),
      callOf('ping'),
    ],
    [
      '<tool_call>{"name": "look", "arguments": {"place": "</tool_call> \\" }"}}',
      look({ place: '</tool_call> " }' }),
    ],
    [
      '<tool_call>{"name": "ping", "arguments": {}}<tool_call>{"name": "ping", "arguments": {}}',
      callOf('ping'),
      callOf('ping'),
    ],
    [
      '<tool_call>[{"name": "ping", "arguments": {}}, {"name": "ping", "arguments": {}}]</tool_call>',
      callOf('ping'),
      callOf('ping'),
    ],
    ['<tool_call>{"name": "ping", "arguments": {}}}</tool_call>', callOf('ping')],
    ['<tool_call>{"name": "look", "parameters": {"days": 3}}</tool_call>', look({ days: 3 })],
    ['<tool_call>{"name": "ping", "type": "function"}</tool_call>', callOf('ping')],
    [
      '<tool_call>{"id": "1", "name": "look", "reason": "why", "arguments": {"days": 3}, "parameters": {}}</tool_call>',
      look({ days: 3 }),
    ],
    [
      '<think>May I <tool_call>{"name": "ping"}</tool_call>?</think>\n\n<tool_call>{"name": "ping"}</tool_call>',
      { reasoning: 'May I <tool_call>{"name": "ping"}</tool_call>?' },
      callOf('ping'),
    ],
    ['<|im_start|>assistant\n<tool_call>{"name": "ping"}</tool_call><|im_end|>', callOf('ping')],
  ]);
  staysText(read, [
    '<tool_call>{"name": "look", "arguments": {"place": "Oslo"}',
    '<tool_call>{"name": "look", "arguments": {"place": Oslo(1)}}</tool_call>',
    "<tool_call>{'name': 'look', 'arguments': {'place': 'Oslo'}",
    '<tool_call>{"name": "look", "arguments": {"place": "Os</tool_call>',
    '<tool_call>{"name": "look", "arguments": {"place": "Oslo",</tool_call>',
    '<tool_call>{"name": "look", "arguments": [1]}</tool_call>',
    '<tool_call>{"name": "look", "input": {"place": "Oslo"}}</tool_call>',
    // Without the fields beside the name, the calls would run with other arguments.
    '<tool_call>{"name": "look", "place": "Oslo"}</tool_call>',
    '<tool_call>{"name": "look", "undeclared": 3}</tool_call>',
    '<tool_call>{"name": "look", "name": "Ann"}</tool_call>',
    '<tool_call>{"name": "look", "place": "Oslo", "arguments": {"days": 3}}</tool_call>',
    '<tool_call>{"arguments": {"days": 3}, "name": "look", "place": "Oslo"}</tool_call>',
    '<tool_call>{"name": "look", "parameters": {}, "arguments": {"place": "Oslo"}}</tool_call>',
    '<tool_call>{"name": "look", "arguments": {}, "args": {"place": "Oslo"}}</tool_call>',
    '<tool_call>{"name": "unknown", "place": "Oslo"}</tool_call>',
    '<tool_call>{"name": "look", "arguments": {"__proto__": {}}}</tool_call>',
    '<tool_call>{"name": "look", "arguments": {"place": "Oslo", "constructor": 1}}</tool_call>',
    '<tool_call>{"name": "look", "arguments": {"\\u005f_proto__": 1}}</tool_call>',
    'A <tool_call> is written as `<tool_call>{"name": "ping"}</tool_call>`.',
    '```json\n<tool_call>{"name": "ping"}</tool_call>\n```',
    '~~~~\n~~~\n<tool_call>{"name": "ping"}</tool_call>\n~~~~',
  ]);
  it('reads calls after an invalid call', async () => {
    expect(
      await read('<tool_call>{"name": oops}</tool_call>\n<tool_call>{"name": "ping"}</tool_call>'),
    ).toEqual([{ text: '<tool_call>{"name": oops}</tool_call>\n' }, callOf('ping')]);
  });
});

describe('Qwen XML', () => {
  const read = reader(formats.qwenXml);
  const write = (...parameters: [string, string][]) =>
    `<tool_call>\n<function=save>\n${parameters
      .map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`)
      .join('')}</function>\n</tool_call>`;
  const inner = '<tool_call>\n<function=look>\n<parameter=place>\nx\n</parameter>\n</function>\n</tool_call>';

  it.each([
    [
      'lines that look like a parameter of another tool',
      'a\n</parameter>\n<parameter=other>\nb\n</parameter>\nc',
    ],
    ['a tag pair of a later parameter', 'a\n<parameter=path>\nb\n</parameter>\nc'],
    ['a call in the same format', `a\n${inner}\nb`],
    [
      'a call in a template',
      `<function={{ tool.name }}>\n<parameter={{ key }}>\n{{ value }}\n</parameter>\n</function>`,
    ],
    ['a call within a line', 'As in <function=look><parameter=place>x</parameter></function>, say'],
    [
      'a call that starts at the end of a line',
      'a = """<function=look>\n<parameter=place>\nx\n</parameter>\n</function>',
    ],
    ['a call that starts within a line', `text = """${inner}"""`],
    [
      'a call in a call',
      `a\n${write(['body', `x = [\n  "<parameter=path>",\n  "</parameter>",\n  "</function>",\n]`])}\nb`,
    ],
    [
      'a call whose parameter is not closed',
      '<tool_call><function=look><parameter=place>x</function></tool_call>\nb',
    ],
    ['a call on one line', '<tool_call><function=look><parameter=place>x</parameter></function></tool_call>'],
    ['closing tags within a line', 'END = "</function>\n</tool_call>"'],
    ['a closing tag', '</parameter>'],
    ['similar closing tags', '<p>\n</parameters> </parameterList> </tool>'],
    ['fenced code', '```python\nprint(1)\n```'],
    ['blank lines around it', '\n\n  a  \n\n'],
    ['many spaces', ` ${' '.repeat(1000)}`],
  ])('keeps a value with %s', async (_, body) => {
    expect(await read(write(['body', body], ['path', 'p']))).toEqual([callOf('save', { body, path: 'p' })]);
  });

  reads(read, [
    [
      '<tool_call><function=look><parameter=place>Oslo<parameter=days>3</parameter></function></tool_call>',
      look({ place: 'Oslo', days: 3 }),
    ],
    [
      '<function=look>\n<parameter=place>\nOslo\n<parameter=days>\n3\n</function>',
      look({ place: 'Oslo', days: 3 }),
    ],
    [
      '<tool_call>\n<function=look>\n<parameter=place>\nOslo\n</parameter_function>\n<parameter=days>\n3\n</parameter1>\n</function>',
      look({ place: 'Oslo', days: 3 }),
    ],
    ['<function=look>\n<parameter=place>\nOslo\n</parameter>\n</func', look({ place: 'Oslo' })],
    [
      '<function=look>\n<parameter = place >\nOslo\n</parameter >\n</function >\n</tool_call>!',
      look({ place: 'Oslo' }),
      { text: '!' },
    ],
    ['<function= look >\n< parameter=place>\n1 < 2\n</ parameter>\n</function>', look({ place: '1 < 2' })],
    ['<function=look>\n<parameter=a key>\nx\n</parameter>\n</function>', look({ 'a key': 'x' })],
    [
      '<function=ping>\n</function>\n<function=ping></function>\n</tool_call>\n',
      callOf('ping'),
      callOf('ping'),
    ],
    [
      '<tool_call>\r\n<function=look>\r\n<parameter=place>\r\nOslo\r\n\r\n</parameter>\r\n</function>\r\n</tool_call>',
      look({ place: 'Oslo\r\n' }),
    ],
    [
      '<function=look>\n<parameter=place>\nOslo\n</parameter>\n<parameter=more>\nx\n</parameter>\n</function>',
      look({ place: 'Oslo', more: 'x' }),
    ],
    ['<tool_call>\n<function=look>{"place": "Oslo"}</function>\n</tool_call>', look({ place: 'Oslo' })],
    [
      '<tool_call>function=look>\n<parameter=place>Oslo</parameter>\n</function>\n</tool_call>',
      look({ place: 'Oslo' }),
    ],
    [
      '<tool_call>\n<function>look</function>\n<parameter>place</parameter>\nOslo <b>\n<parameter>days</parameter>\n3\n</function>',
      look({ place: 'Oslo <b>', days: 3 }),
    ],
    [
      `${inner.replace('look', 'unknown')}\n${inner}`,
      callOf('unknown', { place: 'x' }),
      look({ place: 'x' }),
    ],
    [
      '<tool_call>\n<function={{ tool.name }}>\n</function>\n</tool_call>\n<function=ping></function>',
      { text: '<tool_call>\n<function={{ tool.name }}>\n</function>\n</tool_call>\n' },
      callOf('ping'),
    ],
    [
      '<tool_call>\n<function=look\n</function>\n</tool_call>\n<function=ping></function>',
      { text: '<tool_call>\n<function=look\n</function>\n</tool_call>\n' },
      callOf('ping'),
    ],
  ]);
  staysText(read, [
    '<tool_call>example</tool_call>',
    '<function=look>\n<parameter=place>\nOslo',
    '<function=look>\n<parameter=place>\nOslo\n</parameter>\n<parameter=days>\n3',
    '<function=look>\n<parameter=place>\nOslo\n</par',
    `<function=save>\n<parameter=body>\n${inner.slice(0, -5)}`,
    '<function=save>\n<parameter=body>\nif (a </',
    '<function=look>',
    '<function=look>\nis how it begins',
    '<function=look>\n<parameter=__proto__>\nx\n</parameter>\n</function>',
    '<function=look>\n<parameter=place>\nx\n</parameter>\n<parameter=constructor>\nx\n</parameter>\n</function>',
    `${'`'}${inner}${'`'}`,
    `Text\n${'```'}xml\n${inner}\n${'```'} not closed\n${inner}`,
  ]);

  it.each([
    ['after fenced code', `${'```'}xml\n${inner}\n${'````'}\n`],
    ['after four spaces, which open no fence', '    ~~~ is indented code\n'],
    ['after inline code', `run ${'```'}code${'```'} then ${'`'}<tool_call>${'`'}:\n`],
  ])('reads a call %s', async (_, before) => {
    expect(await read(before + inner)).toEqual([{ text: before }, look({ place: 'x' })]);
  });

  it('streams a text value as it arrives', async () => {
    const middleware = textToolsMiddleware({ formats: [formats.qwenXml] });
    const long = 'ab'.repeat(140);
    const chunks = [
      `<function=save>\n<parameter=body>\n${long}`,
      'cd',
      '<ef>',
      '\n',
      'gh\n',
      '</parameter>\n</function>',
    ];
    const parts = await streamChunks(chunks, { middleware, tools });
    const deltas = parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : []));
    // The call ends when no parameter follows its end.
    expect(deltas).toEqual([`{"body":"${long}`, 'cd', '<ef>', '\\ngh', '"', '}']);
  });
});

describe('Seed', () => {
  reads(reader(formats.seed), [
    [
      '<seed:tool_call>\n<function=save>\n<parameter=body>a\nb\n</parameter>\n</function>\n</seed:tool_call>',
      callOf('save', { body: 'a\nb\n' }),
    ],
  ]);
});

describe('Mistral', () => {
  const read = reader(formats.mistral);
  reads(read, [
    ['[TOOL_CALLS] [{"name": "ping", "arguments": {}}]\nend', callOf('ping'), { text: '\nend' }],
    ['[TOOL_CALLS]look[CALL_ID]abcdef123[ARGS]{"days": 3}', look({ days: 3 })],
    ['[TOOL_CALLS] look [ARGS] {"days": 3}', look({ days: 3 })],
    ['[TOOL_CALLS]{"name": "look", "arguments": {"days": 3}}', look({ days: 3 })],
    ['[TOOL_CALLS]look[ARGS]{"days": 3}[TOOL_CALLS]ping[ARGS]{}', look({ days: 3 }), callOf('ping')],
    ['{x[TOOL_CALLS]look{"place": "}{"}', { text: '{x' }, look({ place: '}{' })],
    ['[TOOL_CALLS]  stray [{"name": "ping", "arguments": {}}]', callOf('ping')],
    ['[THINK]Hm [TOOL_CALLS]ping{}[/THINK]So.', { reasoning: 'Hm [TOOL_CALLS]ping{}' }, { text: 'So.' }],
    [
      '[TOOL_CALLS][{"name": "ping", "arguments": {}}, {"name": "look", "argum',
      callOf('ping'),
      { text: ', {"name": "look", "argum' },
    ],
  ]);
  staysText(read, ['[TOOL_CALLS] not json at all', '[TOOL_CALLS]ping', 'a [TOOL_CAL']);
});

describe('GLM', () => {
  const read = reader(formats.hermes, formats.qwenXml, formats.glm);
  reads(read, [
    [
      'So.\n<tool_call>look\n<arg_key>place</arg_key>\n<arg_value>a\n</arg_value> b</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>',
      { text: 'So.\n' },
      look({ place: 'a\n</arg_value> b', days: 3 }),
    ],
    [
      '<tool_call>ping</tool_call><tool_call>look<arg_key>days</arg_key><arg_value>3</arg_value></tool_call>',
      callOf('ping'),
      look({ days: 3 }),
    ],
    ['<tool_call>{"name": "ping"}</tool_call>', callOf('ping')],
  ]);
  staysText(read, ['<tool_call>pong</tool_call>', '<tool_call>ping', '<tool_call> ping pong']);
});

describe('DeepSeek', () => {
  const read = reader(formats.deepseek, formats.dsml);
  reads(read, [
    [
      'So.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{}<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>look<｜tool▁sep｜>{"days": 3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      { text: 'So.' },
      callOf('ping'),
      look({ days: 3 }),
    ],
    [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{"days": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      look({ days: 3 }),
    ],
    [
      'So.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="look">\n<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n<｜DSML｜parameter name="place" string="true">3\n</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      { text: 'So.' },
      look({ days: 3, place: '3\n' }),
    ],
    [
      '<｜DSML｜invoke name="ping">\n<｜DSML｜parameter name="a" string="false">"x"</｜DSML｜parameter>\n<｜DSML｜parameter name="b" string="false">null</｜DSML｜parameter>\n</｜DSML｜invoke>',
      callOf('ping', { a: 'x', b: null }),
    ],
    [
      '<think>Hm.<｜DSML｜tool_calls>\n<｜DSML｜invoke name="ping">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
      { reasoning: 'Hm.' },
      callOf('ping'),
    ],
  ]);
  staysText(read, [
    '<｜tool▁calls▁begin｜>',
    'a\n\n<｜DSML｜function_calls>\nb',
    '<｜tool▁call▁begin｜>ping<｜tool▁sep｜>{',
  ]);
});

describe('Kimi', () => {
  const read = reader(formats.kimi);
  const begin = '<|tool_calls_section_begin|><|tool_call_begin|>';
  reads(read, [
    [
      `${begin}functions.look:0<|tool_call_argument_begin|>{"days": 3}<|tool_call_end|><|tool_call_begin|>functions.ping:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`,
      look({ days: 3 }),
      callOf('ping'),
    ],
    [
      `<think>Hm.${begin}functions.ping:0<|tool_call_argument_begin|>{}<|tool_call_end|>`,
      { reasoning: 'Hm.' },
      callOf('ping'),
    ],
  ]);
  staysText(read, [begin]);

  it('uses the ids in the text', async () => {
    const call = '<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{}<|tool_call_end|>';
    const parts = await streamChunks([call, call], {
      middleware: textToolsMiddleware({ formats: [formats.kimi] }),
      tools,
    });
    const ids = parts.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []));
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe('functions.ping:0');
    expect(ids[1]).not.toBe(ids[0]);
  });
});

describe('MiniMax', () => {
  reads(reader(formats.minimax), [
    [
      '<minimax:tool_call>\n<invoke name="look">\n<parameter name="place">a <b> c</parameter>\n<parameter name="days">3</parameter>\n</invoke>\n<invoke name="ping">\n</invoke>\n</minimax:tool_call>\n',
      look({ place: 'a <b> c', days: 3 }),
      callOf('ping'),
    ],
  ]);
});

describe('Claude', () => {
  reads(reader(formats.claude), [
    [
      '<function_calls>\n<invoke name="look">\n<parameter name="place">&lt;a&gt; &amp;amp; &#x41; &nothing;</parameter>\n</invoke>\n</function_calls>',
      look({ place: '<a> &amp; A &nothing;' }),
    ],
    ['<invoke name="look"><parameter name="days">3</parameter></invoke>', look({ days: 3 })],
  ]);
});

describe('Llama', () => {
  const read = reader(formats.llama, formats.bareJson);
  reads(read, [
    [
      '<|python_tag|>{"name": "look", "parameters": {"days": 3}}; {"name": "ping", "parameters": {}}<|eom_id|>',
      look({ days: 3 }),
      callOf('ping'),
    ],
    ['{"type": "function", "name": "look", "parameters": {"days": 3}}', look({ days: 3 })],
    [
      '{"name": "look", "parameters": {"days": 3}} ; {"name": "ping", "parameters": {}} ; then',
      look({ days: 3 }),
      callOf('ping'),
      { text: ' ; then' },
    ],
  ]);
  staysText(read, [
    '{"name": "Ada", "parameters": {}}',
    '{"title": "look", "name": "ping", "parameters": {}}',
    '{"name": "ping"}',
    'As JSON: {"name": "ping", "parameters": {}}',
  ]);
});

describe('Command R', () => {
  reads(reader(formats.commandR), [
    [
      '<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[\n  {"tool_call_id": "0", "tool_name": "look", "parameters": {"days": 3}}\n]<|END_ACTION|>',
      { reasoning: 'Hm.' },
      look({ days: 3 }),
    ],
    ['<|START_RESPONSE|>Hi.<|END_RESPONSE|>', { text: 'Hi.' }],
  ]);
});

describe('Tool requests', () => {
  reads(reader(formats.toolRequest), [
    ['[TOOL_REQUEST]\nlook {"days": 3}\n[TOOL_REQUEST_END] So.', look({ days: 3 }), { text: ' So.' }],
    ['[TOOL_REQUEST]{"name": "ping", "arguments": {}}[END_TOOL_REQUEST]', callOf('ping')],
  ]);
});

describe('a custom format', () => {
  const read = reader({
    name: 'acme',
    openers: ['<call>'],
    closers: ['</call>'],
    *read(cursor, calls) {
      const name = yield* readName(cursor);
      return yield* readCallArguments(cursor, calls, { name });
    },
  });
  reads(read, [['So: <call>look {"days": 3}</call>.', { text: 'So: ' }, look({ days: 3 }), { text: '.' }]]);
  staysText(read, ['<call>', '<call>look', '<call>look {"days": 3', '<call>me maybe</call>']);
});

describe('a format that takes nothing', () => {
  const text = 'One <<a>> two <<b>>';
  const takingNothing = (isRead: boolean, markers: Partial<TextToolFormat>): TextToolFormat => ({
    name: 'empty',
    openers: [],
    readsOpener: true,
    ...markers,
    *read(cursor, calls) {
      yield* cursor.sees('<<');
      if (!isRead) calls.begin('look');
      return isRead;
    },
  });

  describe.each([true, false])('and returns %s', isRead => {
    staysText(reader(takingNothing(isRead, { openers: ['<<'] })), [text, '<<', '<<<<a']);
    staysText(reader(takingNothing(isRead, { startOpeners: ['One'] })), [text, 'One']);
    staysText(reader(takingNothing(isRead, { lineOpeners: ['One'] })), [text, 'a\nOne']);
  });
});
