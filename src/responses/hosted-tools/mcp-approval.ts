import * as z from 'zod/v4';
import { defineHostedTool } from './define-hosted-tool.js';

/** A call of an MCP tool that waits for approval. */
export interface McpApprovalInput {
  serverLabel: string;
  /** The name of the tool. */
  name: string;
  /** The arguments it is to be called with. */
  arguments?: unknown;
}

export interface McpApprovalOutput {
  /** Whether the tool may be called. */
  approve: boolean;
  /** Tells the model why. */
  reason?: string;
}

const inputSchema: z.ZodType<McpApprovalInput> = z.object({
  serverLabel: z.string(),
  name: z.string(),
  arguments: z.unknown(),
});

const outputSchema: z.ZodType<McpApprovalOutput> = z.object({
  approve: z.boolean(),
  reason: z.string().optional(),
});

const createTool = defineHostedTool<McpApprovalInput, McpApprovalOutput, object>({
  id: 'openai.mcp_approval_request',
  name: 'mcp_approval_request',
  inputSchema,
  outputSchema,
});

/**
 * Answers the API when it asks whether it may call a tool of a hosted MCP server. To be declared beside
 * `hostedTools.mcp`; the model never sees it. Without `execute` the turn ends at the question, and the host goes on
 * with a tool result `{ approve, reason? }`. Whatever is no plain `approve: true` is a refusal.
 */
export const mcpApproval = (options: Parameters<typeof createTool>[0] = {}) => createTool(options);
