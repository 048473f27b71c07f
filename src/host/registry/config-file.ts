import { KelivoError } from '../../shared/errors.js';
import { isPlainObject, objectOf } from '../../shared/json.js';
import type { ProviderRegistryConfig } from './registry-config.js';
import { validateProviderConfig } from './registry-validation.js';

/** Options of `loadProviderConfig`. */
export interface LoadProviderConfigOptions {
  /**
   * Values for `${NAME}` in the strings of the file, such as `process.env`. `$${` stands for a literal `${`. A name
   * without a value is an error.
   * @default strings are not expanded
   */
  variables?: Variables;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration of a provider registry from a JSON file. For Node.
 *
 * @example
 * ```ts
 * const config = await loadProviderConfig('providers.json', { variables: process.env });
 * const registry = createProviderRegistryFromConfig(config);
 * ```
 *
 * @throws KelivoError with code `invalid-settings` if the file is missing, is not JSON or has invalid content. The
 *   message has one line per issue, each with its path.
 */
export async function loadProviderConfig(
  file: string | URL,
  { variables }: LoadProviderConfigOptions = {},
): Promise<ProviderRegistryConfig> {
  const config = parse(await read(file), file);
  try {
    return validateProviderConfig(variables === undefined ? config : expandAll(config, variables));
  } catch (error) {
    if (KelivoError.isInstance(error)) throw toFileError(file, error.message);
    throw error;
  }
}

async function read(file: string | URL): Promise<string> {
  try {
    const { readFile } = await loadFileSystem();
    return await readFile(file, 'utf8');
  } catch (cause) {
    const message =
      cause instanceof Error && !('code' in cause)
        ? cause.message
        : `Expected a readable file, got ${String(objectOf(cause)?.code ?? 'an error')}.`;
    throw toFileError(file, message, cause);
  }
}

/** A name in a variable, which bundlers for browsers do not resolve. */
const FILE_SYSTEM: string = 'node:fs/promises';

interface FileSystem {
  readFile(file: string | URL, encoding: 'utf8'): Promise<string>;
}

async function loadFileSystem(): Promise<FileSystem> {
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ FILE_SYSTEM)) as FileSystem;
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

/** @throws KelivoError with one line per variable that has no value. */
function expandAll(config: unknown, variables: Variables): unknown {
  const issues: string[] = [];
  const expanded = expand(config, { variables, issues, path: '' });
  if (issues.length === 0) return expanded;
  throw new KelivoError({ code: 'invalid-settings', message: issues.join('\n') });
}

interface ExpandOptions {
  readonly variables: Variables;
  readonly issues: string[];
  readonly path: string;
}

function expand(value: unknown, { path, ...options }: ExpandOptions): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => expand(item, { ...options, path: join(path, index) }));
  }
  if (isPlainObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, expand(item, { ...options, path: join(path, key) })]),
    );
  }
  if (typeof value !== 'string') return value;
  const { variables, issues } = options;
  return value.replace(/\$\$\{|\$\{([^}]*)\}/g, (match: string, name?: string) => {
    if (name === undefined) return match.slice(1);
    const known = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (known !== undefined) return known;
    issues.push(
      `\`${path}\`: Expected a variable with a value, got \${${name}}. Set it, or write $\${ for a literal "\${".`,
    );
    return '';
  });
}

const join = (path: string, key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);

const toFileError = (file: string | URL, message: string, cause?: unknown): KelivoError =>
  new KelivoError({ code: 'invalid-settings', message: `In ${String(file)}: ${message}`, cause });
