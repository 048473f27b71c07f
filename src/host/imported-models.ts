import {
  type EmbeddingModelV2,
  type ImageModelV2,
  type LanguageModelV2,
  NoSuchModelError,
} from '@ai-sdk/provider';
import { createLazyLanguageModel } from '../provider/lazy-model.js';
import { KelivoError } from '../shared/errors.js';
import { objectOf } from '../shared/json.js';
import type { OfficialModel } from './official-call.js';
import { type LaterLanguageModel, toLanguageModelV2 } from '../v3/language-model-v2.js';

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
}: LoadProviderOptions): Promise<AnyProvider> {
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

/** A provider for any major version of `ai`. Only the members that are used here. */
export interface AnyProvider {
  languageModel(modelId: string): AnyLanguageModel;
  /** Missing in version 4, and optional in version 3. */
  textEmbeddingModel?(modelId: string): AnyEmbeddingModel;
  /** Missing in version 2. */
  embeddingModel?(modelId: string): AnyEmbeddingModel;
  imageModel?(modelId: string): { readonly specificationVersion: string };
}

type AnyLanguageModel = LanguageModelV2 | LaterLanguageModel;

/** An embedding model of any version. Later versions add warnings to the result, which version 2 does not have. */
type AnyEmbeddingModel = Omit<EmbeddingModelV2<string>, 'specificationVersion' | 'doEmbed'> & {
  readonly specificationVersion: string;
  doEmbed(options: never): PromiseLike<object>;
};

export const isProvider = (value: unknown): value is AnyProvider =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  'languageModel' in value &&
  typeof value.languageModel === 'function';

/**
 * Returns a language model of a provider, converted to version 2 if it has a later one. A Responses model of OpenAI can
 * continue the conversations of this package, whose items are not stored by default.
 *
 * @param source Package or provider of the model, for the message.
 * @throws KelivoError with code `missing-package` for an unknown version.
 */
export function languageModelOf(provider: AnyProvider, modelId: string, source: string): LanguageModelV2 {
  const model = provider.languageModel(modelId);
  if (!isOfficialModel(model)) return toV2Model(model, source);
  return createLazyLanguageModel(model, async () => {
    const { continueHistories } = await import('./official-call.js');
    return toV2Model(continueHistories(model, { store: false }), source);
  });
}

/**
 * Returns true for a Responses model of OpenAI's packages, which name it `openai.responses`, `azure.responses` or after
 * the `name` of their settings. Models of xAI have such a name, too, but other rules for items. Models of the packages are
 * instances of classes. A plain object with such a name wraps one, for example in a tool loop, which needs the history as
 * it is.
 */
const isOfficialModel = (model: { readonly provider: string }): model is OfficialModel =>
  /^(?!xai\b).*\.responses$/.test(model.provider) && Object.getPrototypeOf(model) !== Object.prototype;

function toV2Model(model: LanguageModelV2 | LaterLanguageModel, source: string): LanguageModelV2 {
  switch (model.specificationVersion) {
    case 'v2':
      return model;
    case 'v3':
    case 'v4':
      return toLanguageModelV2(model);
    default:
      throw toVersionError(model, source);
  }
}

/**
 * Returns an embedding model of a provider, as one of version 2.
 *
 * @throws KelivoError with code `missing-package` for an unknown version. NoSuchModelError without embedding models.
 */
export function embeddingModelOf(
  provider: AnyProvider,
  modelId: string,
  source: string,
): EmbeddingModelV2<string> {
  const model = provider.embeddingModel?.(modelId) ?? provider.textEmbeddingModel?.(modelId);
  if (model === undefined) throw new NoSuchModelError({ modelId, modelType: 'textEmbeddingModel' });
  if (!['v2', 'v3', 'v4'].includes(model.specificationVersion)) throw toVersionError(model, source);
  const { provider: name, maxEmbeddingsPerCall, supportsParallelCalls } = model;
  if (isEmbeddingModelV2(model)) return model;
  return {
    specificationVersion: 'v2',
    ...{ provider: name, modelId, maxEmbeddingsPerCall, supportsParallelCalls },
    doEmbed: async options =>
      (await model.doEmbed(options as never)) as Awaited<ReturnType<EmbeddingModelV2<string>['doEmbed']>>,
  };
}

const isEmbeddingModelV2 = (
  model: AnyEmbeddingModel,
): model is AnyEmbeddingModel & EmbeddingModelV2<string> => model.specificationVersion === 'v2';

/**
 * Returns an image model of a provider. Later versions have other options, so that only version 2 is accepted.
 *
 * @throws KelivoError with code `missing-package` for another version. NoSuchModelError without image models.
 */
export function imageModelOf(provider: AnyProvider, modelId: string, source: string): ImageModelV2 {
  const model = provider.imageModel?.(modelId);
  if (model === undefined) throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
  if (model.specificationVersion === 'v2') return model as ImageModelV2;
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected an image model of version v2 from ${source}, got one of version ${model.specificationVersion}, which the ` +
      "registry cannot convert. Use the provider's image models directly, or install its major version for `ai@5`.",
  });
}

const toVersionError = ({ specificationVersion }: { specificationVersion: string }, source: string) =>
  new KelivoError({
    code: 'missing-package',
    message:
      `Expected models of version v2, v3 or v4 (\`ai\` 5, 6 or 7) from ${source}, got one of version ` +
      `${String(specificationVersion)}. Install a major version of the package for \`ai\` 5, 6 or 7.`,
  });

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
