import { KelivoError } from '../shared/errors.js';
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
 * - `LLM_PROVIDER`, `OPENAI_MODEL`: provider and model of `chat`, by default `kelivo-responses` and `gpt-5`.
 * - `EMBEDDING_PROVIDER`, `OPENAI_EMBEDDING_MODEL`, `OPENAI_EMBEDDING_DIMS`: provider, model and vector length of
 *   `embedding`, by default `kelivo-responses`, `text-embedding-3-small` and the model's own length.
 * - `OPENAI_API_KEY`, `OPENAI_BASE_URL`: connection of `kelivo-responses`, `openai` (the official provider) and
 *   `openai-compatible`. The providers `google`, `anthropic`, `mistral`, `xai` and `deepseek` read their own variables,
 *   such as `MISTRAL_API_KEY`.
 *
 * A record of the application can override the model: `modelFor('chat', { model: record.model })`. If the record names no
 * provider, the model id selects it (`gemini-2.5-pro` belongs to `google`). Unknown ids belong to `LLM_PROVIDER`.
 *
 * @param environment Environment variables, for example `process.env`.
 * @throws KelivoError with code `invalid-settings` for an invalid value, or `unknown-name` for an unknown provider.
 */
export function createProvidersFromEnvironment(
  environment: Environment,
  { roles: moreRoles, aliases, mcpServers, ...options }: EnvironmentProvidersOptions = {},
): ConfiguredProviderRegistry {
  const read = (name: string): string | undefined => readVariable(environment, name);

  const toProvider = (variable: string): string => {
    const name = read(variable) ?? DEFAULT_PROVIDER;
    if (Object.hasOwn(environmentProviders, name)) return name;
    const hint = toNameHint(name, { kind: 'provider', known: Object.keys(environmentProviders) });
    throw new KelivoError({
      code: 'unknown-name',
      message: `Expected \`${variable}\` to name a provider, got ${JSON.stringify(name)}. ${hint}`,
    });
  };
  const toModel = (
    variable: string,
    { provider, kind }: { provider: string; kind: 'chat' | 'embedding' },
  ): string => {
    const modelId = read(variable) ?? environmentProviders[provider]?.models?.[kind];
    if (modelId !== undefined) return `${provider}:${modelId}`;
    throw toVariableError(variable, `name a model of ${provider}`, undefined);
  };

  const provider = toProvider('LLM_PROVIDER');
  const roles = {
    chat: toModel('OPENAI_MODEL', { provider, kind: 'chat' }),
    embedding: toModel('OPENAI_EMBEDDING_MODEL', {
      provider: toProvider('EMBEDDING_PROVIDER'),
      kind: 'embedding',
    }),
  };
  return createProviderRegistryFromConfig(
    {
      providers: toEnvironmentEntries(environment),
      defaultProvider: provider,
      roles: { ...moreRoles, ...roles },
      embeddingDimensions: toDimensions(read('OPENAI_EMBEDDING_DIMS')),
      ...{ aliases, mcpServers },
    },
    options,
  );
}

const DEFAULT_PROVIDER = 'kelivo-responses';

function toDimensions(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const dimensions = Number(text);
  if (Number.isInteger(dimensions) && dimensions > 0) return dimensions;
  throw toVariableError('OPENAI_EMBEDDING_DIMS', 'be a positive integer', text);
}

const toVariableError = (variable: string, expected: string, value: string | undefined): KelivoError =>
  new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`${variable}\` to ${expected}, got ${value === undefined ? 'nothing' : JSON.stringify(value)}.`,
  });

interface EnvironmentProvider {
  /** Registry entry, without the settings that come from variables. */
  readonly entry: ProviderEntry;
  /** Variable name of each setting. */
  readonly variables: Readonly<Record<string, string>>;
  /** Models to use if no variable names one. */
  readonly models?: { readonly chat: string; readonly embedding: string };
}

const openai = { apiKey: 'OPENAI_API_KEY', baseURL: 'OPENAI_BASE_URL' };
const openaiModels = { chat: 'gpt-5', embedding: 'text-embedding-3-small' };

/** The providers that environment variables can select. */
const environmentProviders: Readonly<Record<string, EnvironmentProvider>> = {
  'kelivo-responses': {
    entry: {
      type: 'kelivo-responses',
      models: ['gpt-*', 'chatgpt-*', 'o1*', 'o3*', 'o4*', 'codex-*', 'text-embedding-3-*'],
    },
    variables: openai,
    models: openaiModels,
  },
  // Uses the switch, because it can continue conversations of the provider above.
  openai: {
    entry: { type: 'kelivo-responses', enabled: 'off', fallback: 'with-tool-loop' },
    variables: openai,
    models: openaiModels,
  },
  'openai-compatible': {
    entry: {
      import: '@ai-sdk/openai-compatible',
      creator: 'createOpenAICompatible',
      settings: { name: 'openai-compatible', includeUsage: true },
    },
    variables: openai,
  },
  google: {
    entry: {
      import: '@ai-sdk/google',
      creator: 'createGoogleGenerativeAI',
      models: ['gemini-*', 'gemma-*', 'text-embedding-004'],
    },
    variables: { apiKey: 'GOOGLE_GENERATIVE_AI_API_KEY', baseURL: 'GOOGLE_BASE_URL' },
  },
  anthropic: {
    entry: { import: '@ai-sdk/anthropic', creator: 'createAnthropic', models: ['claude-*'] },
    variables: { apiKey: 'ANTHROPIC_API_KEY', baseURL: 'ANTHROPIC_BASE_URL' },
  },
  mistral: {
    entry: {
      import: '@ai-sdk/mistral',
      creator: 'createMistral',
      models: ['mistral-*', 'magistral-*', 'ministral-*', 'codestral-*', 'devstral-*', 'pixtral-*'],
    },
    variables: { apiKey: 'MISTRAL_API_KEY', baseURL: 'MISTRAL_BASE_URL' },
  },
  xai: {
    entry: { import: '@ai-sdk/xai', creator: 'createXai', models: ['grok-*'] },
    variables: { apiKey: 'XAI_API_KEY', baseURL: 'XAI_BASE_URL' },
  },
  deepseek: {
    entry: { import: '@ai-sdk/deepseek', creator: 'createDeepSeek', models: ['deepseek-*'] },
    variables: { apiKey: 'DEEPSEEK_API_KEY', baseURL: 'DEEPSEEK_BASE_URL' },
  },
};

/** Reads a variable. A blank value counts as unset. */
const readVariable = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;

const toEnvironmentEntries = (environment: Environment): Record<string, ProviderEntry> =>
  Object.fromEntries(
    Object.entries(environmentProviders).map(([name, { entry, variables }]) => {
      const settings = Object.entries(variables)
        .map(([setting, variable]) => [setting, readVariable(environment, variable)] as const)
        .filter(([, value]) => value !== undefined);
      return [name, { ...entry, settings: { ...entry.settings, ...Object.fromEntries(settings) } }];
    }),
  );
