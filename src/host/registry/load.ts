import { NoSuchModelError } from '@ai-sdk/provider';
import { type AdapterSelection, isAdapterModule } from '../../adapters/adapter-choice.js';
import { importAdapter } from '../../adapters/registry.js';
import { withCallIds } from '../../core/call-ids.js';
import { type CoreEmbeddingModel, toAskedDimensions } from '../../core/embedding.js';
import type { CoreModel } from '../../core/source.js';
import { createComposition } from '../../provider/composition.js';
import { createEndpoints } from '../../provider/connection.js';
import { KelivoError } from '../../core/shared/errors.js';
import type { ToolSource } from '../../tools/tool-source.js';
import type { AnyImageModel } from '../../core/versions/provider.js';
import type { HostVersion } from '../../core/versions/specification.js';
import { markReasoning } from '../../core/versions/history/foreign-reasoning.js';
import { createSwitchableCore } from '../switch/switchable-provider.js';
import {
  type ImportedProvider,
  createImportedEmbeddingModel,
  createImportedLanguageModel,
  embeddingModelOf,
  imageModelOf,
  importFromHere,
  type ImportModule,
  languageModelOf,
  loadProvider,
} from './imported-models.js';
import type { ImportedProviderEntry, KelivoProviderEntry, ProviderEntry } from './schema.js';

/*
 * Second stage of a registry: an entry becomes a provider.
 */

/** Connection settings of one model that replace those of its provider. */
export interface ConnectionOverrides {
  readonly apiKey?: string | undefined;
  readonly baseURL?: string | undefined;
}

/** One provider of a registry. */
export interface ConfiguredProvider {
  languageModel(modelId: string, overrides: ConnectionOverrides): CoreModel;
  /** @param dimensions Undefined for the model's own length. */
  embeddingModel(
    modelId: string,
    overrides: ConnectionOverrides,
    dimensions: number | undefined,
  ): CoreEmbeddingModel;
  imageModel(modelId: string): AnyImageModel;
  /**
   * Identifies the server: providers with equal values have the same models. Undefined for instances of the application,
   * whose server is not known.
   */
  serverOf(overrides: ConnectionOverrides): string | undefined;
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

/** Creates the provider of an entry. Nothing is imported or started before one of its models is called. */
export const createConfiguredProvider = (
  name: string,
  entry: ProviderEntry,
  options: ConfiguredProviderOptions,
): ConfiguredProvider =>
  'import' in entry ? createImportedProvider(name, entry, options) : createKelivoProvider(entry, options);

function createKelivoProvider(
  { settings: given = {}, fallback, enabled }: KelivoProviderEntry,
  { sharedTools, importModule, version }: ConfiguredProviderOptions,
): ConfiguredProvider {
  const settings = {
    ...given,
    adapters: withImport(given.adapters, importModule),
    models:
      given.models &&
      Object.fromEntries(
        Object.entries(given.models).map(([pattern, { adapters, ...override }]) => [
          pattern,
          { ...override, ...(adapters !== undefined && { adapters: withImport(adapters, importModule) }) },
        ]),
      ),
    mcpServers: given.mcpServers ?? sharedTools,
  };
  // All connections share one tool source, so each MCP server starts once.
  const { tools, close } = createComposition(settings, version);
  const connect = (overrides: ConnectionOverrides = {}) =>
    createSwitchableCore({
      kelivo: { ...settings, ...present(overrides), mcpServers: tools, mcp: undefined, tools: undefined },
      fallback,
      enabled,
      importOpenAI: importModule && (() => importModule('@ai-sdk/openai')),
      specificationVersion: version,
    });
  const provider = connect();
  const providerFor = (overrides: ConnectionOverrides) =>
    Object.keys(present(overrides)).length === 0 ? provider : connect(overrides);
  return {
    languageModel: (modelId, overrides) => providerFor(overrides).languageModel(modelId),
    embeddingModel: (modelId, overrides, dimensions) =>
      providerFor(overrides).embeddingModel(modelId, { dimensions }),
    imageModel: rejectImageModel,
    serverOf: overrides => createEndpoints({ ...given, ...present(overrides) }).shownRoot,
    close,
  };
}

function createImportedProvider(
  name: string,
  { import: packageName, creator, settings, ...entry }: ImportedProviderEntry,
  { sharedTools, importModule, version }: ConfiguredProviderOptions,
): ConfiguredProvider {
  const { compose, close } = createComposition(
    {
      adapters: withImport(entry.adapters, importModule),
      toolPrompting: entry.toolPrompting,
      undeclared: entry.undeclared,
      startsInReasoning: entry.startsInReasoning,
      streamArgumentsFrom: entry.streamArgumentsFrom,
      responseTemplate: entry.responseTemplate,
      toolLoop: entry.toolLoop,
      mcpServers: entry.mcpServers ?? sharedTools,
    },
    version,
  );
  const load = (overrides: ConnectionOverrides): Promise<ImportedProvider> =>
    loadProvider({
      import: packageName,
      creator,
      settings: { ...settings, ...present(overrides) },
      importModule: importModule ?? importFromHere,
    });
  return {
    // The specifier of the module may be a path. Until the package is loaded, the entry's name stands for the provider.
    languageModel(modelId, overrides) {
      const model = createImportedLanguageModel({ provider: name, modelId }, async () =>
        languageModelOf(await load(overrides), modelId, {
          source: packageName,
          sendsForeign: entry.foreignReasoning === 'send',
        }),
      );
      return markReasoning(compose(withCallIds(model)), model);
    },
    embeddingModel(modelId, overrides, dimensions) {
      const model = createImportedEmbeddingModel({ provider: name, modelId }, async () =>
        embeddingModelOf(await load(overrides), modelId, packageName),
      );
      return withDimensions(model, dimensions);
    },
    imageModel: rejectImageModel,
    serverOf(overrides) {
      const { baseURL, ...others } = { ...settings, ...present(overrides) };
      if (typeof baseURL === 'string' && URL.canParse(baseURL)) {
        const { origin, pathname } = new URL(baseURL);
        return origin + pathname.replace(/\/$/, '');
      }
      if (packageName === '@ai-sdk/openai') return createEndpoints({}).shownRoot;
      // Without a base URL, the package and its other settings determine the server. Keys and headers do not.
      const { apiKey: _key, headers: _headers, name: _name, ...rest } = others as Record<string, unknown>;
      return JSON.stringify([packageName, creator, rest]);
    },
    close,
  };
}

/** Adds a provider instance that the application created. The application also closes it. */
export function toConfiguredProvider(
  provider: ImportedProvider,
  name: string,
  version: HostVersion,
): ConfiguredProvider {
  const source = `the provider "${name}"`;
  return {
    languageModel(modelId, overrides) {
      rejectOverrides(overrides);
      // Some servers omit call ids, which hosts need to match results with calls.
      return markReasoning(withCallIds(languageModelOf(provider, modelId, { source })));
    },
    embeddingModel(modelId, overrides, dimensions) {
      rejectOverrides(overrides);
      return withDimensions(embeddingModelOf(provider, modelId, source), dimensions);
    },
    imageModel: modelId => imageModelOf(provider, modelId, { source, version }),
    serverOf: () => undefined,
    close: async () => {},
  };

  function rejectOverrides(overrides: ConnectionOverrides): void {
    if (Object.keys(present(overrides)).length === 0) return;
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected no \`apiKey\` and no \`baseURL\` for ${source}, because it is an instance that already has them. ` +
        'Register an entry with `import` and `creator` instead.',
    });
  }
}

const present = ({ apiKey, baseURL }: ConnectionOverrides) => ({
  ...(apiKey !== undefined && { apiKey }),
  ...(baseURL !== undefined && { baseURL }),
});

function rejectImageModel(modelId: string): never {
  throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
}

/** Imports the modules of adapters as the registry imports packages. */
const withImport = (
  adapters: AdapterSelection | undefined,
  importModule: ImportModule | undefined,
): AdapterSelection | undefined =>
  Array.isArray(adapters)
    ? adapters.map(choice => (isAdapterModule(choice) ? importAdapter(choice, importModule) : choice))
    : adapters;

/** Name of the vector length in the options of each provider. */
const DIMENSION_OPTIONS: Readonly<Record<string, string>> = {
  openai: 'dimensions',
  'openai-compatible': 'dimensions',
  google: 'outputDimensionality',
  mistral: 'outputDimension',
};

/** Requests vectors of the given length from any provider's model, unless the call requests another length. */
function withDimensions(model: CoreEmbeddingModel, dimensions: number | undefined): CoreEmbeddingModel {
  if (dimensions === undefined) return model;
  return withFields(model, {
    dimensions,
    embed(call) {
      const { providerOptions, own } = call;
      const asked = toAskedDimensions({ ...providerOptions, kelivo: own }) ?? call.dimensions;
      if (asked !== undefined) return model.embed(call);
      const requested = Object.entries(DIMENSION_OPTIONS).map(([provider, option]) => [
        provider,
        { ...providerOptions?.[provider], [option]: dimensions },
      ]);
      return model.embed({
        ...call,
        providerOptions: { ...providerOptions, ...Object.fromEntries(requested) },
      });
    },
  });
}

/** Replaces fields of a model. Its getters are not read, because they load a package. */
export const withFields = (
  model: CoreEmbeddingModel,
  fields: Partial<CoreEmbeddingModel>,
): CoreEmbeddingModel =>
  Object.defineProperties({} as CoreEmbeddingModel, {
    ...Object.getOwnPropertyDescriptors(model),
    ...Object.getOwnPropertyDescriptors(fields),
  });
