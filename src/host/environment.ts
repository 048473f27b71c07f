import { KelivoError } from '../shared/errors.js';
import { type KnownProvider, knownProviders } from './known-providers.js';
import type { ModelKind } from './model-choice.js';
import { toNameHint } from './model-names.js';
import {
  type ConfiguredProviderRegistry,
  createProviderRegistryFromConfig,
  type ProviderRegistryOptions,
} from './provider-registry.js';
import type { ProviderEntry, ProviderRegistryConfig } from './registry-config.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of `createProvidersFromEnvironment` that have no environment variable. */
export interface EnvironmentProvidersOptions
  extends ProviderRegistryOptions, Pick<ProviderRegistryConfig, 'aliases' | 'mcpServers'> {
  /** Default models of more roles: `{ "summary": "gpt-5-mini" }`. */
  roles?: ProviderRegistryConfig['roles'];
}

/**
 * Creates a provider registry with the roles `chat` and `embedding` from environment variables:
 *
 * - `LLM_PROVIDER`, `EMBEDDING_PROVIDER`: providers of the roles, by default `kelivo-responses`. Others are `openai` (the
 *   official provider), `openai-compatible`, `google` (alias `gemini`), `anthropic` (`claude`), `mistral`, `xai` (`grok`),
 *   `deepseek`, `azure`, `ollama` and `openrouter`.
 * - `…_MODEL`, `…_EMBEDDING_MODEL`, `…_EMBEDDING_DIMS`, `…_API_KEY`, `…_BASE_URL`: models, vector length and connection
 *   of one provider, such as `GEMINI_MODEL` or `ANTHROPIC_API_KEY`. Without them, the provider's own default model and
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
export function createProvidersFromEnvironment(
  environment: Environment,
  { roles: moreRoles, aliases, mcpServers, ...options }: EnvironmentProvidersOptions = {},
): ConfiguredProviderRegistry {
  const chat = readRole(environment, { variable: 'LLM_PROVIDER', kind: 'chat' });
  const embedding = readRole(environment, { variable: 'EMBEDDING_PROVIDER', kind: 'embedding' });
  return createProviderRegistryFromConfig(
    {
      providers: Object.fromEntries(
        Object.entries(knownProviders).map(([name, known]) => [name, toEntry(known, environment)]),
      ),
      defaultProvider: chat.provider,
      roles: { ...moreRoles, chat: chat.model, embedding: embedding.model },
      ...{ aliases, mcpServers },
    },
    options,
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
  const found = entries.find(([own, { entry }]) => own === name || entry.aliases?.includes(name));
  if (found === undefined) {
    const known = [
      ...entries.map(([own]) => own),
      ...entries.flatMap(([, { entry }]) => entry.aliases ?? []),
    ];
    throw new KelivoError({
      code: 'unknown-name',
      message:
        `Expected \`${variable}\` to name a provider, got ${JSON.stringify(name)}. ` +
        toNameHint(name, { kind: 'provider', known }),
    });
  }
  const [provider, known] = found;
  if (kind === 'embedding' && known.hasEmbeddings === false) {
    const others = entries.filter(([, { hasEmbeddings }]) => hasEmbeddings !== false).map(([own]) => own);
    const expected = `name a provider with embedding models (${others.join(', ')})`;
    throw toVariableError(variable, expected, name);
  }
  const modelId = readModels(known, environment)[kind];
  if (modelId !== undefined) return { provider, model: `${provider}:${modelId}` };
  throw toVariableError(
    `${known.prefixes[0]}_${MODEL_SUFFIXES[kind]}`,
    `name a model of ${provider}`,
    undefined,
  );
}

/** Adds the values of variables to the entry of a provider. */
function toEntry(known: KnownProvider, environment: Environment): ProviderEntry {
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
    embeddingDimensions: readDimensions(known, environment),
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

function readDimensions(known: KnownProvider, environment: Environment): number | undefined {
  const found = readOf(known, 'EMBEDDING_DIMS', environment);
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
  { prefixes }: KnownProvider,
  suffix: string,
  environment: Environment,
): { variable: string; value: string } | undefined {
  for (const prefix of prefixes) {
    const variable = `${prefix}_${suffix}`;
    const value = readVariable(environment, variable);
    if (value !== undefined) return { variable, value };
  }
  return undefined;
}

/** Reads a variable. A blank value counts as unset. */
const readVariable = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;
