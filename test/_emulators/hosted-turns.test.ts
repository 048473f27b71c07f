import { describe, expect, it } from 'vitest';
import {
  outputFor,
  outputOf,
  post,
  startEmulator,
  stream,
  textOf,
  tool,
  user,
} from '../testing/_emulator.js';

type Json = Record<string, unknown>;

const weather = tool('get_weather', { city: { type: 'string' } });
const question = user('Weather in Oslo?');
const typesOf = (items: readonly Json[]) => items.map(({ type }) => type);

/** Starts an emulator, and returns a function that posts input and returns the output or the error. */
async function start(settings: Json) {
  const emulator = await startEmulator();
  return async (...input: unknown[]) => {
    const { status, json } = await post(emulator, { body: { model: 'gpt-4o', ...settings, input } });
    return { status, json, output: status === 200 ? outputOf(json) : [], error: json.error };
  };
}

describe('compaction', () => {
  const settings = {
    store: false,
    tools: [weather],
    context_management: [{ type: 'compaction', compact_threshold: 1000 }],
  };
  const long = 'sunny '.repeat(800);

  it('precedes the next item once the threshold is passed, and replaces the items before it', async () => {
    const send = await start({ ...settings, tools: [weather, tool('get_time')] });
    const message = user('Get the weather in Oslo, then get the time');
    const [first] = (await send(message)).output;
    const { output } = await send(message, first, outputFor(first, long));
    expect(typesOf(output)).toEqual(['compaction', 'function_call']);
    const [compaction, second] = output;
    const third = await send(compaction, second, outputFor(second, 'noon'));
    expect(textOf(third.json)).toContain('The tool get_time returned: noon');
    expect(textOf(third.json)).toContain('The tool get_weather returned: sunny');
  });

  it('is rejected with unknown contents, and without the call that followed it', async () => {
    const send = await start({ ...settings, tools: [weather, tool('get_time')] });
    const message = user('Get the weather in Oslo, then get the time');
    const [first] = (await send(message)).output;
    const [compaction, second] = (await send(message, first, outputFor(first, long))).output;
    expect(await send({ ...compaction, encrypted_content: 'gAAAAforeign' }, message)).toMatchObject({
      status: 400,
      error: { code: 'invalid_encrypted_content' },
    });
    expect(await send(compaction, outputFor(second, 'noon'))).toMatchObject({
      error: { message: `No tool call found for function call output with call_id ${second?.call_id}.` },
    });
  });

  it('follows a trigger, which is the last item', async () => {
    const send = await start({ store: false });
    const { output } = await send(question, { type: 'compaction_trigger' });
    expect(typesOf(output)).toEqual(['compaction']);
    expect(await send({ type: 'compaction_trigger' }, question)).toMatchObject({ status: 400 });
  });

  it('is streamed with the event that announces it', async () => {
    const emulator = await startEmulator();
    const events = await stream(emulator, {
      model: 'gpt-4o',
      input: [question, { type: 'compaction_trigger' }],
    });
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.compaction.compacting',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('excludes truncation and changes of the configuration', async () => {
    const send = await start({ ...settings, truncation: 'auto' });
    expect(await send(question)).toMatchObject({ status: 400, error: { param: 'context_management' } });
    const update = { type: 'configuration_update', reasoning: { effort: 'low' } };
    const sendUpdate = await start(settings);
    expect(await sendUpdate(update, question)).toMatchObject({ status: 400 });
    const sendUpdates = await start({});
    expect(await sendUpdates(update, update, question)).toMatchObject({
      error: { message: 'Configuration updates cannot be consecutive.' },
    });
  });
});

describe('a program', () => {
  const settings = {
    store: false,
    tools: [{ ...weather, allowed_callers: ['programmatic'] }, { type: 'programmatic_tool_calling' }],
  };

  it('makes calls, and reports its output', async () => {
    const send = await start(settings);
    const { output } = await send(question);
    expect(output).toMatchObject([
      { type: 'program', fingerprint: expect.any(String) },
      { type: 'function_call', caller: { type: 'program', caller_id: output[0]?.call_id } },
    ]);
    const [program, call] = output;
    const answer = { ...outputFor(call, 'sunny'), caller: call?.caller };
    const second = await send(question, program, call, answer);
    expect(second.output).toMatchObject([
      { type: 'program_output', call_id: program?.call_id, result: '["sunny"]' },
      { type: 'message' },
    ]);
    expect((await send(question, program, call, answer, ...second.output, user('Thanks'))).status).toBe(200);
  });

  it('requires its caller in the call and in the output, and the program', async () => {
    const send = await start(settings);
    const [program, call] = (await send(question)).output;
    const answer = { ...outputFor(call, 'sunny'), caller: call?.caller };
    const refuse = async (...input: unknown[]) => (await send(question, ...input)).error;
    expect(await refuse(program, call, outputFor(call, 'sunny'))).toMatchObject({
      message: expect.stringContaining('does not match the caller of its call'),
    });
    const { caller: _, ...direct } = call ?? {};
    expect(await refuse(program, direct, outputFor(call, 'sunny'))).toMatchObject({
      message: expect.stringContaining("Invalid 'caller'"),
    });
    expect(await refuse(call, answer)).toMatchObject({
      message: expect.stringContaining('No program found'),
    });
  });
});

describe('tool search', () => {
  const deferred = { ...weather, defer_loading: true };

  it('loads deferred functions of a namespace before they are called', async () => {
    const namespace = { type: 'namespace', name: 'outside', description: 'd', tools: [deferred] };
    const settings = { store: false, tools: [namespace, { type: 'tool_search' }] };
    const send = await start(settings);
    const { output } = await send(question);
    expect(output).toMatchObject([
      { type: 'tool_search_call', call_id: null, execution: 'server' },
      {
        type: 'tool_search_output',
        call_id: null,
        tools: [{ type: 'namespace', name: 'outside', tools: [{ name: 'get_weather' }] }],
      },
      { type: 'function_call', name: 'get_weather', namespace: 'outside' },
    ]);
    const [search, found, call] = output;
    expect((await send(question, search, found, call, outputFor(call, 'sunny'))).status).toBe(200);
    const { namespace: _, ...plain } = call ?? {};
    expect((await send(question, search, found, plain, outputFor(call, 'sunny'))).error).toMatchObject({
      message: expect.stringContaining("Invalid 'namespace'"),
    });
    expect((await send(question, search, call, outputFor(call, 'sunny'))).error).toMatchObject({
      message: 'No tool output found for tool search call null.',
    });
  });

  it('of the client waits for its output', async () => {
    const send = await start({
      store: false,
      tools: [deferred, { type: 'tool_search', execution: 'client' }],
    });
    const [search] = (await send(question)).output;
    expect(search).toMatchObject({
      type: 'tool_search_call',
      execution: 'client',
      call_id: expect.any(String),
    });
    const found = {
      type: 'tool_search_output',
      call_id: search?.call_id,
      execution: 'client',
      status: 'completed',
      tools: [weather],
    };
    expect((await send(question, search)).error).toMatchObject({
      message: `No tool output found for tool search call ${search?.call_id}.`,
    });
    expect(typesOf((await send(question, search, found)).output)).toEqual(['function_call']);
  });
});

it('edits an image that an earlier turn generated', async () => {
  const send = await start({ tools: [{ type: 'image_generation' }] });
  const draw = user('Draw a cat');
  const [image, text] = (await send(draw)).output;
  expect(image).toMatchObject({
    type: 'image_generation_call',
    action: 'generate',
    result: expect.any(String),
  });
  const reference = { type: 'item_reference', id: image?.id };
  const edited = await send(draw, reference, text, user('Make it bluer'));
  expect(edited.output[0]).toMatchObject({ action: 'edit' });
  expect((await send(draw, image, text, user('Make it bluer'))).output[0]).toMatchObject({ action: 'edit' });
});

it('sends commentary before an answer on demand', async () => {
  const emulator = await startEmulator();
  emulator.enqueue([
    { text: 'Looking.', phase: 'commentary' },
    { text: '{}', phase: 'final_answer' },
  ]);
  const { json } = await post(emulator, { body: { model: 'gpt-5.6', input: 'Hi' } });
  expect(outputOf(json)).toMatchObject([{ phase: 'commentary' }, { phase: 'final_answer' }]);
});
