import type { EmbeddingModelV2, ImageModelV2, LanguageModelV2, ProviderV2 } from '@ai-sdk/provider';
import { createComposition } from '../composition.js';
import { KelivoError } from '../errors.js';
import {
  type ConfiguredProvider,
  type ConnectionOverrides,
  createConfiguredProvider,
} from './create-configured-provider.js';
import type { ImportModule } from './load-provider.js';
import type { ProviderEntry, ProviderRegistryConfig } from './provider-registry-config.js';
import { type ModelReference, resolveModelName, toUnknownNameError } from './resolve-model-name.js';
import { toConfiguredProvider } from './to-configured-provider.js';
import { findEntryFaults, validateProviderConfig } from './validate-provider-config.js';

/** What a record of the application's may say of its model. What is null or missing is as the role has it. */
export interface ModelChoice {
  readonly provider?: string | null;
  /** A model name as the registry takes it. */
  readonly model?: string | null;
  readonly apiKey?: string | null;
  /** Gets the key of the defaults where the record has none of its own: to be taken from trusted records only. */
  readonly baseURL?: string | null;
  /** The length of vectors, for embedding models. */
  readonly dimensions?: number | null;
}

/** The providers of an application, by names. */
export interface ConfiguredProviderRegistry extends ProviderV2 {
  /** By a role, an alias, `provider:model` or a model id alone. @throws KelivoError with code `unknown-name`. */
  languageModel(name: string): LanguageModelV2;
  /** By the same names. @throws KelivoError with code `unknown-name`. */
  textEmbeddingModel(name: string): EmbeddingModelV2<string>;
  /** By the same names. @throws KelivoError with code `unknown-name`. */
  imageModel(name: string): ImageModelV2;
  /** The model of a role, with what a record says in place of the defaults. @throws KelivoError with code `unknown-name`. */
  modelFor(role: string, choice?: ModelChoice): LanguageModelV2;
  /** The embedding model of a role. @throws KelivoError with code `unknown-name`. */
  embeddingModelFor(role: string, choice?: ModelChoice): EmbeddingModelV2<string>;
  /**
   * Adds a provider: one that was created elsewhere, or an entry as a configuration has it.
   *
   * @throws KelivoError with code `invalid-settings` for a name that is taken, or a wrong entry.
   */
  register(name: string, provider: ProviderV2 | ProviderEntry, names?: ProviderNames): void;
  /** The names of all providers, without their aliases. */
  readonly providerNames: readonly string[];
  /** Ends MCP servers and connections. The registry may be used again and starts them anew. */
  close(): Promise<void>;
}

/** The further names of a provider that is registered at run time. */
export type ProviderNames = Pick<ProviderEntry, 'aliases' | 'models'>;

export interface ProviderRegistryOptions {
  /**
   * Imports the packages of the configuration: `name => import(name)`, for package managers that let a package see its
   * own dependencies only, and a table of imports for bundlers.
   * @default the import of this package
   */
  importModule?: ImportModule;
}

/**
 * Creates the providers of an application from plain data. A package is imported, and an MCP server started, when a
 * model that needs it is called. The result is a provider itself, as `ai` takes one.
 *
 * @example
 * ```ts
 * const registry = createProviderRegistryFromConfig({
 *   providers: {
 *     openai: { type: 'kelivo-responses', models: ['gpt-*', 'o?-*'] },
 *     gemini: { import: '@ai-sdk/google', creator: 'createGoogleGenerativeAI', models: ['gemini-*'] },
 *   },
 *   roles: { chat: 'openai:gpt-5', summary: 'gemini:gemini-2.5-flash' },
 * });
 * const model = registry.modelFor('chat', { model: conversation.model });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` and a line for each fault of the configuration.
 */
export function createProviderRegistryFromConfig(
  config: ProviderRegistryConfig,
  {
    importModule = name => import(/* @vite-ignore */ /* webpackIgnore: true */ name),
  }: ProviderRegistryOptions = {},
): ConfiguredProviderRegistry {
  const { providers: entries, aliases, roles = {}, mcpServers, ...defaults } = validateProviderConfig(config);
  const shared = createComposition({ mcpServers });
  const options = { sharedTools: shared.tools, importModule };
  const providers = new Map<string, ConfiguredProvider>();
  const names = new Map<string, string>();
  const patterns: [pattern: string, provider: string][] = [];

  const add = (name: string, provider: ConfiguredProvider, more: ProviderNames): void => {
    providers.set(name, provider);
    for (const one of [name, ...(more.aliases ?? [])]) names.set(one, name);
    for (const pattern of more.models ?? []) patterns.push([pattern, name]);
  };
  for (const [name, entry] of Object.entries(entries))
    add(name, createConfiguredProvider(entry, options), entry);
  const [firstProvider = ''] = names.values();
  const defaultProvider = names.get(defaults.defaultProvider ?? firstProvider) ?? firstProvider;

  const table = { providers: names, patterns, models: { ...roles, ...aliases }, defaultProvider };
  const find = (name: string): ModelReference => resolveModelName(name, table);

  const roleModel = (role: string): ModelReference => {
    const name = Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (name !== undefined) return find(name);
    throw toUnknownNameError('role', { name: role, known: Object.keys(roles) });
  };
  function choose(role: string, { provider, model }: ModelChoice): ModelReference {
    if (provider == null) return model == null ? roleModel(role) : find(model);
    const known = names.get(provider);
    if (known === undefined) throw toUnknownNameError('provider', { name: provider, known: names.keys() });
    return { provider: known, modelId: model ?? roleModel(role).modelId };
  }
  const providerOf = ({ provider }: ModelReference): ConfiguredProvider => {
    const found = providers.get(provider);
    if (found === undefined) throw toUnknownNameError('provider', { name: provider, known: names.keys() });
    return found;
  };
  const modelFor: ConfiguredProviderRegistry['modelFor'] = (role, choice = {}) => {
    const reference = choose(role, choice);
    return providerOf(reference).languageModel(reference.modelId, toOverrides(choice));
  };
  const embeddingModelFor: ConfiguredProviderRegistry['embeddingModelFor'] = (role, choice = {}) => {
    const reference = choose(role, choice);
    const dimensions = choice.dimensions ?? defaults.embeddingDimensions;
    return providerOf(reference).textEmbeddingModel(reference.modelId, {
      ...toOverrides(choice),
      dimensions,
    });
  };

  return {
    modelFor,
    embeddingModelFor,
    languageModel: name => modelFor('', { model: name }),
    textEmbeddingModel: name => embeddingModelFor('', { model: name }),
    imageModel: name => providerOf(find(name)).imageModel(find(name).modelId),
    register(name, provider, more = {}) {
      const isEntry = !('languageModel' in provider);
      const faults = isEntry ? findEntryFaults(provider, `providers.${name}`) : [];
      const all = isEntry ? { ...provider, ...more } : more;
      const taken = [name, ...(all.aliases ?? [])].filter(one => names.has(one));
      faults.push(...taken.map(one => `Expected a new name for a provider, got "${one}", which is taken.`));
      if (faults.length > 0) throw new KelivoError({ code: 'invalid-settings', message: faults.join('\n') });
      add(
        name,
        isEntry ? createConfiguredProvider(provider, options) : toConfiguredProvider(provider, name),
        all,
      );
    },
    get providerNames() {
      return [...providers.keys()];
    },
    async close() {
      await Promise.all([shared, ...providers.values()].map(one => one.close()));
    },
  };
}

const toOverrides = ({ apiKey, baseURL }: ModelChoice): ConnectionOverrides => ({
  apiKey: apiKey ?? undefined,
  baseURL: baseURL ?? undefined,
});
