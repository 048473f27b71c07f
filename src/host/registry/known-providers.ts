import { objectOf } from '../../core/shared/json.js';
import type { ProviderEntry } from './schema.js';

/** Model ids by role. `chat` and `embedding` also apply to all other roles, for models of that kind. */
export type DefaultModels = Readonly<Record<string, string>>;

/** A provider that environment variables and records can name without configuration. */
export interface KnownProvider {
  /** Registry entry, without the settings that come from variables. */
  readonly entry: ProviderEntry;
  /**
   * Prefixes of its variables, such as `GEMINI` for `GEMINI_MODEL`. The first one with a value wins. Messages name the
   * first one.
   */
  readonly prefixes: readonly string[];
  /**
   * Prefixes that apply instead if no variable of the provider's own is set: an address and a key of different servers must not
   * be mixed.
   * @default none
   */
  readonly otherPrefixes?: readonly string[];
  /** Settings besides `apiKey` and `baseURL` that have a variable, by the end of its name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Path of the API, for base URLs that have none. */
  readonly path?: string;
  /** Models to use if nothing names one. */
  readonly models: DefaultModels;
  /** False if the provider has no embedding models at all. @default true */
  readonly hasEmbeddings?: boolean;
}

const openaiModels: DefaultModels = { chat: 'gpt-5', embedding: 'text-embedding-3-small' };

const toCompatibleEntry = (name: string, baseURL?: string) => ({
  import: '@ai-sdk/openai-compatible',
  creator: 'createOpenAICompatible',
  settings: { name, includeUsage: true, ...(baseURL !== undefined && { baseURL }) },
});

/** By the name of the provider. */
export const knownProviders: Readonly<Record<string, KnownProvider>> = {
  'kelivo-responses': {
    entry: {
      type: 'kelivo-responses',
      aliases: ['kelivo'],
      models: ['gpt-*', 'chatgpt-*', 'o1*', 'o3*', 'o4*', 'codex-*', 'text-embedding-3-*'],
    },
    prefixes: ['OPENAI'],
    models: openaiModels,
  },
  // Uses the switch, because it can continue conversations of the provider above.
  openai: {
    entry: { type: 'kelivo-responses', enabled: 'off', fallback: 'with-tool-loop' },
    prefixes: ['OPENAI'],
    models: openaiModels,
  },
  // A server with the API of OpenAI. Its models are unknown.
  'openai-compatible': {
    entry: toCompatibleEntry('openai-compatible'),
    prefixes: ['OPENAI_COMPATIBLE'],
    otherPrefixes: ['OPENAI'],
    models: {},
  },
  google: {
    entry: {
      import: '@ai-sdk/google',
      creator: 'createGoogleGenerativeAI',
      aliases: ['gemini'],
      models: ['gemini-*', 'gemma-*', 'text-embedding-004'],
    },
    prefixes: ['GEMINI', 'GOOGLE_GENERATIVE_AI', 'GOOGLE'],
    models: { chat: 'gemini-2.5-pro', embedding: 'gemini-embedding-001' },
  },
  anthropic: {
    entry: {
      import: '@ai-sdk/anthropic',
      creator: 'createAnthropic',
      aliases: ['claude'],
      models: ['claude-*'],
    },
    prefixes: ['ANTHROPIC'],
    models: { chat: 'claude-sonnet-4-5' },
    hasEmbeddings: false,
  },
  mistral: {
    entry: {
      import: '@ai-sdk/mistral',
      creator: 'createMistral',
      models: ['mistral-*', 'magistral-*', 'ministral-*', 'codestral-*', 'devstral-*', 'pixtral-*'],
    },
    prefixes: ['MISTRAL'],
    models: { chat: 'mistral-large-latest', embedding: 'mistral-embed' },
  },
  xai: {
    entry: { import: '@ai-sdk/xai', creator: 'createXai', aliases: ['grok'], models: ['grok-*'] },
    prefixes: ['XAI'],
    models: { chat: 'grok-4.3' },
    hasEmbeddings: false,
  },
  deepseek: {
    entry: { import: '@ai-sdk/deepseek', creator: 'createDeepSeek', models: ['deepseek-*'] },
    prefixes: ['DEEPSEEK'],
    models: { chat: 'deepseek-v4-flash' },
    hasEmbeddings: false,
  },
  // Its model ids are the names of the account's deployments.
  azure: {
    entry: { import: '@ai-sdk/azure', creator: 'createAzure' },
    prefixes: ['AZURE', 'AZURE_OPENAI'],
    settings: { resourceName: 'RESOURCE_NAME', apiVersion: 'API_VERSION' },
    models: {},
  },
  ollama: {
    entry: toCompatibleEntry('ollama', 'http://localhost:11434/v1'),
    prefixes: ['OLLAMA'],
    path: '/v1',
    models: { chat: 'qwen3:8b', embedding: 'nomic-embed-text' },
  },
  openrouter: {
    entry: toCompatibleEntry('openrouter', 'https://openrouter.ai/api/v1'),
    prefixes: ['OPENROUTER'],
    models: { chat: 'openrouter/auto' },
  },
};

/**
 * Returns the models of an entry that names none. Entries for OpenAI's API have them only without a base URL, because
 * other servers have other models.
 */
export function knownModelsOf(entry: unknown): DefaultModels {
  const { type, import: packageName, settings } = objectOf(entry) ?? {};
  if (type === 'kelivo-responses' || packageName === '@ai-sdk/openai')
    return objectOf(settings)?.baseURL === undefined ? openaiModels : {};
  if (packageName === undefined || packageName === '@ai-sdk/openai-compatible') return {};
  const known = Object.values(knownProviders).find(
    one => 'import' in one.entry && one.entry.import === packageName,
  );
  return known?.models ?? {};
}

/** Returns the environment variables that name the models of a provider, for messages. Undefined for unknown providers. */
export function variablesOf(
  provider: string,
): { readonly chat: string; readonly embedding: string } | undefined {
  const [prefix] = knownProviders[provider]?.prefixes ?? [];
  return prefix === undefined
    ? undefined
    : { chat: `${prefix}_MODEL`, embedding: `${prefix}_EMBEDDING_MODEL` };
}
