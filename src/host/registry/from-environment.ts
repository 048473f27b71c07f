import { KelivoError } from '../../shared/errors.js';
import { toNameHint } from '../../shared/names.js';
import { type KnownProvider, knownProviders, variablesOf } from './known-providers.js';
import { findProvider, type ModelKind } from './resolve.js';
import type { ProviderEntry, ProviderRegistryConfig } from './schema.js';

type Environment = Readonly<Record<string, string | undefined>>;

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
 *   default model and vector length apply. `OPENAI_…` applies to `kelivo-responses`, `openai` and `openai-compatible` alone.
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
export function providerConfigFromEnvironment(environment: Environment): ProviderRegistryConfig {
  const chat = readRole(environment, { variable: 'LLM_PROVIDER', kind: 'chat' });
  const embedding = readRole(environment, { variable: 'EMBEDDING_PROVIDER', kind: 'embedding' });
  const roles = Object.keys(environment).flatMap(variable => {
    const model = variable.startsWith(ROLE_PREFIX) ? readVariable(environment, variable) : undefined;
    return model === undefined ? [] : [[variable.slice(ROLE_PREFIX.length).toLowerCase(), model] as const];
  });
  return {
    providers: Object.fromEntries(
      Object.entries(knownProviders).map(([name, known]) => {
        const prefixes = name === embedding.provider ? [...known.prefixes, ''] : known.prefixes;
        return [name, toEntry(known, environment, readDimensions(prefixes, environment))];
      }),
    ),
    defaultProvider: chat.provider,
    roles: { ...Object.fromEntries(roles), chat: chat.model, embedding: embedding.model },
  };
}

const DEFAULT_PROVIDER = 'kelivo-responses';

const MODEL_SUFFIXES = { chat: 'MODEL', embedding: 'EMBEDDING_MODEL' } as const;

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
  const variables = { apiKey: 'API_KEY', baseURL: 'BASE_URL', ...settings };
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
    readOf(known, MODEL_SUFFIXES[kind], environment)?.value ?? known.models[kind];
  const [chat, embedding] = [read('chat'), read('embedding')];
  return { ...(chat !== undefined && { chat }), ...(embedding !== undefined && { embedding }) };
}

/** @param prefixes An empty one stands for the variables of the role. */
function readDimensions(prefixes: readonly string[], environment: Environment): number | undefined {
  const found = readOf({ prefixes }, ['EMBEDDING_DIMS', 'EMBEDDING_DIMENSIONS'], environment);
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
  { prefixes }: Pick<KnownProvider, 'prefixes'>,
  suffixes: string | readonly string[],
  environment: Environment,
): { variable: string; value: string } | undefined {
  const names = prefixes.flatMap(prefix =>
    [suffixes].flat().map(suffix => [prefix, suffix].filter(Boolean).join('_')),
  );
  for (const variable of names) {
    const value = readVariable(environment, variable);
    if (value !== undefined) return { variable, value };
  }
  return undefined;
}

/** Reads a variable. A blank value counts as unset. */
const readVariable = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;
