import { describe, expect, it } from 'vitest';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type { ToolOutput } from '../../src/tools/tool-source.js';
import {
  callRound,
  call,
  finish,
  finishOf,
  generate,
  ofType,
  textRound,
  scriptedModel,
  start,
  stream,
  typesOf,
} from './_scripted-model.js';
import { declareTool, scriptedTools } from './_tools.js';

const toolParts = ['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call', 'tool-result'];
const isToolPart = ({ type }: { type: string }) => toolParts.includes(type);

function looped(
  options: Partial<ToolLoopOptions> = {},
  round = callRound(call('c1', 'echo', { text: 'a' })),
) {
  const tools = scriptedTools({ echo: ({ text }) => `echo ${text}` });
  return withToolLoop(scriptedModel(round, textRound('Done.')), { tools, ...options });
}

describe('the tool parts that the host receives', () => {
  it('contain the complete call of a declared tool', async () => {
    const parts = await stream(looped(), { tools: [declareTool('echo')] });
    expect(parts.filter(isToolPart)).toEqual([
      { type: 'tool-input-start', id: 'c1', toolName: 'echo', providerExecuted: true },
      { type: 'tool-input-delta', id: 'c1', delta: '{"text":"a"}' },
      { type: 'tool-input-end', id: 'c1' },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'echo',
        input: '{"text":"a"}',
        providerExecuted: true,
      },
      { type: 'tool-result', toolCallId: 'c1', toolName: 'echo', result: 'echo a', providerExecuted: true },
    ]);
  });

  it('contain input and result, but no call, of an undeclared tool', async () => {
    const parts = await stream(looped());
    expect(typesOf(parts.filter(isToolPart))).toEqual(toolParts.filter(type => type !== 'tool-call'));
  });

  it('contain the input even if the model does not stream it', async () => {
    const whole = { type: 'tool-call', toolCallId: 'c1', toolName: 'echo', input: '{"text":"a"}' } as const;
    const parts = await stream(looped({}, [start, whole, finish('tool-calls')]));
    expect(parts.filter(isToolPart)).toEqual([
      { type: 'tool-input-start', id: 'c1', toolName: 'echo', providerExecuted: true },
      { type: 'tool-input-delta', id: 'c1', delta: '{"text":"a"}' },
      { type: 'tool-input-end', id: 'c1' },
      { type: 'tool-result', toolCallId: 'c1', toolName: 'echo', result: 'echo a', providerExecuted: true },
    ]);
  });

  it('are omitted from a generated result for an undeclared tool, except for metadata', async () => {
    const { content, providerMetadata } = await generate(looped());
    expect(content).toMatchObject([{ type: 'text', text: 'Done.' }]);
    expect(providerMetadata?.kelivo?.rounds).toMatchObject([{ toolCalls: [{ toolName: 'echo' }] }, {}]);
  });

  it('are omitted with `toolActivity: "none"`', async () => {
    const parts = await stream(looped({ toolActivity: 'none' }), { tools: [declareTool('echo')] });
    expect(parts.filter(isToolPart)).toEqual([]);
    expect(finishOf(parts).providerMetadata?.kelivo?.rounds).toMatchObject([{ toolCalls: [{}] }, {}]);
  });

  it('are omitted with the tool choice "none", and a call does not run', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const model = scriptedModel(callRound(call('c1', 'echo')));
    const parts = await stream(withToolLoop(model, { tools }), {
      tools: [declareTool('echo')],
      toolChoice: { type: 'none' },
    });
    expect(parts.filter(isToolPart)).toEqual([]);
    expect(tools.calls).toEqual([]);
    expect(finishOf(parts).finishReason).toBe('other');
  });

  it('contain valid JSON as input even if the model wrote malformed JSON', async () => {
    const round = callRound(call('c1', 'echo', "{text: 'a'"), call('c2', 'echo', 'nonsense'));
    const parts = await stream(looped({}, round), { tools: [declareTool('echo')] });
    expect(ofType(parts, 'tool-call').map(({ input }) => input)).toEqual(['{"text":"a"}', '{}']);
  });

  it.each<[ToolOutput, unknown, boolean]>([
    [{ type: 'text', value: 'a' }, 'a', false],
    [{ type: 'json', value: { a: 1 } }, { a: 1 }, false],
    [{ type: 'json', value: null }, '', false],
    [{ type: 'error-text', value: 'no' }, 'no', true],
    [{ type: 'error-json', value: { no: 1 } }, { no: 1 }, true],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' },
          { type: 'file', data: { type: 'data', data: 'BBBB' }, mediaType: 'audio/wav' },
        ],
      },
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'audio', data: 'BBBB', mimeType: 'audio/wav' },
        ],
      },
      false,
    ],
  ])('contain the output %j as JSON that is not null', async (output, result, isError) => {
    const model = scriptedModel(callRound(call('c1', 'give')), textRound('Done.'));
    const [shown] = ofType(
      await stream(withToolLoop(model, { tools: scriptedTools({ give: () => output }) })),
      'tool-result',
    );
    expect(shown?.result).toEqual(result);
    expect(shown?.isError === true).toBe(isError);
  });
});

it('streams the input of a call once if a response repeats its id for a call of another tool', async () => {
  const model = scriptedModel(
    callRound(call('call_0', 'ask_user', { a: 1 }), call('call_0', 'echo', { b: 1 })),
  );
  const parts = await stream(withToolLoop(model, { tools: scriptedTools({ echo: () => 'ran' }) }), {
    tools: [declareTool('ask_user')],
  });
  expect(ofType(parts, 'tool-input-start').map(({ id, toolName }) => [id, toolName])).toEqual([
    ['call_0', 'ask_user'],
    ['call_0_2', 'echo'],
  ]);
  expect(ofType(parts, 'tool-input-delta').map(({ id, delta }) => [id, delta])).toEqual([
    ['call_0', '{"a":1}'],
    ['call_0_2', '{"b":1}'],
  ]);
});
