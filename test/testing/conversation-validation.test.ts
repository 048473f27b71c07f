import { describe, expect, it } from 'vitest';
import { outputFor, outputOf, post, startEmulator, tool, user } from './_emulator.js';

type Json = Record<string, unknown>;

const reasoningModel = { model: 'gpt-5', store: false, include: ['reasoning.encrypted_content'] };
const weather = tool('get_weather', { city: { type: 'string' } });

/** Runs a first round and returns the response to a question about the weather. */
async function askWeather(settings: Json = reasoningModel) {
  const emulator = await startEmulator();
  const question = user('Weather in Oslo?');
  const { json } = await post(emulator, { body: { ...settings, input: [question], tools: [weather] } });
  const [reasoning, call] = outputOf(json);
  const send = async (...input: (Json | undefined)[]) => {
    const response = await post(emulator, { body: { ...settings, input, tools: [weather] } });
    return { status: response.status, ...(response.json.error as Json | undefined) };
  };
  return { question, reasoning, call, output: outputFor(call, 'sunny'), responseId: json.id, send };
}

describe('reasoning in a conversation', () => {
  it('is accepted unchanged, with and without ids', async () => {
    const { question, reasoning, call, output, send } = await askWeather();
    expect(reasoning).toMatchObject({
      type: 'reasoning',
      encrypted_content: expect.stringMatching(/^gAAAAA/),
    });
    expect((await send(question, reasoning, call, output)).status).toBe(200);
    const bare = [reasoning, call].map(item => ({ ...item, id: undefined }));
    expect((await send(question, ...bare, output)).status).toBe(200);
    expect((await send(question, { ...call, id: undefined }, output)).status).toBe(200);
  });

  it('is not found without encrypted content', async () => {
    const { question, reasoning, call, output, send } = await askWeather();
    const bare = { ...reasoning, encrypted_content: undefined };
    expect(await send(question, bare, call, output)).toMatchObject({
      status: 404,
      message: expect.stringContaining(`Item with id '${reasoning?.id}' not found.`),
    });
  });

  it('is rejected with encrypted content of another server or another item', async () => {
    const { question, reasoning, call, output, send } = await askWeather();
    const foreign = { ...reasoning, encrypted_content: 'gAAAAAforeign' };
    expect(await send(question, foreign, call, output)).toMatchObject({
      status: 400,
      code: 'invalid_encrypted_content',
      message: expect.stringContaining(`for item ${reasoning?.id} could not be verified.`),
    });
    expect(
      await send(question, { ...reasoning, id: 'rs_other' }, { ...call, id: undefined }, output),
    ).toMatchObject({
      message: expect.stringContaining('item_id did not match the target item id'),
    });
  });

  it('is rejected without the item that followed it', async () => {
    const { question, reasoning, send } = await askWeather();
    expect(await send(question, reasoning, user('And now?'))).toMatchObject({
      status: 400,
      message: `Item '${reasoning?.id}' of type 'reasoning' was provided without its required following item.`,
    });
  });

  it('is rejected before a message without an id if it is stored and has one', async () => {
    const message = { type: 'message', role: 'assistant', content: 'Sunny.' };
    const stored = await askWeather({ ...reasoningModel, store: true });
    const { question, reasoning } = stored;
    expect(await stored.send(question, reasoning, message)).toMatchObject({
      status: 400,
      message: expect.stringContaining('provided without its required following item'),
    });
    expect((await stored.send(question, { ...reasoning, id: undefined }, message)).status).toBe(200);
    expect((await stored.send(question, reasoning, { ...message, id: 'msg_1' })).status).toBe(200);
    const { question: other, reasoning: unstored, send } = await askWeather();
    expect((await send(other, unstored, message)).status).toBe(200);
  });

  it('is required by a call that keeps its id', async () => {
    const { question, reasoning, call, output, send } = await askWeather();
    expect(await send(question, call, output)).toMatchObject({
      status: 400,
      message: `Item '${call?.id}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning?.id}'.`,
    });
  });

  it('can be referenced if it is stored', async () => {
    const { question, reasoning, call, output, send } = await askWeather({ model: 'gpt-5' });
    const references = [reasoning, call].map(item => ({ type: 'item_reference', id: item?.id }));
    expect((await send(question, ...references, output)).status).toBe(200);
  });

  it('is restored with the previous response', async () => {
    const emulator = await startEmulator();
    const first = await post(emulator, {
      body: { model: 'gpt-5', input: 'Weather in Oslo?', tools: [weather] },
    });
    const [, call] = outputOf(first.json);
    const body = { model: 'gpt-5', previous_response_id: first.json.id, tools: [weather] };
    const second = await post(emulator, { body: { ...body, input: [outputFor(call, 'sunny')] } });
    expect(outputOf(second.json).at(-1)).toMatchObject({
      content: [{ text: 'The tool get_weather returned: sunny' }],
    });
    const incomplete = await post(emulator, { body: { ...body, input: 'And?' } });
    expect(incomplete.json).toMatchObject({
      error: { message: expect.stringContaining('No tool output found') },
    });
    const unknown = await post(emulator, {
      body: { ...body, previous_response_id: 'resp_1', input: 'And?' },
    });
    expect(unknown.json).toMatchObject({ error: { code: 'previous_response_not_found' } });
  });
});
