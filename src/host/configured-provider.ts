import {
  type EmbeddingModelV2,
  type ImageModelV2,
  type LanguageModelV2,
  NoSuchModelError,
  type ProviderV2,
} from '@ai-sdk/provider';
import { wrapModel } from '../adapters/middleware.js';
import { modelAdapters } from '../adapters/model-adapters.js';
import { createModelAdapterRegistry } from '../adapters/registry.js';
import { missingCallIdsMiddleware } from '../parts/missing-call-ids.js';
import { createComposition } from '../provider/composition.js';
import { KelivoError } from '../shared/errors.js';
import type { ToolSource } from '../tools/tool-source.js';
import { withDimensions } from './embedding-dimensions.js';
import {
  createImportedEmbeddingModel,
  createImportedLanguageModel,
  expectVersion2,
  type ImportModule,
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
  const { settings, fallback, enabled } = entry;
  const { importModule } = options;
  const compositionSettings = toCompositionSettings(entry, options);
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
  const load = ({ apiKey, baseURL }: ConnectionOverrides = {}): Promise<ProviderV2> =>
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
  // The package name identifies stored vectors. The entry's name does not, because entries can be renamed.
  const common = { provider: packageName };
  return {
    languageModel: (modelId, overrides) =>
      compose(
        withCallIds(
          createImportedLanguageModel({
            ...{ ...common, modelId },
            load: async () => expectVersion2((await load(overrides)).languageModel(modelId), packageName),
          }),
        ),
      ),
    textEmbeddingModel(modelId, { dimensions, ...overrides } = {}) {
      const model = createImportedEmbeddingModel({
        ...{ ...common, modelId },
        load: async () => expectVersion2((await load(overrides)).textEmbeddingModel(modelId), packageName),
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
export function toConfiguredProvider(provider: ProviderV2, name: string): ConfiguredProvider {
  const source = `the provider "${name}"`;
  return {
    languageModel(modelId, overrides) {
      rejectOverrides(overrides);
      return withCallIds(expectVersion2(provider.languageModel(modelId), source));
    },
    textEmbeddingModel(modelId, { dimensions, ...overrides } = {}) {
      rejectOverrides(overrides);
      const model = expectVersion2(provider.textEmbeddingModel(modelId), source);
      return dimensions === undefined ? model : withDimensions(model, dimensions);
    },
    imageModel(modelId) {
      if (provider.imageModel !== undefined) return provider.imageModel(modelId);
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
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
  { adapters, toolLoop, mcpServers }: ProviderEntry,
  { sharedTools }: ConfiguredProviderOptions,
) {
  return {
    adapters: adapters === undefined ? undefined : adapters && toAdapterRegistry(adapters),
    toolLoop,
    mcpServers: mcpServers === false ? undefined : (mcpServers ?? sharedTools),
  };
}

const toAdapterRegistry = (names: readonly string[]) =>
  createModelAdapterRegistry(modelAdapters.all().filter(({ name }) => names.includes(name)));
