import * as z from 'zod/v4';
import { objectOf, stringOf } from '../../shared/json.js';
import { hostedCallNames } from '../../tool-calls/hosted-tools.js';
import { type HostedInputItem, toArgumentsJson } from '../wire.js';
import { type HostedTool, presentFields, toOutputObject, toPlainOutput } from './hosted-tool.js';
import { defineHostedTool } from './tool-factory.js';
import { toMcpInput } from './mcp.js';

/** A call of an MCP tool that requires approval. */
export interface McpApprovalInput {
  serverLabel: string;
  /** Name of the MCP tool. */
  name: string;
  /** Arguments of the call. */
  arguments?: unknown;
}

export interface McpApprovalOutput {
  /** True if the API may call the tool. */
  approve: boolean;
  /** Reason for the decision, which the model reads. */
  reason?: string;
}

/**
 * Decides on the approval requests of hosted MCP servers. Declare it together with `hostedTools.mcp`; the model does not
 * see it. Without `execute` the turn ends at the request, and the host continues with a tool result
 * `{ approve, reason? }`. Every result other than `approve: true` denies the call.
 */
export const mcpApproval = defineHostedTool<McpApprovalInput, McpApprovalOutput>()({
  id: 'openai.mcp_approval_request',
  name: 'mcp_approval_request',
  isProviderExecuted: false,
  toSchemas: () => ({
    inputSchema: z.object({ serverLabel: z.string(), name: z.string(), arguments: z.unknown() }),
    outputSchema: z.object({ approve: z.boolean(), reason: z.string().optional() }),
  }),
});

interface McpApprovalRequest extends HostedInputItem {
  type: 'mcp_approval_request';
  id: string;
  server_label: string;
  name: string;
  /** JSON of an object. */
  arguments: string;
}

interface McpApprovalResponse extends HostedInputItem {
  type: 'mcp_approval_response';
  approval_request_id: string;
  approve: boolean;
  reason?: string;
}

/** `mcp_approval_request`: the API asks before it calls a tool of a hosted MCP server, and the host decides. */
export const mcpApprovalTool: HostedTool = {
  // The API asks for approval without a declaration.
  declarations: { 'openai.mcp_approval_request': {} },
  items: {
    mcp_approval_request: {
      toolName: 'mcp_approval_request',
      input: item => ({
        ...presentFields({ serverLabel: item.server_label, name: item.name }),
        arguments: toMcpInput(item),
      }),
      isForHost: () => true,
      result: () => ({ type: 'approval-request' }),
      approval: {
        declaredBy: 'openai.mcp',
        toCall(item) {
          const input = toMcpInput(item);
          return {
            toolName: `mcp.${stringOf(item.name)}`,
            input: typeof input === 'string' ? input : JSON.stringify(input),
            server: stringOf(item.server_label),
          };
        },
      },
    },
  },
  replay: {
    // The server executes the tool each time that it receives an approval, because the input does not show that an
    // earlier approval was used.
    isSentOnce: output => objectOf(output)?.approve === true,

    toCall({ toolCallId, input }): McpApprovalRequest | undefined {
      const { serverLabel, name, arguments: args } = objectOf(input) ?? {};
      if (typeof serverLabel !== 'string' || typeof name !== 'string') return undefined;
      return {
        type: 'mcp_approval_request',
        id: toolCallId,
        server_label: serverLabel,
        name,
        arguments: toArgumentsJson(args),
      };
    },

    toOutput(part, toContent): McpApprovalResponse {
      const { approve, reason } = toOutputObject(part) ?? {};
      if (typeof approve === 'boolean') {
        return {
          type: 'mcp_approval_response',
          approval_request_id: part.toolCallId,
          approve,
          ...(typeof reason === 'string' && { reason }),
        };
      }
      // Only an explicit approval counts: errors and other outputs deny the call.
      const { text } = toPlainOutput(part, toContent);
      return {
        type: 'mcp_approval_response',
        approval_request_id: part.toolCallId,
        approve: false,
        ...(text !== '' && { reason: text }),
      };
    },
  },
  history: hostedCallNames.mcpApproval,
};
