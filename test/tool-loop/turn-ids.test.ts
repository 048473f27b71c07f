import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  callRound,
  call,
  exchangeOf,
  finish,
  ofType,
  textRound,
  scriptedModel,
  start,
  stream,
  text,
  user,
} from './_scripted-model.js';
import { declareTool, scriptedTools } from './_tools.js';

const tools = () => scriptedTools({ echo: ({ text }) => `echo ${text}` });

describe('the ids of a turn', () => {
  it('are unique if the server uses one id for every call, in parts and in prompts', async () => {
    const round = (text: string) => callRound(call('call_0', 'echo', { text }));
    const model = scriptedModel(round('a'), round('b'), textRound('Done.'));
    const parts = await stream(withToolLoop(model, { tools: tools() }), {
      tools: [declareTool('echo')],
      prompt: [
        ...user('Go.'),
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'call_0', toolName: 'echo', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call_0',
              toolName: 'echo',
              output: { type: 'text', value: 'old' },
            },
          ],
        },
        ...user('Again.'),
      ],
    });
    const ids = ['call_0_2', 'call_0_3'];
    expect(ofType(parts, 'tool-input-start').map(({ id }) => id)).toEqual(ids);
    expect(ofType(parts, 'tool-input-delta').map(({ id }) => id)).toEqual(ids);
    expect(ofType(parts, 'tool-call').map(({ toolCallId }) => toolCallId)).toEqual(ids);
    expect(ofType(parts, 'tool-result').map(({ toolCallId }) => toolCallId)).toEqual(ids);
    expect(exchangeOf(model.requests[2])).toMatchObject({
      calls: ['call_0', ...ids],
      outputs: [
        ['call_0', 'old'],
        ['call_0_2', 'echo a'],
        ['call_0_3', 'echo b'],
      ],
    });
  });

  it('are unique for the text and reasoning blocks of all rounds', async () => {
    const thought = [
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      { type: 'reasoning-end', id: '0' },
    ] as const;
    const model = scriptedModel(
      [start, ...thought, ...text('One.'), ...call('c1', 'echo'), finish('tool-calls')],
      [start, ...thought, ...text('Two.'), finish()],
    );
    const parts = await stream(withToolLoop(model, { tools: tools() }));
    for (const type of ['text-start', 'text-delta', 'text-end'] as const) {
      expect(ofType(parts, type).map(({ id }) => id)).toEqual(['0', '0_2']);
    }
    for (const type of ['reasoning-start', 'reasoning-delta', 'reasoning-end'] as const) {
      expect(ofType(parts, type).map(({ id }) => id)).toEqual(['0', '0_2']);
    }
  });

  it('identify a call that is sent twice, which runs once', async () => {
    const source = tools();
    const twice = call('c1', 'echo', { text: 'a' });
    const model = scriptedModel(callRound(twice, twice), textRound('Done.'));
    const parts = await stream(withToolLoop(model, { tools: source }), { tools: [declareTool('echo')] });
    expect(source.calls).toHaveLength(1);
    expect(ofType(parts, 'tool-call')).toHaveLength(1);
    expect(ofType(parts, 'tool-input-delta').map(({ delta }) => delta)).toEqual(['{"text":"a"}']);
    expect(exchangeOf(model.requests[1])).toMatchObject({ calls: ['c1'], outputs: [['c1', 'echo a']] });
  });

  it('distinguish two calls with the same id, which both run with their own input', async () => {
    const model = scriptedModel(
      callRound(call('call_0', 'echo', { text: 'a' }), call('call_0', 'echo', { text: 'b' })),
      textRound('Done.'),
    );
    const parts = await stream(withToolLoop(model, { tools: tools() }));
    expect(exchangeOf(model.requests[1])).toEqual({
      calls: ['call_0', 'call_0_2'],
      inputs: [{ text: 'a' }, { text: 'b' }],
      outputs: [
        ['call_0', 'echo a'],
        ['call_0_2', 'echo b'],
      ],
    });
    expect(ofType(parts, 'tool-input-delta').map(({ id, delta }) => [id, delta])).toEqual([
      ['call_0', '{"text":"a"}'],
      ['call_0_2', '{"text":"b"}'],
    ]);
  });

  it('are the same for calls that the host runs', async () => {
    const model = scriptedModel(
      callRound(call('call_0', 'of_the_host', { a: 1 }), call('call_0', 'of_the_host', { a: 2 })),
    );
    const parts = await stream(withToolLoop(model, { tools: tools() }), {
      tools: [declareTool('of_the_host')],
    });
    expect(ofType(parts, 'tool-call').map(({ toolCallId }) => toolCallId)).toEqual(['call_0', 'call_0_2']);
  });

  it.each([
    ['of the turn', 'call_p', user('Go.')],
    [
      'that is not the only one with its id',
      'call_p_2',
      [...user('Go.'), { role: 'assistant' as const, content: [programCall()] }, ...user('Again.')],
    ],
  ])('belong to a result in a later round than its call: a call %s', async (_, id, prompt) => {
    const { type, toolName } = programCall();
    const program = { type, toolName, toolCallId: 'call_p', input: '{}', providerExecuted: true };
    const result = { ...program, type: 'tool-result' as const, result: 'done' };
    const model = scriptedModel(callRound([program], call('c1', 'echo', { text: 'a' })), [
      start,
      result,
      ...text('Done.'),
      finish(),
    ]);
    const declared = {
      type: 'provider-defined',
      id: `openai.${toolName}`,
      name: toolName,
      args: {},
    } as const;
    const parts = await stream(withToolLoop(model, { tools: tools() }), { prompt, tools: [declared] });
    expect(ofType(parts, 'tool-call').find(part => part.toolName === toolName)?.toolCallId).toBe(id);
    expect(ofType(parts, 'tool-result').find(part => part.toolName === toolName)?.toolCallId).toBe(id);
  });

  it('belong to a result of a call in the history', async () => {
    const result = {
      type: 'tool-result' as const,
      toolCallId: 'call_p',
      toolName: 'program',
      result: 'done',
    };
    const model = scriptedModel([start, { ...result, providerExecuted: true }, ...text('Done.'), finish()]);
    const prompt = [...user('Go.'), { role: 'assistant' as const, content: [programCall()] }];
    const parts = await stream(withToolLoop(model, { tools: tools() }), { prompt });
    expect(ofType(parts, 'tool-result').map(({ toolCallId }) => toolCallId)).toEqual(['call_p']);
  });
});

/** A call that the server executes, and whose result may follow in a later response. */
const programCall = () => ({
  type: 'tool-call' as const,
  toolCallId: 'call_p',
  toolName: 'program',
  input: {},
  providerExecuted: true,
});
