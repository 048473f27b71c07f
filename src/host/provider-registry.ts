import type { EmbeddingModelV2, ImageModelV2, LanguageModelV2, ProviderV2 } from '@ai-sdk/provider';
import { createComposition } from '../provider/composition.js';
import { KelivoError } from '../shared/errors.js';
import { findSettingsIssues } from '../shared/settings.js';
import {
  type ConnectionOverrides,
  createConfiguredProvider,
  toConfiguredProvider,
} from './configured-provider.js';
import { withProviderName } from './embedding-dimensions.js';
import { type AnyProvider, type ImportModule, isProvider } from './imported-models.js';
import { type ModelChoice, type ModelKind, type NormalizedChoice, normalizeChoice } from './model-choice.js';
import {
  createModelNames,
  type ModelTask,
  type NamedChoice,
  type ProviderNames,
  type ProviderNaming,
} from './model-names.js';
import { namesSchema, type ProviderEntry, type ProviderRegistryConfig } from './registry-config.js';
import {
  findEntryIssues,
  findSeparatorIssues,
  toNaming,
  validateProviderConfig,
} from './registry-validation.js';

/** The providers of an application, by name. */
export interface ConfiguredProviderRegistry extends ProviderV2 {
  /** Accepts a role, an alias, a provider, `provider:model` or a model id. @throws KelivoError with code `unknown-name`. */
  languageModel(name: string): LanguageModelV2;
  /** Accepts the same names as `languageModel`. @throws KelivoError with code `unknown-name`. */
  textEmbeddingModel(name: string): EmbeddingModelV2<string>;
  /** Accepts the same names as `languageModel`. @throws KelivoError with code `unknown-name`. */
  imageModel(name: string): ImageModelV2;
  /**
   * Returns the model of a role. Fields of `choice` override the defaults. A provider without a model selects its default
   * model, never one of another provider.
   *
   * @throws KelivoError with code `unknown-name`, or `invalid-settings` for an unknown field of `choice` or a provider
   *   without a default model.
   */
  modelFor(role: string, choice?: ModelChoice): LanguageModelV2;
  /**
   * Returns the embedding model of a role. `embeddingIdentity` stores the provider's name in the registry, so that the
   * stored identity can be passed here as the choice.
   *
   * @throws KelivoError as `modelFor`.
   */
  embeddingModelFor(role: string, choice?: ModelChoice): EmbeddingModelV2<string>;
  /**
   * Adds a provider instance, or an entry as in a configuration. Models of providers for `ai` 6 and 7 are converted to
   * version 2. For these hosts, convert the models of the registry with `toLanguageModelV3` or `toLanguageModelV4`.
   *
   * @throws KelivoError with code `invalid-settings` if the name is taken or the entry is invalid.
   */
  register(name: string, provider: AnyProvider | ProviderEntry, names?: ProviderNames): void;
  /** Names of all providers, without aliases. */
  readonly providerNames: readonly string[];
  /** Closes MCP servers and connections. The registry stays usable and opens them again when needed. */
  close(): Promise<void>;
}

/** Options of `createProviderRegistryFromConfig`. */
export interface ProviderRegistryOptions {
  /**
   * Imports the packages of the configuration. Set `name => import(name)` for package managers with strict dependencies
   * (pnpm, Yarn PnP), and a table of imports for bundlers.
   * @default import() from this package
   */
  importModule?: ImportModule;
}

/**
 * Creates the providers of an application from plain data. Packages are imported and MCP servers started when a model
 * that needs them is first called. The registry is itself a provider for the AI SDK.
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
 * @throws KelivoError with code `invalid-settings`. The message has one line per issue of the configuration.
 */
export function createProviderRegistryFromConfig(
  config: ProviderRegistryConfig,
  options: ProviderRegistryOptions = {},
): ConfiguredProviderRegistry {
  return createRegistry(config, options);
}

interface RegistryOptions extends ProviderRegistryOptions {
  /** Returns the environment variables that name the models of a provider, for messages. */
  readonly modelVariablesOf?: (provider: string) => ProviderNaming['modelVariables'];
}

/** Creates a registry whose messages can refer to environment variables. */
export function createRegistry(
  config: ProviderRegistryConfig,
  { importModule, modelVariablesOf }: RegistryOptions,
): ConfiguredProviderRegistry {
  const { providers: entries, mcpServers, embeddingDimensions, ...naming } = validateProviderConfig(config);
  const names = createModelNames({
    providers: Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [
        name,
        { ...toNaming(entry), modelVariables: modelVariablesOf?.(name) },
      ]),
    ),
    ...naming,
  });
  const shared = createComposition({ mcpServers });
  const options = { sharedTools: shared.tools, importModule };
  const providers = new Map(
    Object.entries(entries).map(([name, entry]) => [name, createConfiguredProvider(entry, options)]),
  );
  const dimensionsOf = new Map(
    Object.entries(entries).map(([name, entry]) => [name, entry.embeddingDimensions]),
  );

  const choose = (task: ModelTask, choice: NamedChoice) => {
    const { provider, modelId } = names.choose(task, choice);
    const chosen = providers.get(provider);
    if (chosen === undefined)
      throw new Error(`Expected the name of a registered provider, got "${provider}".`);
    return { name: provider, provider: chosen, modelId };
  };
  const chooseRecord = (role: string, record: ModelChoice, kind: ModelKind) => {
    const choice = normalizeChoice(record, kind);
    return { ...choose({ role, kind }, choice), choice };
  };
  const modelFor: ConfiguredProviderRegistry['modelFor'] = (role, record = {}) => {
    const { provider, modelId, choice } = chooseRecord(role, record, 'chat');
    return provider.languageModel(modelId, toOverrides(choice));
  };
  const embeddingModelFor: ConfiguredProviderRegistry['embeddingModelFor'] = (role, record = {}) => {
    const { name, provider, modelId, choice } = chooseRecord(role, record, 'embedding');
    const dimensions = choice.dimensions ?? dimensionsOf.get(name) ?? embeddingDimensions;
    return withProviderName(
      provider.textEmbeddingModel(modelId, { ...toOverrides(choice), dimensions }),
      name,
    );
  };

  return {
    modelFor,
    embeddingModelFor,
    languageModel: name => modelFor('', { model: name }),
    textEmbeddingModel: name => embeddingModelFor('', { model: name }),
    imageModel(name) {
      const { provider, modelId } = choose({ role: undefined, kind: 'image' }, { model: name });
      return provider.imageModel(modelId);
    },
    register(name, provider, more = {}) {
      const isInstance = isProvider(provider);
      const path = `providers.${name}`;
      const allNames = namesSchema.safeParse({ ...(isInstance ? {} : provider), ...more }).data ?? {};
      const issues = [
        ...(isInstance ? [] : findEntryIssues(provider, path)),
        ...findSettingsIssues(namesSchema, more, `the names of \`${path}\``),
        ...[name, ...(allNames.aliases ?? [])].flatMap(one =>
          names.isTaken(one)
            ? [`\`${path}\`: Expected a unique provider name, got "${one}", which is already in use.`]
            : findSeparatorIssues(one, path),
        ),
      ];
      if (issues.length > 0) throw new KelivoError({ code: 'invalid-settings', message: issues.join('\n') });
      names.add(name, { ...(!isInstance && toNaming(provider)), ...allNames });
      dimensionsOf.set(name, allNames.embeddingDimensions);
      providers.set(
        name,
        isInstance ? toConfiguredProvider(provider, name) : createConfiguredProvider(provider, options),
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

const toOverrides = ({ apiKey, baseURL }: NormalizedChoice): ConnectionOverrides => ({ apiKey, baseURL });
