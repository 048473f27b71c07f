/**
 * Tools that the API runs on its own servers, by the names the official OpenAI provider and this package give
 * their calls. Those calls are not functions: they cannot be sent back as a call with an output.
 */
const hostedToolNames = new Set([
  'web_search',
  'web_search_preview',
  'file_search',
  'code_interpreter',
  'image_generation',
  'local_shell',
  'computer_use',
  'mcp',
  'mcp_list_tools',
  'mcp_approval_request',
]);

/** How the ids of items that stand for a hosted call begin. A host may have declared the tool under any name. */
const hostedItemId = /^(?:ws|fs|ci|ig|cu|mcp|mcpl|mcpr)_/;

/**
 * Whether a provider-executed call or result belongs to a tool of the API itself.
 *
 * An MCP server may well offer a `web_search` of its own. The call id tells them apart: a function call's
 * begins with `call_`, a hosted call goes by the id of its item (`ws_…`, `ci_…`, `ig_…`).
 */
export function isHostedTool({ toolName, toolCallId }: { toolName: string; toolCallId: string }): boolean {
  if (hostedItemId.test(toolCallId)) return true;
  // `mcp.<tool>` is the spelling of hosted MCP calls in the official provider's later versions.
  return (hostedToolNames.has(toolName) || toolName.startsWith('mcp.')) && !toolCallId.startsWith('call_');
}
