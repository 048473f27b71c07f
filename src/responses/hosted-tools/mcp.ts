import * as z from 'zod/v4';
import { defineHostedTool } from './define-hosted-tool.js';

/** A remote MCP server. One of `serverUrl` and `connectorId` is needed. */
export interface McpToolArguments {
  /** A name for the server, unique in the request; its calls carry it. */
  serverLabel: string;
  /** The address of the server. */
  serverUrl?: string;
  /** The id of one of OpenAI's own connectors, for example `connector_googlecalendar`. */
  connectorId?: string;
  /** Tells the model what the server is for. */
  serverDescription?: string;
  /** An OAuth access token for the server or connector. The API does not keep it: every request brings it. */
  authorization?: string;
  /** Headers of the API's requests to the server. */
  headers?: Record<string, string>;
  /** Which of its tools the model may see. @default all */
  allowedTools?: string[] | McpToolFilter;
  /**
   * Which tools the API asks approval for before it calls them; `hostedTools.mcpApproval` answers.
   * @default 'never', as in the official provider; the API's own default is `always`
   */
  requireApproval?: 'always' | 'never' | { always?: McpToolFilter; never?: McpToolFilter };
}

/** Which tools of an MCP server are meant. */
export interface McpToolFilter {
  /** Whether only those are meant that the server calls read-only. @default false */
  readOnly?: boolean;
  /** The names of the tools. @default all */
  toolNames?: string[];
}

/** A call that OpenAI's servers have made. */
export interface McpToolOutput {
  type: 'call';
  serverLabel: string;
  name: string;
  /** The arguments as JSON text. */
  arguments: string;
  /** What the tool said. */
  output?: string;
  /** Why the call failed. */
  error?: unknown;
}

const outputSchema: z.ZodType<McpToolOutput> = z.object({
  type: z.literal('call'),
  serverLabel: z.string(),
  name: z.string(),
  arguments: z.string(),
  output: z.string().optional(),
  error: z.unknown(),
});

const createTool = defineHostedTool<Record<string, unknown>, McpToolOutput, McpToolArguments>({
  id: 'openai.mcp',
  name: 'mcp',
  inputSchema: z.looseObject({}),
  outputSchema,
});

/**
 * Tools of a remote MCP server, called by OpenAI's servers and shown as provider-executed calls `mcp.<tool>`. Servers
 * that are to be called from here belong into the provider's `mcpServers`.
 */
export const mcp = (options: McpToolArguments) => createTool(options);
