import type { CoreEmbeddingModel } from '../../core/embedding.js';
import { createComposition } from '../../provider/composition.js';
import { KelivoError } from '../../shared/errors.js';
import { findSettingsIssues } from '../../shared/settings.js';
import { type EmbeddingModels, toEmbeddingModel } from '../../versions/embedding-model.js';
import { toLanguageModel } from '../../versions/language-model.js';
import {
  DEFAULT_VERSION,
  type DefaultVersion,
  type ImageModels,
  isVersion,
  type ProviderShapes,
  toProviderShape,
  versionNames,
} from '../../versions/provider.js';
import type { HostVersion, LanguageModels } from '../../versions/specification.js';
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
} from '../model-names.js';
import { namesSchema, type ProviderEntry, type ProviderRegistryConfig } from './registry-config.js';
import {
  findEntryIssues,
  findSeparatorIssues,
  toNaming,
  validateProviderConfig,
} from './registry-validation.js';

/** The providers of an application, by name. Its models have the version of the host. */
export type ConfiguredProviderRegistry<Version extends HostVersion = DefaultVersion> =
  RegistryMembers<Version> & ProviderShapes[Version];

interface RegistryMembers<Version extends HostVersion> {
  /** Accepts a role, an alias, a provider, `provider:model` or a model id. @throws KelivoError with code `unknown-name`. */
  languageModel(name: string): LanguageModels[Version];
  /** Accepts the same names as `languageModel`. @throws KelivoError with code `unknown-name`. */
  imageModel(name: string): ImageModels[Version];
  /**
   * Returns the model of a role. Fields of `choice` override the defaults. A provider without a model selects its default
   * model, never one of another provider.
   *
   * @throws KelivoError with code `unknown-name`, or `invalid-settings` for an unknown field of `choice` or a provider
   *   without a default model.
   */
  modelFor(role: string, choice?: ModelChoice): LanguageModels[Version];
  /**
   * Returns the embedding model of a role. `embeddingIdentity` stores the provider's name in the registry, so that the
   * stored identity can be passed here as the choice.
   *
   * @throws KelivoError as `modelFor`.
   */
  embeddingModelFor(role: string, choice?: ModelChoice): EmbeddingModels[Version];
  /**
   * Adds a provider instance of any version, or an entry as in a configuration.
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
export interface ProviderRegistryOptions<Version extends HostVersion = DefaultVersion> {
  /**
   * Imports the packages of the configuration. Set `name => import(name)` for package managers with strict dependencies
   * (pnpm, Yarn PnP), and a table of imports for bundlers.
   * @default import() from this package
   */
  importModule?: ImportModule;
  /**
   * Version of the models, for the host: `v2` for `ai@5`, `v3` for `ai@6`, `v4` for `ai@7`. The packages of the
   * configuration may have models of other versions.
   * @default 'v2'
   */
  specificationVersion?: Version;
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
export function createProviderRegistryFromConfig<Version extends HostVersion = DefaultVersion>(
  config: ProviderRegistryConfig,
  options: ProviderRegistryOptions<Version> = {},
): ConfiguredProviderRegistry<Version> {
  return createRegistry(config, options);
}

interface RegistryOptions<Version extends HostVersion> extends ProviderRegistryOptions<Version> {
  /** Returns the environment variables that name the models of a provider, for messages. */
  readonly modelVariablesOf?: (provider: string) => ProviderNaming['modelVariables'];
}

/** Creates a registry whose messages can refer to environment variables. */
export function createRegistry<Version extends HostVersion>(
  config: ProviderRegistryConfig,
  {
    importModule,
    modelVariablesOf,
    specificationVersion: version = DEFAULT_VERSION as Version,
  }: RegistryOptions<Version>,
): ConfiguredProviderRegistry<Version> {
  checkVersion(version);
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
  const shared = createComposition({ mcpServers }, version);
  const options = { sharedTools: shared.tools, importModule, version };
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
  const modelFor: RegistryMembers<Version>['modelFor'] = (role, record = {}) => {
    const { provider, modelId, choice } = chooseRecord(role, record, 'chat');
    return toLanguageModel(provider.languageModel(modelId, toOverrides(choice)), version);
  };
  const createEmbeddingModel = (role: string, record: ModelChoice): CoreEmbeddingModel => {
    const { name, provider, modelId, choice } = chooseRecord(role, record, 'embedding');
    const dimensions = choice.dimensions ?? dimensionsOf.get(name) ?? embeddingDimensions;
    return withProviderName(provider.embeddingModel(modelId, { ...toOverrides(choice), dimensions }), name);
  };

  const members: RegistryMembers<Version> = {
    modelFor,
    embeddingModelFor: (role, record = {}) => toEmbeddingModel(createEmbeddingModel(role, record), version),
    languageModel: name => modelFor('', { model: name }),
    imageModel(name) {
      const { provider, modelId } = choose({ role: undefined, kind: 'image' }, { model: name });
      return provider.imageModel(modelId) as ImageModels[Version];
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
        isInstance
          ? toConfiguredProvider(provider, name, version)
          : createConfiguredProvider(provider, options),
      );
    },
    get providerNames() {
      return [...providers.keys()];
    },
    async close() {
      await Promise.all([shared, ...providers.values()].map(one => one.close()));
    },
  };
  const shape = toProviderShape(version, name => createEmbeddingModel('', { model: name }), undefined);
  // `providerNames` is a getter, which a spread would read.
  return Object.defineProperties(
    members,
    Object.getOwnPropertyDescriptors(shape),
  ) as RegistryMembers<Version> & ProviderShapes[Version];
}

/** @throws KelivoError with code `invalid-settings` for an unknown version. */
function checkVersion(version: string): void {
  if (isVersion(version)) return;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`specificationVersion\` of the registry to be ${versionNames.join(', ')}, got "${version}".`,
  });
}

const toOverrides = ({ apiKey, baseURL }: NormalizedChoice): ConnectionOverrides => ({ apiKey, baseURL });
