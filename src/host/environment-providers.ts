import type { ProviderEntry } from './provider-registry-config.js';

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
