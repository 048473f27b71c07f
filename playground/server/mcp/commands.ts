import type { McpServerConfig, McpServers } from 'kelivo-responses/mcp';
import { maskServers } from './secrets.js';

export interface NewCommand {
  readonly name: string;
  /** Program, arguments and names of environment variables, which the user confirms before the program runs. */
  readonly commandLine: string;
}

/** Returns the programs of a configuration that are new or changed compared with the known one. */
export const findNewCommands = (servers: McpServers, known: McpServers): NewCommand[] =>
  Object.entries(servers).flatMap(([name, config]) =>
    'command' in config && !Object.values(known).some(other => isSameCommand(config, other))
      ? { name, commandLine: toTarget(config) }
      : [],
  );

/** Returns the command line or URL of a server, without secrets. */
export function toTarget(config: McpServerConfig): string {
  const masked = Object.values(maskServers({ server: config }))[0] ?? config;
  return 'command' in masked ? toCommandLine(masked) : masked.url;
}

type StdioConfig = Extract<McpServerConfig, { command: string }>;

const isSameCommand = (config: StdioConfig, other: McpServerConfig): boolean =>
  'command' in other && toIdentity(config) === toIdentity(other);

/** Includes variables and folder, because `NODE_OPTIONS`, for example, changes what a command runs. */
const toIdentity = ({ command, args = [], env = {}, cwd = '' }: StdioConfig): string =>
  JSON.stringify([command, args, Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1)), cwd]);

function toCommandLine({ command, args = [], env = {}, cwd }: StdioConfig): string {
  const variables = Object.keys(env).map(name => `${name}=…`);
  const words = [command, ...args].map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return [...variables, ...words].join(' ') + (cwd === undefined ? '' : `  (in ${cwd})`);
}
