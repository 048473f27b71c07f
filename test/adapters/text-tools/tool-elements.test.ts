import { describe, expect, it } from 'vitest';
import { adaptModel } from '../../../src/adapters/index.js';
import { finish, scriptedModel, start, stream } from '../../tool-loop/_scripted-model.js';

const text = { type: 'string' };
const point = { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } } };
const TOOLS = {
  write_to_file: {
    type: 'object',
    properties: { path: text, content: text, mode: { type: 'integer' } },
    required: ['path', 'content'],
  },
  get_weather: { type: 'object', properties: { city: text, unit: { enum: ['celsius', 'kelvin'] } } },
  draw: { type: 'object', properties: { from: point, labels: { type: 'array', items: text } } },
  get_time: { type: 'object', properties: {} },
} as const;

async function read(written: string, size = written.length, toolPrompting = 'tool-elements') {
  const model = adaptModel(
    scriptedModel([
      start,
      { type: 'text-start', id: 't' },
      ...(written.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map(
        delta => ({ type: 'text-delta', id: 't', delta }) as const,
      ),
      { type: 'text-end', id: 't' },
      finish('stop'),
    ]),
    { toolPrompting },
  );
  const parts = await stream(model, {
    tools: Object.entries(TOOLS).map(([name, inputSchema]) => ({
      type: 'function',
      name,
      inputSchema: inputSchema as object,
    })),
  });
  return {
    text: parts.flatMap(part => (part.type === 'text-delta' ? [part.delta] : [])).join(''),
    calls: parts.flatMap(part =>
      part.type === 'tool-call' ? [[part.toolName, JSON.parse(part.input) as unknown]] : [],
    ),
  };
}

describe('an element with the name of a tool', () => {
  it.each<[string, string, unknown[]]>([
    [
      'with one element for each argument',
      '<get_weather><city>Paris</city><unit>celsius</unit></get_weather>',
      ['get_weather', { city: 'Paris', unit: 'celsius' }],
    ],
    [
      'with other markup in a text, without the line breaks at its ends',
      '<write_to_file>\n<path>a.html</path>\n<content>\n<p>1 < 2 & "3"</p>\n<br/>\n</content>\n<mode>420</mode>\n</write_to_file>',
      ['write_to_file', { path: 'a.html', content: '<p>1 < 2 & "3"</p>\n<br/>', mode: 420 }],
    ],
    [
      'with an object in elements, and a list in repeated ones',
      '<draw><from><x>1</x><y>2</y></from><labels>a</labels><labels>b</labels></draw>',
      ['draw', { from: { x: 1, y: 2 }, labels: ['a', 'b'] }],
    ],
    [
      'with JSON',
      '<draw><from>{"x":1,"y":2}</from><labels>["a"]</labels></draw>',
      ['draw', { from: { x: 1, y: 2 }, labels: ['a'] }],
    ],
    ['without arguments', '<get_time></get_time>', ['get_time', {}]],
    ['that closes itself', '<get_time />', ['get_time', {}]],
  ])('%s is a call', async (_, written, call) => {
    for (const size of [written.length, 1, 7])
      expect(await read(written, size)).toEqual({ text: '', calls: [call] });
  });

  it('is a call in any place, and the prose around it is kept', async () => {
    const written = 'First <b>this</b>:\n<get_weather><city>Paris</city></get_weather>\nThen I go on.';
    const { text: prose, calls } = await read(written, 3);
    expect(calls).toEqual([['get_weather', { city: 'Paris' }]]);
    expect(prose).toMatch(/^First <b>this<\/b>:\s+Then I go on\.$/);
  });

  it.each([
    ['a tool that is not declared', '<get_mail><city>Paris</city></get_mail>'],
    ['a parameter that the schema does not have', '<get_weather><town>Paris</town></get_weather>'],
    ['text between its arguments', '<get_weather>now <city>Paris</city></get_weather>'],
    ['a text in which another argument begins', '<get_weather><city>Paris<unit>kelvin</unit></get_weather>'],
    ['an argument twice', '<get_weather><city>Paris</city><city>Rome</city></get_weather>'],
    ['a missing argument', '<write_to_file><path>a</path></write_to_file>'],
    ['another call in a text', '<get_weather><city><get_weather></city></get_weather>'],
    ['no end', '<get_weather><city>Paris</city>'],
    ['a mention in prose', 'Use <get_weather> with a <city>.'],
    ['a key of a prototype', '<get_weather><__proto__>Paris</__proto__></get_weather>'],
  ])('with %s is text', async (_, written) => {
    for (const size of [written.length, 1])
      expect(await read(written, size)).toEqual({ text: written, calls: [] });
  });
});

describe('an element with the name of a tool and YAML', () => {
  it.each<[string, string, unknown[]]>([
    [
      '',
      '<get_weather>\ncity: Paris\nunit: celsius\n</get_weather>',
      ['get_weather', { city: 'Paris', unit: 'celsius' }],
    ],
    [
      'and tags in a text',
      '<write_to_file>\npath: a.md\ncontent: |-\n  </write_to_file>\n  <p>\nmode: 420\n</write_to_file>',
      ['write_to_file', { path: 'a.md', content: '</write_to_file>\n<p>', mode: 420 }],
    ],
    ['and nothing', '<get_time></get_time>', ['get_time', {}]],
  ])('%s is a call', async (_, written, call) => {
    for (const size of [written.length, 1, 7]) {
      const found = await read(written, size, 'yaml-elements');
      if (written.includes('  </write')) expect(found.calls).not.toEqual([]);
      expect(found).toEqual({ text: '', calls: [call] });
    }
  });

  it.each([
    ['an unreadable value', '<get_weather>\ncity: "Paris\n</get_weather>'],
    ['a parameter that the schema does not have', '<get_weather>\ntown: Paris\n</get_weather>'],
    ['a missing argument', '<write_to_file>\npath: a\n</write_to_file>'],
    ['no end', '<get_weather>\ncity: Paris\n'],
    ['an end within a line', '<get_weather>\ncity: Paris </get_weather>'],
  ])('with %s is text', async (_, written) => {
    for (const size of [written.length, 1])
      expect(await read(written, size, 'yaml-elements')).toEqual({ text: written, calls: [] });
  });
});
