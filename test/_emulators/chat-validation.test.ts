import { describe, expect, it } from 'vitest';
import { post, startEmulator } from '../testing/_emulator.js';

type Json = Record<string, unknown>;

const path = '/chat/completions';
const hello = [{ role: 'user', content: 'Hello' }];
const add = { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } };
const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } };
const withCall = [...hello, { role: 'assistant', content: null, tool_calls: [call] }];
const complete = [...withCall, { role: 'tool', tool_call_id: 'call_1', content: '5' }];

async function send(body: Json): Promise<Json> {
  const emulator = await startEmulator();
  const { status, json } = await post(emulator, {
    path,
    body: { model: 'gpt-4o', messages: hello, ...body },
  });
  return { status, ...(json.error as Json) };
}

describe('a chat request', () => {
  it.each<[string, Json]>([
    ['a history with a call and its result', { messages: complete, tools: [add] }],
    [
      'every kind of content',
      {
        messages: [
          { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
              { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
            ],
          },
        ],
      },
    ],
    ['tool_choice none without tools', { tool_choice: 'none' }],
    ['unknown parameters for a model of another maker', { model: 'qwen3-coder', chat_template_kwargs: {} }],
  ])('is accepted with %s', async (_, body) => {
    expect(await send(body)).toEqual({ status: 200 });
  });

  it.each<[string, Json, string | RegExp, string | null]>([
    ['no model', { model: undefined }, 'you must provide a model parameter', null],
    ['no messages', { messages: undefined }, "Missing required parameter: 'messages'.", 'messages'],
    [
      'an empty list of messages',
      { messages: [] },
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
    ],
    [
      'an unknown role',
      { messages: [{ role: 'bot', content: 'Hi' }] },
      "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
      'messages[0].role',
    ],
    [
      'a user message without content',
      { messages: [{ role: 'user', content: null }] },
      "Invalid value for 'content': expected a string, got null.",
      'messages.[0].content',
    ],
    [
      'content of the Responses API',
      { messages: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
      /^Invalid value: 'input_text'\. Supported values are: 'text', 'image_url'/,
      'messages[0].content[0].type',
    ],
    [
      'a call without a result',
      { messages: [...withCall, ...hello] },
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
      'messages.[1].role',
    ],
    [
      'a call without a result at the end',
      { messages: withCall },
      /did not have response messages: call_1$/,
      'messages.[1].role',
    ],
    [
      'a result without a call',
      { messages: [...hello, { role: 'tool', tool_call_id: 'call_1', content: '5' }] },
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      'messages.[1].role',
    ],
    [
      'a duplicate result',
      { messages: [...complete, { role: 'tool', tool_call_id: 'call_1', content: '5' }] },
      /must be a response to a preceeding message/,
      'messages.[3].role',
    ],
    [
      'an id of 41 characters',
      { messages: [...hello, { role: 'assistant', tool_calls: [{ ...call, id: 'c'.repeat(41) }] }] },
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
      'messages[1].tool_calls[0].id',
    ],
    [
      'a dotted name in a call',
      {
        messages: [
          ...hello,
          { role: 'assistant', tool_calls: [{ ...call, function: { name: 'a.b', arguments: '{}' } }] },
        ],
      },
      /^Invalid 'messages\[1\]\.tool_calls\[0\]\.function\.name': string does not match pattern\./,
      'messages[1].tool_calls[0].function.name',
    ],
    ['a list of no tools', { tools: [] }, /^Invalid 'tools': empty array\./, 'tools'],
    [
      'a dotted name of a tool',
      { tools: [{ type: 'function', function: { name: 'a.b' } }] },
      /^Invalid 'tools\[0\]\.function\.name': string does not match pattern\./,
      'tools[0].function.name',
    ],
    [
      'tool_choice without tools',
      { tool_choice: 'auto' },
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
    ],
    [
      'a choice of an undeclared tool',
      { tools: [add], tool_choice: { type: 'function', function: { name: 'sub' } } },
      "Invalid value for 'tool_choice': no function named 'sub' was specified in the 'tools' parameter.",
      'tool_choice',
    ],
    [
      'stream options without a stream',
      { stream_options: { include_usage: true } },
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    ],
    [
      'json_object without the word "json"',
      { response_format: { type: 'json_object' } },
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      'messages',
    ],
    [
      'a schema without a name',
      { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
      "Missing required parameter: 'response_format.json_schema.name'.",
      'response_format.json_schema.name',
    ],
    ['a parameter of another API', { input: 'Hi' }, 'Unrecognized request argument supplied: input', null],
    [
      'max_tokens for a reasoning model',
      { model: 'gpt-5', max_tokens: 100 },
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
    ],
    [
      'a temperature for a reasoning model',
      { model: 'gpt-5', temperature: 0.5 },
      "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
      'temperature',
    ],
  ])('is rejected with %s', async (_, body, message, param) => {
    const error = await send(body);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param });
    expect(error.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  it('is not validated without rules', async () => {
    const emulator = await startEmulator({ rules: 'none' });
    const { status } = await post(emulator, {
      path,
      body: { model: 'gpt-4o', messages: withCall, tools: [] },
    });
    expect(status).toBe(200);
  });
});
