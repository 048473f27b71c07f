import type { McpServerConfig, McpServers } from 'kelivo-responses/mcp';
import { maskServers } from './secrets.js';

export interface NewCommand {
  readonly name: string;
  /** The program with its arguments, and the names of its variables: what somebody must have seen before it runs. */
  readonly commandLine: string;
}

/** The programs that a configuration would start and the one on disk does not, or not in this way. */
export const findNewCommands = (servers: McpServers, known: McpServers): NewCommand[] =>
  Object.entries(servers).flatMap(([name, config]) =>
    'command' in config && !Object.values(known).some(other => isSameCommand(config, other))
      ? { name, commandLine: toTarget(config) }
      : [],
  );

/** Where a server is: its command line or its address, without secrets. */
export function toTarget(config: McpServerConfig): string {
  const masked = Object.values(maskServers({ server: config }))[0] ?? config;
  return 'command' in masked ? toCommandLine(masked) : masked.url;
}

type StdioConfig = Extract<McpServerConfig, { command: string }>;

const isSameCommand = (config: StdioConfig, other: McpServerConfig): boolean =>
  'command' in other && toIdentity(config) === toIdentity(other);

/** Variables and folder belong to it: `NODE_OPTIONS` makes another program of the same command. */
const toIdentity = ({ command, args = [], env = {}, cwd = '' }: StdioConfig): string =>
  JSON.stringify([command, args, Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1)), cwd]);

function toCommandLine({ command, args = [], env = {}, cwd }: StdioConfig): string {
  const variables = Object.keys(env).map(name => `${name}=…`);
  const words = [command, ...args].map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return [...variables, ...words].join(' ') + (cwd === undefined ? '' : `  (in ${cwd})`);
}
