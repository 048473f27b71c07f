import {
  createProviderDefinedToolFactory,
  createProviderDefinedToolFactoryWithOutputSchema,
} from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import * as schemas from './hosted-tool-schemas.js';

/** Which tools of an MCP server are meant. */
export interface McpToolFilter {
  /** Whether only tools are meant that the server calls read-only. @default false */
  readOnly?: boolean;
  /** The names of the tools. @default all */
  toolNames?: string[];
}

/** A remote MCP server that OpenAI's servers call. One of `serverUrl` and `connectorId` is needed. */
export interface McpToolArguments {
  /** A name for the server, unique in the request; calls carry it. */
  serverLabel: string;
  /** The address of the server. */
  serverUrl?: string;
  /** The id of one of OpenAI's own connectors, for example `connector_googlecalendar`. */
  connectorId?: string;
  /** Tells the model what the server is for. */
  serverDescription?: string;
  /** An OAuth access token for the server or connector. The API does not keep it: every request needs it. */
  authorization?: string;
  /** Headers of the requests to the server. */
  headers?: Record<string, string>;
  /** Which of its tools the model may see. @default all */
  allowedTools?: string[] | McpToolFilter;
  /**
   * Which tools the API asks approval for before it calls them. Declare {@link HostedTools.mcpApproval} to answer.
   * @default 'never', as in the stock provider; the API's own default is `always`
   */
  requireApproval?: 'always' | 'never' | { always?: McpToolFilter; never?: McpToolFilter };
}

/** A tool that takes free text in place of JSON. */
export interface CustomToolArguments {
  /** The name the model sees. @default the name under which the tool is declared */
  name?: string;
  /** Tells the model what the tool does and what to write. */
  description?: string;
  /** What the text may be: anything, or what a grammar allows. @default { type: 'text' } */
  format?: { type: 'text' } | { type: 'grammar'; syntax: 'lark' | 'regex'; definition: string };
}

/** What a shell in a container may reach in the network. */
export type ShellNetworkPolicy =
  | { type: 'disabled' }
  | {
      type: 'allowlist';
      allowedDomains: string[];
      /** Values that are put into requests to a domain, unseen by the model. */
      domainSecrets?: Array<{ domain: string; name: string; value: string }>;
    };

export type ShellSkill =
  | { type: 'skillReference'; skillId: string; version?: string }
  | {
      type: 'inline';
      name: string;
      description: string;
      /** A zip archive in base64. */
      source: { type: 'base64'; mediaType: 'application/zip'; data: string };
    };

export interface ShellToolArguments {
  /**
   * Where the commands run: here, by the tool's `execute`, or in a container on OpenAI's servers.
   * @default { type: 'local' }
   */
  environment?:
    | { type: 'local'; skills?: Array<{ name: string; description: string; path: string }> }
    | { type: 'containerReference'; containerId: string }
    | {
        type: 'containerAuto';
        fileIds?: string[];
        memoryLimit?: '1g' | '4g' | '16g' | '64g';
        networkPolicy?: ShellNetworkPolicy;
        skills?: ShellSkill[];
      };
}

export interface ComputerUseToolArguments {
  /** The width of the screen in pixels. */
  displayWidth: number;
  /** The height of the screen in pixels. */
  displayHeight: number;
  environment: 'browser' | 'linux' | 'mac' | 'ubuntu' | 'windows';
}

/**
 * Tools of OpenAI that the stock provider of `ai@5` has no factory for, to be put into the `tools` of `generateText`
 * and `streamText`. Their arguments and their inputs and outputs are those of the stock provider's later versions.
 *
 * Those that the host runs take an `execute`, like any tool.
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
  /**
   * Tools of a remote MCP server, called by OpenAI's servers. Shown as provider-executed calls `mcp.<tool>`. To run
   * MCP servers from here, use the provider's `mcpServers` instead.
   */
  mcp: createProviderDefinedToolFactoryWithOutputSchema<
    Record<string, unknown>,
    schemas.McpOutput,
    McpToolArguments
  >({
    id: 'openai.mcp',
    name: 'mcp',
    inputSchema: z.looseObject({}),
    outputSchema: schemas.mcpOutput,
  }),

  /**
   * Answers the API when it asks whether it may call a tool of an MCP server. Declared beside
   * {@link hostedTools.mcp}; the model never sees it. Without `execute` the turn ends at the question, and the host
   * goes on with a tool result `{ approve, reason? }`. Anything but a plain `approve: true` is a refusal.
   */
  mcpApproval: createProviderDefinedToolFactoryWithOutputSchema<
    schemas.McpApprovalInput,
    schemas.McpApprovalOutput,
    // biome-ignore lint/complexity/noBannedTypes: no arguments
    {}
  >({
    id: 'openai.mcp_approval_request',
    name: 'mcp_approval_request',
    inputSchema: schemas.mcpApprovalInput,
    outputSchema: schemas.mcpApprovalOutput,
  }),

  /** A tool of the host's that takes text. Its input is a string. */
  custom: createProviderDefinedToolFactory<string, CustomToolArguments>({
    id: 'openai.custom',
    name: 'custom',
    inputSchema: z.string(),
  }),

  /** Runs command lines. */
  shell: createProviderDefinedToolFactoryWithOutputSchema<
    schemas.ShellInput,
    schemas.ShellOutput,
    ShellToolArguments
  >({
    id: 'openai.shell',
    name: 'shell',
    inputSchema: schemas.shellInput,
    outputSchema: schemas.shellOutput,
  }),
};
