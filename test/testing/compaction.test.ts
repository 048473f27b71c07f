import { describe, expect, it } from 'vitest';
import { outputFor, outputOf, post, startEmulator, textOf, tool, user } from './_emulator.js';

type Json = Record<string, unknown>;

const model = 'gpt-4o';
const tools = [tool('get_weather', { city: { type: 'string' } })];

describe('POST /responses/compact', () => {
  it('returns the messages of the user and an item that stands for the rest', async () => {
    const emulator = await startEmulator();
    const send = (input: unknown[]) => post(emulator, { body: { model, store: false, tools, input } });
    const question = user('Get the weather in Oslo');
    const [call] = outputOf((await send([question])).json);
    const input = [question, call, outputFor(call, 'rain')];
    const { json } = await post(emulator, { path: '/responses/compact', body: { model, input } });
    expect(json).toMatchObject({
      object: 'response.compaction',
      output: [{ type: 'message', ...question }, { type: 'compaction' }],
      usage: { output_tokens: expect.any(Number) },
    });
    const next = await send([...outputOf(json), user('Thank you')]);
    expect(textOf(next.json)).toBe('You said: Thank you');
    // The model still has the output of the tool.
    expect(textOf((await send(outputOf(json))).json)).toContain('get_weather returned: rain');
  });

  it('rejects parameters that it does not have, and invalid input', async () => {
    const emulator = await startEmulator();
    const refuse = async (body: Json) =>
      (await post(emulator, { path: '/responses/compact', body: { model, input: [user('Hi')], ...body } }))
        .json;
    expect(await refuse({ tools })).toMatchObject({ error: { code: 'unknown_parameter', param: 'tools' } });
    expect(await refuse({ input: [{ type: 'compaction' }] })).toMatchObject({
      error: { type: expect.any(String) },
    });
  });
});

describe('the context window', () => {
  it('limits the prompt, which begins with the newest compaction', async () => {
    const emulator = await startEmulator({ contextWindow: 400 });
    const long = user('sunny '.repeat(300));
    const send = (input: unknown[]) => post(emulator, { body: { model, store: false, input } });
    expect(await send([long])).toMatchObject({
      status: 400,
      json: { error: { code: 'context_length_exceeded', param: 'input' } },
    });
    const half = user('sunny '.repeat(150));
    const { json } = await send([half, { type: 'compaction_trigger' }]);
    expect(await send([half, half])).toMatchObject({ status: 400 });
    expect(await send([half, ...outputOf(json), half])).toMatchObject({ status: 200 });
  });
});
