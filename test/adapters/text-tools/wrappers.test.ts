import { describe, expect, it } from 'vitest';
import { readCallArguments } from '../../../src/adapters/text-tools/values/json-call.js';
import { type TextToolFormat, thinkTags } from '../../../src/adapters/text-tools/reading/text-tool-format.js';
import { readName } from '../../../src/adapters/text-tools/reading/text-cursor.js';
import { textToolsMiddleware } from '../../../src/adapters/kit/text-tools-middleware.js';
import { type ReadPart, readText } from './_read-text.js';

const acme: TextToolFormat = {
  name: 'acme',
  openers: ['<call>'],
  lineOpeners: ['please call'],
  closers: ['</call>'],
  wrappers: [{ open: '<answer>', close: '</answer>' }],
  *read(cursor, calls) {
    return yield* readCallArguments(cursor, calls, { name: yield* readName(cursor) });
  },
};
const middleware = textToolsMiddleware({ formats: [acme], reasoning: [thinkTags] });
const read = async (text: string) => (await readText(text, { middleware, tools: { ping: {} } })).content;

const ping: ReadPart = { call: 'ping', input: {} };

describe('tags around the text', () => {
  it.each<[string, ...ReadPart[]]>([
    ['<answer>Hi.</answer>', { text: 'Hi.' }],
    ['\n<answer>\nHi.\nThere.\n</answer>\n', { text: 'Hi.\nThere.' }],
    ['<think>\nHm.\n</think>\n<answer>\nHi.\n</answer>', { reasoning: 'Hm.' }, { text: 'Hi.' }],
    ['<answer>Hi.</answer>\n<call>ping {}</call>', { text: 'Hi.' }, ping],
    ['<answer>An </answer> of XML.</answer>', { text: 'An </answer> of XML.' }],
    ['<answer>A\n```\n</answer>\n```\n</answer>', { text: 'A\n```\n</answer>\n```\n' }],
    ['<answer>The tags are cut.', { text: 'The tags are cut.' }],
    ['<answer></answer>'],
  ])('are dropped: %j', async (text, ...content) => {
    expect(await read(text)).toEqual(content);
  });

  it.each([
    'Hi.</answer>',
    'Write <answer>Hi.</answer>',
    '`<answer>` and `</answer>`',
    '```xml\n<answer>Hi.</answer>\n```',
  ])('stay in %j', async text => {
    expect(await read(text)).toEqual([{ text }]);
  });
});

describe('an opener without brackets', () => {
  it.each<[string, ...ReadPart[]]>([
    ['please call ping {}', ping],
    ['So.\nplease call ping {}', { text: 'So.\n' }, ping],
    ['<think>Hm.</think>please call ping {}', { reasoning: 'Hm.' }, ping],
    ['So please call ping {}', { text: 'So please call ping {}' }],
    ['please call me\nplease', { text: 'please call me\nplease' }],
  ])('counts only at the start of a line: %j', async (text, ...content) => {
    expect(await read(text)).toEqual(content);
  });
});
