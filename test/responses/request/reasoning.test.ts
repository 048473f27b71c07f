import { describe, expect, it } from 'vitest';
import { build, inputOf, user } from './_build.js';

const thought = (text: string, notes?: object, namespace = 'openai') => ({
  type: 'reasoning',
  text,
  ...(notes && { providerOptions: { [namespace]: notes } }),
});
const sealed = (itemId: string | undefined, reasoningEncryptedContent: string | null) => ({
  ...(itemId !== undefined && { itemId }),
  reasoningEncryptedContent,
});
const said = { type: 'text', text: 'a' };
const sentText = { role: 'assistant', content: [{ type: 'output_text', text: 'a' }] };
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
        thought('x', sealed('rs_1', 'early')),
        thought('y', sealed('rs_1', null)),
        thought('z', sealed('rs_1', 'final')),
        said,
      ],
      [item('rs_1', 'final', 'x', 'y', 'z'), sentText],
    ],
    [
      'keeps the position of every item',
      [thought('x', sealed('rs_1', 'e1')), said, thought('y', sealed('rs_2', 'e2')), said],
      [item('rs_1', 'e1', 'x'), sentText, item('rs_2', 'e2', 'y'), sentText],
    ],
    ['sends no empty summary', [thought('', sealed('rs_1', 'e')), said], [item('rs_1', 'e'), sentText]],
    [
      'accepts items without an id',
      [thought('x', sealed(undefined, 'e')), thought('y', sealed(undefined, 'e')), said],
      [item(undefined, 'e', 'x', 'y'), sentText],
    ],
    ['treats empty content as no content', [thought('x', sealed('rs_1', '')), said], [sentText]],
    [
      'reads the `kelivo` namespace',
      [thought('x', sealed('rs_1', 'e'), 'kelivo'), said],
      [item('rs_1', 'e', 'x'), sentText],
    ],
    [
      'reads the namespace of another provider of this API',
      [thought('x', sealed('rs_1', 'e'), 'azure'), said],
      [item('rs_1', 'e', 'x'), sentText],
    ],
    [
      'drops reasoning that nothing of its turn follows',
      [said, thought('x', sealed('rs_1', 'e'))],
      [sentText],
    ],
    [
      'drops the reasoning of other vendors',
      [thought('x', { signature: 's' }, 'anthropic'), thought('y'), said],
      [sentText],
    ],
  ])('%s', (_, content, expected) => {
    expect(inputOf([user('q'), assistant(...content), user('q')]).slice(1, -1)).toEqual(expected);
  });

  it('prefers the `kelivo` namespace to the official one', () => {
    const both = {
      ...thought('x'),
      providerOptions: { openai: sealed('rs_1', 'old'), kelivo: sealed('rs_1', 'new') },
    };
    expect(inputOf([assistant(both, said)])).toEqual([item('rs_1', 'new', 'x'), sentText]);
  });

  it('is not sent twice', () => {
    const repeated = assistant(thought('x', sealed('rs_1', 'e')), said);
    expect(inputOf([repeated, user('q'), repeated]).slice(1)).toEqual([
      sentText,
      { role: 'user', content: [{ type: 'input_text', text: 'q' }] },
      sentText,
    ]);
  });

  it('is not followed by the output of a call', () => {
    const output = { type: 'text', value: 'r' };
    const prompt = [
      assistant(
        { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} },
        thought('x', sealed('rs_1', 'e')),
      ),
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output }] },
    ];
    expect(inputOf(prompt)).toMatchObject([{ type: 'function_call' }, { type: 'function_call_output' }]);
  });

  it('precedes its calls in several rounds of provider-executed tools', () => {
    const round = (n: number) => [
      thought(`t${n}`, sealed(`rs_${n}`, `e${n}`)),
      { type: 'tool-call', toolCallId: `call_${n}`, toolName: 't', input: {}, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: `call_${n}`,
        toolName: 't',
        output: { type: 'text', value: 'r' },
      },
    ];
    expect(inputOf([user('q'), assistant(...round(1), ...round(2), said)]).slice(1)).toEqual([
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
    expect(inputOf([assistant(thought('x', sealed('rs_1', null)), said)], { store: true })).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'x' }] },
      sentText,
    ]);
  });
});

describe('the warning about omitted reasoning', () => {
  it('is reported once, and only for reasoning of this API', () => {
    const lost = [thought('x', sealed('rs_1', null)), thought('y', { itemId: 'rs_2' })];
    expect(messagesOf([assistant(...lost, said)])).toEqual([noContent]);
    expect(
      messagesOf([assistant(thought('x'), thought('y', { signature: 's' }, 'anthropic'), said)]),
    ).toEqual([]);
  });
});
