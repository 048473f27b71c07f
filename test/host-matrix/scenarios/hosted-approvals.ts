import type { ModelMessage, ToolSet } from 'ai';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../_scenario.js';

/** The tool as the official providers for `ai` 6 and 7 create it. */
const hostedMcp = {
  type: 'provider',
  id: 'openai.mcp',
  name: 'mcp',
  args: { serverLabel: 'docs', serverUrl: 'https://mcp.example.com/mcp', requireApproval: 'always' },
  inputSchema: z.object({}),
  isProviderExecuted: true,
};

export const hostedApprovals: Scenario = {
  name: 'approvals of hosted MCP servers',
  // With version 2, a host declares a tool that responds.
  versions: ['V3', 'V4'],
  async play({ run, emulator, inputOf }) {
    const tools = { docs: hostedMcp } as unknown as ToolSet;
    const request = { type: 'mcp_approval_request', server_label: 'docs', name: 'search' };
    emulator.enqueue(
      [
        { ...request, id: 'mcpr_1', arguments: '{"query":"a"}' },
        { ...request, id: 'mcpr_2', arguments: '{"query":"b"}' },
      ],
      [{ text: 'Done.' }],
    );
    const prompt: ModelMessage = { role: 'user', content: 'Search the docs.' };
    const requested = await run({ messages: [prompt], tools });
    expect(requested.errors).toEqual([]);
    expect(emulator.requests[0]?.body).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ type: 'mcp', server_label: 'docs' })]),
    });
    expect(requested.steps[0]?.toolCalls).toMatchObject([
      { toolName: 'mcp.search', input: { query: 'a' }, providerExecuted: true },
      { toolName: 'mcp.search', input: { query: 'b' }, providerExecuted: true },
    ]);

    const content = [
      { approvalId: 'mcpr_1', approved: true },
      { approvalId: 'mcpr_2', approved: false, reason: 'Not b.' },
    ].map(response => ({ type: 'tool-approval-response', providerExecuted: true, ...response }));
    const { text, errors } = await run({
      messages: [prompt, ...requested.messages, { role: 'tool', content } as unknown as ModelMessage],
      tools,
    });
    expect({ text, errors }).toEqual({ text: 'Done.', errors: [] });
    expect(inputOf(1).filter(({ type }) => type?.startsWith('mcp_'))).toEqual([
      { ...request, id: 'mcpr_1', arguments: '{"query":"a"}' },
      { ...request, id: 'mcpr_2', arguments: '{"query":"b"}' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_2', approve: false, reason: 'Not b.' },
    ]);
  },
};
