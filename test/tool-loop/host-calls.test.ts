import type { LanguageModelV2FinishReason, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import * as ai5 from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  call,
  callRound,
  exchangeOf,
  finish,
  finishOf,
  generate,
  ofType,
  scriptedModel,
  start,
  stream,
  text,
  textRound,
  typesOf,
} from './_scripted-model.js';
import { declareTool, scriptedTools } from './_tools.js';

const setVolume = {
  ...declareTool('set_volume'),
  inputSchema: {
    type: 'object' as const,
    properties: { level: { type: 'number' as const }, room: { type: 'string' as const } },
    required: ['level'],
  },
};
const stop = { ...declareTool('stop'), inputSchema: { type: 'object' as const, properties: {} } };
const usageOf = (outputTokens: number) => ({ inputTokens: 1, outputTokens, totalTokens: 1 + outputTokens });

describe.each([
  ['with tools of the loop', () => [scriptedTools({ echo: () => 'ran' })]],
  ['without tools of the loop', () => []],
])('a call of the host, %s', (_, ownTools) => {
  async function inputsOf(
    input: string,
    {
      finishReason = 'tool-calls' as LanguageModelV2FinishReason,
      outputTokens = 5,
      tools = [setVolume, stop],
    } = {},
  ) {
    const [tool] = tools;
    const round: LanguageModelV2StreamPart[] = [
      start,
      ...call('h1', tool?.name ?? '', input),
      ...text('Wait.'),
      finish(finishReason, usageOf(outputTokens)),
    ];
    const options = { tools, maxOutputTokens: 100 };
    const looped = () => withToolLoop(scriptedModel(round), { tools: ownTools() });
    const parts = await stream(looped(), options);
    const { content, finishReason: generatedReason } = await generate(looped(), options);
    const streamed = ofType(parts, 'tool-call').map(part => part.input);
    expect(content.flatMap(part => (part.type === 'tool-call' ? [part.input] : []))).toEqual(streamed);
    expect(generatedReason).toBe(finishOf(parts).finishReason);
    return { input: streamed[0], parts, finishReason: generatedReason };
  }

  it.each([
    ['{"level": "3"}', '{"level":3}'],
    ["{level: 3, room: 'hall',}", '{"level":3,"room":"hall"}'],
    ['```json\n{"level":3}\n```', '{"level":3}'],
  ])('gets repaired arguments: %j', async (input, repaired) => {
    expect((await inputsOf(input)).input).toBe(repaired);
  });

  it('gets `{}` for `null` if its tool has no parameters', async () => {
    expect((await inputsOf('null', { tools: [stop] })).input).toBe('{}');
  });

  it.each(['{"level": 3}', '{"level":12345678901234567890}', 'nonsense', ''])(
    'keeps arguments that fit or cannot be repaired: %j',
    async input => {
      expect((await inputsOf(input)).input).toBe(input);
    },
  );

  it.each(['length', 'content-filter', 'error'] as const)(
    'keeps cut arguments of a response that ends with "%s"',
    async finishReason => {
      const input = '{"level": "3"';
      expect(await inputsOf(input, { finishReason })).toMatchObject({ input, finishReason });
    },
  );

  it('is invalid if it has no arguments and the response was cut: hosts would read them as `{}`', async () => {
    expect((await inputsOf('', { finishReason: 'length' })).input).toBe('{');
    expect((await inputsOf(' ', { outputTokens: 100 })).input).toBe('{');
  });

  it('keeps cut arguments if the response has no finish reason', async () => {
    const input = '{"level": "3"';
    expect(await inputsOf(input, { finishReason: 'unknown' })).toMatchObject({ input });
  });

  it('keeps cut arguments of a response that used all allowed tokens, whatever it reports', async () => {
    const input = '{"level": 98';
    expect(await inputsOf(input, { outputTokens: 100 })).toMatchObject({ input, finishReason: 'length' });
  });

  it('is followed by the parts after it', async () => {
    const { parts } = await inputsOf('{level: 3}');
    expect(typesOf(parts).slice(-5)).toEqual(['tool-call', 'text-start', 'text-delta', 'text-end', 'finish']);
  });
});

describe('the tools of a host', () => {
  it('receive valid arguments in `generateText`, where the loop has no tools', async () => {
    const levels: number[] = [];
    const set_volume = ai5.tool({
      inputSchema: z.object({ level: z.number() }),
      execute: async ({ level }) => void levels.push(level),
    });
    const model = withToolLoop(
      scriptedModel(callRound(call('h1', 'Set_Volume', "{level: '3'}")), textRound('Done.')),
      {
        tools: [],
      },
    );
    await ai5.generateText({ model, prompt: 'Go.', tools: { set_volume }, stopWhen: ai5.stepCountIs(3) });
    expect(levels).toEqual([3]);
  });

  it('get the text of a tool with free input unchanged', async () => {
    const custom = {
      type: 'provider-defined' as const,
      id: 'openai.custom' as const,
      name: 'shell',
      args: {},
    };
    const model = withToolLoop(scriptedModel(callRound(call('h1', 'shell', "{'a': 1}"))), {
      tools: scriptedTools({ echo: () => 'ran' }),
    });
    const parts = await stream(model, { tools: [custom, setVolume] });
    expect(ofType(parts, 'tool-call')[0]?.input).toBe("{'a': 1}");
  });
});

describe('a call of the loop in a response that may be cut', () => {
  const ran = async (input: string, reason: LanguageModelV2FinishReason) => {
    const own = scriptedTools({ echo: () => 'ran' });
    const inner = scriptedModel([start, ...call('c1', 'echo', input), finish(reason)], textRound('Done.'));
    await stream(withToolLoop(inner, { tools: own }));
    return { ran: own.calls.length, output: exchangeOf(inner.requests[1]).outputs[0]?.[1] };
  };

  it.each(['length', 'error', 'content-filter'] as const)(
    'does not run without arguments, which may be missing: %s',
    async reason => {
      expect(await ran('', reason)).toMatchObject({ ran: 0 });
    },
  );

  it('does not run with arguments that need repair if there is no finish reason', async () => {
    expect(await ran('{"from": "a"', 'unknown')).toEqual({
      ran: 0,
      output: expect.stringContaining('the response ended without a finish reason'),
    });
    expect(await ran('{"from": "a"}', 'unknown')).toEqual({ ran: 1, output: 'ran' });
    expect(await ran('', 'unknown')).toEqual({ ran: 1, output: 'ran' });
  });
});

describe('a response that used all allowed tokens', () => {
  it('ends the turn with `length`, and runs no call with completed arguments', async () => {
    const own = scriptedTools({ echo: () => 'ran' });
    const round = [start, ...call('c1', 'echo', "{'id': 'a',"), finish('tool-calls', usageOf(100))];
    const inner = scriptedModel(round);
    const parts = await stream(withToolLoop(inner, { tools: own }), { maxOutputTokens: 100 });
    expect(own.calls).toEqual([]);
    expect(finishOf(parts).finishReason).toBe('length');
    expect(inner.requests).toHaveLength(1);
  });

  it('is complete one token earlier', async () => {
    const inner = scriptedModel(
      [start, ...call('c1', 'echo', "{'id': 'a'}"), finish('tool-calls', usageOf(99))],
      textRound('Done.'),
    );
    await stream(withToolLoop(inner, { tools: scriptedTools({ echo: () => 'ran' }) }), {
      maxOutputTokens: 100,
    });
    expect(exchangeOf(inner.requests[1]).outputs).toEqual([['c1', 'ran']]);
  });
});
