import { describe, expect, it } from 'vitest';
import { formats } from '../../src/adapters/index.js';
import { TextParser } from '../../src/adapters/text-tools/parser/text-parser.js';
import {
  type TextToolFormat,
  toDeclaredTools,
} from '../../src/adapters/text-tools/reading/text-tool-format.js';
import { textToolsMiddleware } from '../../src/adapters/kit/text-tools-middleware.js';
import fc from '../_property.js';
import { readText } from './text-tools/_read-text.js';

const list = '[{"name": "save", "arguments": {"body": "VALUE"}}]';
const object = '{"name": "save", "arguments": {"body": "VALUE"}}';

/** A call in each format, and the texts that it consists of. */
const calls: readonly (readonly [call: string, ...formats: TextToolFormat[]])[] = [
  [`<|tool_call|>${list}`, formats.granite],
  [`<function_call>${object}`, formats.granite],
  [`<TOOLCALL>${list}</TOOLCALL>`, formats.nemotron],
  [list, formats.bareList],
  [`[TOOL_CALLS]${list}`, formats.xlam],
  [`<longcat_tool_call>${object}</longcat_tool_call>`, formats.longcat],
  [
    '<longcat_tool_call>save<longcat_arg_key>body</longcat_arg_key><longcat_arg_value>VALUE</longcat_arg_value></longcat_tool_call>',
    formats.longcat,
  ],
  [`<tool_calls>${list}</tool_calls>`, formats.callList],
  [
    '<tool_calls:x><tool_call:x>save<tool_sep:x><arg_key:x>body</arg_key:x><arg_value:x>VALUE</arg_value:x></tool_call:x></tool_calls:x>',
    formats.hunyuan,
    formats.pairCall,
  ],
  [
    '<tool_call>save<tool_sep><arg_key>body</arg_key><arg_value>VALUE</arg_value></tool_call>',
    formats.hunyuan,
    formats.pairCall,
  ],
  [`functools${list}`, formats.phi],
  [`<|tool_call|>${list}<|/tool_call|>`, formats.phiToken],
  [`<|action_start|><|plugin|>${object}<|action_end|>`, formats.internlm],
  ['<|tools_prefix|>[{"save": {"body": "VALUE"}}]<|tools_suffix|>', formats.apertus],
  [`<|function_call|>${object}`, formats.gigachat],
  [`function call\n${object}`, formats.gigachat],
  ['<function name="save"><param name="body">VALUE</param></function>', formats.minicpm],
  ['<function name="save"><param name="body"><![CDATA[VALUE]]></param></function>', formats.minicpm],
];

const tools = { save: { body: { type: 'string' } } };
const declared = toDeclaredTools({
  tools: [
    { type: 'function', name: 'save', inputSchema: { type: 'object', properties: tools.save } as object },
  ],
});

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('\n', '\n\n', ' ', '<', 'functools', '\nfunction call', '[', '{', '</', '🙂'),
);

/** Prose in a value that is never closed is text up to this length. Longer values stream before they are complete. */
const MAX_PROSE = 200;

/** Texts with parts of a call, but without its end or its arguments. */
const prose = (call: string) =>
  fc
    .array(
      fc.oneof(
        words,
        fc.nat({ max: call.indexOf('VALUE') }).map(length => call.slice(0, length)),
      ),
      {
        maxLength: 8,
      },
    )
    .map(chunks => chunks.join('').slice(0, MAX_PROSE));

/** The maximum average number of visits to a character, for any text. */
const MAX_VISITS = 8;

function read(formats: readonly TextToolFormat[], text: string, length: number) {
  let input = '';
  let ended = 0;
  const parser = new TextParser(
    { formats, reasoning: [], tools: declared },
    {
      text: () => {},
      reasoning: () => {},
      callStart: () => {},
      callInput: chunk => void (input += chunk),
      callEnd: () => void ended++,
      callBroken: () => {},
    },
  );
  for (let at = 0; at < text.length; at += length) parser.feed(text.slice(at, at + length));
  parser.end();
  return { visits: parser.visited / text.length, input, ended };
}

describe.each(calls.map(([call, ...formats]) => ({ call, formats })))('$call', ({ call, formats }) => {
  const middleware = textToolsMiddleware({ formats });
  const textOf = async (text: string) =>
    (await readText(text, { middleware, tools, chunkings: 'few' })).content
      .map(one => ('text' in one ? one.text : JSON.stringify(one)))
      .join('');

  it('is a call', async () => {
    const { content } = await readText(call, { middleware, tools });
    expect(content).toEqual([{ call: 'save', input: { body: 'VALUE' } }]);
  });

  it('is text in fenced code and in inline code', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('', 'So:\n', 'a\n\n'), async before => {
        const fenced = `${before}\`\`\`\n${call}\n\`\`\`\nas shown.`;
        expect(await textOf(fenced)).toBe(fenced);
        const inline = `Write \`${call.replaceAll('\n', ' ')}\` then.`;
        expect(await textOf(inline)).toBe(inline);
      }),
      { numRuns: 3 },
    );
  });

  it('loses no text without a complete call, in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(prose(call), async text => {
        expect(await textOf(text)).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['a long value', call.replace('VALUE', 'abc <d> [e] '.repeat(4000))],
    ['an endless value', call.slice(0, call.indexOf('VALUE')) + 'abc <d> [e] '.repeat(4000)],
    ['starts of calls', call.slice(0, call.indexOf('VALUE')).repeat(800)],
    ['markers', call.slice(0, 12).repeat(4000)],
    ['words of the opener', 'functools function call [ { '.repeat(2000)],
  ])('is read in linear time: %s', (_, text) => {
    for (const length of [4, text.length])
      expect(read(formats, text, length).visits).toBeLessThan(MAX_VISITS);
  });
});
