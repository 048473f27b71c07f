import type { SwitchableProviderOptions } from '../switch/switchable-provider.js';
import type { CoreEmbeddingModel } from '../../core/embedding.js';
import { withHistory } from '../../core/source.js';
import { createComposition } from '../../provider/composition.js';
import { staticKeysOf } from '../../provider/connection.js';
import { KelivoError } from '../../core/shared/errors.js';
import { isPlainObject, objectOf } from '../../core/shared/json.js';
import { findSettingsIssues } from '../../core/shared/settings.js';
import { type EmbeddingModels, toEmbeddingModel } from '../../core/versions/embedding-model.js';
import { createHistoryKeys } from '../../core/versions/history/signatures.js';
import { toLanguageModel } from '../../core/versions/language-model.js';
import { createImportNotice } from '../../core/versions/later-hosts.js';
import {
  DEFAULT_VERSION,
  type DefaultVersion,
  type ImageModels,
  checkVersion,
  type ProviderShapes,
  toProviderShape,
} from '../../core/versions/provider.js';
import type { HostVersion, LanguageModels } from '../../core/versions/specification.js';
import { type ImportedProvider, type ImportModule, isProvider } from './imported-models.js';
import {
  type ConfiguredProvider,
  createConfiguredProvider,
  toConfiguredProvider,
  withFields,
} from './load.js';
import {
  createModelNames,
  type ModelChoice,
  normalizeChoice,
  type ProviderNames,
  toNaming,
} from './resolve.js';
import {
  findConfigIssues,
  findEntryIssues,
  findSeparatorIssues,
  namesSchema,
  type ProviderEntry,
  type ProviderRegistryConfig,
  registrySchema,
  toIssues,
} from './schema.js';

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
  register(name: string, provider: ImportedProvider | ProviderEntry, names?: ProviderNames): void;
  /** Names of all providers, without aliases. */
  readonly providerNames: readonly string[];
  /** Closes MCP servers and connections. The registry stays usable and opens them again when needed. */
  close(): Promise<void>;
}

/** Options of `createProviderRegistryFromConfig`. */
export interface ProviderRegistryOptions<Version extends HostVersion = DefaultVersion> extends Pick<
  SwitchableProviderOptions<Version>,
  'specificationVersion'
> {
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
export function createProviderRegistryFromConfig<Version extends HostVersion = DefaultVersion>(
  config: ProviderRegistryConfig,
  {
    importModule,
    specificationVersion: version = DEFAULT_VERSION as Version,
  }: ProviderRegistryOptions<Version> = {},
): ConfiguredProviderRegistry<Version> {
  checkVersion(version, 'the registry');
  const { providers: entries, mcpServers, ...naming } = validateProviderConfig(config);
  const names = createModelNames(naming);
  const shared = createComposition({ mcpServers }, version);
  const providers = new Map<string, ConfiguredProvider>();
  const dimensionsOf = new Map<string, number | undefined>();
  const add = (name: string, provider: ImportedProvider | ProviderEntry, own: ProviderNames): void => {
    const isInstance = isProvider(provider);
    names.add(name, isInstance ? own : { ...toNaming(provider), ...own });
    dimensionsOf.set(name, own.embeddingDimensions);
    providers.set(
      name,
      isInstance
        ? toConfiguredProvider(provider, name, version)
        : createConfiguredProvider(name, provider, { sharedTools: shared.tools, importModule, version }),
    );
  };
  const history = createHistoryKeys(undefined, () =>
    Object.values(entries).flatMap(entry => {
      const { apiKey } = entry.settings ?? {};
      return staticKeysOf({
        apiKey: typeof apiKey === 'string' || Array.isArray(apiKey) ? apiKey : undefined,
      });
    }),
  );
  /** Entries with a secret of their own do not share that of the registry. */
  const hasOwnSecret = (name: string): boolean => entries[name]?.settings?.historySecret !== undefined;
  for (const [name, entry] of Object.entries(entries)) add(name, entry, namesSchema.parse(entry));

  const providerOf = (name: string): ConfiguredProvider => {
    const provider = providers.get(name);
    if (provider !== undefined) return provider;
    throw new Error(`Expected the name of a registered provider, got "${name}".`);
  };
  const onLaterHost = createImportNotice();
  const modelFor: RegistryMembers<Version>['modelFor'] = (role, record = {}) => {
    const choice = normalizeChoice(record, 'chat');
    const { provider, modelId } = names.choose({ role, kind: 'chat' }, choice);
    const model = providerOf(provider).languageModel(modelId, choice);
    // A conversation goes on with another model.
    const core = hasOwnSecret(provider) ? model : withHistory(model, history);
    return toLanguageModel(core, version, { onLaterHost });
  };
  const createEmbeddingModel = (role: string, record: ModelChoice): CoreEmbeddingModel => {
    const choice = normalizeChoice(record, 'embedding');
    const { provider: name, modelId } = names.choose({ role, kind: 'embedding' }, choice);
    const provider = providerOf(name);
    const model = provider.embeddingModel(modelId, choice, choice.dimensions ?? dimensionsOf.get(name));
    const server = provider.serverOf(choice);
    // Vectors of one model on one server are comparable, whatever the name of the provider.
    const others = [...providers].filter(
      ([other, one]) => other !== name && server !== undefined && one.serverOf({}) === server,
    );
    return withFields(model, { providerNames: [name, ...others.map(([other]) => other)] });
  };

  const members: RegistryMembers<Version> = {
    modelFor,
    embeddingModelFor: (role, record = {}) => toEmbeddingModel(createEmbeddingModel(role, record), version),
    languageModel: name => modelFor('', { model: name }),
    imageModel(name) {
      const { provider, modelId } = names.choose({ role: undefined, kind: 'image' }, { model: name });
      return providerOf(provider).imageModel(modelId) as ImageModels[Version];
    },
    register(name, provider, more = {}) {
      const path = `providers.${name}`;
      const isInstance = isProvider(provider);
      const own = namesSchema.safeParse({ ...(!isInstance && provider), ...more }).data ?? {};
      const issues = [
        ...(isInstance ? [] : findEntryIssues(provider, path)),
        ...findSettingsIssues(namesSchema, more, `the names of \`${path}\``),
        ...[name, ...(own.aliases ?? [])].flatMap(one =>
          names.isTaken(one)
            ? [`\`${path}\`: Expected a unique provider name, got "${one}", which is already in use.`]
            : findSeparatorIssues(one, path),
        ),
      ];
      if (issues.length > 0) throw new KelivoError({ code: 'invalid-settings', message: issues.join('\n') });
      add(name, provider, own);
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

/**
 * Validates a configuration and the names in it.
 *
 * @throws KelivoError with code `invalid-settings`. The message has one line per issue, each with its path.
 */
export function validateProviderConfig(config: unknown): ProviderRegistryConfig {
  const issues = [...findConfigIssues(config), ...findNameIssues(config)];
  const [first] = issues;
  if (first === undefined) return config as ProviderRegistryConfig;
  const message = issues.length === 1 ? first : `Invalid provider configuration:\n- ${issues.join('\n- ')}`;
  throw new KelivoError({ code: 'invalid-settings', message });
}

/** Finds provider names that are duplicate or contain ":", and model names that resolve to no provider. */
function findNameIssues(config: unknown): string[] {
  const entries = objectOf(config)?.providers;
  if (!isPlainObject(entries)) return [];
  const { shape } = registrySchema;
  const aliases = shape.aliases.safeParse(objectOf(config)?.aliases).data ?? {};
  const roles = shape.roles.safeParse(objectOf(config)?.roles).data ?? {};
  const defaultProvider = shape.defaultProvider.safeParse(objectOf(config)?.defaultProvider).data;
  const providers = Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, toNaming(entry)] as const),
  );
  const given = [
    ...Object.keys(providers).map(name => ({ name, path: `providers.${name}` })),
    ...Object.entries(providers).flatMap(([provider, { aliases: others = [] }]) =>
      others.map((name, index) => ({ name, path: `providers.${provider}.aliases.${index}` })),
    ),
  ];
  if (given.length === 0) return ['`providers`: Expected at least one provider, got none.'];
  const issues: string[] = [];
  const owners = new Map<string, string>();
  for (const { name, path } of given) {
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, path);
    else issues.push(`\`${path}\`: Expected a unique name, got "${name}", which \`${owner}\` already uses.`);
    issues.push(...findSeparatorIssues(name, path));
  }

  const isKnown = defaultProvider !== undefined && owners.has(defaultProvider);
  const names = createModelNames({ aliases, roles, defaultProvider: isKnown ? defaultProvider : undefined });
  for (const [name, naming] of Object.entries(providers)) names.add(name, naming);
  if (defaultProvider !== undefined)
    issues.push(...toIssues('defaultProvider', () => names.toProvider(defaultProvider)));
  for (const [kind, models] of Object.entries({ aliases, roles })) {
    for (const [name, model] of Object.entries(models)) {
      // A role may be used for models of any kind.
      const task = { role: name, kind: undefined };
      issues.push(...toIssues(`${kind}.${name}`, () => names.find(model, task)));
    }
  }
  return issues;
}
