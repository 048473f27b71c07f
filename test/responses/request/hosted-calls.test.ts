import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { build, user } from './_build.js';

type Tool = NonNullable<LanguageModelV2CallOptions['tools']>[number];

const declare = (id: string, name = id.slice('openai.'.length)): Tool => ({
  type: 'provider-defined',
  id: id as `${string}.${string}`,
  name,
  args: {},
});
const callMessage = (toolName: string, input: unknown, itemId?: string) => ({
  role: 'assistant',
  content: [
    {
      type: 'tool-call',
      toolCallId: 'call_1',
      toolName,
      input,
      ...(itemId !== undefined && { providerOptions: { openai: { itemId } } }),
    },
  ],
});
const resultMessage = (toolName: string, output: unknown) => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'call_1', toolName, output }],
});
const json = (value: unknown) => ({ type: 'json', value });
const inputOf = (tools: Tool[], prompt: unknown[], rest: Partial<LanguageModelV2CallOptions> = {}) =>
  build({ tools, prompt: prompt as never, ...rest }).body.input;

interface Row {
  readonly id: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly call: object;
  readonly result: object;
}

const rows: Row[] = [
  {
    id: 'openai.shell',
    input: { action: { commands: ['ls', 'pwd'], timeoutMs: 5, maxOutputLength: 100 } },
    output: json({
      output: [
        { stdout: 'a', stderr: '', outcome: { type: 'exit', exitCode: 2 } },
        { stdout: '', stderr: 'b', outcome: { type: 'timeout' } },
      ],
    }),
    call: {
      type: 'shell_call',
      status: 'completed',
      action: { commands: ['ls', 'pwd'], timeout_ms: 5, max_output_length: 100 },
    },
    result: {
      type: 'shell_call_output',
      output: [
        { stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 2 } },
        { stdout: '', stderr: 'b', outcome: { type: 'timeout' } },
      ],
    },
  },
  {
    id: 'openai.apply_patch',
    input: { callId: 'call_1', operation: { type: 'update_file', path: 'a.txt', diff: '@@' } },
    output: json({ status: 'failed', output: 'No such file' }),
    call: {
      type: 'apply_patch_call',
      status: 'completed',
      operation: { type: 'update_file', path: 'a.txt', diff: '@@' },
    },
    result: { type: 'apply_patch_call_output', status: 'failed', output: 'No such file' },
  },
  {
    id: 'openai.custom',
    input: 'SELECT 1',
    output: json({ rows: 1 }),
    call: { type: 'custom_tool_call', name: 'custom', input: 'SELECT 1' },
    result: { type: 'custom_tool_call_output', output: '{"rows":1}' },
  },
  {
    id: 'openai.computer_use',
    input: {
      action: { type: 'scroll', x: 1, y: 2, scroll_x: 0, scroll_y: 9 },
      pendingSafetyChecks: [{ id: 's' }],
    },
    output: json({
      output: { type: 'computer_screenshot', imageUrl: 'https://a.org/s.png' },
      acknowledgedSafetyChecks: [{ id: 's' }],
    }),
    call: {
      type: 'computer_call',
      status: 'completed',
      action: { type: 'scroll', x: 1, y: 2, scroll_x: 0, scroll_y: 9 },
      pending_safety_checks: [{ id: 's' }],
    },
    result: {
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: 'https://a.org/s.png' },
      acknowledged_safety_checks: [{ id: 's' }],
    },
  },
];

describe.each(rows)('a call of $id', ({ id, input, output, call, result }) => {
  const name = id.slice('openai.'.length);
  const prompt = [callMessage(name, input), resultMessage(name, output)];
  const items = [
    { call_id: 'call_1', ...call },
    { call_id: 'call_1', ...result },
  ];

  it('is sent with its output as hosted items if the tool is declared', () => {
    expect(inputOf([declare(id)], prompt)).toEqual(items);
  });

  it('is sent as a function call if the tool is not declared', () => {
    expect(inputOf([], prompt)).toMatchObject([
      { type: 'function_call', call_id: 'call_1', name },
      { type: 'function_call_output', call_id: 'call_1' },
    ]);
  });

  it('is recognized by the name under which the tool is declared', () => {
    const named = [callMessage('mine', input), resultMessage('mine', output)];
    expect(inputOf([declare(id, 'mine')], named)).toMatchObject(
      id === 'openai.custom' ? [{ ...call, name: 'mine' }, result] : items,
    );
  });

  it('gets a hosted output if the server has the call', () => {
    const providerOptions = { openai: { previousResponseId: 'resp_1' } };
    expect(inputOf([declare(id)], [resultMessage(name, output)], { providerOptions })).toEqual([items[1]]);
  });

  it('keeps its reasoning', () => {
    const reasoning = {
      type: 'reasoning',
      text: '',
      providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'e' } },
    };
    const [assistant, tool] = prompt;
    const withReasoning = {
      role: 'assistant',
      content: [reasoning, ...(assistant as { content: unknown[] }).content],
    };
    expect(inputOf([declare(id)], [withReasoning, tool])).toEqual([
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'e', summary: [] },
      ...items,
    ]);
  });

  it('gets an output even if it was interrupted', () => {
    const [first, second] = inputOf([declare(id)], [callMessage(name, input), user('Stop.')]);
    // A computer call requires a screenshot.
    const isText = id === 'openai.computer_use';
    expect((isText ? first : second)?.type).toBe(isText ? 'message' : `${first?.type}_output`);
    expect(JSON.stringify(isText ? first : second)).toContain('interrupted');
  });
});

describe('an output that is not JSON', () => {
  const outputOf = (id: string, input: unknown, output: unknown) => {
    const name = id.slice('openai.'.length);
    return inputOf([declare(id)], [callMessage(name, input), resultMessage(name, output)])[1];
  };

  it.each([
    [
      { type: 'text', value: 'a' },
      { stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
    ],
    [
      { type: 'error-text', value: 'b' },
      { stdout: '', stderr: 'b', outcome: { type: 'exit', exit_code: 1 } },
    ],
    [
      { type: 'execution-denied', reason: 'No.' },
      { stdout: '', stderr: 'No.', outcome: { type: 'exit', exit_code: 1 } },
    ],
  ])('of a shell becomes the output of one command: %j', (output, expected) => {
    expect(outputOf('openai.shell', { action: { commands: ['a'] } }, output)).toMatchObject({
      output: [expected],
    });
  });

  it('of a patch becomes its status', () => {
    const input = { callId: 'call_1', operation: { type: 'delete_file', path: 'a' } };
    expect(outputOf('openai.apply_patch', input, { type: 'text', value: '' })).toEqual({
      type: 'apply_patch_call_output',
      call_id: 'call_1',
      status: 'completed',
    });
    expect(outputOf('openai.apply_patch', input, { type: 'error-text', value: 'x' })).toMatchObject({
      status: 'failed',
      output: 'x',
    });
  });

  const action = { action: { type: 'screenshot' } };
  it('of a computer becomes the last image of its content', () => {
    const value = [
      { type: 'text', text: 'done' },
      { type: 'media', data: 'AAEC', mediaType: 'image/png' },
    ];
    expect(outputOf('openai.computer_use', action, { type: 'content', value })).toEqual({
      type: 'computer_call_output',
      call_id: 'call_1',
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAEC' },
    });
  });

  const rowsOfComputer = ['openai.computer_use', 'openai.computer'] as const;
  const answered = (id: string, output: unknown) => {
    const name = id.slice('openai.'.length);
    const input = { actions: [{ type: 'screenshot' }] };
    return [callMessage(name, input), resultMessage(name, output)];
  };

  it.each(rowsOfComputer)('of %s after a failure becomes a text, and no function call', id => {
    for (const output of [
      { type: 'error-text', value: 'No screen.' },
      { type: 'execution-denied', reason: 'No screen.' },
    ]) {
      const [message, ...others] = inputOf([declare(id)], answered(id, output));
      expect(message).toMatchObject({ type: 'message', role: 'user' });
      expect(JSON.stringify(message)).toContain('No screen.');
      expect(others).toEqual([]);
    }
  });

  it.each(rowsOfComputer)('of %s in the wrong shape is rejected, and later left out', id => {
    for (const output of [
      { type: 'text', value: 'Clicked.' },
      { type: 'json', value: { screenshot: 'https://a.org/s.png' } },
      { type: 'content', value: [{ type: 'text', text: 'Clicked.' }] },
    ]) {
      const prompt = answered(id, output);
      const name = id.slice('openai.'.length);
      expect(() => inputOf([declare(id)], prompt)).toThrow(
        new RegExp(
          `output of the tool "${name}" to be a screenshot.* got an output of type "${output.type}"`,
        ),
      );
      const later = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] } as const;
      expect(inputOf([declare(id)], [...prompt, later])).toMatchObject([{ role: 'assistant' }]);
    }
  });
});

it('keeps the id of items that the API accepts only with an id', () => {
  const ids = (id: string, input: unknown, output: unknown) => {
    const name = id.slice('openai.'.length);
    const [call] = inputOf([declare(id)], [callMessage(name, input, 'item_1'), resultMessage(name, output)]);
    return call && 'id' in call ? call.id : undefined;
  };
  const screenshot = json({ output: { type: 'computer_screenshot', fileId: 'file-1' } });
  expect(ids('openai.computer_use', { action: { type: 'wait' } }, screenshot)).toBe('item_1');
  expect(ids('openai.local_shell', { action: { command: ['ls'] } }, json({ output: '' }))).toBe('item_1');
  expect(ids('openai.shell', { action: { commands: [] } }, json({ output: [] }))).toBeUndefined();
});

it('sends a call with an input that does not fit the tool as a function call', () => {
  const prompt = [callMessage('shell', { nonsense: true }), resultMessage('shell', json({ output: [] }))];
  expect(inputOf([declare('openai.shell')], prompt)).toMatchObject([
    { type: 'function_call' },
    { type: 'function_call_output' },
  ]);
});

it('sends calls that a container executed as hosted items', () => {
  const ids = { toolCallId: 'call_1', toolName: 'shell' };
  const output = json({ output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] });
  const prompt = [
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', ...ids, input: { action: { commands: ['ls'] } }, providerExecuted: true },
        { type: 'tool-result', ...ids, output },
        { type: 'text', text: 'There is a.' },
      ],
    },
  ];
  expect(inputOf([declare('openai.shell')], prompt)).toMatchObject([
    { type: 'shell_call', call_id: 'call_1' },
    { type: 'shell_call_output', call_id: 'call_1', output: [{ stdout: 'a' }] },
    { role: 'assistant' },
  ]);
});

describe('the approval of an MCP call', () => {
  const ids = { toolCallId: 'mcpr_1', toolName: 'mcp_approval_request' };
  const request = {
    role: 'assistant',
    content: [
      {
        type: 'tool-call',
        ...ids,
        input: { serverLabel: 'docs', name: 'write', arguments: { a: 1 } },
        providerOptions: { kelivo: { approvalFor: 'docs' } },
      },
    ],
  };
  const response = (output: unknown) => ({
    role: 'tool',
    content: [{ type: 'tool-result', ...ids, output }],
  });
  const tools = [declare('openai.mcp_approval_request')];

  it.each([
    [json({ approve: true }), { approve: true }],
    [json({ approve: false, reason: 'Not now.' }), { approve: false, reason: 'Not now.' }],
    [json({ approve: 'yes' }), { approve: false, reason: '{"approve":"yes"}' }],
    [
      { type: 'error-text', value: 'Broken.' },
      { approve: false, reason: 'Broken.' },
    ],
    [
      { type: 'text', value: 'yes' },
      { approve: false, reason: 'yes' },
    ],
  ])('given as %j is sent to the server', (output, expected) => {
    expect(inputOf(tools, [user('Write it.'), request, response(output)]).slice(1)).toEqual([
      {
        type: 'mcp_approval_request',
        id: 'mcpr_1',
        server_label: 'docs',
        name: 'write',
        arguments: '{"a":1}',
      },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', ...expected },
    ]);
  });

  it('is sent only once, because the tool would run again', () => {
    const done = { role: 'assistant', content: [{ type: 'text', text: 'Written.' }] };
    const items = inputOf(tools, [request, response(json({ approve: true })), done, user('Thanks.')]);
    expect(items).toMatchObject([{ role: 'assistant' }, { role: 'user' }]);
    expect(items).toHaveLength(2);
  });

  it('is sent again if it denies the call, and without a declaration of the tool', () => {
    const done = { role: 'assistant', content: [{ type: 'text', text: 'Not written.' }] };
    const denied = [request, response(json({ approve: false })), done, user('Thanks.')];
    for (const declared of [tools, []]) {
      expect(inputOf(declared, denied)).toMatchObject([
        { type: 'mcp_approval_request', id: 'mcpr_1' },
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false },
        { role: 'assistant' },
        { role: 'user' },
      ]);
    }
  });

  it('is a call of a function if this package has not marked it, and nothing with the id of a request', () => {
    const { providerOptions: _, ...unmarked } = request.content[0] ?? {};
    const history = [{ ...request, content: [unmarked] }, response(json({ approve: true })), user('Thanks.')];
    const items = inputOf([], JSON.parse(JSON.stringify(history).replaceAll('mcpr_1', 'call_1')));
    expect(items).toMatchObject([
      { type: 'function_call' },
      { type: 'function_call_output' },
      { role: 'user' },
    ]);
    for (const declared of [tools, []]) expect(inputOf(declared, history)).toMatchObject([{ role: 'user' }]);
  });
});
