import { describe, expect, it } from 'vitest';
import { mistralMiddleware, type MistralOptions } from '../../src/adapters/families/mistral.js';
import { wrapModel } from '../_core.js';
import {
  callRound,
  call,
  exchangeOf,
  generate,
  ofType,
  textRound,
  scriptedModel,
  stream,
} from '../tool-loop/_scripted-model.js';
import { sent, assistant, called, LONG, text, tool, tools, user, whole } from './_mistral-messages.js';

describe('ids of tool calls', () => {
  it('have nine letters and digits for the model, identical for a call and its result', async () => {
    const shown = exchangeOf({ prompt: await sent(whole) });
    expect(shown.calls).toEqual([expect.stringMatching(/^[a-zA-Z0-9]{9}$/)]);
    expect(shown.outputs).toEqual([[shown.calls[0], 'Sun']]);
  });

  it('differ for similar original ids, and stay the same in later requests', async () => {
    const ids = ['call_00000000000a', 'call_00000000000b', 'toolu_01A', 'chatcmpl-tool-1', 'a'];
    const prompt = [user('Go.'), assistant(...ids.map(called)), tool(...ids)];
    const { calls } = exchangeOf({ prompt: await sent(prompt) });
    expect(new Set(calls).size).toBe(ids.length);
    const later = [...prompt, assistant(text('Done.')), user('And now?')];
    expect(exchangeOf({ prompt: await sent(later) }).calls).toEqual(calls);
  });

  it('are kept if they are valid, and never reused for another call', async () => {
    const [short = ''] = exchangeOf({ prompt: await sent(whole) }).calls;
    const prompt = [...whole, assistant(called(short)), tool(short)];
    const { calls } = exchangeOf({ prompt: await sent(prompt) });
    expect(calls[1]).toBe(short);
    expect(calls[0]).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(calls[0]).not.toBe(short);
  });

  it.each(['stream', 'generate'] as const)(
    'are translated back if the response repeats a call of the conversation (%s)',
    async mode => {
      const [short = ''] = exchangeOf({ prompt: await sent(whole) }).calls;
      const response = callRound(call(short, 'get_weather'), call('new123456', 'get_weather'));
      const model = wrapModel(scriptedModel(response), [mistralMiddleware()]);
      if (mode === 'generate') {
        const { content } = await generate(model, { prompt: whole });
        expect(content.map(part => part.type === 'tool-call' && part.toolCallId)).toEqual([
          LONG,
          'new123456',
        ]);
        return;
      }
      const parts = await stream(model, { prompt: whole });
      expect(ofType(parts, 'tool-call').map(part => part.toolCallId)).toEqual([LONG, 'new123456']);
      for (const type of ['tool-input-start', 'tool-input-delta', 'tool-input-end'] as const) {
        expect(ofType(parts, type).map(({ id }) => id)).toEqual([LONG, 'new123456']);
      }
    },
  );
});

describe('calls and reasoning in text', () => {
  const streamOf = async (written: string) =>
    stream(wrapModel(scriptedModel(textRound(written)), [mistralMiddleware()]), {
      prompt: whole,
      tools,
    });

  it('become parts', async () => {
    const parts = await streamOf('[THINK]Hm.[/THINK]I look.[TOOL_CALLS]get_weather[ARGS]{"city":"Rome"}');
    expect(
      ofType(parts, 'reasoning-delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('Hm.');
    expect(
      ofType(parts, 'text-delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('I look.');
    expect(ofType(parts, 'tool-call')).toMatchObject([{ toolName: 'get_weather', input: '{"city":"Rome"}' }]);
    expect(ofType(parts, 'finish')[0]?.finishReason).toBe('tool-calls');
  });

  it("use the caller's ids for calls of the conversation", async () => {
    const [short = ''] = exchangeOf({ prompt: await sent(whole) }).calls;
    const parts = await streamOf(
      `[TOOL_CALLS][{"name":"get_weather","arguments":{"city":"Rome"},"id":"${short}"}]`,
    );
    expect(ofType(parts, 'tool-call').map(part => part.toolCallId)).toEqual([LONG]);
  });
});

describe('options', () => {
  it.each<[unknown, string]>([
    [
      { bridge: ' ' },
      'Invalid `bridge` of the options of mistralMiddleware: expected a non-empty text or false',
    ],
    [{ bridges: 'x' }, 'Unknown setting `bridges` in the options of mistralMiddleware.'],
    [{ splitTextFromCalls: 'yes' }, 'Invalid `splitTextFromCalls` of the options of mistralMiddleware'],
  ])('are rejected: %j', (options, message) => {
    expect(() => mistralMiddleware(options as MistralOptions)).toThrow(message);
  });
});
