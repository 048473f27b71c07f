import { KelivoError } from '../../shared/errors.js';
import { isPlainObject, objectOf } from '../../shared/json.js';
import { validateProviderConfig } from './registry.js';
import type { ProviderRegistryConfig } from './schema.js';

/**
 * Reads the configuration of a provider registry from a JSON file. Relative modules (`{ "import": "./adapter.mjs" }`) are
 * resolved against the file. For Node.
 *
 * @param variables Values for `${NAME}` in the strings of the file, such as `process.env`. `$${` stands for a literal `${`.
 *   A name without a value is an error. Without `variables`, strings are not expanded.
 *
 * @example
 * ```ts
 * const config = await loadProviderConfig('providers.json', process.env);
 * const registry = createProviderRegistryFromConfig(config);
 * ```
 *
 * @throws KelivoError with code `invalid-settings` if the file is missing, is not JSON or has invalid content. The
 *   message has one line per issue, each with its path.
 */
export async function loadProviderConfig(
  file: string | URL,
  variables?: Readonly<Record<string, string | undefined>>,
): Promise<ProviderRegistryConfig> {
  const { text, url } = await read(file);
  const issues: string[] = [];
  const config = mapStrings(parse(text, file), '', (value, path) => {
    const expanded = variables === undefined ? value : expand(value, { variables, path, issues });
    return /(?:^|\.)import$/.test(path) && /^\.\.?\//.test(expanded) ? new URL(expanded, url).href : expanded;
  });
  if (issues.length > 0) throw toFileError(file, issues.join('\n'));
  try {
    return validateProviderConfig(config);
  } catch (error) {
    if (KelivoError.isInstance(error)) throw toFileError(file, error.message);
    throw error;
  }
}

/** Names in variables, which bundlers for browsers do not resolve. */
const FILE_SYSTEM: string = 'node:fs/promises';
const URLS: string = 'node:url';

interface FileSystem {
  readFile(file: string | URL, encoding: 'utf8'): Promise<string>;
}

interface Urls {
  pathToFileURL(path: string): URL;
}

/** Returns the content of a file and its URL. */
async function read(file: string | URL): Promise<{ text: string; url: URL }> {
  try {
    const [{ readFile }, { pathToFileURL }] = await loadBuiltIns();
    const text = await readFile(file, 'utf8');
    return { text, url: typeof file === 'string' ? pathToFileURL(file) : file };
  } catch (cause) {
    const message =
      cause instanceof Error && !('code' in cause)
        ? cause.message
        : `Expected a readable file, got ${String(objectOf(cause)?.code ?? 'an error')}.`;
    throw toFileError(file, message, cause);
  }
}

async function loadBuiltIns(): Promise<[FileSystem, Urls]> {
  try {
    return [
      (await import(/* @vite-ignore */ /* webpackIgnore: true */ FILE_SYSTEM)) as FileSystem,
      (await import(/* @vite-ignore */ /* webpackIgnore: true */ URLS)) as Urls,
    ];
  } catch {
    throw new Error(
      'Reading files is not supported in this runtime. Pass a parsed configuration to createProviderRegistryFromConfig().',
    );
  }
}

function parse(text: string, file: string | URL): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // The original message quotes the file, which may contain API keys.
    const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw toFileError(
      file,
      `Expected JSON, got a syntax error${line === undefined ? '' : ` at line ${line}`}.`,
    );
  }
}

/** Replaces the strings in a value. Their paths are for messages. */
function mapStrings(value: unknown, path: string, map: (text: string, path: string) => string): unknown {
  const at = (key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);
  if (typeof value === 'string') return map(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapStrings(item, at(index), map));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapStrings(item, at(key), map)]),
  );
}

interface ExpandOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly path: string;
  /** Receives one line per variable that has no value. */
  readonly issues: string[];
}

const expand = (text: string, { variables, path, issues }: ExpandOptions): string =>
  text.replace(/\$\$\{|\$\{([^}]*)\}/g, (match: string, name?: string) => {
    if (name === undefined) return match.slice(1);
    const known = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (known !== undefined) return known;
    issues.push(
      `\`${path}\`: Expected a variable with a value, got \${${name}}. Set it, or write $\${ for a literal "\${".`,
    );
    return '';
  });

const toFileError = (file: string | URL, message: string, cause?: unknown): KelivoError =>
  new KelivoError({ code: 'invalid-settings', message: `In ${String(file)}: ${message}`, cause });
