import { describe, expect, it } from 'vitest';
import { withOpaqueItem } from '../_carriers.js';
import { build, inputOf, user } from './_build.js';

const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'e' };
const carrier = (item: Record<string, unknown>) => ({
  type: 'reasoning',
  text: '',
  providerOptions: withOpaqueItem(item),
});
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const text = (value: string) => ({ type: 'text', text: value });
const call = (toolCallId: string, openai: object = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'look',
  input: {},
  providerOptions: { openai },
});
const results = (...ids: string[]) => ({
  role: 'tool',
  content: ids.map(toolCallId => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'look',
    output: { type: 'text', value: 'ok' },
  })),
});
const typesOf = (input: unknown[]) =>
  input.map(item => {
    const { type, role, call_id: callId } = item as Record<string, string>;
    return [role ?? type, callId].filter(Boolean).join(' ');
  });

describe('an item without a function form', () => {
  const program = { type: 'program', id: 'cm_1', call_id: 'call_p', code: 'look()', fingerprint: 'f' };
  const prompt = [
    user('a'),
    assistant(
      carrier({ ...program, created_by: 'x' }),
      call('c1', { caller: { type: 'program', callerId: 'call_p' } }),
    ),
    results('c1'),
    assistant(carrier({ type: 'something_new', id: 'sn_1', data: [1] }), text('b')),
    user('c'),
  ];

  it('is sent unchanged and in place', () => {
    const input = inputOf(prompt);
    expect(input[1]).toEqual(program);
    expect(input[4]).toEqual({ type: 'something_new', id: 'sn_1', data: [1] });
    expect(typesOf(input)).toEqual([
      'user',
      'program call_p',
      'function_call c1',
      'function_call_output c1',
      'something_new',
      'assistant',
      'user',
    ]);
  });

  it('survives JSON', () => {
    expect(inputOf(JSON.parse(JSON.stringify(prompt)) as unknown[])).toEqual(inputOf(prompt));
  });

  it('is sent as a reference, once, if the server has stored it', () => {
    const input = inputOf([...prompt, assistant(carrier(program), text('d')), user('e')], { store: true });
    expect(input.filter(item => (item as { type?: string }).type === 'item_reference')).toEqual([
      { type: 'item_reference', id: 'cm_1' },
      { type: 'item_reference', id: 'sn_1' },
    ]);
    expect(JSON.stringify(input)).not.toContain('fingerprint');
  });

  it('is sent in full without an id, although the server stores items', () => {
    const item = { type: 'something_new', data: 1 };
    expect(inputOf([user('a'), assistant(carrier(item), text('b'))], { store: true })).toContainEqual(item);
  });

  it('follows reasoning, which stays', () => {
    const reasoning = {
      type: 'reasoning',
      text: 'hm',
      providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'r' } },
    };
    expect(typesOf(inputOf([user('a'), assistant(reasoning, carrier(program)), user('b')]))).toEqual([
      'user',
      'reasoning',
      'program call_p',
      'user',
    ]);
  });

  it('of another API is not sent, with a warning', () => {
    const custom = { type: 'reasoning', text: '', providerOptions: { kelivo: { custom: 'google.thing' } } };
    const { body, warnings } = build({ prompt: [user('a'), assistant(custom, text('b'))] as never });
    expect(typesOf(body.input)).toEqual(['user', 'assistant']);
    expect(warnings).toEqual([
      { type: 'other', message: 'Assistant content of type "google.thing" is not supported and not sent.' },
    ]);
  });
});

describe('a compaction', () => {
  it.each(['openai', 'azure'])('of the official provider is sent as an item (%s)', namespace => {
    const custom = {
      type: 'custom',
      kind: 'openai.compaction',
      providerOptions: { [namespace]: { type: 'compaction', itemId: 'cmp_1', encryptedContent: 'e' } },
    };
    expect(inputOf([assistant(custom, text('b')), user('c')])[0]).toEqual(compaction);
  });

  it.each([false, true])('replaces the items before it, but not the instructions (store %s)', store => {
    const prompt = [
      { role: 'system', content: 's' },
      user('a'),
      assistant(call('c1')),
      results('c1'),
      assistant(text('b'), carrier({ ...compaction, id: 'cmp_0' }), text('c')),
      user('d'),
      assistant(text('e'), carrier(compaction), call('c2')),
      results('c2'),
      user('f'),
    ];
    const input = inputOf(prompt, { store });
    expect(input[1]).toEqual(store ? { type: 'item_reference', id: 'cmp_1' } : compaction);
    expect(typesOf(input)).toEqual([
      'developer',
      store ? 'item_reference' : 'compaction',
      'function_call c2',
      'function_call_output c2',
      'user',
    ]);
  });

  it('keeps the calls and programs that later items refer to, with their reasoning', () => {
    const reasoning = {
      type: 'reasoning',
      text: 'hm',
      providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'r' } },
    };
    const program = { type: 'program', id: 'cm_1', call_id: 'call_p', code: '', fingerprint: 'f' };
    const caller = { caller: { type: 'program', callerId: 'call_p' } };
    const prompt = [
      user('a'),
      assistant(reasoning, carrier(program), call('c1', caller), carrier(compaction), call('c2')),
      results('c1', 'c2'),
    ];
    expect(typesOf(inputOf(prompt))).toEqual([
      'reasoning',
      'program call_p',
      'function_call c1',
      'compaction',
      'function_call c2',
      'function_call_output c1',
      'function_call_output c2',
    ]);
  });

  it('removes nothing if the server has the conversation', () => {
    const input = build({
      prompt: [
        user('a'),
        assistant(text('b')),
        user('c'),
        assistant(carrier(compaction)),
        user('d'),
      ] as never,
      providerOptions: { openai: { previousResponseId: 'resp_1' } },
    }).body.input;
    expect(typesOf(input)).toEqual(['user']);
  });
});

describe('a call of a program', () => {
  const caller = { caller: { type: 'program', callerId: 'call_p' }, namespace: 'crm' };
  const wire = { caller: { type: 'program', caller_id: 'call_p' } };

  it('has its caller and namespace, and its output the caller', () => {
    const [, sent, output] = inputOf([user('a'), assistant(call('c1', caller)), results('c1')]);
    expect(sent).toMatchObject({ type: 'function_call', namespace: 'crm', ...wire });
    expect(output).toMatchObject({ type: 'function_call_output', ...wire });
    expect(output).not.toHaveProperty('namespace');
  });

  it('of a direct caller says so', () => {
    const input = inputOf([user('a'), assistant(call('c1', { caller: { type: 'direct' } })), results('c1')]);
    expect(input.slice(1)).toMatchObject([{ caller: { type: 'direct' } }, { caller: { type: 'direct' } }]);
  });

  it('names the caller of an output whose call the server has', () => {
    const input = build({
      prompt: [user('a'), assistant(call('c1', caller)), results('c1')] as never,
      providerOptions: { openai: { conversation: 'conv_1' } },
    }).body.input;
    expect(input).toMatchObject([{ type: 'function_call_output', call_id: 'c1', ...wire }]);
  });

  it('that was denied has the denial as its output', () => {
    const denied = { type: 'execution-denied', reason: 'No.' };
    const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: denied };
    const input = inputOf([user('a'), assistant(call('c1', caller)), { role: 'tool', content: [result] }]);
    expect(input[2]).toMatchObject({ output: 'No.', ...wire });
  });

  it('of a custom tool has its caller as well', () => {
    const { body } = build({
      tools: [{ type: 'provider-defined', id: 'openai.custom', name: 'look', args: {} }],
      prompt: [user('a'), assistant({ ...call('c1', caller), input: 'SELECT 1' }), results('c1')] as never,
    });
    expect(body.input.slice(1)).toMatchObject([
      { type: 'custom_tool_call', namespace: 'crm', ...wire },
      { type: 'custom_tool_call_output', ...wire },
    ]);
  });
});

describe('the assistant', () => {
  it('repeats the full text of reasoning as content', () => {
    const reasoning = (channel?: string) => ({
      type: 'reasoning',
      text: 'hm',
      providerOptions: {
        openai: { itemId: `rs_${channel}` },
        ...(channel !== undefined && { kelivo: { reasoningChannel: channel } }),
      },
    });
    const { body, warnings } = build({
      prompt: [
        user('a'),
        assistant(reasoning('text'), text('b')),
        assistant(reasoning(), text('c')),
      ] as never,
    });
    expect(body.input[1]).toEqual({
      type: 'reasoning',
      id: 'rs_text',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'hm' }],
    });
    expect(typesOf(body.input)).toEqual(['user', 'reasoning', 'assistant', 'assistant']);
    expect(warnings).toHaveLength(1);
  });

  it('repeats commentary and the messages of other agents as messages', () => {
    const agent = { agent_name: '/root/helper' };
    const prompt = [
      assistant({
        type: 'reasoning',
        text: 'I look.',
        providerOptions: {
          openai: { itemId: 'msg_1', phase: 'commentary' },
          kelivo: { commentary: true, agent },
        },
      }),
    ];
    expect(inputOf(prompt)).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'I look.' }],
        phase: 'commentary',
        agent,
      },
    ]);
  });
});

describe('a file reference', () => {
  const file = (reference: object) => ({
    role: 'user',
    content: [{ type: 'file', mediaType: 'image/png', data: { type: 'reference', reference } }],
  });

  it.each([
    [{ openai: 'file-2', acme: 'file-1' }, 'file-1'],
    [{ azure: 'file-3', openai: 'file-2' }, 'file-2'],
    [{ azure: 'file-3', other: 'file-4' }, 'file-3'],
  ])('%j is the file %s', (reference, id) => {
    expect(inputOf([file(reference)], { providerName: 'acme' })).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_image', file_id: id }] },
    ]);
  });

  it('to another provider is rejected with the names that it has', () => {
    expect(() => inputOf([file({ google: 'x', xai: 'y' })], { providerName: 'acme' })).toThrow(
      'Expected a file reference with an id for acme or kelivo or openai or azure, got ids for google, xai.',
    );
  });
});
