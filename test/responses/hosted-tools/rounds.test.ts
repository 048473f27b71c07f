import { generateText, stepCountIs, streamText, tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider, hostedTools } from '../../../src/index.js';
import { startEmulator } from '../../testing/_emulator.js';

async function start() {
  const emulator = await startEmulator();
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, apiKey: 'sk-test' });
  const sent = (index: number) =>
    emulator.requests[index]?.body as { input: Record<string, unknown>[]; tools?: unknown[] };
  return { emulator, model: provider('gpt-5'), sent };
}

it('executes shell, patch and custom calls in the rounds of the host', async () => {
  const { emulator, model, sent } = await start();
  emulator.enqueue(
    [
      {
        type: 'shell_call',
        id: 'sh_1',
        call_id: 'call_1',
        status: 'completed',
        action: { commands: ['ls'] },
      },
      {
        type: 'apply_patch_call',
        id: 'apc_1',
        call_id: 'call_2',
        status: 'completed',
        operation: { type: 'delete_file', path: 'a.txt' },
      },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_3', name: 'sql', input: 'SELECT 1' },
    ],
    [{ text: 'Done.' }],
  );
  const seen: unknown[] = [];
  const result = streamText({
    model,
    prompt: 'Go',
    stopWhen: stepCountIs(3),
    tools: {
      shell: hostedTools.shell({
        execute: async ({ action }) => {
          seen.push(action.commands);
          return { output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] };
        },
      }),
      apply_patch: hostedTools.applyPatch({
        execute: async ({ operation }) => {
          seen.push(operation.path);
          return { status: 'completed' };
        },
      }),
      sql: hostedTools.custom({
        description: 'Runs SQL',
        execute: async text => {
          seen.push(text);
          return 'one row';
        },
      }),
    },
    onError: ({ error }) => expect.fail(String(error)),
  });
  expect(await result.text).toBe('Done.');
  expect(seen).toEqual([['ls'], 'a.txt', 'SELECT 1']);
  expect(sent(0).tools).toEqual([
    { type: 'shell' },
    { type: 'apply_patch' },
    { type: 'custom', name: 'sql', description: 'Runs SQL' },
  ]);
  expect(sent(1).input.slice(1)).toEqual([
    { type: 'shell_call', call_id: 'call_1', status: 'completed', action: { commands: ['ls'] } },
    {
      type: 'apply_patch_call',
      call_id: 'call_2',
      status: 'completed',
      operation: { type: 'delete_file', path: 'a.txt' },
    },
    { type: 'custom_tool_call', call_id: 'call_3', name: 'sql', input: 'SELECT 1' },
    {
      type: 'shell_call_output',
      call_id: 'call_1',
      output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    { type: 'apply_patch_call_output', call_id: 'call_2', status: 'completed' },
    { type: 'custom_tool_call_output', call_id: 'call_3', output: 'one row' },
  ]);
});

it('sends screenshots to the model', async () => {
  const { emulator, model, sent } = await start();
  const check = { id: 'cu_sc_1', code: 'malicious_instructions', message: 'Look.' };
  emulator.enqueue(
    [
      {
        type: 'computer_call',
        id: 'cu_1',
        call_id: 'call_1',
        status: 'completed',
        action: { type: 'click', x: 1, y: 2, button: 'left' },
        pending_safety_checks: [check],
      },
    ],
    [{ text: 'Clicked.' }],
  );
  const { text } = await generateText({
    model,
    prompt: 'Click',
    stopWhen: stepCountIs(3),
    tools: {
      screen: hostedTools.computerUse({
        displayWidth: 800,
        displayHeight: 600,
        environment: 'browser',
        execute: async ({ action, pendingSafetyChecks }) => ({
          output: { type: 'computer_screenshot', imageUrl: `https://a.org/${action?.x}-${action?.y}.png` },
          acknowledgedSafetyChecks: pendingSafetyChecks,
        }),
      }),
    },
  });
  expect(text).toBe('Clicked.');
  expect(sent(1).input.slice(1)).toEqual([
    {
      type: 'computer_call',
      id: 'cu_1',
      call_id: 'call_1',
      status: 'completed',
      action: { type: 'click', x: 1, y: 2, button: 'left' },
      pending_safety_checks: [check],
    },
    {
      type: 'computer_call_output',
      call_id: 'call_1',
      output: { type: 'computer_screenshot', image_url: 'https://a.org/1-2.png' },
      acknowledged_safety_checks: [check],
    },
  ]);
});

it('asks the host before a hosted MCP server runs a tool', async () => {
  const { emulator, model, sent } = await start();
  const asked = { server_label: 'docs', name: 'write', arguments: '{"page":1}' };
  emulator.enqueue(
    [{ type: 'mcp_approval_request', id: 'mcpr_1', ...asked }],
    [
      { type: 'mcp_call', id: 'mcp_1', status: 'completed', ...asked, output: 'ok', error: null },
      { text: 'Written.' },
    ],
    [{ text: 'Bye.' }],
  );
  const tools = {
    docs: hostedTools.mcp({
      serverLabel: 'docs',
      serverUrl: 'https://docs.test/mcp',
      requireApproval: 'always',
    }),
    approve: hostedTools.mcpApproval({
      execute: async ({ name, arguments: args }) => ({
        approve: name === 'write',
        reason: JSON.stringify(args),
      }),
    }),
  };
  const stopWhen = stepCountIs(3);
  const first = streamText({ model, prompt: 'Write', tools, stopWhen });
  expect(await first.text).toBe('Written.');
  expect(sent(0).tools).toEqual([
    { type: 'mcp', server_label: 'docs', server_url: 'https://docs.test/mcp', require_approval: 'always' },
  ]);
  expect(sent(1).input.slice(1)).toEqual([
    { type: 'mcp_approval_request', id: 'mcpr_1', ...asked },
    {
      type: 'mcp_approval_response',
      approval_request_id: 'mcpr_1',
      approve: true,
      reason: '{"page":1}',
    },
  ]);

  const { messages } = await first.response;
  const history = [{ role: 'user' as const, content: 'Write' }, ...messages];
  await streamText({ model, messages: [...history, { role: 'user', content: 'Bye' }], tools }).text;
  expect(JSON.stringify(sent(2).input)).toContain('Written.');
  expect(JSON.stringify(sent(2).input)).not.toContain('mcp_approval_response');
});

it('sends calls of tools that are no longer declared as function calls', async () => {
  const { emulator, model, sent } = await start();
  emulator.enqueue([
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'sql', input: 'SELECT 1' },
  ]);
  const sql = hostedTools.custom({ execute: async () => 'one row' });
  const { response } = await generateText({ model, prompt: 'Go', tools: { sql } });
  const unrelated = tool({ inputSchema: z.object({}) });
  await generateText({
    model,
    messages: [{ role: 'user', content: 'Go' }, ...response.messages, { role: 'user', content: 'And?' }],
    tools: { unrelated },
  });
  expect(sent(1).input).toMatchObject([
    { role: 'user' },
    { type: 'function_call', call_id: 'call_1', name: 'sql', arguments: '"SELECT 1"' },
    { type: 'function_call_output', call_id: 'call_1', output: 'one row' },
    { role: 'user' },
  ]);
});
