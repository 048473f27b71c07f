import { NoSuchModelError } from '@ai-sdk/provider';
import { type AdapterChoice, type AdapterSelection, isAdapterModule } from '../../adapters/adapter-choice.js';
import { importAdapter } from '../../adapters/registry.js';
import { withCallIds } from '../../core/call-ids.js';
import type { CoreEmbeddingModel } from '../../core/embedding.js';
import type { CoreModel } from '../../core/source.js';
import { createComposition } from '../../provider/composition.js';
import type { KelivoResponsesSettings } from '../../provider/settings.js';
import { KelivoError } from '../../shared/errors.js';
import type { ToolSource } from '../../tools/tool-source.js';
import { type AnyImageModel, VERSION_OF_MAJOR } from '../../versions/provider.js';
import type { HostVersion } from '../../versions/specification.js';
import { withDimensions } from './embedding-dimensions.js';
import {
  type AnyProvider,
  createImportedEmbeddingModel,
  createImportedLanguageModel,
  embeddingModelOf,
  imageModelOf,
  type ImportModule,
  languageModelOf,
  loadProvider,
} from './imported-models.js';
import type { ImportedProviderEntry, KelivoProviderEntry, ProviderEntry } from './registry-config.js';
import { createSwitchableCore } from '../switchable-provider.js';

/** Connection settings of one model that replace those of its provider. */
export interface ConnectionOverrides {
  readonly apiKey?: string;
  readonly baseURL?: string;
}

/** One provider of a registry. */
export interface ConfiguredProvider {
  languageModel(modelId: string, overrides?: ConnectionOverrides): CoreModel;
  embeddingModel(
    modelId: string,
    options?: ConnectionOverrides & { dimensions?: number | undefined },
  ): CoreEmbeddingModel;
  imageModel(modelId: string): AnyImageModel;
  close(): Promise<void>;
}

export interface ConfiguredProviderOptions {
  /** Tools of entries without MCP servers. */
  readonly sharedTools: ToolSource | undefined;
  /** Undefined if this package imports the others. */
  readonly importModule: ImportModule | undefined;
  /** The version of the registry. */
  readonly version: HostVersion;
}

const importFromHere: ImportModule = name => import(/* @vite-ignore */ /* webpackIgnore: true */ name);

/** Creates the provider of an entry. Nothing is imported or started before one of its models is called. */
export const createConfiguredProvider = (
  entry: ProviderEntry,
  options: ConfiguredProviderOptions,
): ConfiguredProvider =>
  'import' in entry ? createImportedProvider(entry, options) : createKelivoProvider(entry, options);

function createKelivoProvider(
  entry: KelivoProviderEntry,
  options: ConfiguredProviderOptions,
): ConfiguredProvider {
  const { fallback, enabled } = entry;
  const { importModule, version } = options;
  const compositionSettings = toCompositionSettings(entry, options);
  const settings = entry.settings && {
    ...entry.settings,
    models: toModelOverrides(entry.settings.models, options),
  };
  // All connections share one tool source, so each MCP server starts once.
  const { tools, close } = createComposition({ ...compositionSettings, ...settings }, version);
  const connect = ({ apiKey, baseURL }: ConnectionOverrides = {}) =>
    createSwitchableCore({
      kelivo: {
        ...settings,
        ...(apiKey !== undefined && { apiKey }),
        ...(baseURL !== undefined && { baseURL }),
        ...compositionSettings,
        ...{ mcpServers: tools, mcp: undefined, tools: undefined },
      },
      fallback,
      enabled,
      importOpenAI: importModule && (() => importModule('@ai-sdk/openai')),
      specificationVersion: version,
    });
  const provider = connect();
  const providerFor = (overrides: ConnectionOverrides | undefined) =>
    overrides?.apiKey === undefined && overrides?.baseURL === undefined ? provider : connect(overrides);
  return {
    languageModel: (modelId, overrides) => providerFor(overrides).languageModel(modelId),
    embeddingModel: (modelId, { dimensions, ...overrides } = {}) =>
      providerFor(overrides).embeddingModel(modelId, { dimensions }),
    imageModel: rejectImageModel,
    close,
  };
}

function createImportedProvider(
  entry: ImportedProviderEntry,
  options: ConfiguredProviderOptions,
): ConfiguredProvider {
  const { import: packageName, creator, settings } = entry;
  const { compose, close } = createComposition(toCompositionSettings(entry, options), options.version);
  const load = ({ apiKey, baseURL }: ConnectionOverrides = {}): Promise<AnyProvider> =>
    loadProvider({
      import: packageName,
      creator,
      settings: {
        ...settings,
        ...(apiKey !== undefined && { apiKey }),
        ...(baseURL !== undefined && { baseURL }),
      },
      importModule: options.importModule ?? importFromHere,
    });
  // Telemetry shows the package. The registry adds the entry's name to embedding models, for `embeddingIdentity`.
  const common = { provider: packageName };
  return {
    languageModel: (modelId, overrides) =>
      compose(
        withCallIds(
          createImportedLanguageModel({
            ...{ ...common, modelId },
            load: async () => languageModelOf(await load(overrides), modelId, packageName),
          }),
        ),
      ),
    embeddingModel(modelId, { dimensions, ...overrides } = {}) {
      const model = createImportedEmbeddingModel({
        ...{ ...common, modelId },
        load: async () => embeddingModelOf(await load(overrides), modelId, packageName),
      });
      return dimensions === undefined ? model : withDimensions(model, dimensions);
    },
    imageModel: rejectImageModel,
    close,
  };
}

function rejectImageModel(modelId: string): never {
  throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
}

/** Adds a provider instance that the application created. The application also closes it. */
export function toConfiguredProvider(
  provider: AnyProvider,
  name: string,
  version: HostVersion,
): ConfiguredProvider {
  const source = `the provider "${name}"`;
  const [major = ''] = Object.entries(VERSION_OF_MAJOR).find(([, known]) => known === version) ?? [];
  return {
    languageModel(modelId, overrides) {
      rejectOverrides(overrides);
      // Some servers omit call ids, which hosts need to match results with calls.
      return withCallIds(languageModelOf(provider, modelId, source));
    },
    embeddingModel(modelId, { dimensions, ...overrides } = {}) {
      rejectOverrides(overrides);
      const model = embeddingModelOf(provider, modelId, source);
      return dimensions === undefined ? model : withDimensions(model, dimensions);
    },
    imageModel: modelId => imageModelOf(provider, modelId, { source, version, major }),
    close: async () => {},
  };

  function rejectOverrides({ apiKey, baseURL }: ConnectionOverrides = {}): void {
    if (apiKey === undefined && baseURL === undefined) return;
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected no \`apiKey\` and no \`baseURL\` for ${source}, because it is an instance that already has them. ` +
        'Register an entry with `import` and `creator` instead.',
    });
  }
}

function toCompositionSettings(
  { adapters, toolPrompting, undeclared, startsInReasoning, toolLoop, mcpServers }: ProviderEntry,
  { sharedTools, importModule }: ConfiguredProviderOptions,
) {
  return {
    adapters: toAdapters(adapters, { importModule }),
    toolPrompting,
    undeclared,
    startsInReasoning,
    toolLoop,
    mcpServers: mcpServers === false ? undefined : (mcpServers ?? sharedTools),
  };
}

/** Imports the modules of adapters as the registry imports packages. */
const toAdapters = (
  adapters: AdapterSelection | undefined,
  { importModule }: Pick<ConfiguredProviderOptions, 'importModule'>,
): AdapterSelection | undefined =>
  Array.isArray(adapters)
    ? adapters.map((choice: AdapterChoice) =>
        isAdapterModule(choice) ? importAdapter(choice, importModule) : choice,
      )
    : adapters;

const toModelOverrides = (
  models: KelivoResponsesSettings['models'],
  options: ConfiguredProviderOptions,
): KelivoResponsesSettings['models'] =>
  models &&
  Object.fromEntries(
    Object.entries(models).map(([pattern, { adapters, ...override }]) => [
      pattern,
      { ...override, ...(adapters !== undefined && { adapters: toAdapters(adapters, options) }) },
    ]),
  );
