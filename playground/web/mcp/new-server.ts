import { toFreeName, toServerName } from '../../shared/server-name.js';
import { readJson } from '../ui/json-text.js';

type Servers = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Servers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isServer = (value: unknown): boolean =>
  isObject(value) && (typeof value.command === 'string' || typeof value.url === 'string');

export interface NewServerInput {
  /** A URL, a command line, or JSON of one server or several. */
  readonly source: string;
  /** @default the name in the JSON, or one that the URL or the command suggests */
  readonly name: string;
  /** One header or variable in each line: `Name: value` for a URL, `NAME=value` for a command. */
  readonly values: string;
}

/**
 * Adds servers to the text of a configuration, and returns it with their names. A name that the configuration has gets a
 * number.
 *
 * @throws Error if the text or the input cannot be read.
 */
export function addServers(
  config: string,
  input: NewServerInput,
): { readonly config: string; readonly names: readonly string[] } {
  const { value, problem } = readJson(config.trim() === '' ? '{}' : config);
  if (problem !== undefined) throw new Error(`The configuration is not valid. ${problem}`);
  if (!isObject(value)) throw new Error('The configuration is not an object with `mcpServers`.');
  const servers = new Map(Object.entries(value.mcpServers ?? {}));
  const names = Object.entries(readServers(input)).map(([name, server]) => {
    const free = toFreeName(name, servers);
    servers.set(free, server);
    return free;
  });
  const changed = { ...value, mcpServers: Object.fromEntries(servers) };
  return { config: JSON.stringify(changed, null, 2), names };
}

function readServers({ source, name, values }: NewServerInput): Servers {
  const text = source.trim();
  if (/^["{]/.test(text) && text.includes(':')) return readJsonServers(text, name.trim());
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) throw new Error(`Expected a URL, got ${text}.`);
    const headers = readValues(values, ':');
    const server = { url: text, ...(headers !== undefined && { headers }) };
    return { [name.trim() || toServerName(server)]: server };
  }
  const words = splitCommand(text);
  const start = words.findIndex(word => !/^\w+=/.test(word));
  const [command, ...args] = start === -1 ? [] : words.slice(start);
  if (command === undefined) throw new Error('Expected a URL, a command line, or JSON of a server.');
  const assigned = words.slice(0, start).map(word => word.split(/=(.*)/s).slice(0, 2));
  const env = { ...Object.fromEntries(assigned), ...readValues(values, '=') } as Record<string, string>;
  const server = { command, args, ...(Object.keys(env).length > 0 && { env }) };
  return { [name.trim() || toServerName(server)]: server };
}

/** Reads `mcpServers`, the `servers` of VS Code, servers by name, or one server. */
function readJsonServers(text: string, name: string): Servers {
  const { value, problem } = readJson(text.startsWith('{') ? text : `{${text.replace(/,\s*$/, '')}}`);
  if (problem !== undefined) throw new Error(problem);
  if (isServer(value)) return { [name || 'server']: value };
  const { mcpServers, servers } = value as Servers;
  const found = mcpServers ?? servers ?? value;
  if (!isObject(found) || !Object.values(found).every(isServer) || Object.keys(found).length === 0)
    throw new Error('Expected servers with a command or a URL each, got other JSON.');
  const [only, ...others] = Object.values(found);
  return name !== '' && others.length === 0 ? { [name]: only } : found;
}

/** Reads lines with a name and a value. Undefined if there are none. */
function readValues(text: string, separator: ':' | '='): Record<string, string> | undefined {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const entries = lines.map(line => {
    const at = line.indexOf(separator);
    if (at <= 0) throw new Error(`Expected lines with a name, “${separator}” and a value, got “${line}”.`);
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
  });
  return lines.length === 0 ? undefined : Object.fromEntries(entries);
}

const WORD_PART = /(\s+)|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)/y;

/** Splits a command line as a shell does, without variables and patterns. */
function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  WORD_PART.lastIndex = 0;
  while (WORD_PART.lastIndex < line.length) {
    const match = WORD_PART.exec(line);
    if (match === null) throw new Error('Expected a command line, got one with a quote that is not closed.');
    const [, space, single, double, escaped, plain] = match;
    if (space === undefined)
      word = (word ?? '') + (single ?? double?.replaceAll(/\\([^])/g, '$1') ?? escaped ?? plain);
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
