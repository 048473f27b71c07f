import type { CallOptions } from './_calls.js';

const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] };

/** A host's call and its result, of a tool that the official provider defines. */
const toolRound = ({
  id,
  name,
  input,
  output,
  args = {},
}: {
  id: string;
  name: string;
  input: unknown;
  output: unknown;
  args?: Record<string, unknown>;
}): CallOptions => ({
  tools: [{ type: 'provider-defined', id, name, args }],
  prompt: [
    user,
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: name, input }] },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call_1',
          toolName: name,
          output: { type: 'json', value: output },
        },
      ],
    },
  ],
});

const systemOptions = (openai: Record<string, unknown>): CallOptions => ({
  prompt: [{ role: 'system', content: '', providerOptions: { openai } }, user],
});

/** Calls whose requests contain the items that a host, not a model, makes, by the type of the item. */
export const CONVERSATIONS: Readonly<Record<string, CallOptions>> = {
  function_call_output: {
    tools: [{ type: 'function', name: 'sample', inputSchema: { type: 'object', properties: {} } }],
    prompt: [
      user,
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'sample', input: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName: 'sample',
            output: { type: 'text', value: 'ok' },
          },
        ],
      },
    ],
  },
  computer_call_output: toolRound({
    id: 'openai.computer',
    name: 'computer',
    input: { actions: [{ type: 'screenshot' }], pendingSafetyChecks: [], status: 'completed' },
    output: { output: { type: 'computer_screenshot', imageUrl: 'data:image/png;base64,AA==' } },
  }),
  custom_tool_call_output: toolRound({
    id: 'openai.custom',
    name: 'sql',
    input: 'SELECT 1',
    output: 'one row',
  }),
  local_shell_call_output: toolRound({
    id: 'openai.local_shell',
    name: 'local_shell',
    input: { action: { type: 'exec', command: ['ls'], env: {} } },
    output: { output: 'a.txt' },
  }),
  shell_call_output: toolRound({
    id: 'openai.shell',
    name: 'shell',
    input: { action: { commands: ['ls'] } },
    output: { output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] },
  }),
  apply_patch_call_output: toolRound({
    id: 'openai.apply_patch',
    name: 'apply_patch',
    input: { callId: 'call_1', operation: { type: 'delete_file', path: 'a.txt' } },
    output: { status: 'completed' },
  }),
  tool_search_output: toolRound({
    id: 'openai.tool_search',
    name: 'tool_search',
    args: { execution: 'client' },
    input: { arguments: { query: 'weather' }, call_id: 'call_1' },
    output: { tools: [] },
  }),
  mcp_approval_response: toolRound({
    id: 'openai.mcp_approval_request',
    name: 'mcp_approval_request',
    input: { serverLabel: 'docs', name: 'search', arguments: {} },
    output: { approve: true },
  }),
  configuration_update: systemOptions({ reasoningEffortUpdate: 'low' }),
  additional_tools: systemOptions({
    additionalTools: [{ type: 'function', name: 'later', parameters: { type: 'object', properties: {} } }],
  }),
  compaction_trigger: { providerOptions: { openai: { compactionTrigger: true } } },
  item_reference: {
    providerOptions: { openai: { store: true } },
    tools: [
      {
        type: 'provider-defined',
        id: 'openai.file_search',
        name: 'file_search',
        args: { vectorStoreIds: ['vs_1'] },
      },
    ],
    prompt: [
      user,
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'fs_1',
            toolName: 'file_search',
            input: {},
            providerExecuted: true,
          },
          {
            type: 'tool-result',
            toolCallId: 'fs_1',
            toolName: 'file_search',
            output: { type: 'json', value: { queries: ['x'], results: null } },
          },
        ],
      },
      user,
    ],
  },
};
