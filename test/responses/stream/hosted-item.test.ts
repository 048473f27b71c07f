import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { toResponse, toStream, type WireItem } from './_fixtures/wire-events.js';

const read = (item: WireItem, options: Parameters<typeof readParts>[1]) =>
  readParts(
    [new TextEncoder().encode(JSON.stringify(toResponse([{ item, begun: item, deltas: [] }])))],
    options,
  );

const declare = (name: string, id?: string) => ({
  names: new Set([name]),
  nameById: new Map(id === undefined ? [] : [[id, name]]),
  undeclared: 'full' as const,
});

it.each([
  ['openai.file_search', { type: 'file_search_call', id: 'fs_1', queries: [] }],
  ['openai.code_interpreter', { type: 'code_interpreter_call', id: 'ci_1', code: '1', container_id: 'c' }],
  ['openai.image_generation', { type: 'image_generation_call', id: 'ig_1', result: 'AAEC' }],
  [
    'openai.local_shell',
    { type: 'local_shell_call', id: 'lsh_1', call_id: 'call_1', action: { command: [] } },
  ],
  [
    'openai.mcp_approval_request',
    { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'a', name: 'b', arguments: '{}' },
  ],
])('emits calls of %s under the name that the host declared', async (id, item) => {
  const parts = await read(item, { declared: declare('mine', id) });
  const calls = parts.flatMap(part => (part.type === 'tool-call' ? [part.toolName] : []));
  expect(calls).toEqual(['mine']);
});

it('restores the name of a custom tool', async () => {
  const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'my_sql_1a2b', input: 'x' };
  const toToolName = (name: string) => (name === 'my_sql_1a2b' ? 'my.sql' : name);
  const parts = await read(item, { declared: declare('my.sql'), toToolName });
  expect(parts).toContainEqual({
    type: 'tool-call',
    toolCallId: 'call_1',
    toolName: 'my.sql',
    input: '"x"',
    providerMetadata: { openai: { itemId: 'ctc_1' } },
  });
});

const CODE = 'print("a")\n';
const interpreterItem = { type: 'code_interpreter_call', id: 'ci_1', container_id: 'c', outputs: [] };

forEachChunking(
  'streams the code of a code interpreter call as its JSON input',
  toSse(
    toStream([
      {
        begun: interpreterItem,
        item: { ...interpreterItem, code: CODE },
        deltas: [...CODE].map(delta => ({
          type: 'response.code_interpreter_call_code.delta',
          item_id: 'ci_1',
          delta,
        })),
      },
    ]),
  ),
  async chunks => {
    const parts = await readParts(chunks, {
      declared: declare('code_interpreter', 'openai.code_interpreter'),
    });
    const input = parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : [])).join('');
    expect(input).toBe(JSON.stringify({ containerId: 'c', code: CODE }));
    expect(parts.find(part => part.type === 'tool-call')?.input).toBe(
      JSON.stringify({ code: CODE, containerId: 'c' }),
    );
  },
);

/** Two calls that run in containers of the server, whose outputs arrive in the other order. */
const shellCall = (number: number) => ({
  type: 'shell_call',
  id: `sh_${number}`,
  call_id: `call_${number}`,
  status: 'completed',
  environment: { type: 'container_auto' },
  action: { commands: [`echo ${number}`] },
});
const shellOutput = (number: number) => ({
  type: 'shell_call_output',
  id: `sho_${number}`,
  call_id: `call_${number}`,
  output: [{ stdout: `${number}`, stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
});
const shellItems = [
  ...[1, 2].map(number => ({
    begun: { ...shellCall(number), action: { commands: [] } },
    item: shellCall(number),
    deltas: ['echo ', `${number}`].map(delta => ({
      type: 'response.shell_call_command.delta',
      command_index: 0,
      delta,
    })),
  })),
  ...[2, 1].map(number => ({ begun: shellOutput(number), item: shellOutput(number), deltas: [] })),
];

forEachChunking(
  'streams calls of the server whose results are other items, and assigns the results by their ids',
  toSse(toStream(shellItems)),
  async chunks => {
    const parts = await readParts(chunks, { declared: declare('terminal', 'openai.shell') });
    const inputOf = (wanted: string) =>
      parts.flatMap(part => (part.type === 'tool-input-delta' && part.id === wanted ? [part.delta] : []));
    // The input arrives with the deltas, before the call is complete.
    expect(inputOf('call_1').slice(0, 2)).toEqual(['{"action":{"commands":["echo ', '1']);
    expect(inputOf('call_2').join('')).toBe('{"action":{"commands":["echo 2"]}}');
    const tools = parts.flatMap(part => {
      if (part.type === 'tool-call')
        return [`call ${part.toolCallId} ${part.toolName} ${String(part.providerExecuted)}`];
      return part.type === 'tool-result'
        ? [`result ${part.toolCallId} ${part.toolName} ${JSON.stringify(part.result)}`]
        : [];
    });
    const result = (number: number) =>
      `{"output":[{"stdout":"${number}","stderr":"","outcome":{"type":"exit","exitCode":0}}]}`;
    expect(tools).toEqual([
      'call call_1 terminal true',
      'call call_2 terminal true',
      `result call_2 terminal ${result(2)}`,
      `result call_1 terminal ${result(1)}`,
    ]);
  },
);

it('carries the second of two results of one call unchanged', async () => {
  const items = [shellCall(1), shellOutput(1), { ...shellOutput(1), id: 'sho_2' }];
  const body = JSON.stringify(toResponse(items.map(item => ({ item, begun: item, deltas: [] }))));
  const parts = await readParts([new TextEncoder().encode(body)], {
    declared: declare('terminal', 'openai.shell'),
  });
  const ids = parts.flatMap(part => (part.type === 'tool-result' ? [part.toolCallId] : []));
  expect(ids).toEqual(['call_1']);
  expect(JSON.stringify(parts)).toContain('"id":"sho_2"');
});

const approvalItem = {
  type: 'mcp_approval_request',
  id: 'mcpr_1',
  server_label: 'docs',
  name: 'write',
  arguments: '{"path": "a"}',
};

it('asks a host with approval requests for approvals of a declared MCP server', async () => {
  const parts = await read(approvalItem, {
    declared: { ...declare('docs', 'openai.mcp'), host: 'v4' },
    isKept: true,
  });
  expect(parts.filter(({ type }) => type.startsWith('tool-'))).toEqual([
    {
      type: 'tool-call',
      toolCallId: 'mcpr_1',
      toolName: 'mcp.write',
      input: '{"path":"a"}',
      providerExecuted: true,
      dynamic: true,
      providerMetadata: {
        openai: { itemId: 'mcpr_1' },
        kelivo: { approvalFor: 'docs', responseId: 'resp_1' },
      },
    },
    { type: 'tool-approval-request', approvalId: 'mcpr_1', toolCallId: 'mcpr_1' },
  ]);
  expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } });
});

it.each([
  ['that declared no MCP server', { ...declare('mine'), host: 'v4' as const }],
  ['without approval requests', declare('docs', 'openai.mcp')],
])('reports the request to a host %s as a call of the server', async (_, declared) => {
  const parts = await read(approvalItem, { declared });
  expect(parts.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
    { type: 'tool-call', toolName: 'mcp_approval_request', providerExecuted: true },
    { type: 'tool-result', result: { type: 'approval-request' } },
  ]);
});

it('carries the request if the tool choice was none', async () => {
  const declared = {
    names: new Set<string>(),
    nameById: new Map([['openai.mcp', 'docs']]),
    undeclared: 'none' as const,
    host: 'v4' as const,
  };
  const parts = await read(approvalItem, { declared });
  expect(parts.filter(({ type }) => type.startsWith('tool-'))).toEqual([]);
  expect(parts).toContainEqual(
    expect.objectContaining({ type: 'custom', kind: 'openai.mcp_approval_request' }),
  );
});

/** Calls that the host runs, with their announcement. */
const CALLS: Record<string, { begun: WireItem; item: WireItem; id: string }> = {
  custom: {
    id: 'openai.custom',
    begun: { type: 'custom_tool_call', id: 'i_1', call_id: 'call_1', name: 'mine', input: '' },
    item: { type: 'custom_tool_call', id: 'i_1', call_id: 'call_1', name: 'mine', input: 'rm -r /tmp/a' },
  },
  shell: {
    id: 'openai.shell',
    begun: { type: 'shell_call', id: 'i_1', call_id: 'call_1', action: { commands: [] } },
    item: { type: 'shell_call', id: 'i_1', call_id: 'call_1', action: { commands: ['ls'] } },
  },
  'apply patch': {
    id: 'openai.apply_patch',
    begun: { type: 'apply_patch_call', id: 'i_1', call_id: 'call_1', operation: { type: 'delete_file' } },
    item: {
      ...{ type: 'apply_patch_call', id: 'i_1', call_id: 'call_1' },
      operation: { type: 'delete_file', path: 'a' },
    },
  },
  'local shell': {
    id: 'openai.local_shell',
    begun: { type: 'local_shell_call', id: 'i_1', call_id: 'call_1', action: { command: [] } },
    item: { type: 'local_shell_call', id: 'i_1', call_id: 'call_1', action: { command: ['ls'] } },
  },
  computer: {
    id: 'openai.computer',
    begun: { type: 'computer_call', id: 'i_1', call_id: 'call_1', action: {} },
    item: { type: 'computer_call', id: 'i_1', call_id: 'call_1', action: { type: 'click', x: 1, y: 2 } },
  },
};
const LIMIT = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
const deltas = ['rm -r /', 'tmp/a'].map(delta => ({
  type: 'response.custom_tool_call_input.delta',
  item_id: 'i_1',
  delta,
}));
const inputDone = { type: 'response.custom_tool_call_input.done', item_id: 'i_1', input: 'rm -r /tmp/a' };

/** Reads the events of one item: those that `lost` selects do not arrive. */
async function readCall(
  { begun, item, id }: (typeof CALLS)[string],
  { events = [] as WireEvent[], terminal = {}, lost = (_event: WireEvent): boolean => false } = {},
) {
  const stream = toStream([{ begun: { ...begun, status: 'in_progress' }, item, deltas: events }], terminal);
  const parts = await readParts([new TextEncoder().encode(toSse(stream.filter(event => !lost(event))))], {
    declared: declare('mine', id),
  });
  return {
    calls: parts.flatMap(part => (part.type === 'tool-call' ? [part.input] : [])),
    finishReason: parts.flatMap(part => (part.type === 'finish' ? [part.finishReason] : []))[0],
  };
}
const isDone = (event: WireEvent) => event.type === 'response.output_item.done';
const noOutput = { output: [] };

describe.each(Object.entries(CALLS))('a call of the host: %s', (_name, call) => {
  const withStatus = (status: string) => ({ ...call, item: { ...call.item, status } });

  it('is complete without a status, if the response is', async () => {
    const { calls, finishReason } = await readCall(call);
    expect([calls.length, finishReason]).toEqual([1, 'tool-calls']);
  });

  it('is partial if the response was completed without the finished item', async () => {
    expect(await readCall(call, { lost: isDone, terminal: noOutput })).toEqual({
      calls: [],
      finishReason: 'other',
    });
  });

  it.each(['in_progress', 'incomplete'])('is partial as %s in an incomplete response', async status => {
    const partial = { calls: [], finishReason: 'length' };
    expect(await readCall(withStatus(status), { terminal: LIMIT })).toEqual(partial);
    expect(await readCall(withStatus(status), { terminal: LIMIT, lost: isDone })).toEqual(partial);
    expect(await readCall(withStatus(status), { terminal: { ...LIMIT, ...noOutput } })).toEqual(partial);
  });

  it('is complete as in_progress in a completed response', async () => {
    const { calls } = await readCall(withStatus('in_progress'), { terminal: noOutput });
    expect(calls).toHaveLength(1);
  });

  it('is complete with that status in an incomplete response', async () => {
    const { calls } = await readCall(withStatus('completed'), { terminal: LIMIT });
    expect(calls).toHaveLength(1);
  });
});

describe('the input of a custom tool', () => {
  const { custom } = CALLS as { custom: (typeof CALLS)[string] };
  const whole = { calls: ['"rm -r /tmp/a"'], finishReason: 'tool-calls' };

  it('completes a call whose item is never finished', async () => {
    const events = [...deltas, inputDone];
    expect(await readCall(custom, { events, lost: isDone, terminal: noOutput })).toEqual(whole);
  });

  it('is partial if it was streamed without an end, in an incomplete response without a status', async () => {
    expect(await readCall(custom, { events: deltas, terminal: LIMIT })).toMatchObject({ calls: [] });
    expect(await readCall(custom, { events: deltas })).toEqual(whole);
  });

  it('of two calls without announcements belongs to its call', async () => {
    const second = { ...custom.item, id: 'i_2', call_id: 'call_2', input: 'ls' };
    const items = [custom.item, second].map(item => ({ ...item, status: 'in_progress' }));
    const stream = toStream(items.map(item => ({ begun: item, item, deltas: [] }))).filter(
      event => event.type !== 'response.output_item.added',
    );
    const parts = await readParts([new TextEncoder().encode(toSse(stream))], {
      declared: declare('mine', 'openai.custom'),
    });
    const calls = parts.flatMap(part => (part.type === 'tool-call' ? [[part.toolCallId, part.input]] : []));
    expect(calls).toEqual([
      ['call_1', '"rm -r /tmp/a"'],
      ['call_2', '"ls"'],
    ]);
  });
});
