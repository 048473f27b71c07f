import type { EmbeddingModelV2, LanguageModelV2, ProviderV2 } from '@ai-sdk/provider';
import { KelivoError } from '../shared/errors.js';
import { createLazyLanguageModel } from '../provider/lazy-language-model.js';

export interface LoadProviderOptions {
  readonly import: string;
  readonly creator: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly importModule: ImportModule;
}

/** Imports a package by its name. */
export type ImportModule = (name: string) => Promise<unknown>;

/**
 * Makes a provider of another package.
 *
 * @throws KelivoError with code `missing-package` where the package or its function is missing.
 */
export async function loadProvider({
  import: name,
  creator,
  settings,
  importModule,
}: LoadProviderOptions): Promise<ProviderV2> {
  const module = await load(name, importModule);
  const create = module[creator];
  if (typeof create === 'function') return create(settings) as ProviderV2;
  const creators = Object.keys(module).filter(key => /^create[A-Z]/.test(key));
  throw new KelivoError({
    code: 'missing-package',
    message: `Expected ${name} to export the function \`${creator}\`, got ${typeof create}. It has: ${creators.join(', ') || 'no creator'}.`,
  });
}

async function load(name: string, importModule: ImportModule): Promise<Record<string, unknown>> {
  try {
    return Object(await importModule(name));
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message: `Expected the package ${name}, but it could not be loaded. Install it with \`npm install ${name}\`.`,
      cause,
    });
  }
}

/**
 * The model, if it is one of the interface of `ai@5`.
 *
 * @throws KelivoError with code `missing-package` for one of another release.
 */
export function expectVersion2<Model extends { readonly specificationVersion: string }>(
  model: Model,
  packageName: string,
): Model {
  if (model.specificationVersion === 'v2') return model;
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected models of version v2 from ${packageName}, got one of version ${model.specificationVersion}. ` +
      'Install the major version of it that belongs to the AI SDK 5.',
  });
}

interface ImportedModelOptions<Model> {
  /** The name of the provider until and after the model is there. */
  readonly provider: string;
  readonly modelId: string;
  readonly load: () => Promise<Model>;
}

/** A language model of another package, which is loaded when the model is first asked or called. */
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
        return toQuiet(load().then(model => model.supportedUrls));
      },
    },
    load,
  );

/** An embedding model of another package, likewise. */
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
      return toQuiet(load().then(model => model.maxEmbeddingsPerCall));
    },
    get supportsParallelCalls() {
      return toQuiet(load().then(model => model.supportsParallelCalls));
    },
    doEmbed: async options => (await load()).doEmbed(options),
  };
}

/** Whoever asks for a property and does not wait is told of a failure by the call. */
function toQuiet<Value>(value: Promise<Value>): Promise<Value> {
  value.catch(() => {});
  return value;
}
