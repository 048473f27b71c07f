import type { AuthProvider, InitializeResult, OAuthClientProvider } from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import { once } from '../../../core/shared/once.js';

import { KelivoError } from '../../../core/shared/errors.js';
import { isPlainObject, objectOf } from '../../../core/shared/json.js';

/**
 * MCP servers by name: the `mcpServers` object of Claude Desktop, Cursor and others, or the `servers` object of
 * VS Code. Keys that only concern the user interface of those hosts (`autoApprove`, `description`, …) are ignored.
 */
export type McpServers = Readonly<Record<string, McpServerConfig>>;

/** One MCP server: either a program to start or a URL to connect to. */
export type McpServerConfig = McpStdioServerConfig | McpHttpServerConfig;

interface McpServerSettings {
  /** Skips the server, as if it were not configured. @default false */
  readonly disabled?: boolean;
  /** Maximum milliseconds without a response or progress in a call. @default the option of `createMcpTools`, else 60000 */
  readonly timeout?: number;
  /**
   * Time that the first listing waits for the server, in milliseconds, with the download of a package. The call then goes
   * on without its tools, with a warning. A server that is still starting joins a later round.
   * @default the option of `createMcpTools`, else 30000
   */
  readonly startupTimeout?: number;
  /** Rejects a call before any request if the server has failed, or is not ready in time. @default false */
  readonly required?: boolean;
  /** Offers only these tools, by the server's own names. @default all tools */
  readonly allowedTools?: readonly string[];
  /** Excludes these tools, by the server's own names. @default none */
  readonly disabledTools?: readonly string[];
  /** Offers tools after the model has searched for them (`toolSearch` of the tool loop), except `exclude`. @default false */
  readonly deferLoading?: boolean | { readonly exclude: readonly string[] };
  /**
   * Relies on the hints that the server's tools have (read-only, destructive, idempotent) for approvals and repeated
   * calls. Otherwise they are unverified claims, and every tool counts as destructive.
   * @default false
   */
  readonly trustAnnotations?: boolean;
  /**
   * Directories that the server may work in, as absolute paths or `file:` URIs. Servers such as the filesystem server
   * request them (https://modelcontextprotocol.io/specification/2025-11-25/client/roots).
   * @default none, and the capability is not declared
   */
  readonly roots?: readonly string[];
  /**
   * Offers the resources of this server to the model, with the tools `list_resources` and `read_resource`. The model may
   * read the resources that the server lists, and those that its tools link in their results. Both tools are read-only,
   * so approval policies treat them as such.
   * @default false
   */
  readonly resourceTools?: boolean;
}

/** A program that speaks MCP over standard input and output. Requires Node. */
export interface McpStdioServerConfig extends McpServerSettings {
  /** Marks the server as a program. Optional, because `command` implies it. */
  readonly type?: 'stdio';
  /** The program: a name to look up in `PATH`, or a path. It does not run in a shell. */
  readonly command: string;
  /** Command-line arguments of the program. @default [] */
  readonly args?: readonly string[];
  /**
   * Environment variables for the server, in addition to HOME, LOGNAME, PATH, SHELL, TERM and USER (and their
   * equivalents on Windows). Other variables of the host are not inherited.
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory of the program. @default the host's working directory */
  readonly cwd?: string;
}

/** A server that is reached over HTTP. */
export interface McpHttpServerConfig extends McpServerSettings {
  /**
   * Transport: `http`, `streamable-http` and `streamableHttp` select Streamable HTTP, `sse` selects the older transport.
   * @default Streamable HTTP, then SSE if the server rejects `initialize` with a 4xx status
   */
  readonly type?: 'http' | 'streamable-http' | 'streamableHttp' | 'sse';
  /** The absolute URL of the MCP endpoint. */
  readonly url: string;
  /**
   * Headers of every request. With an `Authorization` header, `authProvider` is not used.
   * @default {}
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Signs in with OAuth: the result of `createOAuthProvider`, or a provider of the MCP SDK, 1.x or 2.x. A provider holds
   * the credentials of one user for one server.
   * @default none
   */
  readonly authProvider?: OAuthClientProvider | AuthProvider;
  /**
   * Goes on with a session over Streamable HTTP that another process has opened, up to revision 2025-11-25. `session` of
   * `status()` returns it, with `initialInitializeResult`. A session that the server has forgotten is replaced.
   * @default a new session
   */
  readonly initialSessionId?: string | undefined;
  /** The server's answer to `initialize` in that session. Required with `initialSessionId`. */
  readonly initialInitializeResult?: InitializeResult | undefined;
  /**
   * Ends the session at the server when it closes here. `false` leaves it for another process, to which `session` of
   * `status()` belongs.
   * @default true
   */
  readonly terminateSessionOnClose?: boolean;
}

interface VariableOptions {
  expandVariables?: Readonly<Record<string, string>>;
}

/** Keys that hold the servers in the configuration files of known hosts. The first match wins. */
const serverKeys = ['mcpServers', 'servers'];

/**
 * Reads a complete configuration file: `{"mcpServers": …}` of Claude Desktop, Cursor and others, `{"servers": …}` of
 * VS Code, or only the servers object. Comments and trailing commas are allowed, as in VS Code.
 *
 * @param json The text of the file, or the value that `JSON.parse` returned for it.
 * @param options `expandVariables` are the values for `${NAME}` references in `command`, `args`, `env`, `cwd`, `url`,
 * `headers` and `roots`. The environment is never read. Write `$${` for a literal `${`. Default: references are not
 * expanded.
 * @throws KelivoError `invalid-settings` if the text is not JSON, references an unknown variable or contains an
 * invalid server.
 */
export const parseMcpConfig = (json: unknown, options: VariableOptions = {}): McpServers =>
  validateMcpServers(readMcpConfig(json), options);

/** Returns what a configuration file has in place of the servers, unchecked. */
export function readMcpConfig(json: unknown): unknown {
  const config = typeof json === 'string' ? parseJsonWithComments(json) : json;
  const found = isPlainObject(config) && Object.entries(config).find(([key]) => serverKeys.includes(key));
  return found ? found[1] : config;
}

function parseJsonWithComments(text: string): unknown {
  // Strings match first, so that a URL in a string keeps its two slashes.
  const withoutComments = text.replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1');
  const plain = withoutComments.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, '$1');
  try {
    return JSON.parse(plain.replace(/^\uFEFF/, ''));
  } catch (cause) {
    // The message of a SyntaxError quotes the text, which may contain secrets.
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        'Expected the MCP configuration to be JSON with an `mcpServers` object, got text that is not valid JSON.',
      cause: cause instanceof SyntaxError ? undefined : cause,
    });
  }
}

const createServerShape = () => ({
  disabled: z.boolean().optional(),
  timeout: z.number().positive().optional(),
  startupTimeout: z.number().min(0).optional(),
  required: z.boolean().optional(),
  allowedTools: z.array(z.string()).optional(),
  disabledTools: z.array(z.string()).optional(),
  deferLoading: z.union([z.boolean(), z.strictObject({ exclude: z.array(z.string()) })]).optional(),
  trustAnnotations: z.boolean().optional(),
  roots: z.array(z.string().regex(/^(?:file:\/\/|\/|[a-z]:[\\/]|\\\\)/i)).optional(),
  resourceTools: z.boolean().optional(),
});

const stdioServer = once(() =>
  z.object({
    ...createServerShape(),
    type: z.literal('stdio').optional(),
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    cwd: z.string().min(1).optional(),
  }),
);

const httpServer = once(() =>
  z
    .object({
      ...createServerShape(),
      type: z.enum(['http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
      url: z.string().refine(isHttpUrl),
      headers: z.record(z.string(), z.string()).optional(),
      authProvider: z.custom<OAuthClientProvider | AuthProvider>(isAuthProvider).optional(),
      initialSessionId: z.string().min(1).optional(),
      initialInitializeResult: z.custom<InitializeResult>(isPlainObject).optional(),
      terminateSessionOnClose: z.boolean().optional(),
    })
    // Without the result, nobody knows what the server of the session can do.
    .refine(
      config => (config.initialSessionId === undefined) === (config.initialInitializeResult === undefined),
      {
        path: ['initialInitializeResult'],
      },
    ),
);

/** Expected value of each key, as worded in the error message. */
const expectations: Readonly<Record<string, string>> = {
  disabled: 'true or false',
  timeout: 'a positive number of milliseconds',
  startupTimeout: 'a number of milliseconds, from 0',
  required: 'true or false',
  allowedTools: 'an array of tool names',
  disabledTools: 'an array of tool names',
  deferLoading: 'true, false or an object with a list `exclude`',
  trustAnnotations: 'true or false',
  roots: 'an array of absolute paths or file URIs',
  resourceTools: 'true or false',
  command: 'the name or path of a program',
  args: 'an array of strings',
  env: 'an object of strings',
  cwd: 'the path of a directory',
  url: 'an absolute http or https URL',
  headers: 'an object of strings',
  authProvider: 'an object with the functions `tokens` and `clientInformation`, or `token`',
  initialSessionId: 'the id of a session',
  initialInitializeResult: 'the answer to `initialize` of `initialSessionId`',
  terminateSessionOnClose: 'true or false',
};

/** Keys whose values may be secret. Error messages contain only the type of such a value. */
const secretKeys = new Set(['env', 'headers', 'authProvider', 'args', 'url', 'initialSessionId']);

/**
 * Keys of other hosts that select the server or its tools. Ignoring them would start something other than the file
 * describes, so each one is rejected with the key to use instead.
 */
const foreignKeys: Readonly<Record<string, string>> = {
  serverUrl: 'Use `url`.', // Windsurf
  httpUrl: 'Use `url`.', // Gemini CLI
  transport: 'Use `type`.', // LangChain, mcp-use
  transportType: 'Use `type`.', // Cline
  enabled: 'Use `disabled` with the opposite value.', // opencode, Goose
  environment: 'Use `env`.', // opencode
  envFile: 'Set the variables in `env`.', // VS Code, Cursor
  envs: 'Use `env`.', // Goose
  includeTools: 'Use `allowedTools`.', // Gemini CLI
  excludeTools: 'Use `disabledTools`.', // Gemini CLI
  startup_timeout_sec: 'Use `startupTimeout`, in milliseconds.', // Codex
};

/**
 * Validates a servers object, expands its variables and removes unknown keys.
 *
 * @throws KelivoError `invalid-settings`, naming the server, the key, the expected and the received value.
 */
export function validateMcpServers(servers: unknown, options: VariableOptions = {}): McpServers {
  if (!isPlainObject(servers)) {
    throw toSettingsError(
      `Expected the MCP servers to be an object of servers by name, got ${toKind(servers)}.`,
    );
  }
  return Object.fromEntries(
    Object.entries(servers).map(([serverName, config]) => {
      const expanded =
        options.expandVariables && isPlainObject(config)
          ? expandVariables(config, { serverName, variables: options.expandVariables })
          : config;
      return [serverName, validateServer(serverName, expanded)];
    }),
  );
}

/** Keys of a server in which variables are expanded, including one nested level. */
const expandedKeys = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'roots'];

/** Matches `${NAME}` and the escape `$${`. A name may contain any character, so `${env:TOKEN}` is valid too. */
const reference = /\$\$\{|\$\{([^}]*)\}/g;

/**
 * Replaces `${NAME}` references in the strings of a server. Only the given values are used. The environment is never
 * read, because a configuration file from elsewhere could send any of its variables to any server.
 *
 * @throws KelivoError `invalid-settings` for an unknown variable.
 */
function expandVariables(
  config: Readonly<Record<string, unknown>>,
  options: { serverName: string; variables: Readonly<Record<string, string>> },
): Record<string, unknown> {
  const expandText = (text: string, key: string): string =>
    text.replace(reference, (found: string, name?: string) => {
      if (name === undefined) return found.slice(1);
      const value = Object.hasOwn(options.variables, name) ? options.variables[name] : undefined;
      if (value !== undefined) return value;
      const known = Object.keys(options.variables).join(', ') || 'none';
      throw new KelivoError({
        code: 'invalid-settings',
        message:
          `Expected \`${key}\` of MCP server ${JSON.stringify(options.serverName)} to reference only variables of ` +
          `\`expandVariables\` (${known}), got ${JSON.stringify(`\${${name}}`)}. ` +
          'Add the variable, or write `$${` for a literal `${`.',
      });
    });

  const expand = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return expandText(value, key);
    if (Array.isArray(value)) return value.map((item, index) => expand(item, `${key}.${index}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, expand(item, `${key}.${name}`)]),
    );
  };

  const expandValue = (value: unknown, key: string) =>
    expandedKeys.includes(key) ? expand(value, key) : value;
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, expandValue(value, key)]));
}

function validateServer(name: string, config: unknown): McpServerConfig {
  const server = `MCP server ${JSON.stringify(name)}`;
  if (!isPlainObject(config))
    throw toSettingsError(`Expected ${server} to be an object, got ${toKind(config)}.`);

  for (const [key, advice] of Object.entries(foreignKeys)) {
    if (key in config) {
      throw toSettingsError(`${server} has the key \`${key}\`, which is not supported here. ${advice}`);
    }
  }
  const hasCommand = config.command !== undefined;
  if (hasCommand === (config.url !== undefined)) {
    const advice = serverKeys.includes(name)
      ? '. Use `parseMcpConfig` to read a complete configuration file'
      : '';
    throw toSettingsError(
      `Expected ${server} to have either \`command\` (a program to start) or \`url\` (a URL to connect to), ` +
        `got ${hasCommand ? 'both' : `neither${advice}`}.`,
    );
  }
  const result = (hasCommand ? stdioServer() : httpServer()).safeParse(config);
  if (result.success) return result.data;

  const [key = '', ...rest] = result.error.issues[0]?.path.map(String) ?? [];
  const value = rest.reduce<unknown>(
    (outer, inner) => (Array.isArray(outer) ? outer[Number(inner)] : objectOf(outer)?.[inner]),
    config[key],
  );
  const types = hasCommand ? '"stdio"' : '"http", "streamable-http", "streamableHttp" or "sse"';
  const item = key === 'roots' ? 'an absolute path or a file URI' : 'a string';
  const expected = rest.length > 0 ? item : key === 'type' ? types : expectations[key];
  throw toSettingsError(
    `Expected \`${[key, ...rest].join('.')}\` of ${server} to be ${expected}, got ${toReceived(key, value)}.`,
  );
}

function toReceived(key: string, value: unknown): string {
  const isPrimitive = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPrimitive && !secretKeys.has(key) ? JSON.stringify(value).slice(0, 100) : toKind(value);
}

function toKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return value === undefined ? 'nothing' : `a ${typeof value}`;
}

function isAuthProvider(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isFunction = (name: string) => typeof Reflect.get(value, name) === 'function';
  return (isFunction('tokens') && isFunction('clientInformation')) || isFunction('token');
}

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const toSettingsError = (message: string): KelivoError =>
  new KelivoError({ code: 'invalid-settings', message });

/** Returns the name of a tool source, which messages contain. */
export function toSourceName(serverNames: readonly string[]): string {
  const names = serverNames.map(name => JSON.stringify(name)).join(', ');
  return serverNames.length === 1 ? `MCP server ${names}` : `MCP servers ${names || '(none)'}`;
}
