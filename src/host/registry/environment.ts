import { KelivoError } from '../../shared/errors.js';
import { toNameHint } from '../../shared/names.js';
import type { DefaultVersion } from '../../versions/provider.js';
import type { HostVersion } from '../../versions/specification.js';
import { type KnownProvider, knownProviders } from './known-providers.js';
import type { ModelKind } from './model-choice.js';
import { findProvider } from '../model-names.js';
import {
  type ConfiguredProviderRegistry,
  createRegistry,
  type ProviderRegistryOptions,
} from './provider-registry.js';
import type { ProviderEntry, ProviderRegistryConfig } from './registry-config.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of `createProvidersFromEnvironment` that have no environment variable. */
export interface EnvironmentProvidersOptions<Version extends HostVersion = DefaultVersion>
  extends ProviderRegistryOptions<Version>, Pick<ProviderRegistryConfig, 'aliases' | 'mcpServers'> {
  /** Default models of more roles: `{ "summary": "gpt-5-mini" }`. */
  roles?: ProviderRegistryConfig['roles'];
}

/**
 * Creates a provider registry with the roles `chat` and `embedding` from environment variables:
 *
 * - `LLM_PROVIDER`, `EMBEDDING_PROVIDER`: providers of the roles, by default `kelivo-responses`. Others are `openai` (the
 *   official provider), `openai-compatible`, `google` (alias `gemini`), `anthropic` (`claude`), `mistral`, `xai` (`grok`),
 *   `deepseek`, `azure`, `ollama` and `openrouter`.
 * - `EMBEDDING_DIMS` or `EMBEDDING_DIMENSIONS`: vector length of the provider of the role `embedding` alone.
 * - `…_MODEL`, `…_EMBEDDING_MODEL`, `…_EMBEDDING_DIMS` (or `…_EMBEDDING_DIMENSIONS`), `…_API_KEY`, `…_BASE_URL`: models, vector
 *   length and connection of one provider, such as `GEMINI_MODEL` or `ANTHROPIC_API_KEY`. Without them, the provider's own default model and
 *   vector length apply. `OPENAI_…` applies to `kelivo-responses`, `openai` and `openai-compatible` alone.
 *
 * A record of the application can override the model: `modelFor('chat', { model: record.model })`. If the record names no
 * provider, the model id selects it (`gemini-2.5-pro` belongs to `google`). Unknown ids belong to `LLM_PROVIDER`. If the
 * record names only a provider, the model is that of the provider's variables, or its default.
 *
 * @param environment Environment variables, for example `process.env`.
 * @throws KelivoError with code `invalid-settings` for an invalid value or a missing model, or `unknown-name` for an
 *   unknown provider.
 */
export function createProvidersFromEnvironment<Version extends HostVersion = DefaultVersion>(
  environment: Environment,
  { roles: moreRoles, aliases, mcpServers, ...options }: EnvironmentProvidersOptions<Version> = {},
): ConfiguredProviderRegistry<Version> {
  const chat = readRole(environment, { variable: 'LLM_PROVIDER', kind: 'chat' });
  const embedding = readRole(environment, { variable: 'EMBEDDING_PROVIDER', kind: 'embedding' });
  return createRegistry(
    {
      providers: Object.fromEntries(
        Object.entries(knownProviders).map(([name, known]) => {
          const isOfRole = name === embedding.provider;
          return [name, toEntry(known, environment, { isOfRole })];
        }),
      ),
      defaultProvider: chat.provider,
      roles: { ...moreRoles, chat: chat.model, embedding: embedding.model },
      ...{ aliases, mcpServers },
    },
    { ...options, modelVariablesOf: name => toModelVariables(knownProviders[name]) },
  );
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
  throw toVariableError(toModelVariables(known)[kind], `name a model of ${provider}`, undefined);
}

/** Returns the variables that name the models of a provider, for messages. */
const toModelVariables = ({ prefixes: [prefix = ''] = [] }: Partial<KnownProvider> = {}): Record<
  ModelKind,
  string
> => ({
  chat: `${prefix}_${MODEL_SUFFIXES.chat}`,
  embedding: `${prefix}_${MODEL_SUFFIXES.embedding}`,
});

/** Adds the values of variables to the entry of a provider. */
function toEntry(
  known: KnownProvider,
  environment: Environment,
  { isOfRole }: { isOfRole: boolean },
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
    embeddingDimensions: readDimensions(isOfRole ? [...known.prefixes, ''] : known.prefixes, environment),
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
