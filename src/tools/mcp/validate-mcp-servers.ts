import * as z from 'zod/v4';
import { KelivoError } from '../../shared/errors.js';
import { expandVariables } from './expand-variables.js';
import type { McpServerConfig, McpServers } from './config.js';

const shared = {
  disabled: z.boolean().optional(),
  timeout: z.number().positive().optional(),
  allowedTools: z.array(z.string()).optional(),
  disabledTools: z.array(z.string()).optional(),
};

const stdioServer = z.object({
  ...shared,
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().min(1).optional(),
});

const httpServer = z.object({
  ...shared,
  type: z.enum(['http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
  url: z.string().refine(isHttpUrl),
  headers: z.record(z.string(), z.string()).optional(),
  authProvider: z.custom<object>(isObject).optional(),
}) as unknown as z.ZodType<Extract<McpServerConfig, { url: string }>>;

/** What each key must hold, in the words of the error message. */
const expectations: Readonly<Record<string, string>> = {
  disabled: 'true or false',
  timeout: 'a positive number of milliseconds',
  allowedTools: 'an array of tool names',
  disabledTools: 'an array of tool names',
  command: 'the name or path of a program',
  args: 'an array of strings',
  env: 'an object of strings',
  cwd: 'the path of a folder',
  url: 'an absolute http or https address',
  headers: 'an object of strings',
  authProvider: 'an OAuthClientProvider object',
};

/** Keys whose values may be secret: the message names their kind only. */
const secretKeys = new Set(['env', 'headers', 'authProvider', 'args', 'url']);

/**
 * Keys of other hosts that change which server is used or what it offers. To ignore them would start
 * something else than the file says, so each is refused with what to write instead.
 */
const foreignKeys: Readonly<Record<string, string>> = {
  serverUrl: 'Write `url`.', // Windsurf
  httpUrl: 'Write `url`.', // Gemini CLI
  transport: 'Write `type`.', // LangChain, mcp-use
  transportType: 'Write `type`.', // Cline
  enabled: 'Write `disabled`, with the opposite value.', // opencode, Goose
  environment: 'Write `env`.', // opencode
  envFile: 'Write the variables into `env`.', // VS Code, Cursor
  envs: 'Write `env`.', // Goose
  includeTools: 'Write `allowedTools`.', // Gemini CLI
  excludeTools: 'Write `disabledTools`.', // Gemini CLI
};

export interface ValidateServersOptions {
  /** The values of `${NAME}` in the texts. @default the texts are taken as they are */
  expandVariables?: Readonly<Record<string, string>>;
}

/**
 * Checks a servers object once, at the border, and drops the keys that are not ours.
 *
 * @throws KelivoError `invalid-settings`, naming the server, the key, what was expected and what came.
 */
export function validateMcpServers(
  servers: unknown,
  { expandVariables: variables }: ValidateServersOptions = {},
): McpServers {
  if (!isObject(servers)) {
    throw invalid(`Expected the MCP servers to be an object of servers by name, got ${toKind(servers)}.`);
  }
  return Object.fromEntries(
    Object.entries(servers).map(([serverName, config]) => {
      const expanded =
        variables && isObject(config) ? expandVariables(config, { serverName, variables }) : config;
      return [serverName, validateServer(serverName, expanded)];
    }),
  );
}

function validateServer(name: string, config: unknown): McpServerConfig {
  const server = `MCP server ${JSON.stringify(name)}`;
  if (!isObject(config)) throw invalid(`Expected ${server} to be an object, got ${toKind(config)}.`);

  for (const [key, advice] of Object.entries(foreignKeys)) {
    if (key in config) throw invalid(`${server} has the key \`${key}\` of another host. ${advice}`);
  }
  const hasCommand = config.command !== undefined;
  if (hasCommand === (config.url !== undefined)) {
    throw invalid(
      `Expected ${server} to have either \`command\` (a program to start) or \`url\` (an address to connect to), ` +
        `got ${hasCommand ? 'both' : `neither${toNestingAdvice(name)}`}.`,
    );
  }
  const result = (hasCommand ? stdioServer : httpServer).safeParse(config);
  if (result.success) return result.data;

  const [key = '', ...rest] = result.error.issues[0]?.path.map(String) ?? [];
  const value = rest.reduce<unknown>(readKey, config[key]);
  const expected = rest.length > 0 ? 'a string' : toExpectation(key, { hasCommand });
  throw invalid(
    `Expected \`${[key, ...rest].join('.')}\` of ${server} to be ${expected}, got ${toArrival(key, value)}.`,
  );
}

function readKey(value: unknown, key: string): unknown {
  const container: Record<string, unknown> = Object(value);
  return container[key];
}

function toExpectation(key: string, { hasCommand }: { hasCommand: boolean }): string | undefined {
  if (key !== 'type') return expectations[key];
  return hasCommand ? '"stdio"' : '"http", "streamable-http", "streamableHttp" or "sse"';
}

function toNestingAdvice(name: string): string {
  const isFileKey = name === 'mcpServers' || name === 'servers';
  return isFileKey ? ' – a whole file is read by `parseMcpConfig`' : '';
}

function toArrival(key: string, value: unknown): string {
  const isShort = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isShort && !secretKeys.has(key) ? JSON.stringify(value).slice(0, 100) : toKind(value);
}

function toKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return value === undefined ? 'nothing' : `a ${typeof value}`;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): KelivoError {
  return new KelivoError({ code: 'invalid-settings', message });
}
