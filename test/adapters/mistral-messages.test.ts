import { expect, describe, it } from 'vitest';
import { mistralMiddleware } from '../../src/adapters/families/mistral.js';
import { wrapModel } from '../_core.js';
import { exchangeOf, textRound, scriptedModel, stream } from '../tool-loop/_scripted-model.js';
import {
  sent,
  assistant,
  called,
  LONG,
  result,
  rolesOf,
  system,
  text,
  tool,
  user,
  whole,
} from './_mistral-messages.js';

describe('the order of messages', () => {
  it('inserts an assistant message between a result and the user', async () => {
    const prompt = await sent([...whole, user('Thanks. And Rome?')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(prompt[3]).toEqual(assistant(text('Understood.')));
    expect((await sent([...whole, user('And?')], { bridge: 'Noted.' }))[3]).toEqual(
      assistant(text('Noted.')),
    );
    expect(rolesOf(await sent([...whole, user('And?')], { bridge: false }))).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  it('adds a result to an interrupted call', async () => {
    const { outputs } = exchangeOf({
      prompt: await sent([user('Go.'), assistant(called('a'), called('b'))]),
    });
    expect(outputs.map(([, output]) => output)).toEqual([
      expect.stringMatching(/interrupted/),
      expect.stringMatching(/interrupted/),
    ]);
  });

  it('writes a result without a call as text, and keeps one result for each call', async () => {
    const prompt = await sent([user('Go.'), tool('lost'), assistant(text('Hm.')), user('So?')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(prompt[1])).toContain('whose call is missing in this conversation');
    const twice = exchangeOf({ prompt: await sent([...whole, tool(LONG)]) });
    expect(twice.outputs).toHaveLength(1);
  });

  it('renames calls with the same id', async () => {
    const prompt = await sent([...whole, assistant(text('Again.'), called(LONG)), tool(LONG)]);
    const { calls, outputs } = exchangeOf({ prompt });
    expect(new Set(calls).size).toBe(2);
    expect(outputs.map(([id]) => id)).toEqual(calls);
  });

  it('converts calls that another provider executed, including hosted calls', async () => {
    const ran = [called(LONG), { ...called('ws_1'), toolName: 'web_search' }].map(part => ({
      ...part,
      providerExecuted: true,
    }));
    const results = [result(LONG), { ...result('ws_1'), toolName: 'web_search' }];
    const prompt = await sent([user('Go.'), assistant(...ran, ...results, text('Sun.')), user('Thanks')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(prompt[1]?.content).toEqual([
      expect.objectContaining({ type: 'tool-call', toolName: 'get_weather' }),
      expect.objectContaining({ type: 'tool-call', toolName: 'web_search' }),
    ]);
    const { calls, outputs } = exchangeOf({ prompt });
    expect(calls.every(id => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
    expect(outputs.map(([id]) => id)).toEqual(calls);
  });

  it('moves system messages before the assistant', async () => {
    const prompt = [
      system('One.'),
      user('Hi'),
      system('Two.'),
      assistant(text('Hello')),
      system('Three.'),
      user('Bye'),
    ];
    expect(await sent(prompt)).toEqual([
      system('One.'),
      system('Three.'),
      user('Hi'),
      system('Two.'),
      assistant(text('Hello')),
      user('Bye'),
    ]);
    const atEnd = [...whole, system('Be brief.')];
    expect(rolesOf(await sent(atEnd))).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  it('removes assistant messages without content', async () => {
    const prompt = [user('Hi'), assistant({ type: 'reasoning', text: 'Hm' }, text(' \n')), user('Hello?')];
    expect(await sent(prompt)).toEqual([{ role: 'user', content: [text('Hi'), text('Hello?')] }]);
    expect(rolesOf(await sent([...whole, assistant(), user('And?')]))).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  it('alternates between user and assistant', async () => {
    const prompt = [
      user('a'),
      user('b'),
      assistant(text('c')),
      assistant(text('d'), called(LONG)),
      tool(LONG),
    ];
    const joined = await sent(prompt);
    expect(rolesOf(joined)).toEqual(['user', 'assistant', 'tool']);
    expect(joined[0]).toEqual({ role: 'user', content: [text('a'), text('b')] });
    expect(joined[1]?.content).toMatchObject([text('c'), text('d'), { type: 'tool-call' }]);
  });

  it('does not merge a message into a message with calls', async () => {
    const prompt = [
      user('Go.'),
      assistant(called('abcdefghi')),
      tool('abcdefghi'),
      assistant(text('It rains.')),
      assistant(called('ihgfedcba')),
      assistant(text('Never mind.')),
    ];
    expect(rolesOf(await sent(prompt, { continuation: false }))).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  it('ends with the user or a tool, except for a message that the model continues', async () => {
    const prompt = [user('Count.'), assistant(text('One, two,'))];
    expect(await sent(prompt)).toEqual([...prompt, user('Continue.')]);
    expect(await sent(prompt, { continuation: 'Go on.' })).toEqual([...prompt, user('Go on.')]);
    expect(await sent(prompt, { continuation: false })).toEqual(prompt);
    const prefix = [
      user('Count.'),
      { ...assistant(text('One, ')), providerOptions: { openaiCompatible: { prefix: true } } },
    ];
    expect(await sent(prefix)).toEqual(prefix);
    const official = { ...scriptedModel(textRound('three')), provider: 'mistral.chat' };
    await stream(wrapModel(official, [mistralMiddleware()]), { prompt });
    expect(official.requests[0]?.prompt).toEqual(prompt);
  });

  it('splits text from calls with splitTextFromCalls', async () => {
    const prompt = [user('Go.'), assistant(text('I look.'), called('abcdefghi')), tool('abcdefghi')];
    expect(await sent(prompt)).toEqual(prompt);
    expect(await sent(prompt, { splitTextFromCalls: true })).toEqual([
      prompt[0],
      assistant(text('I look.')),
      assistant(called('abcdefghi')),
      prompt[2],
    ]);
  });

  it('is unchanged if the server stores the conversation', async () => {
    const model = scriptedModel(textRound('Hi'));
    const prompt = [tool('abcdefghi'), user('And?')];
    await stream(wrapModel(model, [mistralMiddleware()]), {
      prompt,
      providerOptions: { openai: { previousResponseId: 'resp_1' } },
    });
    expect(model.requests[0]?.prompt).toEqual(prompt);
  });

  it("does not change the caller's history", async () => {
    const prompt = [...whole, user('And?'), assistant(), system('x'), assistant(text('y'))];
    const copy = structuredClone(prompt);
    await sent(prompt);
    expect(prompt).toEqual(copy);
  });
});
