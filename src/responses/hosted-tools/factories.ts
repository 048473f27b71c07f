import { applyPatch } from './apply-patch.js';
import { computer, computerUse } from './computer.js';
import { custom } from './custom.js';
import { mcp } from './mcp.js';
import { mcpApproval } from './mcp-approval.js';
import { programmaticToolCalling } from './programmatic-tool-calling.js';
import { shell } from './shell.js';
import { toolSearch } from './tool-search.js';

/*
 * The main entry exports these factories. Each hosted tool stays in one file, and the build loads its conversions with the
 * first call (`createFactoryPlugin` in `.build.mjs`).
 */

/**
 * OpenAI tools that the official provider for `ai@5` has no factory for. Put them into the `tools` of `generateText` and
 * `streamText`. Arguments, inputs and outputs are those of later versions of the official provider. Tools that the host
 * executes accept an `execute`, as any tool does. Hosts of `ai` 6 and 7 use the factories of their official provider
 * instead, because provider-defined tools have another shape there. This provider accepts both.
 *
 * @example
 * ```ts
 * tools: {
 *   docs: hostedTools.mcp({ serverLabel: 'docs', serverUrl: 'https://mcp.example.com/mcp' }),
 *   shell: hostedTools.shell({ execute: async ({ action }) => ({ output: await runAll(action.commands) }) }),
 * }
 * ```
 */
export const hostedTools = {
  applyPatch,
  computer,
  computerUse,
  custom,
  mcp,
  mcpApproval,
  programmaticToolCalling,
  shell,
  toolSearch,
};
