import type { McpServerConfig, McpServers } from 'kelivo-responses/mcp';
import type { NewProgram } from '../../shared/playground-state.js';
import { maskServers } from './secrets.js';

/** Returns the programs of a configuration that are new or changed compared with the known one. */
export const findNewPrograms = (servers: McpServers, known: McpServers): NewProgram[] =>
  Object.entries(servers).flatMap(([name, config]) =>
    'command' in config && !Object.values(known).some(other => isSameCommand(config, other))
      ? { name, ...toProgram(config) }
      : [],
  );

/** Nothing is masked: a value such as `NODE_OPTIONS` decides what a program runs. */
const toProgram = ({ command, args = [], env = {}, cwd }: StdioConfig): Omit<NewProgram, 'name'> => ({
  command,
  args,
  env,
  ...(cwd !== undefined && { cwd }),
});

/** Returns the command line or URL of a server, without secrets. */
export function toTarget(config: McpServerConfig): string {
  const masked = Object.values(maskServers({ server: config }))[0] ?? config;
  return 'command' in masked ? toCommandLine(masked) : masked.url;
}

type StdioConfig = Extract<McpServerConfig, { command: string }>;

const isSameCommand = (config: StdioConfig, other: McpServerConfig): boolean =>
  'command' in other && toIdentity(config) === toIdentity(other);

/** Includes variables and folder, because `NODE_OPTIONS`, for example, changes what a command runs. */
function toIdentity(config: StdioConfig): string {
  const { command, args, env, cwd } = toProgram(config);
  return JSON.stringify([command, args, Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1)), cwd]);
}

function toCommandLine({ command, args = [], env = {}, cwd }: StdioConfig): string {
  const variables = Object.keys(env).map(name => `${name}=…`);
  const words = [command, ...args].map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return [...variables, ...words].join(' ') + (cwd === undefined ? '' : `  (in ${cwd})`);
}
