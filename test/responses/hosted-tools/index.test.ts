import { expect, it } from 'vitest';
import { serverToolOfCall } from '../../../src/responses/hosted-tools/index.js';
import { isHostedToolPart } from '../../../src/core/tool-calls/hosted-tools.js';

it.each([
  ['web_search', 'ws_1'],
  ['web_search_preview', 'toolu_1'],
  ['file_search', 'fs_1'],
  ['code_interpreter', 'ci_1'],
  ['image_generation', 'ig_1'],
  ['local_shell', 'item_1'],
  ['computer_use', 'cu_1'],
  ['mcp', 'mcp_1'],
  ['mcp_list_tools', 'mcpl_1'],
  ['mcp.search', 'item_1'],
  ['mcp_approval_request', 'mcpr_1'],
  ['mine', 'ws_1'],
  ['mine', 'mcpr_1'],
])('recognizes a hosted call %s with the id %s, as the tool loop does', (toolName, toolCallId) => {
  expect(serverToolOfCall({ toolName, toolCallId }) !== undefined).toBe(true);
  expect(isHostedToolPart({ toolName, toolCallId })).toBe(true);
});

it.each([
  ['web_search', 'call_1'],
  ['mcp.search', 'call_1'],
  ['shell', 'call_1'],
  ['weather', 'toolu_1'],
  ['weather', 'wsx_1'],
])('treats the call %s with the id %s as a function call', (toolName, toolCallId) => {
  expect(serverToolOfCall({ toolName, toolCallId }) !== undefined).toBe(false);
  expect(isHostedToolPart({ toolName, toolCallId })).toBe(false);
});

it.each([
  ['bash', 'call_1', 'sh_1'],
  ['run', 'call_1', 'cm_1'],
  ['find', 'call_1', 'tsc_1'],
  ['tool_search', 'item_1', undefined],
  ['programmatic_tool_calling', 'item_1', undefined],
])('recognizes the hosted call %s with the id %s by its item %s', (toolName, toolCallId, itemId) => {
  const part = { toolName, toolCallId, providerOptions: { openai: { itemId } } };
  expect(serverToolOfCall(part) !== undefined).toBe(true);
  expect(isHostedToolPart(part)).toBe(true);
});

it('treats a call with the item of a function call as a function call', () => {
  const part = { toolName: 'shell', toolCallId: 'call_1', providerOptions: { openai: { itemId: 'fc_1' } } };
  expect(serverToolOfCall(part) !== undefined).toBe(false);
  expect(isHostedToolPart(part)).toBe(false);
});
