import {
  type EmbeddingModelV2,
  type ImageModelV2,
  type LanguageModelV2,
  NoSuchModelError,
} from '@ai-sdk/provider';
import { type AdapterChoice, type AdapterSelection, isAdapterModule } from '../adapters/adapter-choice.js';
import { importAdapter } from '../adapters/choose-adapters.js';
import { wrapModel } from '../adapters/middleware.js';
import { missingCallIdsMiddleware } from '../parts/missing-call-ids.js';
import { createComposition } from '../provider/composition.js';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import { KelivoError } from '../shared/errors.js';
import type { ToolSource } from '../tools/tool-source.js';
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
import { createSwitchableProvider } from './switchable-provider.js';

/** Connection settings of one model that replace those of its provider. */
export interface ConnectionOverrides {
  readonly apiKey?: string;
  readonly baseURL?: string;
}

/** One provider of a registry. */
export interface ConfiguredProvider {
  languageModel(modelId: string, overrides?: ConnectionOverrides): LanguageModelV2;
  textEmbeddingModel(
    modelId: string,
    options?: ConnectionOverrides & { dimensions?: number },
  ): EmbeddingModelV2<string>;
  imageModel(modelId: string): ImageModelV2;
  close(): Promise<void>;
}

export interface ConfiguredProviderOptions {
  /** Tools of entries without MCP servers. */
  readonly sharedTools: ToolSource | undefined;
  /** Undefined if this package imports the others. */
  readonly importModule: ImportModule | undefined;
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
  const { importModule } = options;
  const compositionSettings = toCompositionSettings(entry, options);
  const settings = entry.settings && {
    ...entry.settings,
    models: toModelOverrides(entry.settings.models, options),
  };
  // All connections share one tool source, so each MCP server starts once.
  const { tools, close } = createComposition({ ...compositionSettings, ...settings });
  const connect = ({ apiKey, baseURL }: ConnectionOverrides = {}) =>
    createSwitchableProvider({
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
    });
  const provider = connect();
  const providerFor = (overrides: ConnectionOverrides | undefined) =>
    overrides?.apiKey === undefined && overrides?.baseURL === undefined ? provider : connect(overrides);
  return {
    languageModel: (modelId, overrides) => providerFor(overrides).languageModel(modelId),
    textEmbeddingModel: (modelId, { dimensions, ...overrides } = {}) =>
      providerFor(overrides).textEmbeddingModel(modelId, { dimensions }),
    imageModel: modelId => provider.imageModel(modelId),
    close,
  };
}

function createImportedProvider(
  entry: ImportedProviderEntry,
  options: ConfiguredProviderOptions,
): ConfiguredProvider {
  const { import: packageName, creator, settings } = entry;
  const { compose, close } = createComposition(toCompositionSettings(entry, options));
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
    textEmbeddingModel(modelId, { dimensions, ...overrides } = {}) {
      const model = createImportedEmbeddingModel({
        ...{ ...common, modelId },
        load: async () => embeddingModelOf(await load(overrides), modelId, packageName),
      });
      return dimensions === undefined ? model : withDimensions(model, dimensions);
    },
    imageModel(modelId) {
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    close,
  };
}

/** Adds a provider instance that the application created. The application also closes it. */
export function toConfiguredProvider(provider: AnyProvider, name: string): ConfiguredProvider {
  const source = `the provider "${name}"`;
  return {
    languageModel(modelId, overrides) {
      rejectOverrides(overrides);
      return withCallIds(languageModelOf(provider, modelId, source));
    },
    textEmbeddingModel(modelId, { dimensions, ...overrides } = {}) {
      rejectOverrides(overrides);
      const model = embeddingModelOf(provider, modelId, source);
      return dimensions === undefined ? model : withDimensions(model, dimensions);
    },
    imageModel: modelId => imageModelOf(provider, modelId, source),
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

/** Some servers omit call ids, which hosts need to match results with calls. */
const withCallIds = (model: LanguageModelV2): LanguageModelV2 => wrapModel(model, [missingCallIdsMiddleware]);

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
