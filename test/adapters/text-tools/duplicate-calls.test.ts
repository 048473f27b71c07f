import type { LanguageModelV2FunctionTool, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/adapters/index.js';
import { wrapModel } from '../../_core.js';
import { textToolsMiddleware } from '../../../src/adapters/kit/text-tools-middleware.js';
import { checkParts } from '../../_parts.js';
import {
  call,
  finish,
  generate,
  ofType,
  scriptedModel,
  start,
  stream,
  text,
} from '../../tool-loop/_scripted-model.js';

type Part = LanguageModelV2StreamPart;

const tools: LanguageModelV2FunctionTool[] = ['look', 'pay'].map(name => ({
  type: 'function',
  name,
  inputSchema: {
    type: 'object',
    properties: { place: { type: 'string' }, days: { type: 'integer' } },
  },
}));

const written = (place: string, name = 'look') =>
  `<tool_call>{"name": "${name}", "arguments": {"days": 3, "place": "${place}"}}</tool_call>`;
const native = (id: string, place: string, name = 'look') => call(id, name, { place, days: 3 });

const modelOf = (...response: Part[][]) => {
  const round = [start, ...response.flat(), finish('tool-calls')];
  return wrapModel(scriptedModel(round, round), [textToolsMiddleware({ formats: [formats.hermes] })]);
};

/** Returns the calls of a response, streamed and generated, and its text. */
async function read(...response: Part[][]) {
  const parts = await stream(modelOf(...response), { tools });
  checkParts(parts);
  const calls = ofType(parts, 'tool-call').map(toShort);
  const { content, finishReason } = await generate(modelOf(...response), { tools });
  expect(content.flatMap(part => (part.type === 'tool-call' ? [toShort(part)] : []))).toEqual(calls);
  expect(finishReason).toBe('tool-calls');
  // No input is started for a call that is dropped.
  expect(ofType(parts, 'tool-input-start')).toHaveLength(calls.length);
  return {
    calls,
    text: ofType(parts, 'text-delta')
      .map(({ delta }) => delta)
      .join(''),
  };
}

/** Native calls have the ids of this file, of one letter. Those of calls from text are generated. */
const toShort = ({ toolCallId, toolName, input }: Extract<Part, { type: 'tool-call' }>): string =>
  `${toolCallId.length > 1 ? 'text' : 'native'} ${toolName} ${JSON.parse(input).place}`;

describe('a call that a response contains natively and as text', () => {
  it.each([
    ['the native call first', [native('a', 'Oslo'), text(written('Oslo'))], ['native look Oslo']],
    ['the text first', [text(written('Oslo')), native('a', 'Oslo')], ['native look Oslo']],
    [
      'the native call under a decorated name',
      [call('a', 'functions.look', { days: '3', place: 'Oslo' }), text(written('Oslo'))],
      ['native functions.look Oslo'],
    ],
    [
      'two native calls and one text',
      [native('a', 'Oslo'), native('b', 'Oslo'), text(written('Oslo'))],
      ['native look Oslo', 'native look Oslo'],
    ],
    [
      'one native call and two texts',
      [native('a', 'Oslo'), text(`${written('Oslo')}${written('Oslo')}`)],
      ['native look Oslo', 'text look Oslo'],
    ],
    [
      'two native calls and two texts',
      [native('a', 'Oslo'), native('b', 'Rome'), text(`${written('Rome')}${written('Oslo')}`)],
      ['native look Oslo', 'native look Rome'],
    ],
    [
      'two texts and two native calls',
      [text(`${written('Rome')}${written('Oslo')}`), native('a', 'Oslo'), native('b', 'Rome')],
      ['native look Rome', 'native look Oslo'],
    ],
  ])('is emitted once: %s', async (_, response, expected) => {
    expect(await read(...response)).toEqual({ calls: expected, text: '' });
  });

  it('keeps the place of a call from text, and the text after it', async () => {
    const response = [text(`A ${written('Oslo')} B`), native('a', 'Oslo')];
    const parts = await stream(modelOf(...response), { tools });
    const order = parts.flatMap(part =>
      part.type === 'text-delta' ? [part.delta] : part.type === 'tool-call' ? [part.toolCallId] : [],
    );
    expect(order.join('|').replace(/\s/g, '')).toBe('A|a|B');
  });

  it('keeps a long call from text, which has started', async () => {
    const place = 'x'.repeat(400);
    expect((await read([...text(written(place))], native('a', place))).calls).toEqual([`text look ${place}`]);
  });

  it('shows long text after a call from text before the response ends', async () => {
    const after = 'So. '.repeat(200);
    const parts = await stream(modelOf(text(written('Oslo')), text(after), native('a', 'Oslo')), { tools });
    expect(ofType(parts, 'tool-call').map(toShort)).toEqual(['text look Oslo']);
  });

  it.each([
    ['other arguments', [native('a', 'Oslo'), text(written('Rome'))], ['native look Oslo', 'text look Rome']],
    [
      'another tool',
      [native('a', 'Oslo'), text(written('Oslo', 'pay'))],
      ['native look Oslo', 'text pay Oslo'],
    ],
    ['the same form', [native('a', 'Oslo'), native('b', 'Oslo')], ['native look Oslo', 'native look Oslo']],
    [
      'other arguments in the text first',
      [text(written('Rome')), native('a', 'Oslo')],
      ['text look Rome', 'native look Oslo'],
    ],
  ])('is different from a call with %s', async (_, response, expected) => {
    expect((await read(...response)).calls).toEqual(expected);
  });

  it.each([
    ['natively, if its text is complete before its streamed input', 'Oslo', ['native look Oslo']],
    ['after another native call that it interrupts', 'Rome', ['native look Rome', 'text look Oslo']],
  ])('is emitted %s', async (_, place, expected) => {
    const [begin = finish(), ...rest] = native('a', place);
    const parts = await stream(modelOf([begin], text(written('Oslo')), rest), { tools });
    checkParts(parts);
    expect(ofType(parts, 'tool-call').map(toShort)).toEqual(expected);
    expect(ofType(parts, 'tool-input-start')).toHaveLength(expected.length);
  });

  it('leaves the text around it', async () => {
    expect(await read(native('a', 'Oslo'), text(`I look. ${written('Oslo')} Done.`))).toEqual({
      calls: ['native look Oslo'],
      text: expect.stringMatching(/^I look\.\s+Done\.$/),
    });
  });
});

it('input streams at once unless it may belong to a second form', async () => {
  const parts = await stream(
    modelOf(native('a', 'Oslo', 'pay'), text(written('Oslo'.repeat(70)).slice(0, -17))),
    {
      tools,
    },
  );
  expect(ofType(parts, 'tool-input-start').map(({ toolName }) => toolName)).toEqual(['pay', 'look']);
});

it('a truncated call after an equal native call is text without input', async () => {
  const truncated = written('Oslo').slice(0, -17);
  const parts = await stream(modelOf(native('a', 'Oslo'), text(truncated)), { tools });
  checkParts(parts);
  expect(ofType(parts, 'tool-input-start')).toHaveLength(1);
  expect(
    ofType(parts, 'text-delta')
      .map(({ delta }) => delta)
      .join(''),
  ).toBe(truncated);
});

it('the input of a native call that never completes is emitted', async () => {
  const [begin = finish(), delta = finish()] = native('a', 'Rome');
  const parts = await stream(modelOf(text(written('Oslo')), [begin, delta]), { tools });
  expect(ofType(parts, 'tool-input-start')).toHaveLength(2);
  expect(parts.at(-1)?.type).toBe('finish');
});
