import * as z from 'zod/v4';
import { asJson, isPlainObject, type JSONValue, type PlainObject, stringOf } from '../../shared/json.js';
import { hostedCallNames } from '../../tool-calls/hosted-tools.js';
import { type HostedTool, presentFields, toItemId } from './hosted-tool.js';
import { defineHostedTool, REDACTED, type ToolCaller } from './tool-factory.js';

/** A remote MCP server. One of `serverUrl`, `connectorId` and `tunnelId` is required. */
export interface McpToolArguments {
  /** Name of the server, unique in the request. Its calls contain the name. */
  serverLabel: string;
  /** URL of the server. */
  serverUrl?: string;
  /** Id of a connector of OpenAI, for example `connector_googlecalendar`. */
  connectorId?: string;
  /** Id of a tunnel of OpenAI to a server in a private network. */
  tunnelId?: string;
  /** Description of the server for the model. */
  serverDescription?: string;
  /** OAuth access token for the server or connector. The API does not store it, so every request contains it. */
  authorization?: string;
  /** Headers of the requests that the API sends to the server. */
  headers?: Record<string, string>;
  /**
   * Tools that the model can use.
   * @default all tools
   */
  allowedTools?: string[] | McpToolFilter;
  /**
   * Tools whose calls require approval. `hostedTools.mcpApproval` decides on the requests.
   * @default 'never', as in the official provider; the default of the API is `always`
   */
  requireApproval?: 'always' | 'never' | { always?: McpToolFilter; never?: McpToolFilter };
  /**
   * Hides the tools from the model until a tool search finds them.
   * @default false
   */
  deferLoading?: boolean;
  /**
   * Callers of the tools: the model, its programs, or both.
   * @default the default of the API
   */
  allowedCallers?: ToolCaller[];
}

/** Selects tools of an MCP server. */
export interface McpToolFilter {
  /**
   * Selects only tools that the server marks as read-only.
   * @default false
   */
  readOnly?: boolean;
  /**
   * Names of the tools.
   * @default all tools
   */
  toolNames?: string[];
}

/** A call that OpenAI's servers have made. */
export interface McpToolOutput {
  type: 'call';
  serverLabel: string;
  name: string;
  /** Arguments as JSON text. */
  arguments: string;
  /** Output of the tool. */
  output?: string;
  /** Error of a failed call. */
  error?: unknown;
}

/**
 * Tools of a remote MCP server that OpenAI's servers call. The calls appear as provider-executed calls `mcp.<tool>`.
 * To call a server from this process instead, add it to the provider's `mcpServers`.
 */
export const mcp = defineHostedTool<Record<string, unknown>, McpToolOutput, McpToolArguments>()({
  id: 'openai.mcp',
  name: 'mcp',
  isProviderExecuted: true,
  redact: ({ authorization, headers, ...args }) => ({
    ...args,
    ...(authorization !== undefined && { authorization: REDACTED }),
    ...(isPlainObject(headers) && {
      headers: Object.fromEntries(Object.keys(headers).map(name => [name, REDACTED])),
    }),
  }),
  toSchemas: () => ({
    inputSchema: z.looseObject({}),
    outputSchema: z.object({
      type: z.literal('call'),
      serverLabel: z.string(),
      name: z.string(),
      arguments: z.string(),
      output: z.string().optional(),
      error: z.unknown(),
    }),
  }),
});

/** `mcp`: the server calls the tools of a remote MCP server. */
export const mcpTool: HostedTool = {
  declarations: {
    'openai.mcp': {
      type: 'mcp',
      // Names of headers are not those of fields.
      unchangedArguments: ['headers'],
      // The default of the API is `always`, that of the official provider `never`.
      adaptSettings: ({ require_approval: policy, ...settings }) => ({
        ...settings,
        require_approval: policy ?? 'never',
      }),
      choiceFields: ['server_label'],
    },
  },
  items: {
    mcp_call: {
      toolName: ({ name }) => `mcp.${stringOf(name)}`,
      input: toMcpInput,
      isError: ({ error }) => error !== null && error !== undefined,
      result: ({ server_label: serverLabel, name, arguments: args, output, error }) => ({
        type: 'call',
        ...presentFields({ serverLabel, name, arguments: args, output, error }),
      }),
      metadata: toItemId,
    },
  },
  // Later versions of the official provider name the calls `mcp.<tool>`, too.
  history: hostedCallNames.mcp,
};

/** Parses the arguments of an MCP item. Returns text that is not valid JSON unchanged. */
export function toMcpInput({ arguments: args }: PlainObject): JSONValue {
  if (typeof args !== 'string') return asJson(args ?? {});
  try {
    return asJson(JSON.parse(args));
  } catch {
    return args;
  }
}
