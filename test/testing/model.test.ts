import { describe, expect, it } from 'vitest';
import { outputFor, outputOf, post, startEmulator, textOf, tool, user } from './_emulator.js';

type Json = Record<string, unknown>;

const text = { type: 'string' };
const number = { type: 'number' };
const weather = tool('get_weather', { city: text });
const add = tool('add', { a: number, b: number });
const files = [
  tool('read_file', { path: text }),
  tool('read_multiple_files', { paths: { type: 'array', items: text } }),
  tool('write_file', { path: text, content: text }),
  tool('list_directory', { path: text }),
  tool('get_file_info', { path: text }),
];

/** Returns the calls of a response in short notation. */
async function callsFor(message: string, tools: readonly Json[], settings: Json = {}): Promise<string[]> {
  const emulator = await startEmulator();
  const { json } = await post(emulator, { body: { model: 'gpt-4o', input: message, tools, ...settings } });
  return outputOf(json)
    .filter(({ type }) => type === 'function_call')
    .map(({ name, arguments: input }) => `${name} ${input}`);
}

/** Runs rounds until the model responds with text. `run` returns the output of each call. */
async function converse(message: string, tools: readonly Json[], run: (name: unknown) => unknown) {
  const emulator = await startEmulator();
  const input: Json[] = [user(message)];
  const rounds: unknown[][] = [];
  for (;;) {
    const { json } = await post(emulator, { body: { model: 'gpt-4o', input, tools } });
    const output = outputOf(json);
    const calls = output.filter(({ type }) => type === 'function_call');
    if (calls.length === 0) {
      return { rounds, text: textOf(json) };
    }
    rounds.push(calls.map(({ name }) => name));
    input.push(...output, ...calls.map(call => outputFor(call, run(call.name))));
  }
}

describe('the rule-based model', () => {
  it('calls the tool whose name the message mentions', async () => {
    expect(await callsFor('What is the weather in New York?', [weather, add])).toEqual([
      'get_weather {"city":"New York"}',
    ]);
    expect(await callsFor('Please read the file notes/today.md', files)).toEqual([
      'read_file {"path":"notes/today.md"}',
    ]);
    expect(await callsFor('Write "hello" to the file a.txt', files)).toEqual([
      'write_file {"path":"a.txt","content":"hello"}',
    ]);
    const search = tool('search_files', { pattern: text });
    expect(await callsFor('List the files in "/tmp"', [search, ...files])).toEqual([
      'list_directory {"path":"/tmp"}',
    ]);
    expect(await callsFor('List the directory /tmp/work', files)).toEqual([
      'list_directory {"path":"/tmp/work"}',
    ]);
  });

  it('calls no tool when none fits or when the message forbids it', async () => {
    expect(await callsFor('Hello, how are you?', [weather, add, ...files])).toEqual([]);
    expect(await callsFor('What is the weather in Oslo? Answer without tools.', [weather])).toEqual([]);
  });

  it('matches words with parameters before other tools', async () => {
    const echo = tool('echo', { message: text });
    const annotate = tool('get-annotated-message', { messageType: { enum: ['error', 'debug'] } });
    expect(await callsFor('Echo the message "hi"', [annotate, echo])).toEqual(['echo {"message":"hi"}']);
    expect(await callsFor('Show an annotated debug message', [annotate, echo])).toEqual([
      'get-annotated-message {"messageType":"debug"}',
    ]);
  });

  it('calls only the tools that are named', async () => {
    expect(await callsFor('Use list_directory to find the file in "src"', files)).toEqual([
      'list_directory {"path":"src"}',
    ]);
  });

  it('falls back to the description of a tool', async () => {
    const lookup = tool('lookup_4', {}, 'Finds the capital of a country.');
    expect(await callsFor('What is the capital of France?', [add, lookup])).toEqual(['lookup_4 {}']);
  });

  it('calls several tools at once', async () => {
    const { rounds, text } = await converse(
      'Add 2 and 3 and tell me the weather in Oslo',
      [weather, add],
      name => (name === 'add' ? '5' : 'sunny'),
    );
    expect(rounds).toEqual([['add', 'get_weather']]);
    expect(text).toBe('The tool add returned: 5\nThe tool get_weather returned: sunny');
  });

  it('calls tools one after another when the message requires it', async () => {
    const message = 'First add 2 and 3, then get the weather in Oslo, then add 10 and 20';
    const { rounds } = await converse(message, [weather, add], () => 'done');
    expect(rounds).toEqual([['add'], ['get_weather'], ['add']]);
    expect(await callsFor(message, [weather, add])).toEqual(['add {"a":2,"b":3}']);
  });

  it('calls one tool at a time when parallel calls are off', async () => {
    const message = 'Add 2 and 3 and get the weather in Oslo';
    expect(await callsFor(message, [weather, add], { parallel_tool_calls: false })).toEqual([
      'add {"a":2,"b":3}',
    ]);
  });

  it('follows a forced tool choice', async () => {
    const named = { tool_choice: { type: 'function', name: 'add' } };
    expect(await callsFor('Weather in Oslo, 4 days, 2 nights', [weather, add], named)).toEqual([
      'add {"a":4,"b":2}',
    ]);
    expect(await callsFor('Hello', [weather], { tool_choice: 'required' })).toEqual([
      'get_weather {"city":"Hello"}',
    ]);
    expect(await callsFor('Weather in Oslo', [weather], { tool_choice: 'none' })).toEqual([]);
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'add' }] };
    expect(await callsFor('Add 1 and 2, weather in Oslo', [weather, add], { tool_choice: allowed })).toEqual([
      'add {"a":1,"b":2}',
    ]);
  });

  it('calls a tool again for a new message', async () => {
    const emulator = await startEmulator();
    const first = await post(emulator, {
      body: { model: 'gpt-4o', input: 'Weather in Oslo', tools: [weather] },
    });
    const [call] = outputOf(first.json);
    const history = [
      user('Weather in Oslo'),
      call,
      outputFor(call, 'sunny'),
      user('And the weather in Rome?'),
    ];
    const { json } = await post(emulator, { body: { model: 'gpt-4o', input: history, tools: [weather] } });
    expect(outputOf(json)[0]).toMatchObject({ name: 'get_weather', arguments: '{"city":"Rome"}' });
  });

  it('reports which tool failed', async () => {
    for (const output of ['Error: no such city', '{"error":"no such city"}']) {
      const { text } = await converse('Weather in Oslo', [weather], () => output);
      expect(text).toBe(`The tool get_weather failed: ${output}`);
    }
  });

  it('describes images', async () => {
    const { text } = await converse('Weather in Oslo', [weather], () => [
      { type: 'input_text', text: 'A map' },
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
    ]);
    expect(text).toBe('The tool get_weather returned: A map, an image (image/png)');
  });

  it('refuses on request', async () => {
    const emulator = await startEmulator();
    const { json } = await post(emulator, {
      body: { model: 'gpt-4o', input: 'Please refuse this', tools: [weather] },
    });
    expect(outputOf(json)).toMatchObject([
      { content: [{ type: 'refusal', refusal: "I'm sorry, but I can't help with that." }] },
    ]);
  });

  it('returns JSON that matches the schema', async () => {
    const emulator = await startEmulator();
    const schema = {
      type: 'object',
      properties: { city: text, days: { type: 'integer' } },
      required: ['city', 'days'],
    };
    const format = { type: 'json_schema', name: 'trip', schema };
    const { json } = await post(emulator, {
      body: { model: 'gpt-4o', input: 'Go to Rome for 3 days', text: { format } },
    });
    expect(outputOf(json)).toMatchObject([{ content: [{ text: '{"city":"Rome","days":3}' }] }]);
  });

  it('stops at the output token limit', async () => {
    const emulator = await startEmulator();
    const body = { model: 'gpt-4o', input: 'word '.repeat(50), max_output_tokens: 16 };
    const { json } = await post(emulator, { body });
    expect(json).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(outputOf(json)).toMatchObject([
      { status: 'incomplete', content: [{ text: expect.stringMatching(/^.{64}$/) }] },
    ]);
    const spent = await post(emulator, { body: { ...body, model: 'gpt-5' } });
    expect(outputOf(spent.json).map(({ type }) => type)).toEqual(['reasoning']);
  });
});
