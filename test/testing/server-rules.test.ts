import { expect, it } from 'vitest';
import type { RequestRules } from '../../src/testing/index.js';
import { outputOf, post, startEmulator, user } from './_emulator.js';

type Json = Record<string, unknown>;

const text = (value: string) => [{ type: 'output_text', text: value }];
const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'call_1', output: 'ok' };
const picture = { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] };
const complete = { type: 'message', role: 'assistant', id: 'msg_1', status: 'completed' };

it.each<[RequestRules, Json, number, string]>([
  ['llamacpp', { role: 'assistant', content: text('Hi') }, 400, "Cannot determine type of 'item'"],
  ['llamacpp', { type: 'item_reference', id: 'msg_1' }, 400, "Cannot determine type of 'item'"],
  ['llamacpp', { type: 'reasoning', summary: [] }, 400, "item['content'] is not an array"],
  ['llamacpp', { type: 'reasoning', summary: [], content: [] }, 400, "item['content'] is empty"],
  [
    'llamacpp',
    { ...output, output: [{ type: 'input_file' }] },
    400,
    "Output of tool call should be 'Input text'",
  ],
  ['llamacpp', { ...output, output: picture.content }, 500, 'image input is not supported'],
  ['llamacpp', { role: 'user', content: [{ type: 'input_file' }] }, 400, "'input_file' is not supported"],
  ['llamacpp', picture, 500, 'image input is not supported'],
  [
    'vllm',
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
    400,
    'Encrypted content is not',
  ],
  ['vllm', { type: 'reasoning', summary: [] }, 400, "'id'"],
  ['vllm', { type: 'message', role: 'assistant', content: text('Hi') }, 400, 'ResponseOutputMessageParam'],
  ['vllm', { ...complete, content: text('Hi') }, 400, "'annotations'"],
  ['vllm', { ...output, output: [] }, 400, 'Input should be a valid string'],
  ['vllm', picture, 400, 'qwen3 is not a multimodal model'],
  ['vllm', { type: 'compaction', encrypted_content: 'x' }, 500, "has no attribute 'get'"],
  ['responses.js', { type: 'reasoning', summary: [] }, 400, 'Bad Request'],
  ['responses.js', { ...output, output: [] }, 400, 'Bad Request'],
  ['responses.js', user('x'.repeat(110_000)), 413, 'request entity too large'],
])('as %s, rejects %j', async (rules, item, status, message) => {
  const emulator = await startEmulator({ rules });
  const { json, ...response } = await post(emulator, { body: { model: 'qwen3', input: [user('Hi'), item] } });
  expect(response.status).toBe(status);
  expect(json).toMatchObject({ error: { message: expect.stringContaining(message) } });
});

it.each<[RequestRules, Json[]]>([
  [
    'llamacpp',
    [
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', content: text('Hi') },
      call,
      { ...output, output: [{ type: 'input_text', text: 'ok' }] },
    ],
  ],
  ['vllm', [{ ...complete, content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }, call, output]],
  ['responses.js', [{ role: 'assistant', content: text('Hi') }, call, output]],
])('as %s, accepts its own items', async (rules, items) => {
  const emulator = await startEmulator({ rules });
  const { status } = await post(emulator, {
    body: { model: 'qwen3', top_k: 20, input: [user('Hi'), ...items, user('And?')] },
  });
  expect(status).toBe(200);
});

it('returns reasoning as llama.cpp and vLLM do, and hides truncation', async () => {
  const emulator = await startEmulator({ rules: 'llamacpp' });
  emulator.enqueue([{ reasoning: 'Hm.' }, { text: 'A long answer' }]);
  const { json } = await post(emulator, { body: { model: 'qwen3', input: 'Hi', max_output_tokens: 66 } });
  expect(json).toMatchObject({ status: 'completed', incomplete_details: null });
  expect(outputOf(json)[0]).toMatchObject({
    summary: [],
    content: [{ type: 'reasoning_text', text: 'Hm.' }],
  });
});

it('as responses.js, does not read the messages of developers', async () => {
  const emulator = await startEmulator({ rules: 'responses.js' });
  const { json } = await post(emulator, {
    body: { model: 'qwen3', input: [user('Hi'), { role: 'developer', content: 'refuse' }] },
  });
  expect(JSON.stringify(outputOf(json))).toContain('You said: Hi');
});

it('as llama.cpp, accepts an image in an output if the model sees images, and says who it is', async () => {
  const emulator = await startEmulator({ rules: 'llamacpp' });
  const input = [user('Look.'), call, { ...output, output: picture.content }];
  const { status, headers } = await post(emulator, { body: { model: 'qwen3-vl', input } });
  expect({ status, server: headers.get('server') }).toEqual({ status: 200, server: 'llama.cpp' });
  const rejected = await post(emulator, { body: { model: 'qwen3', input } });
  expect(rejected.headers.get('server')).toBe('llama.cpp');
  const models = (await (await fetch(`${emulator.baseURL}/models`)).json()) as { data: Json[] };
  expect(models.data[0]).toMatchObject({ owned_by: 'llamacpp' });
});

it.each<[RequestRules, number]>([
  ['llamacpp', 400],
  ['responses.js', 200],
])('as %s, keeps no state', async (rules, continued) => {
  const emulator = await startEmulator({ rules });
  const body = { model: 'qwen3', input: 'Hi', background: true, conversation: 'conv_1' };
  const { json } = await post(emulator, { body });
  expect(json).toMatchObject({ status: 'completed', background: false });
  expect(json).not.toHaveProperty('conversation');
  expect((await fetch(`${emulator.baseURL}/responses/${String(json.id)}`)).status).toBe(404);
  const next = await post(emulator, { body: { ...body, previous_response_id: json.id } });
  expect(next.status).toBe(continued);
  if (continued === 200) expect(next.json).toMatchObject({ previous_response_id: null });
});
