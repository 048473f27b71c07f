import type { EmbeddingModelV2, ImageModelV2, LanguageModelV2, ProviderV2 } from '@ai-sdk/provider';
import { createComposition } from '../provider/composition.js';
import { KelivoError } from '../shared/errors.js';
import { findSettingsIssues } from '../shared/parse-settings.js';
import { type ConnectionOverrides, createConfiguredProvider } from './configured-provider.js';
import { createModelNames, type ModelChoice, type ProviderNames } from './model-names.js';
import { findSeparatorFaults } from './registry-validation.js';
import type { ImportModule } from './imported-models.js';
import { namesSchema, type ProviderEntry, type ProviderRegistryConfig } from './registry-config.js';
import { toConfiguredProvider } from './configured-provider.js';
import { findEntryFaults, validateProviderConfig } from './registry-validation.js';

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

/** How the packages of a configuration are imported. */
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
  { importModule }: ProviderRegistryOptions = {},
): ConfiguredProviderRegistry {
  const { providers: entries, mcpServers, embeddingDimensions, ...naming } = validateProviderConfig(config);
  const names = createModelNames({ providers: entries, ...naming });
  const shared = createComposition({ mcpServers });
  const options = { sharedTools: shared.tools, importModule };
  const providers = new Map(
    Object.entries(entries).map(([name, entry]) => [name, createConfiguredProvider(entry, options)]),
  );

  const choose = (role: string, choice: ModelChoice) => {
    const { provider, modelId } = names.choose(role, choice);
    const found = providers.get(provider);
    if (found === undefined) throw new Error(`The provider "${provider}" has a name and is not there.`);
    return { provider: found, modelId };
  };
  const modelFor: ConfiguredProviderRegistry['modelFor'] = (role, choice = {}) => {
    const { provider, modelId } = choose(role, choice);
    return provider.languageModel(modelId, toOverrides(choice));
  };
  const embeddingModelFor: ConfiguredProviderRegistry['embeddingModelFor'] = (role, choice = {}) => {
    const { provider, modelId } = choose(role, choice);
    const dimensions = choice.dimensions ?? embeddingDimensions;
    return provider.textEmbeddingModel(modelId, { ...toOverrides(choice), dimensions });
  };

  return {
    modelFor,
    embeddingModelFor,
    languageModel: name => modelFor('', { model: name }),
    textEmbeddingModel: name => embeddingModelFor('', { model: name }),
    imageModel(name) {
      const { provider, modelId } = choose('', { model: name });
      return provider.imageModel(modelId);
    },
    register(name, provider, more = {}) {
      const isMade = isProvider(provider);
      const path = `providers.${name}`;
      const further = namesSchema.safeParse({ ...(isMade ? {} : provider), ...more }).data ?? {};
      const faults = [
        ...(isMade ? [] : findEntryFaults(provider, path)),
        ...findSettingsIssues(namesSchema, more, `the names of \`${path}\``),
        ...[name, ...(further.aliases ?? [])].flatMap(one =>
          names.isTaken(one)
            ? [`Expected a new name for a provider, got "${one}", which is taken.`]
            : findSeparatorFaults(one, path),
        ),
      ];
      if (faults.length > 0) throw new KelivoError({ code: 'invalid-settings', message: faults.join('\n') });
      names.add(name, further);
      providers.set(
        name,
        isMade ? toConfiguredProvider(provider, name) : createConfiguredProvider(provider, options),
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

const isProvider = (provider: ProviderV2 | ProviderEntry): provider is ProviderV2 =>
  typeof Object(provider).languageModel === 'function';

const toOverrides = ({ apiKey, baseURL }: ModelChoice): ConnectionOverrides => ({
  apiKey: apiKey ?? undefined,
  baseURL: baseURL ?? undefined,
});
