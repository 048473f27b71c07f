import {
  type EmbeddingModelV2,
  type ImageModelV2,
  type LanguageModelV2,
  NoSuchModelError,
  type ProviderV2,
} from '@ai-sdk/provider';
import { createModelAdapterRegistry } from '../adapters/registry.js';
import { modelAdapters } from '../adapters/model-adapters.js';
import { createComposition } from '../provider/composition.js';
import type { ToolSource } from '../tools/tool-source.js';
import { createImportedEmbeddingModel, createImportedLanguageModel } from './imported-models.js';
import { createSwitchableProvider } from './switchable-provider.js';
import { expectVersion2, type ImportModule, loadProvider } from './imported-models.js';
import type { ImportedProviderEntry, KelivoProviderEntry, ProviderEntry } from './registry-config.js';
import { withDimensions } from './embedding-dimensions.js';
import { wrapModel } from '../adapters/middleware.js';
import { missingCallIdsMiddleware } from '../parts/missing-call-ids.js';
import { KelivoError } from '../shared/errors.js';

/** Where and as whom a provider is reached, where that is not as in its settings. */
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
  /** Tools for entries that name no MCP servers of their own. */
  readonly sharedTools: ToolSource | undefined;
  /** Where it is undefined, packages are imported from this one. */
  readonly importModule: ImportModule | undefined;
}

const importFromHere: ImportModule = name => import(/* @vite-ignore */ /* webpackIgnore: true */ name);

/** A provider as its entry describes it. Nothing is loaded or started before one of its models is called. */
export const createConfiguredProvider = (
  entry: ProviderEntry,
  options: ConfiguredProviderOptions,
): ConfiguredProvider => ('import' in entry ? createImported(entry, options) : createKelivo(entry, options));

function createKelivo(entry: KelivoProviderEntry, options: ConfiguredProviderOptions): ConfiguredProvider {
  const { settings, fallback, enabled } = entry;
  const { importModule } = options;
  const surroundings = toComposition(entry, options);
  // One source for all connections: its servers run once.
  const { tools, close } = createComposition({ ...surroundings, ...settings });
  const open = ({ apiKey, baseURL }: ConnectionOverrides = {}) =>
    createSwitchableProvider({
      kelivo: {
        ...settings,
        ...(apiKey !== undefined && { apiKey }),
        ...(baseURL !== undefined && { baseURL }),
        ...surroundings,
        ...{ mcpServers: tools, mcp: undefined, tools: undefined },
      },
      fallback,
      enabled,
      importOpenAI: importModule && (() => importModule('@ai-sdk/openai')),
    });
  const provider = open();
  const reach = (overrides: ConnectionOverrides | undefined) =>
    overrides?.apiKey === undefined && overrides?.baseURL === undefined ? provider : open(overrides);
  return {
    languageModel: (modelId, overrides) => reach(overrides).languageModel(modelId),
    textEmbeddingModel: (modelId, { dimensions, ...overrides } = {}) =>
      reach(overrides).textEmbeddingModel(modelId, { dimensions }),
    imageModel: modelId => provider.imageModel(modelId),
    close,
  };
}

function createImported(
  entry: ImportedProviderEntry,
  options: ConfiguredProviderOptions,
): ConfiguredProvider {
  const { import: packageName, creator, settings } = entry;
  const { compose, close } = createComposition(toComposition(entry, options));
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
  // The package's name, as vectors of a provider are told apart by it, and entries are renamed.
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

function toComposition(
  { adapters, toolLoop, mcpServers }: ProviderEntry,
  { sharedTools }: ConfiguredProviderOptions,
) {
  return {
    adapters: adapters === undefined ? undefined : adapters && toAdapters(adapters),
    toolLoop,
    mcpServers: mcpServers === false ? undefined : (mcpServers ?? sharedTools),
  };
}

const toAdapters = (names: readonly string[]) =>
  createModelAdapterRegistry(modelAdapters.all().filter(({ name }) => names.includes(name)));

/** A provider that was created elsewhere, as one of a registry. What it opened is its creator's to close. */
export function toConfiguredProvider(provider: ProviderV2, name: string): ConfiguredProvider {
  const where = `the provider "${name}"`;
  return {
    languageModel(modelId, overrides) {
      refuseOverrides(overrides);
      return withCallIds(expectVersion2(provider.languageModel(modelId), where));
    },
    textEmbeddingModel(modelId, { dimensions, ...overrides } = {}) {
      refuseOverrides(overrides);
      const model = expectVersion2(provider.textEmbeddingModel(modelId), where);
      return dimensions === undefined ? model : withDimensions(model, dimensions);
    },
    imageModel(modelId) {
      if (provider.imageModel !== undefined) return provider.imageModel(modelId);
      throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
    },
    close: async () => {},
  };

  function refuseOverrides({ apiKey, baseURL }: ConnectionOverrides = {}): void {
    if (apiKey === undefined && baseURL === undefined) return;
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected no \`apiKey\` and no \`baseURL\` for ${where}, which was created with its own. ` +
        'Register it as an entry with `import` and `creator` instead.',
    });
  }
}

/** Hosts tell calls apart by their ids, which some servers leave out. */
const withCallIds = (model: LanguageModelV2): LanguageModelV2 => wrapModel(model, [missingCallIdsMiddleware]);
