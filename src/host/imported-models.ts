import type { EmbeddingModelV2, LanguageModelV2, ProviderV2 } from '@ai-sdk/provider';
import { createLazyLanguageModel } from '../provider/lazy-model.js';
import { KelivoError } from '../shared/errors.js';
import { objectOf } from '../shared/json.js';

/** Imports a package by name. */
export type ImportModule = (name: string) => Promise<unknown>;

export interface LoadProviderOptions {
  readonly import: string;
  readonly creator: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly importModule: ImportModule;
}

/**
 * Imports another package and creates its provider.
 *
 * @throws KelivoError with code `missing-package` if the package or its function is missing.
 */
export async function loadProvider({
  import: name,
  creator,
  settings,
  importModule,
}: LoadProviderOptions): Promise<ProviderV2> {
  const module = await load(name, importModule);
  const create = module[creator];
  if (typeof create !== 'function') {
    const creators = Object.keys(module).filter(key => /^create[A-Z]/.test(key));
    throw new KelivoError({
      code: 'missing-package',
      message:
        `Expected ${name} to export the function \`${creator}\`, got ${typeof create}. ` +
        `Creators that it exports: ${creators.join(', ') || 'none'}.`,
    });
  }
  const provider: unknown = create(settings);
  if (isProvider(provider)) return provider;
  throw new KelivoError({
    code: 'missing-package',
    message: `Expected \`${creator}\` of ${name} to return a provider, got ${typeof provider} without \`languageModel\`.`,
  });
}

async function load(name: string, importModule: ImportModule): Promise<Readonly<Record<string, unknown>>> {
  try {
    return objectOf(await importModule(name)) ?? {};
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message: `Expected the package ${name}, but it could not be loaded. Install it with \`npm install ${name}\`.`,
      cause,
    });
  }
}

export const isProvider = (value: unknown): value is ProviderV2 =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  'languageModel' in value &&
  typeof value.languageModel === 'function';

/**
 * Returns the model if it has version 2, the version of `ai@5`.
 *
 * @param source Package or provider of the model, for the message.
 * @throws KelivoError with code `missing-package` for another version.
 */
export function expectVersion2<Model extends { readonly specificationVersion: string }>(
  model: Model,
  source: string,
): Model {
  if (model.specificationVersion === 'v2') return model;
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected models of version v2 from ${source}, got one of version ${model.specificationVersion}. ` +
      'Install its major version for AI SDK 5.',
  });
}

interface ImportedModelOptions<Model> {
  /** Provider name of the model, before and after it is loaded. */
  readonly provider: string;
  readonly modelId: string;
  readonly load: () => Promise<Model>;
}

/** Creates a language model whose package is loaded when it is first used. */
export const createImportedLanguageModel = ({
  provider,
  modelId,
  load,
}: ImportedModelOptions<LanguageModelV2>): LanguageModelV2 =>
  createLazyLanguageModel(
    {
      provider,
      modelId,
      get supportedUrls() {
        return ignoreRejection(load().then(model => model.supportedUrls));
      },
    },
    load,
  );

/** Creates an embedding model whose package is loaded when it is first used. */
export function createImportedEmbeddingModel({
  provider,
  modelId,
  load,
}: ImportedModelOptions<EmbeddingModelV2<string>>): EmbeddingModelV2<string> {
  return {
    specificationVersion: 'v2',
    provider,
    modelId,
    get maxEmbeddingsPerCall() {
      return ignoreRejection(load().then(model => model.maxEmbeddingsPerCall));
    },
    get supportsParallelCalls() {
      return ignoreRejection(load().then(model => model.supportsParallelCalls));
    },
    doEmbed: async options => (await load()).doEmbed(options),
  };
}

/** Prevents an unhandled rejection of a property that is read but not awaited. The call itself reports the error. */
function ignoreRejection<Value>(value: Promise<Value>): Promise<Value> {
  value.catch(() => {});
  return value;
}
