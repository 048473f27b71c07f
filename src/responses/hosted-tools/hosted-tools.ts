import { applyPatch } from './apply-patch.js';
import { computerUse } from './computer-use.js';
import { custom } from './custom.js';
import { mcp } from './mcp.js';
import { mcpApproval } from './mcp-approval.js';
import { shell } from './shell.js';

/**
 * Tools of OpenAI that the official provider of `ai@5` has no factory for, to be put into the `tools` of `generateText`
 * and `streamText`. Arguments, inputs and outputs are those of the official provider's later versions. Those that the
 * host runs take an `execute`, like any tool. Hosts of `ai` 6 and 7 spell provider-defined tools in another way: they
 * use the factories of their own official provider, whose tools are understood no less.
 *
 * @example
 * ```ts
 * tools: {
 *   docs: hostedTools.mcp({ serverLabel: 'docs', serverUrl: 'https://mcp.example.com/mcp' }),
 *   shell: hostedTools.shell({ execute: async ({ action }) => ({ output: await runAll(action.commands) }) }),
 * }
 * ```
 */
export const hostedTools = { applyPatch, computerUse, custom, mcp, mcpApproval, shell };
