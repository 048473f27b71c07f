import { objectOf } from '../shared/json.js';

/**
 * Names that the official OpenAI provider and this package use for calls of hosted tools. The API executes them on its
 * servers. They are not functions, so they cannot be sent back as a function call with an output.
 */
const hostedToolNames = new Set([
  'web_search',
  'web_search_preview',
  'file_search',
  'code_interpreter',
  'image_generation',
  'local_shell',
  'computer_use',
  'tool_search',
  'programmatic_tool_calling',
  'mcp',
  'mcp_list_tools',
  'mcp_approval_request',
]);

/** Prefixes of the ids of hosted items. The host may have declared the tool under any name. */
const hostedItemId = /^(?:ws|fs|ci|ig|cu|mcp|mcpl|mcpr|sh|sho|tsc|tso|cm|cmo)_/;

/**
 * Returns true if a provider-executed call or result belongs to a hosted tool of the official OpenAI provider. The
 * tool loop uses it for models of any provider. The Responses provider supplies a predicate
 * derived from its own table of hosted tools, so a new hosted tool need not be added here.
 *
 * An MCP server may offer a tool with the same name, for example `web_search`. The ids distinguish them: ids of function
 * calls begin with `call_`, and a hosted call has the id of its item (`ws_…`, `ci_…`, `ig_…`), or names it in its metadata.
 */
export function isKnownHostedTool({
  toolName,
  toolCallId,
  providerOptions,
}: {
  toolName: string;
  toolCallId: string;
  providerOptions?: unknown;
}): boolean {
  const itemId = objectOf(objectOf(providerOptions)?.openai)?.itemId;
  if (typeof itemId === 'string' && hostedItemId.test(itemId)) return true;
  if (hostedItemId.test(toolCallId)) return true;
  // Later versions of the official provider name hosted MCP calls `mcp.<tool>`.
  return (hostedToolNames.has(toolName) || toolName.startsWith('mcp.')) && !toolCallId.startsWith('call_');
}
