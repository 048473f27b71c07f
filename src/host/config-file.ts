import { KelivoError } from '../shared/errors.js';
import type { ProviderRegistryConfig } from './registry-config.js';
import { validateProviderConfig } from './registry-validation.js';

/** How the file is read. */
export interface LoadProviderConfigOptions {
  /**
   * The values of `${NAME}` in the texts of the file, such as `process.env`; `$${` stands for `${` itself. A name that
   * has no value is an error.
   * @default the texts are taken as they are
   */
  variables?: Variables;
}

/**
 * Reads the configuration of a registry from a JSON file. For Node.
 *
 * @example
 * ```ts
 * const config = await loadProviderConfig('providers.json', { variables: process.env });
 * const registry = createProviderRegistryFromConfig(config);
 * ```
 *
 * @throws KelivoError with code `invalid-settings` where there is no such file, it is no JSON, or its content is wrong:
 *   with a line for each fault and the path to it.
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
    const { readTextFile } = await import('./read-text-file.js');
    return await readTextFile(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'an error';
    throw toFileError(file, `Expected a readable file, got ${code}.`, cause);
  }
}

function parse(text: string, file: string | URL): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // The error's own message repeats the text, in which there are keys.
    const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw toFileError(
      file,
      `Expected JSON, got text that is none${line === undefined ? '' : `, from line ${line} on`}.`,
    );
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/** @throws KelivoError with a line for each variable that has no value. */
function expandAll(config: unknown, variables: Variables): unknown {
  const faults: string[] = [];
  const expanded = expand(config, { variables, faults, path: '' });
  if (faults.length === 0) return expanded;
  throw new KelivoError({ code: 'invalid-settings', message: faults.join('\n') });
}

interface ExpandOptions {
  readonly variables: Variables;
  readonly faults: string[];
  readonly path: string;
}

function expand(value: unknown, { path, ...options }: ExpandOptions): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => expand(item, { ...options, path: join(path, index) }));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, expand(item, { ...options, path: join(path, key) })]),
    );
  }
  if (typeof value !== 'string') return value;
  const { variables, faults } = options;
  return value.replace(/\$\$\{|\$\{([^}]*)\}/g, (found: string, name?: string) => {
    if (name === undefined) return found.slice(1);
    const known = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (known !== undefined) return known;
    faults.push(
      `\`${path}\`: Expected a variable that has a value, got \${${name}}. Set it, or write $\${ for the characters themselves.`,
    );
    return '';
  });
}

const join = (path: string, key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);

const toFileError = (file: string | URL, message: string, cause?: unknown): KelivoError =>
  new KelivoError({ code: 'invalid-settings', message: `In ${String(file)}: ${message}`, cause });
