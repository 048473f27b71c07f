import { describe, expect, it } from 'vitest';
import type { MistralRules } from './mistral-rules.js';
import { post, startEmulator, toEvents, user } from '../testing/_emulator.js';

type Json = Record<string, unknown>;

const hello = { role: 'user', content: 'Hello' };
const done = { role: 'assistant', content: 'Done.' };
const call = (id: string | undefined, name = 'add') => ({ id, function: { name, arguments: '{}' } });
const calling = (...calls: Json[]) => ({ role: 'assistant', content: '', tool_calls: calls });
const result = (id: string | undefined, name?: string) => ({
  role: 'tool',
  content: '5',
  tool_call_id: id,
  name,
});

async function send(
  messages: Json[],
  { tools, rules = 'mistral' }: { tools?: Json[]; rules?: MistralRules } = {},
) {
  const emulator = await startEmulator({ rules });
  const { status, json } = await post(emulator, {
    path: '/chat/completions',
    body: { model: 'mistral-small-latest', messages, tools },
  });
  return { status, ...json };
}

describe("a conversation under Mistral's rules", () => {
  it.each<[string, Json[]]>([
    ['a first message', [hello]],
    ['calls, results and a response', [hello, calling(call('abcDEF123')), result('abcDEF123', 'add')]],
    [
      'text next to a call',
      [hello, { ...calling(call('abcDEF123')), content: 'Let me see.' }, result('abcDEF123')],
    ],
    ['a prefix at the end', [hello, { role: 'assistant', content: 'Well,', prefix: true }]],
    [
      'a system message at the start and after a user',
      [{ role: 'system', content: 'Hi' }, hello, { role: 'system', content: 'Hi' }, hello],
    ],
    ['two users in a row', [hello, hello]],
    [
      'an assistant between tool and user',
      [hello, calling(call('abcDEF123')), result('abcDEF123'), done, hello],
    ],
  ])('accepts %s', async (_, messages) => {
    expect(await send(messages)).toMatchObject({ status: 200, object: 'chat.completion' });
  });

  const order = { type: 'invalid_request_message_order', code: '3230' };
  const body = { type: 'invalid_request_assistant_message', code: '3240' };
  const invalid = { type: 'invalid_function_call', code: '3280' };

  it.each<[string, Json[], string, Json]>([
    ['no message', [], 'Conversation must have at least one message', order],
    ['an assistant alone', [done], 'Conversation must start with a user message or system message', order],
    [
      'an assistant at the end',
      [hello, done],
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      order,
    ],
    [
      'a user after a tool',
      [hello, calling(call('abcDEF123')), result('abcDEF123'), hello],
      "Unexpected role 'user' after role 'tool'",
      order,
    ],
    ['a tool after a user', [hello, result('abcDEF123')], "Unexpected role 'tool' after role 'user'", order],
    [
      'a system message after an assistant',
      [hello, done, { role: 'system', content: 'Hi' }, hello],
      "Unexpected role 'system' after role 'assistant'",
      order,
    ],
    [
      'fewer results than calls',
      [hello, calling(call('abcDEF123'), call('abcDEF124')), result('abcDEF123')],
      'Not the same number of function calls and responses',
      order,
    ],
    [
      'a response before the results',
      [hello, calling(call('abcDEF123')), done, hello],
      'Not the same number of function calls and responses',
      order,
    ],
    [
      'a duplicate result',
      [hello, calling(call('abcDEF123')), result('abcDEF123'), result('abcDEF123')],
      'Duplicate tool call id abcDEF123 in tool results',
      order,
    ],
    [
      'a result of another call',
      [hello, calling(call('abcDEF123')), result('abcDEF999')],
      'Unexpected tool call id abcDEF999 in tool results',
      order,
    ],
    [
      'one id for two calls',
      [hello, calling(call('abcDEF123'), call('abcDEF123')), result('abcDEF123')],
      'Duplicate tool call id abcDEF123 in assistant message',
      order,
    ],
    [
      'an empty assistant message',
      [hello, { role: 'assistant', content: '' }, hello],
      'Assistant message must have either content or tool_calls, but not none.',
      body,
    ],
    [
      'a prefix in the middle',
      [hello, { ...done, prefix: true }, hello],
      'Assistant message with prefix True must be last message',
      body,
    ],
    [
      'a long id',
      [hello, calling(call('call_0123456789')), result('call_0123456789')],
      'Tool call id was call_0123456789 but must be a-z, A-Z, 0-9, with a length of 9.',
      invalid,
    ],
    [
      'an underscore in an id',
      [hello, calling(call('call_1234')), result('call_1234')],
      'Tool call id was call_1234 but must be a-z, A-Z, 0-9, with a length of 9.',
      invalid,
    ],
    [
      'no id',
      [hello, calling(call(undefined)), result(undefined)],
      'Tool call id has to be defined in serving mode.',
      invalid,
    ],
    [
      'a name with a dot',
      [hello, calling(call('abcDEF123', 'a.b')), result('abcDEF123')],
      'Function name was a.b but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.',
      invalid,
    ],
  ])('rejects %s', async (_, messages, message, kind) => {
    expect(await send(messages)).toEqual({ status: 400, object: 'error', message, param: null, ...kind });
  });

  it('rejects a tool with a dot in its name', async () => {
    const tools = [{ type: 'function', function: { name: 'a.b', parameters: {} } }];
    expect(await send([hello], { tools })).toMatchObject({
      message: expect.stringMatching(/^Function name was a\.b/),
    });
  });

  it('rejects text next to a call for older models', async () => {
    const messages = [hello, { ...calling(call('abcDEF123')), content: 'Let me see.' }, result('abcDEF123')];
    expect(await send(messages, { rules: 'mistral-v3' })).toMatchObject({
      status: 400,
      message: 'Assistant message must have either content or tool_calls, but not both.',
      ...body,
    });
  });
});

describe('a Mistral model', () => {
  const tools = [
    { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } },
  ];
  const request = { model: 'mistral-small-latest', messages: [{ role: 'user', content: 'add' }], tools };

  it('creates ids of nine characters', async () => {
    const emulator = await startEmulator({
      rules: modelId => (modelId.startsWith('mistral') ? 'mistral' : undefined),
    });
    const idOf = async (model: string) => {
      const { json } = await post(emulator, { path: '/chat/completions', body: { ...request, model } });
      return (json.choices as { message: { tool_calls: { id: string }[] } }[])[0]?.message.tool_calls[0]?.id;
    };
    expect(await idOf('mistral-small-latest')).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(await idOf('gpt-4o')).toMatch(/^call_/);
  });

  it('streams complete calls and always the usage', async () => {
    const emulator = await startEmulator({ rules: 'mistral' });
    const { text } = await post(emulator, { path: '/chat/completions', body: { ...request, stream: true } });
    const chunks = text.split('\n\n').filter(Boolean);
    expect(chunks.at(-1)).toBe('data: [DONE]');
    expect(JSON.parse(chunks.at(-2)?.slice(6) ?? '')).toMatchObject({
      choices: [
        {
          delta: { tool_calls: [{ index: 0, function: { name: 'add', arguments: '{}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    });
  });

  it('returns reasoning as parts of its content', async () => {
    const emulator = await startEmulator({ rules: 'mistral' });
    emulator.enqueue([{ reasoning: 'Hm.' }, { text: 'Yes.' }]);
    const { json } = await post(emulator, {
      path: '/chat/completions',
      body: { ...request, tools: undefined },
    });
    expect(json.choices).toMatchObject([
      {
        message: {
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
            { type: 'text', text: 'Yes.' },
          ],
        },
      },
    ]);
  });
});

describe("the Responses API under Mistral's rules", () => {
  const callItem = (id: string) => ({ type: 'function_call', call_id: id, name: 'add', arguments: '{}' });
  const outputItem = (id: string) => ({ type: 'function_call_output', call_id: id, output: '5' });
  const said = { role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] };

  async function respond(input: Json[]) {
    const emulator = await startEmulator({ rules: 'mistral' });
    const { status, json } = await post(emulator, { body: { model: 'mistral-small-latest', input } });
    return { status, error: json.error };
  }

  it('joins the calls of one response to one message', async () => {
    const input = [
      user('Hi'),
      said,
      callItem('abcDEF123'),
      callItem('abcDEF124'),
      outputItem('abcDEF124'),
      outputItem('abcDEF123'),
    ];
    expect(await respond(input)).toEqual({ status: 200, error: null });
  });

  it.each<[string, Json[], string]>([
    [
      'a long id',
      [user('Hi'), callItem('call_0123456789'), outputItem('call_0123456789')],
      'Tool call id was call_0123456789 but must be a-z, A-Z, 0-9, with a length of 9.',
    ],
    [
      'a user after a tool',
      [user('Hi'), callItem('abcDEF123'), outputItem('abcDEF123'), user('Go on')],
      "Unexpected role 'user' after role 'tool'",
    ],
  ])('rejects %s as vLLM does', async (_, input, message) => {
    expect(await respond(input)).toEqual({
      status: 400,
      error: { message, type: 'BadRequestError', param: null, code: 400 },
    });
  });

  it('creates call ids of nine characters', async () => {
    const emulator = await startEmulator({ rules: 'mistral' });
    const tools = [{ type: 'function', name: 'add', parameters: { type: 'object', properties: {} } }];
    const { text } = await post(emulator, { body: { model: 'm', input: 'add', tools, stream: true } });
    const done = toEvents(text).find(({ type }) => type === 'response.output_item.done');
    expect((done?.item as Json).call_id).toMatch(/^[a-zA-Z0-9]{9}$/);
  });
});
