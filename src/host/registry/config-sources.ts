import { KelivoError } from '../../core/shared/errors.js';
import { inform } from '../../core/shared/inform.js';
import { isPlainObject, objectOf } from '../../core/shared/json.js';
import { toNameHint } from '../../core/shared/names.js';
import {
  findEnvironmentWarnings,
  hasVariables,
  readVariable,
  variableEndings,
} from './environment-warnings.js';
import { type KnownProvider, knownProviders, variablesOf } from './known-providers.js';
import { validateProviderConfig } from './registry.js';
import { findProvider, type ModelKind } from './resolve.js';
import type { ProviderEntry, ProviderRegistryConfig } from './schema.js';

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
    const expanded =
      variables === undefined
        ? value
        : expand(value, variables, issue => issues.push(`\`${path}\`: ${issue}`));
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

/** Replaces the variables of a text. `report` receives a line for each one that has no value. */
const expand = (text: string, variables: Environment, report: (issue: string) => void): string =>
  text.replace(/\$\$\{|\$\{([^}]{0,1000})\}/g, (match: string, name?: string) => {
    if (name === undefined) return match.slice(1);
    const known = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (known !== undefined) return known;
    report(`Expected a variable with a value, got \${${name}}. Set it, or write $\${ for a literal "\${".`);
    return '';
  });

const toFileError = (file: string | URL, message: string, cause?: unknown): KelivoError =>
  new KelivoError({ code: 'invalid-settings', message: `In ${String(file)}: ${message}`, cause });

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of `providerConfigFromEnvironment`. */
export interface EnvironmentOptions {
  /**
   * Receives a sentence for each variable that is ignored although it looks like one that is read, or contradicts another
   * one. It contains names, never values.
   * @default console.warn
   */
  onWarning?: (message: string) => void;
}

/** The prefix of variables that name the models of further roles. */
const ROLE_PREFIX = 'LLM_ROLE_';

/**
 * Reads the configuration of a provider registry from environment variables:
 *
 * - `LLM_PROVIDER`, `EMBEDDING_PROVIDER`: providers of the roles `chat` and `embedding`, by default `kelivo-responses`. Others
 *   are `openai` (the official provider), `openai-compatible`, `google` (alias `gemini`), `anthropic` (`claude`), `mistral`,
 *   `xai` (`grok`), `deepseek`, `azure`, `ollama` and `openrouter`.
 * - `LLM_ROLE_…`: models of further roles, such as `LLM_ROLE_SUMMARY=gemini:gemini-2.5-flash` for the role `summary`.
 * - `EMBEDDING_DIMS` or `EMBEDDING_DIMENSIONS`: vector length of the provider of the role `embedding` alone.
 * - `…_MODEL`, `…_EMBEDDING_MODEL`, `…_EMBEDDING_DIMS` (or `…_EMBEDDING_DIMENSIONS`), `…_API_KEY`, `…_BASE_URL`: models, vector
 *   length and connection of one provider, such as `GEMINI_MODEL` or `ANTHROPIC_API_KEY`. Without them, the provider's own
 *   default model and vector length apply. `OPENAI_…` applies to `kelivo-responses` and `openai`, and to `openai-compatible` if no
 *   `OPENAI_COMPATIBLE_…` is set.
 *
 * Variables that are misspelt or contradict each other are reported.
 *
 * The result is plain data as in a file, to which an application can add its own aliases, roles and MCP servers.
 *
 * @param environment Environment variables, for example `process.env`.
 *
 * @example
 * ```ts
 * const config = providerConfigFromEnvironment(process.env);
 * const registry = createProviderRegistryFromConfig({ ...config, mcpServers });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid value or a missing model, or `unknown-name` for an
 *   unknown provider.
 */
export function providerConfigFromEnvironment(
  environment: Environment,
  { onWarning = message => console.warn(`kelivo-responses: ${message}`) }: EnvironmentOptions = {},
): ProviderRegistryConfig {
  const chat = readRole(environment, { variable: 'LLM_PROVIDER', kind: 'chat' });
  const embedding = readRole(environment, { variable: 'EMBEDDING_PROVIDER', kind: 'embedding' });
  const roles = Object.keys(environment).flatMap(variable => {
    const model = variable.startsWith(ROLE_PREFIX) ? readVariable(environment, variable) : undefined;
    return model === undefined ? [] : [[variable.slice(ROLE_PREFIX.length).toLowerCase(), model] as const];
  });
  const used = new Set([chat.provider, embedding.provider]);
  for (const warning of findEnvironmentWarnings(environment, used)) inform(onWarning, warning);
  return {
    providers: Object.fromEntries(
      Object.entries(knownProviders).map(([name, known]) => {
        const dimensions = readDimensions(known, environment);
        const ofRole =
          name === embedding.provider ? readDimensions({ prefixes: [''] }, environment) : undefined;
        return [name, toEntry(known, environment, dimensions ?? ofRole)];
      }),
    ),
    defaultProvider: chat.provider,
    roles: { ...Object.fromEntries(roles), chat: chat.model, embedding: embedding.model },
  };
}

const DEFAULT_PROVIDER = 'kelivo-responses';

/** Reads the provider of a role and its model, as `provider:model`. */
function readRole(
  environment: Environment,
  { variable, kind }: { variable: string; kind: ModelKind },
): { provider: string; model: string } {
  const name = readVariable(environment, variable) ?? DEFAULT_PROVIDER;
  const entries = Object.entries(knownProviders);
  const byName = new Map(
    entries.flatMap(([own, { entry }]) => [own, ...(entry.aliases ?? [])].map(one => [one, own] as const)),
  );
  const provider = findProvider(name, byName);
  const known = provider === undefined ? undefined : knownProviders[provider];
  if (provider === undefined || known === undefined) {
    throw new KelivoError({
      code: 'unknown-name',
      message:
        `Expected \`${variable}\` to name a provider, got ${JSON.stringify(name)}. ` +
        toNameHint(name, {
          kind: 'providers',
          known: [...new Set([...Object.keys(knownProviders), ...byName.keys()])],
        }),
    });
  }
  if (kind === 'embedding' && known.hasEmbeddings === false) {
    const others = entries.filter(([, { hasEmbeddings }]) => hasEmbeddings !== false).map(([own]) => own);
    const expected = `name a provider with embedding models (${others.join(', ')})`;
    throw toVariableError(variable, expected, name);
  }
  const modelId = readModels(known, environment)[kind];
  if (modelId !== undefined) return { provider, model: `${provider}:${modelId}` };
  throw toVariableError(variablesOf(provider)?.[kind] ?? '', `name a model of ${provider}`, undefined);
}

/** Adds the values of variables to the entry of a provider. */
function toEntry(
  known: KnownProvider,
  environment: Environment,
  embeddingDimensions: number | undefined,
): ProviderEntry {
  const { entry, settings } = known;
  const { apiKey, baseURL } = variableEndings;
  const variables = { apiKey, baseURL, ...settings };
  const values = Object.entries(variables)
    .map(([setting, suffix]) => [setting, readOf(known, suffix, environment)?.value] as const)
    .filter(([, value]) => value !== undefined)
    .map(([setting, value = '']) => [setting, setting === 'baseURL' ? withPath(value, known.path) : value]);
  return {
    ...entry,
    settings: { ...entry.settings, ...Object.fromEntries(values) },
    defaultModels: readModels(known, environment),
    ...(embeddingDimensions !== undefined && { embeddingDimensions }),
  };
}

/** Adds the path of the API to a base URL that consists of scheme and host. */
const withPath = (baseURL: string, path = ''): string =>
  /^https?:\/\/[^/?#]+\/?$/.test(baseURL) ? `${baseURL.replace(/\/$/, '')}${path}` : baseURL;

function readModels(known: KnownProvider, environment: Environment): Partial<Record<ModelKind, string>> {
  const read = (kind: ModelKind) =>
    readOf(known, variableEndings[kind], environment)?.value ?? known.models[kind];
  const [chat, embedding] = [read('chat'), read('embedding')];
  return { ...(chat !== undefined && { chat }), ...(embedding !== undefined && { embedding }) };
}

/** An empty prefix stands for the variables of the role. */
function readDimensions(
  known: Pick<KnownProvider, 'prefixes' | 'otherPrefixes'>,
  environment: Environment,
): number | undefined {
  const found = readOf(known, variableEndings.dimensions, environment);
  if (found === undefined) return undefined;
  const dimensions = Number(found.value);
  if (Number.isInteger(dimensions) && dimensions > 0) return dimensions;
  throw toVariableError(found.variable, 'be a positive integer', found.value);
}

const toVariableError = (variable: string, expected: string, value: string | undefined): KelivoError =>
  new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`${variable}\` to ${expected}, got ${value === undefined ? 'nothing' : JSON.stringify(value)}.`,
  });

/** Reads a variable of a provider. */
function readOf(
  known: Pick<KnownProvider, 'prefixes' | 'otherPrefixes'>,
  suffixes: string | readonly string[],
  environment: Environment,
): { variable: string; value: string } | undefined {
  const { otherPrefixes = [] } = known;
  const hasOwn = otherPrefixes.length > 0 && hasVariables(known.prefixes, environment);
  const prefixes = hasOwn || otherPrefixes.length === 0 ? known.prefixes : otherPrefixes;
  const names = prefixes.flatMap(prefix =>
    [suffixes].flat().map(suffix => [prefix, suffix].filter(Boolean).join('_')),
  );
  for (const variable of names) {
    const value = readVariable(environment, variable);
    if (value !== undefined) return { variable, value };
  }
  return undefined;
}
