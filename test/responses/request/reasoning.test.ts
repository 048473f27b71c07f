import { describe, expect, it } from 'vitest';
import { build, inputOf, user } from './_build.js';

const reasoningPart = (text: string, metadata?: object, namespace = 'openai') => ({
  type: 'reasoning',
  text,
  ...(metadata && { providerOptions: { [namespace]: metadata } }),
});
const encrypted = (itemId: string | undefined, reasoningEncryptedContent: string | null) => ({
  ...(itemId !== undefined && { itemId }),
  reasoningEncryptedContent,
});
const textPart = { type: 'text', text: 'a' };
const sentText = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] };
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const item = (id: string | undefined, content: string, ...summary: string[]) => ({
  type: 'reasoning',
  ...(id !== undefined && { id }),
  encrypted_content: content,
  summary: summary.map(text => ({ type: 'summary_text', text })),
});
const noContent =
  'Reasoning parts without encrypted content are not supported when store is false. Skipping reasoning parts.';
const messagesOf = (prompt: unknown[]) =>
  build({ prompt: prompt as never }).warnings.map(warning => 'message' in warning && warning.message);

describe('replayed reasoning', () => {
  it.each<[string, unknown[], unknown[]]>([
    [
      'joins the parts of one item and uses the last content',
      [
        reasoningPart('x', encrypted('rs_1', 'early')),
        reasoningPart('y', encrypted('rs_1', null)),
        reasoningPart('z', encrypted('rs_1', 'final')),
        textPart,
      ],
      [item('rs_1', 'final', 'x', 'y', 'z'), sentText],
    ],
    [
      'keeps the position of every item',
      [
        reasoningPart('x', encrypted('rs_1', 'e1')),
        textPart,
        reasoningPart('y', encrypted('rs_2', 'e2')),
        textPart,
      ],
      [item('rs_1', 'e1', 'x'), sentText, item('rs_2', 'e2', 'y'), sentText],
    ],
    [
      'sends two items with one id, if their contents differ',
      [
        reasoningPart('x', encrypted('rs_0', 'e1')),
        textPart,
        reasoningPart('y', encrypted('rs_0', 'e2')),
        textPart,
      ],
      [item('rs_0', 'e1', 'x'), sentText, item(undefined, 'e2', 'y'), sentText],
    ],
    [
      'sends no empty summary',
      [reasoningPart('', encrypted('rs_1', 'e')), textPart],
      [item('rs_1', 'e'), sentText],
    ],
    [
      'accepts items without an id',
      [
        reasoningPart('x', encrypted(undefined, 'e')),
        reasoningPart('y', encrypted(undefined, 'e')),
        textPart,
      ],
      [item(undefined, 'e', 'x', 'y'), sentText],
    ],
    ['treats empty content as no content', [reasoningPart('x', encrypted('rs_1', '')), textPart], [sentText]],
    [
      'reads the `kelivo` namespace',
      [reasoningPart('x', encrypted('rs_1', 'e'), 'kelivo'), textPart],
      [item('rs_1', 'e', 'x'), sentText],
    ],
    [
      'reads the namespace of another provider of this API',
      [reasoningPart('x', encrypted('rs_1', 'e'), 'azure'), textPart],
      [item('rs_1', 'e', 'x'), sentText],
    ],
    [
      'drops reasoning that nothing of its turn follows',
      [textPart, reasoningPart('x', encrypted('rs_1', 'e'))],
      [sentText],
    ],
    [
      'drops the reasoning of other vendors',
      [reasoningPart('x', { signature: 's' }, 'anthropic'), reasoningPart('y'), textPart],
      [sentText],
    ],
  ])('%s', (_, content, expected) => {
    expect(inputOf([user('q'), assistant(...content), user('q')]).slice(1, -1)).toEqual(expected);
  });

  it('prefers the `kelivo` namespace to the official one', () => {
    const both = {
      ...reasoningPart('x'),
      providerOptions: { openai: encrypted('rs_1', 'old'), kelivo: encrypted('rs_1', 'new') },
    };
    expect(inputOf([assistant(both, textPart)])).toEqual([item('rs_1', 'new', 'x'), sentText]);
  });

  it('is not sent twice', () => {
    const repeated = assistant(reasoningPart('x', encrypted('rs_1', 'e')), textPart);
    expect(inputOf([repeated, user('q'), repeated]).slice(1)).toEqual([
      sentText,
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'q' }] },
      sentText,
    ]);
  });

  it('with the id of another item is sent once', () => {
    const first = assistant(reasoningPart('x', encrypted('rs_0', 'e1')), textPart);
    const second = assistant(
      reasoningPart('y', encrypted('rs_0', 'early')),
      reasoningPart('z', encrypted('rs_0', 'e2')),
      textPart,
    );
    const sent = inputOf([first, user('q'), second, user('q'), second]);
    expect((sent as { type: string }[]).filter(({ type }) => type === 'reasoning')).toEqual([
      item('rs_0', 'e1', 'x'),
      item(undefined, 'e2', 'y', 'z'),
    ]);
  });

  it('is not followed by the output of a call', () => {
    const output = { type: 'text', value: 'r' };
    const prompt = [
      assistant(
        { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} },
        reasoningPart('x', encrypted('rs_1', 'e')),
      ),
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output }] },
    ];
    expect(inputOf(prompt)).toMatchObject([{ type: 'function_call' }, { type: 'function_call_output' }]);
  });

  it('precedes its calls in several rounds of provider-executed tools', () => {
    const round = (n: number) => [
      reasoningPart(`t${n}`, encrypted(`rs_${n}`, `e${n}`)),
      { type: 'tool-call', toolCallId: `call_${n}`, toolName: 't', input: {}, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: `call_${n}`,
        toolName: 't',
        output: { type: 'text', value: 'r' },
      },
    ];
    expect(inputOf([user('q'), assistant(...round(1), ...round(2), textPart)]).slice(1)).toEqual([
      item('rs_1', 'e1', 't1'),
      { type: 'function_call', call_id: 'call_1', name: 't', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'r' },
      item('rs_2', 'e2', 't2'),
      { type: 'function_call', call_id: 'call_2', name: 't', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_2', output: 'r' },
      sentText,
    ]);
  });

  it('may lack its content if the server stores it', () => {
    expect(
      inputOf([assistant(reasoningPart('x', encrypted('rs_1', null)), textPart)], { store: true }),
    ).toEqual([{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'x' }] }, sentText]);
  });
});

describe('the id of a message', () => {
  const named = { ...textPart, providerOptions: { openai: { itemId: 'msg_1' } } };
  const idsOf = (content: unknown[], options = {}) =>
    (inputOf([user('q'), assistant(...content)], options) as { type: string; id?: string }[])
      .slice(1)
      .map(({ type, id }) => `${type} ${id}`);

  it('is sent after reasoning with an id, whether the server stores items or not', () => {
    for (const store of [true, false]) {
      expect(idsOf([reasoningPart('x', encrypted('rs_1', 'e')), named], { store })).toEqual([
        'reasoning rs_1',
        'message msg_1',
      ]);
      expect(idsOf([reasoningPart('x', encrypted(undefined, 'e')), named], { store })).toEqual([
        'reasoning undefined',
        'message undefined',
      ]);
    }
  });

  it('is not sent without its reasoning', () => {
    expect(idsOf([named])).toEqual(['message undefined']);
    expect(idsOf([reasoningPart('x', encrypted('rs_1', null)), named])).toEqual(['message undefined']);
  });
});

describe('reasoning that the API could not use', () => {
  const prompt = [
    user('a'),
    assistant(reasoningPart('x', encrypted('rs_1', 'e1')), textPart),
    user('b'),
    assistant(reasoningPart('y', encrypted('rs_2', 'e2')), {
      ...textPart,
      providerOptions: { openai: { itemId: 'msg_2' }, kelivo: { removedReasoning: ['rs_1'] } },
    }),
    user('c'),
  ];
  const reasoningOf = (items: readonly unknown[]) =>
    (items as { id?: string }[]).map(({ id }) => id).filter(id => id?.startsWith('rs_'));

  it('is not sent again', () => {
    expect(reasoningOf(inputOf(prompt))).toEqual(['rs_2']);
  });

  it('is sent again if ids of other items refer to it', () => {
    const items = inputOf(prompt, { missingReasoning: 'synthesize' });
    expect(reasoningOf(items)).toEqual(['rs_1', 'rs_2']);
  });
});

describe('the warning about omitted reasoning', () => {
  it('is reported once, and only for reasoning of this API', () => {
    const omitted = [reasoningPart('x', encrypted('rs_1', null)), reasoningPart('y', { itemId: 'rs_2' })];
    expect(messagesOf([assistant(...omitted, textPart)])).toEqual([noContent]);
    expect(
      messagesOf([
        assistant(reasoningPart('x'), reasoningPart('y', { signature: 's' }, 'anthropic'), textPart),
      ]),
    ).toEqual([]);
  });
});
