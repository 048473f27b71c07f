import { expect, describe, it } from 'vitest';
import { mistralMiddleware } from '../../src/adapters/mistral.js';
import { wrapModel } from '../../src/adapters/middleware.js';
import { exchangeOf, say, scriptedModel, stream } from '../tool-loop/_scripted-model.js';
import {
  asked,
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
  it('has a word of the assistant between a result and the user', async () => {
    const prompt = await asked([...whole, user('Thanks. And Rome?')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(prompt[3]).toEqual(assistant(text('Understood.')));
    expect((await asked([...whole, user('And?')], { bridge: 'Noted.' }))[3]).toEqual(
      assistant(text('Noted.')),
    );
    expect(rolesOf(await asked([...whole, user('And?')], { bridge: false }))).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  it('has a result for a call that was interrupted', async () => {
    const { outputs } = exchangeOf({
      prompt: await asked([user('Go.'), assistant(called('a'), called('b'))]),
    });
    expect(outputs.map(([, output]) => output)).toEqual([
      expect.stringMatching(/interrupted/),
      expect.stringMatching(/interrupted/),
    ]);
  });

  it('has a call for a result without one, and one result for each', async () => {
    const prompt = await asked([user('Go.'), tool('lost'), assistant(text('Hm.')), user('So?')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    const twice = exchangeOf({ prompt: await asked([...whole, tool(LONG)]) });
    expect(twice.outputs).toHaveLength(1);
  });

  it('tells apart calls of one id', async () => {
    const prompt = await asked([...whole, assistant(text('Again.'), called(LONG)), tool(LONG)]);
    const { calls, outputs } = exchangeOf({ prompt });
    expect(new Set(calls).size).toBe(2);
    expect(outputs.map(([id]) => id)).toEqual(calls);
  });

  it('makes calls like others of those that another provider ran, hosted ones too', async () => {
    const ran = [called(LONG), { ...called('ws_1'), toolName: 'web_search' }].map(part => ({
      ...part,
      providerExecuted: true,
    }));
    const results = [result(LONG), { ...result('ws_1'), toolName: 'web_search' }];
    const prompt = await asked([user('Go.'), assistant(...ran, ...results, text('Sun.')), user('Thanks')]);
    expect(rolesOf(prompt)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(prompt[1]?.content).toEqual([
      expect.objectContaining({ type: 'tool-call', toolName: 'get_weather' }),
      expect.objectContaining({ type: 'tool-call', toolName: 'web_search' }),
    ]);
    const { calls, outputs } = exchangeOf({ prompt });
    expect(calls.every(id => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
    expect(outputs.map(([id]) => id)).toEqual(calls);
  });

  it('leaves calls as they are where that is asked for', async () => {
    const prompt = [user('Go.'), assistant(called('abcdefghi'))];
    expect(await asked(prompt, { pairCalls: false, continuation: false })).toEqual(prompt);
  });

  it('has system messages before the assistant speaks', async () => {
    const prompt = [
      system('One.'),
      user('Hi'),
      system('Two.'),
      assistant(text('Hello')),
      system('Three.'),
      user('Bye'),
    ];
    expect(await asked(prompt)).toEqual([
      system('One.'),
      system('Three.'),
      user('Hi'),
      system('Two.'),
      assistant(text('Hello')),
      user('Bye'),
    ]);
    expect(await asked(prompt, { moveSystem: false })).toEqual(prompt);
    const atEnd = [...whole, system('Be brief.')];
    expect(rolesOf(await asked(atEnd))).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  it('has no message of the assistant without content', async () => {
    const prompt = [user('Hi'), assistant({ type: 'reasoning', text: 'Hm' }, text(' \n')), user('Hello?')];
    expect(await asked(prompt)).toEqual([{ role: 'user', content: [text('Hi'), text('Hello?')] }]);
    expect(await asked(prompt, { dropEmpty: false })).toEqual(prompt);
    expect(rolesOf(await asked([...whole, assistant(), user('And?')]))).toEqual([
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
    const joined = await asked(prompt);
    expect(rolesOf(joined)).toEqual(['user', 'assistant', 'tool']);
    expect(joined[0]).toEqual({ role: 'user', content: [text('a'), text('b')] });
    expect(joined[1]?.content).toMatchObject([text('c'), text('d'), { type: 'tool-call' }]);
    expect(rolesOf(await asked(prompt, { mergeNeighbours: false }))).toEqual(rolesOf(prompt));
  });

  it('does not put into a call’s message what comes after it', async () => {
    const prompt = [user('Go.'), assistant(called('abcdefghi')), assistant(text('Never mind.')), user('Ok')];
    expect(await asked(prompt, { pairCalls: false })).toEqual(prompt);
  });

  it('ends with the user or a tool, but for a message the model is to go on with', async () => {
    const prompt = [user('Count.'), assistant(text('One, two,'))];
    expect(await asked(prompt)).toEqual([...prompt, user('Continue.')]);
    expect(await asked(prompt, { continuation: 'Go on.' })).toEqual([...prompt, user('Go on.')]);
    expect(await asked(prompt, { continuation: false })).toEqual(prompt);
    const prefix = [
      user('Count.'),
      { ...assistant(text('One, ')), providerOptions: { openaiCompatible: { prefix: true } } },
    ];
    expect(await asked(prefix)).toEqual(prefix);
    const official = { ...scriptedModel(say('three')), provider: 'mistral.chat' };
    await stream(wrapModel(official, [mistralMiddleware()]), { prompt });
    expect(official.requests[0]?.prompt).toEqual(prompt);
  });

  it('keeps text and calls apart where that is asked for', async () => {
    const prompt = [user('Go.'), assistant(text('I look.'), called('abcdefghi')), tool('abcdefghi')];
    expect(await asked(prompt)).toEqual(prompt);
    expect(await asked(prompt, { splitTextFromCalls: true })).toEqual([
      prompt[0],
      assistant(text('I look.')),
      assistant(called('abcdefghi')),
      prompt[2],
    ]);
  });

  it('is the server’s where the server keeps the conversation', async () => {
    const model = scriptedModel(say('Hi'));
    const prompt = [tool('abcdefghi'), user('And?')];
    await stream(wrapModel(model, [mistralMiddleware()]), {
      prompt,
      providerOptions: { openai: { previousResponseId: 'resp_1' } },
    });
    expect(model.requests[0]?.prompt).toEqual(prompt);
  });

  it('does not change the history of the caller', async () => {
    const prompt = [...whole, user('And?'), assistant(), system('x'), assistant(text('y'))];
    const copy = structuredClone(prompt);
    await asked(prompt);
    expect(prompt).toEqual(copy);
  });
});
