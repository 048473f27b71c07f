import { describe, expect, it, vi } from 'vitest';
import type { Prompt } from '../../../src/core/prompt.js';
import { continuesStoredResponse, pairToolCalls } from '../../../src/core/tool-calls/call-pairing.js';

const text = (value: string) => ({ type: 'text', text: value });
const reasoning = (value: string) => ({ type: 'reasoning', text: value });
const call = (id: string, rest: object = {}) => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'look',
  input: { at: id },
  ...rest,
});
const executed = (id: string, rest: object = {}) => call(id, { providerExecuted: true, ...rest });
const result = (id: string, value: unknown = `${id} done`, rest: object = {}) => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'look',
  output: typeof value === 'string' ? { type: 'text', value } : value,
  ...rest,
});
const interrupted = (id: string) =>
  result(id, { type: 'error-text', value: 'No output: the call was interrupted before it finished.' });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const tool = (...content: unknown[]) => ({ role: 'tool', content });
const user = { role: 'user', content: [text('hi')] };

function pair(prompt: unknown[], options?: Parameters<typeof pairToolCalls>[1]): Prompt {
  const paired = pairToolCalls(prompt as Prompt, options);
  expect(pairToolCalls(paired, options), 'a second run changes nothing').toBe(paired);
  return paired;
}

describe('a valid history', () => {
  it.each<[string, unknown[]]>([
    ['no messages', []],
    ['no tools', [{ role: 'system', content: 's' }, user, assistant(text('a')), user]],
    ['a call and its result', [user, assistant(text('a'), call('1')), tool(result('1'))]],
    [
      'parallel calls',
      [assistant(call('1'), call('2')), tool(result('1'), result('2')), assistant(text('b'))],
    ],
    ['text after a call of the host', [assistant(call('1'), text('b')), tool(result('1'))]],
    ['an empty assistant message', [user, assistant(), user]],
    [
      'a response to an approval request',
      [assistant(call('1')), tool({ type: 'tool-approval-response' }, result('1'))],
    ],
    [
      'JSON from an MCP client of the host',
      [
        assistant(call('1')),
        tool(result('1', { type: 'json', value: { content: [{ type: 'text', text: 'x' }] } })),
      ],
    ],
  ])('stays the same object with %s', (_, prompt) => {
    expect(pair(prompt)).toBe(prompt);
  });

  it('keeps the identity of messages that need no change', () => {
    const first = assistant(call('1'));
    const answer = tool(result('1'));
    const paired = pair([first, answer, assistant(executed('2'), result('2'))]);
    expect(paired[0]).toBe(first);
    expect(paired[1]).toBe(answer);
  });
});

describe('provider-executed calls', () => {
  it('become one round for each group of calls, at their position', () => {
    const prompt = [
      user,
      assistant(
        reasoning('r1'),
        text('a'),
        executed('1'),
        result('1'),
        executed('2'),
        result('2'),
        reasoning('r2'),
        executed('3'),
        result('3'),
        text('b'),
      ),
    ];
    expect(pair(prompt)).toEqual([
      user,
      assistant(reasoning('r1'), text('a'), call('1'), call('2')),
      tool(result('1'), result('2')),
      assistant(reasoning('r2'), call('3')),
      tool(result('3')),
      assistant(text('b')),
    ]);
  });

  it('share a round with adjacent calls of the host, in call order', () => {
    const prompt = [assistant(executed('1'), result('1'), call('2')), tool(result('2')), user];
    expect(pair(prompt)).toEqual([assistant(call('1'), call('2')), tool(result('1'), result('2')), user]);
  });

  it('end their round before a text, also if a call of the host follows them', () => {
    const prompt = [assistant(executed('1'), result('1'), call('2'), text('b')), tool(result('2'))];
    expect(pair(prompt)).toEqual([
      assistant(call('1'), call('2')),
      tool(result('1'), result('2')),
      assistant(text('b')),
    ]);
  });

  it('end only their own round: the text after a later call of the host stays with it', () => {
    const prompt = [
      assistant(executed('1'), result('1'), text('a'), call('2'), text('b')),
      tool(result('2')),
      assistant(text('c')),
    ];
    expect(pair(prompt)).toEqual([
      assistant(call('1')),
      tool(result('1')),
      assistant(text('a'), call('2'), text('b')),
      tool(result('2')),
      assistant(text('c')),
    ]);
  });

  it('end their round before a text if the host has written their result into a tool message', () => {
    const prompt = [
      assistant(executed('1'), text('b'), call('2'), text('c')),
      tool(result('1'), result('2')),
    ];
    expect(pair(prompt)).toEqual([
      assistant(call('1')),
      tool(result('1')),
      assistant(text('b'), call('2'), text('c')),
      tool(result('2')),
    ]);
  });

  it('keep the options of their message at the end of the message', () => {
    const message = { ...assistant(executed('1'), result('1'), text('b')), providerOptions: { x: { y: 1 } } };
    expect(pair([message])).toEqual([
      assistant(call('1')),
      tool(result('1')),
      { ...assistant(text('b')), providerOptions: { x: { y: 1 } } },
    ]);
  });

  it('are plain calls if the host has written their result into a tool message', () => {
    expect(pair([assistant(executed('1')), tool(result('1'))])).toEqual([
      assistant(call('1')),
      tool(result('1')),
    ]);
  });

  it('are matched with results at the end of the history', () => {
    expect(
      pair([assistant(executed('1'), text('b'), executed('2')), tool(result('2'), result('1'))]),
    ).toEqual([assistant(call('1')), tool(result('1')), assistant(text('b'), call('2')), tool(result('2'))]);
  });

  it('restore an MCP result', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const mcp = (content: unknown[], rest: object = {}) => ({ type: 'json', value: { content, ...rest } });
    const outputs: Array<[unknown, unknown]> = [
      [mcp([text('a'), text('b')]), { type: 'text', value: 'a\nb' }],
      [mcp([text('bad')], { isError: true }), { type: 'error-text', value: 'bad' }],
      [
        mcp([text('a'), image]),
        {
          type: 'content',
          value: [text('a'), { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' }],
        },
      ],
      [
        mcp([{ type: 'resource', resource: { uri: 'file:///a', text: 'A' } }]),
        { type: 'text', value: 'Resource file:///a:\nA' },
      ],
      [mcp([text('a')], { structuredContent: { b: 1 } }), { type: 'text', value: 'a\n{"b":1}' }],
      [mcp([text('{"b":1}')], { structuredContent: { b: 1 } }), { type: 'text', value: '{"b":1}' }],
      [mcp([], { structuredContent: { b: 1 } }), { type: 'json', value: { b: 1 } }],
      [
        { type: 'error-json', value: JSON.stringify({ content: [text('bad')] }) },
        { type: 'error-text', value: 'bad' },
      ],
    ];
    for (const [output, expected] of outputs) {
      expect(pair([assistant(executed('1'), result('1', output))])[1]).toEqual(tool(result('1', expected)));
    }
  });

  it.each([[{ content: 'text' }], [{ content: [{ type: 'row' }] }], [{ content: [] }], ['plain'], [null]])(
    'keep %j, which is not an MCP result',
    value => {
      const output = { type: 'json', value };
      expect(pair([assistant(executed('1'), result('1', output))])[1]).toEqual(tool(result('1', output)));
    },
  );
});

describe('hosted tools of the API', () => {
  const hosted = { toolName: 'web_search' };

  it('keep their position', () => {
    const prompt = [user, assistant(executed('ws_1', hosted), result('ws_1', 'x', hosted), text('a'))];
    expect(pair(prompt)).toBe(prompt);
  });

  it.each(['ws_1', 'fs_1', 'ci_1', 'ig_1', 'cu_1', 'mcp_1', 'mcpr_1'])(
    'are unchanged under any declared name: %s',
    id => {
      const named = { toolName: 'mine' };
      const prompt = [user, assistant(executed(id, named), result(id, 'x', named), text('a'))];
      expect(pair(prompt)).toBe(prompt);
    },
  );

  it('are distinguished from a function of the loop with the same name, regardless of ids', () => {
    const prompt = [assistant(executed('toolu_1', hosted), result('toolu_1', 'x', hosted))];
    expect(pair(prompt)).toEqual(prompt);
    expect(pair(prompt, { isFunctionTool: () => true })).toEqual([
      assistant(call('toolu_1', hosted)),
      tool(result('toolu_1', 'x', hosted)),
    ]);
  });

  it('are distinguished from a function with the same name by the call id', () => {
    const prompt = [assistant(executed('call_1', hosted), result('call_1', 'x', hosted))];
    expect(pair(prompt)).toEqual([assistant(call('call_1', hosted)), tool(result('call_1', 'x', hosted))]);
  });
});

describe('results without a call', () => {
  const orphaned = (value: string) =>
    text(`Output of the tool "look", whose call is missing in this conversation:\n${value}`);

  it('become text of the assistant, because a call with other arguments was never made', () => {
    const prompt = [assistant(text('a'), result('1'), result('2'), text('b'))];
    expect(pair(prompt)).toEqual([assistant(text('a'), orphaned('1 done'), orphaned('2 done'), text('b'))]);
  });

  it('become text at the start of a history that was cut between a call and its result', () => {
    expect(
      pair([tool(result('1'), result('2')), assistant(text('b'), call('3')), tool(result('3'))]),
    ).toEqual([
      assistant(orphaned('1 done'), orphaned('2 done')),
      assistant(text('b'), call('3')),
      tool(result('3')),
    ]);
  });

  it('become text after the results of the calls that are there', () => {
    const prompt = [user, assistant(call('2')), tool(result('1'), result('2')), assistant(text('b'))];
    expect(pair(prompt)).toEqual([
      user,
      assistant(call('2')),
      tool(result('2')),
      assistant(orphaned('1 done')),
      assistant(text('b')),
    ]);
  });

  it('become text after the results of a call that the provider ran', () => {
    expect(pair([assistant(executed('1'), result('1'), result('2'))])).toEqual([
      assistant(call('1')),
      tool(result('1')),
      assistant(orphaned('2 done')),
    ]);
  });

  it.each<[object, string]>([
    [{ type: 'json', value: { a: 1 } }, '{"a":1}'],
    [{ type: 'error-text', value: 'No route.' }, 'No route.'],
    [{ type: 'error-json', value: { code: 7 } }, '{"code":7}'],
    [{ type: 'execution-denied', reason: 'Not now.' }, 'Not now.'],
    [
      {
        type: 'content',
        value: [text('A'), { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBO' } }],
      },
      'A\n[image/png omitted]',
    ],
  ])('contain the output %j', (output, expected) => {
    expect(pair([user, tool(result('1', output))])).toEqual([user, assistant(orphaned(expected))]);
  });

  it('contain the text of an MCP result that the provider kept', () => {
    const output = { type: 'json', value: { content: [text('sunny')] } };
    expect(pair([assistant(result('1', output))])).toEqual([assistant(orphaned('sunny'))]);
  });

  it('stay without a call in a tool message if the server stores the call', () => {
    const prompt = [tool(result('1'))];
    expect(pair(prompt, { keepOrphans: true })).toBe(prompt);
  });

  it('are not assigned to a call in a later turn', () => {
    expect(pair([assistant(result('call_0', 'x')), user, assistant(call('call_0')), user])).toEqual([
      assistant(orphaned('x')),
      user,
      assistant(call('call_0_2', { input: { at: 'call_0' } })),
      tool(interrupted('call_0_2')),
      user,
    ]);
  });

  it('are kept in every turn that uses their id', () => {
    const prompt = [assistant(result('call_0', 'x')), user, assistant(result('call_0', 'y'))];
    expect(pair(prompt)).toEqual([assistant(orphaned('x')), user, assistant(orphaned('y'))]);
  });
});

describe('calls and results that do not match', () => {
  it.each<[string, unknown[], unknown[]]>([
    [
      'adds a result to an interrupted call',
      [assistant(call('1')), user],
      [assistant(call('1')), tool(interrupted('1')), user],
    ],
    [
      'adds a result to the interrupted one of two calls',
      [assistant(call('1'), call('2')), tool(result('2'))],
      [assistant(call('1'), call('2')), tool(interrupted('1'), result('2'))],
    ],
    [
      'removes a second result',
      [assistant(call('1')), tool(result('1', 'x'), result('1', 'y')), tool(result('1', 'z'))],
      [assistant(call('1')), tool(result('1', 'x'))],
    ],
    [
      'puts results in call order',
      [assistant(call('1'), call('2')), tool(result('2'), result('1'))],
      [assistant(call('1'), call('2')), tool(result('1'), result('2'))],
    ],
    [
      'moves a late result to its call',
      [assistant(call('1')), user, assistant(text('b')), tool(result('1'))],
      [assistant(call('1')), tool(result('1')), user, assistant(text('b'))],
    ],
    [
      'moves an early result to its call',
      [tool(result('1')), assistant(text('a'), call('1'))],
      [assistant(text('a'), call('1')), tool(result('1'))],
    ],
    [
      'joins results of one round',
      [assistant(call('1'), call('2')), tool(result('1')), tool(result('2'))],
      [assistant(call('1'), call('2')), tool(result('1'), result('2'))],
    ],
    [
      'renames a second call with the same id',
      [assistant(call('1')), tool(result('1', 'x')), assistant(call('1')), tool(result('1', 'y'))],
      [
        assistant(call('1')),
        tool(result('1', 'x')),
        assistant(call('1_2', { input: { at: '1' } })),
        tool(result('1_2', 'y')),
      ],
    ],
    [
      'pairs two open calls with the same id in order, and avoids ids in use',
      [assistant(call('1'), call('1'), call('1_2')), tool(result('1', 'x'), result('1', 'y'), result('1_2'))],
      [
        assistant(call('1'), call('1_3', { input: { at: '1' } }), call('1_2')),
        tool(result('1', 'x'), result('1_3', 'y'), result('1_2')),
      ],
    ],
    [
      'adds a missing call id',
      [assistant(call('')), tool(result('', 'x'))],
      [assistant(call('call_2', { input: { at: '' } })), tool(result('call_2', 'x'))],
    ],
  ])('%s', (_, prompt, expected) => {
    expect(pair(prompt)).toEqual(expected);
  });
});

it('takes a number of steps in proportion to the history', () => {
  /** Counts the reads and lookups of call ids, of which every step consists. */
  const countSteps = (rounds: number) => {
    let steps = 0;
    const counted = (part: object) =>
      Object.defineProperty({ ...part }, 'toolCallId', { enumerable: true, get: () => (steps++, 'call_0') });
    const prompt = Array.from({ length: rounds }, () =>
      assistant(counted(executed('call_0')), counted(result('call_0')), text('b')),
    ) as Prompt;
    const lookups = [
      vi.spyOn(Set.prototype, 'has'),
      vi.spyOn(Map.prototype, 'has'),
      vi.spyOn(Map.prototype, 'get'),
    ];
    try {
      pairToolCalls(prompt);
      return lookups.reduce((total, spy) => total + spy.mock.calls.length, steps);
    } finally {
      for (const spy of lookups) spy.mockRestore();
    }
  };
  expect(countSteps(2000) / countSteps(200)).toBeCloseTo(10, 0);
});

it('uses the last result of a call that the provider ran, because hosts keep previews', () => {
  expect(
    pair([user, assistant(executed('1'), result('1', 'half'), result('1', 'whole'), text('b')), user]),
  ).toEqual([user, assistant(call('1')), tool(result('1', 'whole')), assistant(text('b')), user]);
});

it.each([
  [{}, {}, false],
  [{ openai: { conversation: 'conv_1' } }, {}, true],
  [{ azure: { previousResponseId: 'resp_1' } }, {}, true],
  [{ other: { previousResponseId: 'resp_1' } }, {}, false],
  [{}, { previousResponseId: 'resp_1' }, true],
  [{ openai: { conversation: 'conv_1' } }, { conversation: null }, false],
])('the options %j and %j continue a conversation on the server: %s', (providerOptions, own, expected) => {
  expect(continuesStoredResponse({ providerOptions, own })).toBe(expected);
});
