import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { applyPatch } from './apply-patch.js';
import { computer } from './computer.js';
import { customTool } from './custom-tool.js';
import type { HostedCallForm } from './hosted-call-form.js';
import { localShell } from './local-shell.js';
import { mcpApproval } from './mcp-approval.js';
import { shell } from './shell.js';

/** The tools that the host runs, though they are no functions, by their ids. */
const formsById: Readonly<Record<string, HostedCallForm>> = {
  'openai.local_shell': localShell,
  'openai.shell': shell,
  'openai.apply_patch': applyPatch,
  'openai.computer': computer,
  'openai.computer_use': computer,
  'openai.custom': customTool,
  'openai.mcp_approval_request': mcpApproval,
};

/** The forms of the calls of the declared tools, by the names they are declared under. */
export function toHostedCallForms(
  tools: LanguageModelV2CallOptions['tools'] = [],
): ReadonlyMap<string, HostedCallForm> {
  return new Map(
    tools.flatMap(tool => {
      if (tool.type === 'function' || !Object.hasOwn(formsById, tool.id)) return [];
      const form = formsById[tool.id];
      return form === undefined ? [] : [[tool.name, form] as const];
    }),
  );
}
