import { describe, expect, it } from 'vitest';
import { formats, textToolsMiddleware } from '../../../src/adapters/index.js';
import { adaptModel } from '../../../src/adapters/adapt-model.js';
import { generate, scriptedModel, textRound } from '../../tool-loop/_scripted-model.js';
import { type ReadPart, readText } from './_read-text.js';

const readFormats = [
  formats.hermes,
  formats.qwenXml,
  formats.glm,
  formats.mistral,
  formats.deepseek,
  formats.kimi,
  formats.minimax,
  formats.llama,
  formats.bareJson,
];
const tools = { look: { place: { type: 'string' } }, 'functions.list': {} };

/** A call in each format. */
const callTo = (name: string): string[] => [
  `<tool_call>{"name": "${name}", "arguments": {"place": "x"}}</tool_call>`,
  `<tool_call>\n<function=${name}>\n<parameter=place>\nx\n</parameter>\n</function>\n</tool_call>`,
  `<tool_call>${name}\n<arg_key>place</arg_key>\n<arg_value>x</arg_value>\n</tool_call>`,
  `[TOOL_CALLS]${name}[ARGS]{"place": "x"}`,
  `[TOOL_CALLS][{"name": "${name}", "arguments": {"place": "x"}}]`,
  `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>{"place": "x"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  `<|tool_calls_section_begin|><|tool_call_begin|>${name}<|tool_call_argument_begin|>{"place": "x"}<|tool_call_end|><|tool_calls_section_end|>`,
  `<minimax:tool_call>\n<invoke name="${name}">\n<parameter name="place">x</parameter>\n</invoke>\n</minimax:tool_call>`,
  `<|python_tag|>{"name": "${name}", "parameters": {"place": "x"}}`,
];
const middleware = textToolsMiddleware({ formats: readFormats });
const read = async (text: string, settings: object = {}, request: object = {}): Promise<ReadPart[]> =>
  (await readText(text, { middleware, settings, tools, ...request })).content;

describe.each(['functions.look', 'default_api.look', 'default_api:look', 'Look', 'functions.look:0'])(
  'the name %s',
  name => {
    it.each([...callTo(name), `{"name": "${name}", "parameters": {"place": "x"}}`])(
      'means the declared tool in %j',
      async text => {
        expect(await read(text)).toEqual([{ call: 'look', input: { place: 'x' } }]);
      },
    );
  },
);

it('prefers a declared name with a prefix', async () => {
  expect(await read('[TOOL_CALLS]functions.list{}')).toEqual([{ call: 'functions.list', input: {} }]);
});

describe.each(callTo('other').map(text => [text]))('a call of an undeclared tool: %j', text => {
  const around = `So.\n${text}\nDone.`;

  it('is a call by default', async () => {
    const { content, finishReason } = await readText(around, {
      middleware: textToolsMiddleware({ formats: readFormats }),
      tools,
    });
    expect(content).toEqual([
      { text: 'So.\n' },
      { call: 'other', input: { place: 'x' } },
      { text: '\nDone.' },
    ]);
    expect(finishReason).toBe('tool-calls');
  });

  it('is text with `text`', async () => {
    expect(await read(around, { undeclared: 'text' })).toEqual([{ text: around }]);
  });

  it('is removed with `drop`', async () => {
    expect(await read(around, { undeclared: 'drop' })).toEqual([{ text: 'So.\n\nDone.' }]);
  });

  it.each([0.3, 0.6])('is text if it is truncated', async share => {
    const truncated = `So.\n${text.slice(0, text.length * share)}`;
    expect(await read(truncated)).toEqual([{ text: truncated }]);
  });
});

it.each([
  '<tool_call>example</tool_call>',
  '{"name": "other", "parameters": {"place": "x"}}',
  '<tool_call>{"name": "the name of the tool", "arguments": {}}</tool_call>',
  '<tool_call>{"name": "!!!", "arguments": {}}</tool_call>',
])('stays text: %j', async text => {
  expect(await read(text)).toEqual([{ text }]);
});

it('is a call beside a declared one in a list', async () => {
  const list = '[TOOL_CALLS][{"name": "other", "arguments": {}}, {"name": "look", "arguments": {}}]';
  expect(await read(list)).toEqual([
    { call: 'other', input: {} },
    { call: 'look', input: {} },
  ]);
});

describe('where the request allows no calls', () => {
  const none = { toolChoice: { type: 'none' } };

  it.each([...callTo('look'), ...callTo('other')])('removes %j', async text => {
    expect(await read(`So.\n${text}\nDone.`, {}, none)).toEqual([{ text: 'So.\n\nDone.' }]);
  });

  it.each([
    'Write <tool_call> and </tool_call>.',
    `In code: \`${callTo('look')[0]}\`.`,
    `\`\`\`\n${callTo('look')[1]}\n\`\`\`\n`,
    '<tool_call>{"name": "look", "arguments": {"place": "',
  ])('keeps %j', async text => {
    expect(await read(text, {}, none)).toEqual([{ text }]);
  });

  it('removes them without tools too, after earlier calls', async () => {
    const model = { ...scriptedModel(textRound(`So.${callTo('look')[0]}`)), modelId: 'qwen3-coder' };
    const { content } = await generate(adaptModel(model), {
      prompt: [
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value: '' } },
          ],
        },
      ],
    });
    expect(content).toMatchObject([{ type: 'text', text: 'So.' }]);
  });
});

it('is chosen for a model by adaptModel', async () => {
  const [text = ''] = callTo('other');
  const readWith = async (options: object) => {
    const model = { ...scriptedModel(textRound(text)), modelId: 'qwen3-coder' };
    const { content } = await generate(adaptModel(model, options), {
      tools: [{ type: 'function', name: 'look', inputSchema: {} }],
    });
    return content.map(({ type }) => type);
  };
  expect(await readWith({})).toEqual(['tool-call']);
  expect(await readWith({ undeclared: 'text' })).toEqual(['text']);
  expect(await readWith({ undeclared: 'drop' })).toEqual([]);
});

describe('calls in a request without tools', () => {
  it.each(callTo('look'))('are dropped if the setting says so: %j', async text => {
    const options = { tools: {} };
    expect(await read(`So. ${text}`, { undeclared: 'drop' }, options)).toEqual([{ text: 'So. ' }]);
    const quoted = `\`\`\`\n${text}\n\`\`\``;
    expect(await read(quoted, { undeclared: 'drop' }, options)).toEqual([{ text: quoted }]);
  });
});

it('a required tool excludes the calls of others', async () => {
  const toolChoice = { type: 'tool', toolName: 'look' };
  const other = '<tool_call>{"name": "functions.list", "arguments": {}}</tool_call>';
  expect(await read(other, {}, { toolChoice })).toEqual([{ text: other }]);
  expect(await read(other, { undeclared: 'drop' }, { toolChoice })).toEqual([]);
  expect(await read(callTo('look')[0] ?? '', {}, { toolChoice })).toEqual([
    { call: 'look', input: { place: 'x' } },
  ]);
});
