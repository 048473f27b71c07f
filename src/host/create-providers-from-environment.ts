import { KelivoError } from '../shared/errors.js';
import {
  type ConfiguredProviderRegistry,
  createProviderRegistryFromConfig,
  type ProviderRegistryOptions,
} from './create-provider-registry-from-config.js';
import { environmentProviders, readVariable, toEnvironmentEntries } from './environment-providers.js';
import type { ProviderRegistryConfig } from './provider-registry-config.js';

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
