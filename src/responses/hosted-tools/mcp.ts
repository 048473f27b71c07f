import * as z from 'zod/v4';
import {
  asJson,
  isPlainObject,
  type JSONValue,
  objectOf,
  type PlainObject,
  stringOf,
} from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import { toArgumentsJson } from '../wire.js';
import {
  defineHostedTool,
  type HostedTool,
  presentFields,
  REDACTED,
  type ToolCaller,
  toItemId,
  toOutputObject,
  toPlainOutput,
} from './hosted-tool.js';

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
      toolName: item => `mcp.${stringOf(item.name)}`,
      input: toMcpInput,
      isError: item => item.error !== null && item.error !== undefined,
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

    toCall(part) {
      const { serverLabel, name, arguments: args } = objectOf(part.input) ?? {};
      // A request that only the server has.
      if (serverLabel === undefined && name === undefined)
        return { type: 'item_reference', id: part.toolCallId };
      if (typeof serverLabel !== 'string' || typeof name !== 'string') return undefined;
      return {
        type: 'mcp_approval_request',
        id: part.toolCallId,
        server_label: serverLabel,
        name,
        arguments: toArgumentsJson(args),
      };
    },

    toOutput(part, toContent) {
      const item = { type: 'mcp_approval_response', approval_request_id: part.toolCallId };
      const { approve, reason } = toOutputObject(part) ?? {};
      if (typeof approve === 'boolean')
        return { ...item, approve, ...(typeof reason === 'string' && { reason }) };
      // Only an explicit approval counts: errors and other outputs deny the call.
      const { text } = toPlainOutput(part, toContent);
      return { ...item, approve: false, ...(text !== '' && { reason: text }) };
    },
  },
  history: hostedCallNames.mcpApproval,
};

/** Parses the arguments of an MCP item. Returns text that is not valid JSON unchanged. */
function toMcpInput(item: PlainObject): JSONValue {
  if (typeof item.arguments !== 'string') return asJson(item.arguments ?? {});
  try {
    return asJson(JSON.parse(item.arguments));
  } catch {
    return item.arguments;
  }
}
