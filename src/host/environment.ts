import { KelivoError } from '../shared/errors.js';
import {
  type ConfiguredProviderRegistry,
  createProviderRegistryFromConfig,
  type ProviderRegistryOptions,
} from './provider-registry.js';
import type { ProviderEntry, ProviderRegistryConfig } from './registry-config.js';

/** What the environment does not say. */
export interface EnvironmentProvidersOptions
  extends ProviderRegistryOptions, Pick<ProviderRegistryConfig, 'aliases' | 'mcpServers'> {
  /** The default models of further tasks: `{ "summary": "gpt-5-mini" }`. */
  roles?: ProviderRegistryConfig['roles'];
}

/**
 * The providers that environment variables describe, as a registry with the roles `chat` and `embedding`:
 *
 * - `LLM_PROVIDER`, `OPENAI_MODEL`: who answers, by default `kelivo-responses` with `gpt-5`;
 * - `EMBEDDING_PROVIDER`, `OPENAI_EMBEDDING_MODEL`, `OPENAI_EMBEDDING_DIMS`: who embeds, by default `kelivo-responses`
 *   with `text-embedding-3-small` and the model's own length;
 * - `OPENAI_API_KEY`, `OPENAI_BASE_URL`: of `kelivo-responses`, `openai` (the official provider) and `openai-compatible`.
 *   The other providers, `google`, `anthropic`, `mistral`, `xai` and `deepseek`, have variables of their own names.
 *
 * A record of the application may choose otherwise: `modelFor('chat', { model: record.model })`. The provider of a model
 * that names none is told by its name, such as `gemini-2.5-pro`, and is `LLM_PROVIDER` where the name tells nothing.
 *
 * @param environment The variables, for example `process.env`.
 * @throws KelivoError with code `invalid-settings` for a variable with a wrong value; with `unknown-name` for a provider
 *   that there is not.
 */
export function createProvidersFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { roles: furtherRoles, aliases, mcpServers, ...options }: EnvironmentProvidersOptions = {},
): ConfiguredProviderRegistry {
  const read = (name: string): string | undefined => readVariable(environment, name);

  const toProvider = (variable: string): string => {
    const name = read(variable) ?? DEFAULT_PROVIDER;
    if (Object.hasOwn(environmentProviders, name)) return name;
    const known = Object.keys(environmentProviders).join(', ');
    throw new KelivoError({
      code: 'unknown-name',
      message: `Expected \`${variable}\` to name a provider, got ${JSON.stringify(name)}. There are: ${known}.`,
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
      roles: { ...furtherRoles, ...roles },
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
  throw toVariableError('OPENAI_EMBEDDING_DIMS', 'be a positive whole number', text);
}

const toVariableError = (variable: string, expected: string, value: string | undefined): KelivoError =>
  new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`${variable}\` to ${expected}, got ${value === undefined ? 'nothing' : JSON.stringify(value)}.`,
  });

type Environment = Readonly<Record<string, string | undefined>>;

/** A provider that an environment can name. */
interface EnvironmentProvider {
  /** Its entry in a registry, but for what variables say. */
  readonly entry: ProviderEntry;
  /** The variables of its settings. */
  readonly variables: Readonly<Record<string, string>>;
  /** The models that are meant where no variable names one. */
  readonly models?: { readonly chat: string; readonly embedding: string };
}

const openai = { apiKey: 'OPENAI_API_KEY', baseURL: 'OPENAI_BASE_URL' };
const openaiModels = { chat: 'gpt-5', embedding: 'text-embedding-3-small' };

export const environmentProviders: Readonly<Record<string, EnvironmentProvider>> = {
  'kelivo-responses': {
    entry: {
      type: 'kelivo-responses',
      models: ['gpt-*', 'chatgpt-*', 'o1*', 'o3*', 'o4*', 'codex-*', 'text-embedding-3-*'],
    },
    variables: openai,
    models: openaiModels,
  },
  // By way of the flag: that goes on with conversations which the provider above has begun.
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

/** What a variable says. One that is set to nothing is not set. */
export const readVariable = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;

/** The entries of a registry for all of them. */
export const toEnvironmentEntries = (environment: Environment): Record<string, ProviderEntry> =>
  Object.fromEntries(
    Object.entries(environmentProviders).map(([name, { entry, variables }]) => {
      const settings = Object.entries(variables)
        .map(([setting, variable]) => [setting, readVariable(environment, variable)] as const)
        .filter(([, value]) => value !== undefined);
      return [name, { ...entry, settings: { ...entry.settings, ...Object.fromEntries(settings) } }];
    }),
  );
