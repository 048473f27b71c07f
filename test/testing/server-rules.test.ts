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
  ['llamacpp', { ...output, output: picture.content }, 400, "Output of tool call should be 'Input text'"],
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
      output,
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
