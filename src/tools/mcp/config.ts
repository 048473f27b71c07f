import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';

/**
 * MCP servers by name: the `mcpServers` object of Claude Desktop, Cursor and others, the `servers` object
 * of VS Code. Keys of those hosts that concern their user interface (`autoApprove`, `description`, …) are
 * ignored.
 */
export type McpServers = Readonly<Record<string, McpServerConfig>>;

/** One MCP server: a program to start, or an address to connect to. */
export type McpServerConfig = McpStdioServerConfig | McpHttpServerConfig;

interface McpServerSettings {
  /** Leaves the server out, as if it were not configured. @default false */
  readonly disabled?: boolean;
  /**
   * How long a call may be silent, in milliseconds; a progress notification starts the time anew.
   * @default the `timeout` of `createMcpTools`
   */
  readonly timeout?: number;
  /** Offers only these tools, by the server's own names. @default all of them */
  readonly allowedTools?: readonly string[];
  /** Keeps these tools back, by the server's own names. @default none */
  readonly disabledTools?: readonly string[];
}

/** A program that speaks MCP over its standard input and output. Needs Node. */
export interface McpStdioServerConfig extends McpServerSettings {
  /** Says that this server is a program; `command` alone says it too. */
  readonly type?: 'stdio';
  /** The program: a name that is looked up in `PATH`, or a path. It is not passed through a shell. */
  readonly command: string;
  /** What the program is started with, each argument as one text. @default [] */
  readonly args?: readonly string[];
  /**
   * Variables for the server, beside HOME, LOGNAME, PATH, SHELL, TERM and USER (on Windows their like).
   * It gets no other variable of the host's environment.
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder to start it in. @default the host's */
  readonly cwd?: string;
}

/** A server that is reached over HTTP. */
export interface McpHttpServerConfig extends McpServerSettings {
  /**
   * `http`, `streamable-http` and `streamableHttp` mean Streamable HTTP, `sse` means the older transport.
   * @default Streamable HTTP, then SSE when the server refuses `initialize` with a 4xx status
   */
  readonly type?: 'http' | 'streamable-http' | 'streamableHttp' | 'sse';
  /** The absolute address of the MCP endpoint. */
  readonly url: string;
  /** Sent with every request; an `Authorization` header here wins over the token of `authProvider`. @default {} */
  readonly headers?: Readonly<Record<string, string>>;
  /** Signs in with OAuth, as the MCP SDK defines it. @default none */
  readonly authProvider?: OAuthClientProvider;
}
