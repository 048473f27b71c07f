import { expect, it } from 'vitest';
import { formats } from '../../../src/adapters/index.js';
import { thinkTags } from '../../../src/adapters/text-tools/reading/text-tool-format.js';
import { textToolsMiddleware } from '../../../src/adapters/kit/text-tools-middleware.js';
import fc from '../../_property.js';
import { readText, streamChunks } from './_read-text.js';

const readFormats = [
  formats.hermes,
  formats.qwenXml,
  formats.glm,
  formats.mistral,
  formats.deepseek,
  formats.dsml,
  formats.kimi,
  formats.kimiK3,
  formats.minimax,
  formats.minimaxM3,
  formats.step3,
  formats.claude,
];
const middleware = textToolsMiddleware({ formats: readFormats });
const settings = { undeclared: 'text' } as const;
const tools = {
  get_weather: { city: { type: 'string' }, days: { type: 'integer' } },
  write_file: { path: { type: 'string' }, content: { type: 'string' } },
};

/** Markup without a complete call of a declared tool. Calls of other tools are text here. */
const markup = fc.constantFrom(
  '<tool_call>',
  '</tool_call>',
  '<tool_call>\n',
  '<function=',
  '<function=get_weather',
  '<function=nothing>',
  '</function>',
  '<parameter=city>',
  '</parameter>',
  '{"name": "get_weather", ',
  '{"name": "nothing", "arguments": {"a": 1}}',
  '<invoke name="nothing">',
  '<minimax:tool_call>',
  ']<]minimax[>[<tool_call>',
  ']<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>',
  '<|open|>tools<|sep|>',
  '<|open|>call tool="get_weather" index="1"<|sep|>',
  '<steptml:invoke name="get_weather">',
  '<｜tool_calls_begin｜>',
  '[TOOL_CALLS]',
  '[TOOL_CALLS]nothing{"a": 1}',
  '<｜tool▁calls▁begin｜>',
  '<|tool_call_begin|>functions.nothing:0',
  '<arg_key>',
  '<|im_start|>assistant',
  '`',
  '```',
  '```xml\n',
  '~~~\n',
);
const prose = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('\n', '\n\n', ' ', '<', '\r\n', '<b>', 'a < b', '🙂', '格'),
);
const noCalls = fc
  .array(fc.oneof(prose, markup), { maxLength: 12 })
  .map(chunks => chunks.join(''))
  // An opening tag directly before a JSON object, or an object closed by chance, is a call.
  .filter(
    text =>
      !/<function=get_weather\s*>|invoke name="get_weather">[^<]*{|"name": "get_weather",\s*}/.test(text),
  );

const call = fc.constantFrom(
  '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>',
  '<tool_call>{"name": "get_weather", "arguments": {"city": "a </tool_call> b"}}</tool_call>',
  '<tool_call>\n<function=write_file>\n<parameter=content>\n</parameter>\n"""\n</parameter>\n<parameter=path>\nx\n',
  '<tool_call>get_weather\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>',
  '[TOOL_CALLS]get_weather[ARGS]{"city": "🙂"}',
  '<invoke name="get_weather"><parameter name="city">&lt;</parameter></invoke>',
  '<think>Well, <tool_call>{"name": "get_weather", "arguments": {}}</tool_call></think>',
);

/** The ends of calls are dropped where no call started, with the white space around them. */
const CALL_END = /<\/(?:tool_call|function)>/;
const withoutCallEnds = (text: string): string => text.replace(/\s+|<\/(?:tool_call|function)>/g, '');

it('emits text without a call unchanged but for stray ends of calls, in any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(noCalls, async text => {
      const { content, finishReason } = await readText(text, {
        middleware,
        settings,
        tools,
        chunkings: 'few',
      });
      const read = content.map(one => ('text' in one ? one.text : JSON.stringify(one))).join('');
      if (CALL_END.test(text)) expect(withoutCallEnds(read)).toBe(withoutCallEnds(text));
      else expect(read).toBe(text);
      expect(finishReason).toBe('stop');
    }),
    {
      numRuns: 300,
      examples: [['<tool_call>\n<function=get_weather'], ['[TOOL_CALLS]get_weather'], ['\n \n']],
    },
  );
});

it('reads any mixture of text and calls identically for all chunk boundaries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(prose, markup, call), { maxLength: 10 }), async chunks => {
      await readText(chunks.join(''), {
        middleware: textToolsMiddleware({ formats: readFormats, reasoning: [thinkTags] }),
        tools,
      });
    }),
    { numRuns: 200 },
  );
});

it('loses no text of a call that is truncated anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(call, fc.nat({ max: 60 }), prose, async (whole, missing, before) => {
      const text = before + whole.slice(0, whole.length - 1 - missing);
      const { content } = await readText(text, { middleware, settings, tools, chunkings: 'few' });
      if (content.some(one => 'call' in one)) return;
      expect(content.map(one => ('text' in one ? one.text : '')).join('')).toBe(text);
    }),
    { numRuns: 300 },
  );
});

/** The length of the longest marker, with the line breaks before it. */
const LONGEST_MARKER = '<｜DSML｜function_calls>'.length + 2;

it('delays text by no more than the longest marker', async () => {
  const plain = fc
    .array(fc.oneof(prose, fc.constantFrom('<too', '</tool_call', '[TOOL', '<func', '<｜DS', '\n', '```\n')))
    .map(chunks => chunks.join(''));
  await fc.assert(
    fc.asyncProperty(plain, async text => {
      const parts = await streamChunks(text.split(''), { middleware, settings, tools });
      const deltas = parts.flatMap(part => (part.type === 'text-delta' ? [part.delta] : []));
      expect(deltas.join('')).toBe(text);
      // Each code unit is a chunk, so the length of a delta is the delay of its first unit.
      expect(Math.max(0, ...deltas.map(delta => delta.length))).toBeLessThanOrEqual(LONGEST_MARKER);
    }),
    { numRuns: 200 },
  );
});
