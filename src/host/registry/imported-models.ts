import { NoSuchModelError } from '@ai-sdk/provider';
import type { CoreEmbeddingModel } from '../../core/embedding.js';
import type { CoreModel } from '../../core/source.js';
import { KelivoError } from '../../core/shared/errors.js';
import { objectOf } from '../../core/shared/json.js';
import { type AnyEmbeddingModel, fromEmbeddingModel } from '../../core/versions/embedding-model.js';
import { fromLanguageModel } from '../../core/versions/language-model.js';
import { type AnyImageModel, isVersion, VERSION_OF_MAJOR } from '../../core/versions/provider.js';
import type { AnyLanguageModel, HostVersion } from '../../core/versions/specification.js';
import { serializeHistory } from '../../core/versions/write-call.js';
import { continueHistories } from '../switch/official-call.js';
import { loadOnce } from '../../core/shared/once.js';

/** Imports a package by name. */
export type ImportModule = (name: string) => Promise<unknown>;

export const importFromHere: ImportModule = name => import(/* @vite-ignore */ /* webpackIgnore: true */ name);

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
}: {
  readonly import: string;
  readonly creator: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly importModule: ImportModule;
}): Promise<ImportedProvider> {
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
export interface ImportedProvider {
  languageModel(modelId: string): AnyLanguageModel;
  /** Missing in version 4, and optional in version 3. */
  textEmbeddingModel?(modelId: string): ImportedEmbeddingModel;
  /** Missing in version 2. */
  embeddingModel?(modelId: string): ImportedEmbeddingModel;
  imageModel?(modelId: string): { readonly specificationVersion: string };
}

/** An embedding model of another package. */
type ImportedEmbeddingModel = Omit<AnyEmbeddingModel, 'doEmbed'> & {
  doEmbed(options: never): PromiseLike<object>;
};

export const isProvider = (value: unknown): value is ImportedProvider =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  'languageModel' in value &&
  typeof value.languageModel === 'function';

/**
 * Returns a language model of a provider. A Responses model of OpenAI can continue the conversations of this package, whose
 * items are not stored by default.
 *
 * @param source Package or provider of the model, for the message.
 * @param sendsForeign True to send the reasoning of other vendors.
 * @throws KelivoError with code `missing-package` for an unknown version.
 */
export function languageModelOf(
  provider: ImportedProvider,
  modelId: string,
  options: { source: string; sendsForeign?: boolean },
): CoreModel {
  const model = provider.languageModel(modelId);
  if (!isVersion(model.specificationVersion)) throw toVersionError(model, options.source);
  if (isOfficialModel(model)) return continueHistories(model);
  return fromLanguageModel(model, {
    serialize: (call, facts, version) =>
      serializeHistory(call, facts, version, { sendsForeign: options.sendsForeign ?? false }),
  });
}

/**
 * Returns true for a Responses model of OpenAI's packages, which name it `openai.responses`, `azure.responses` or after
 * the `name` of their settings. Models of xAI have such a name, too, but other rules for items. Models of the packages are
 * instances of classes. A model with own methods and such a name wraps one, for example in a tool loop, which needs the
 * history as it is.
 */
const isOfficialModel = (model: AnyLanguageModel): boolean =>
  /^(?!xai\b).*\.responses$/.test(model.provider) && !Object.hasOwn(model, 'doStream');

/**
 * Returns an embedding model of a provider.
 *
 * @throws KelivoError with code `missing-package` for an unknown version. NoSuchModelError without embedding models.
 */
export function embeddingModelOf(
  provider: ImportedProvider,
  modelId: string,
  source: string,
): CoreEmbeddingModel {
  const model = provider.embeddingModel?.(modelId) ?? provider.textEmbeddingModel?.(modelId);
  if (model === undefined) throw new NoSuchModelError({ modelId, modelType: 'textEmbeddingModel' });
  if (!isVersion(model.specificationVersion)) throw toVersionError(model, source);
  return fromEmbeddingModel(model as AnyEmbeddingModel);
}

/**
 * Returns an image model of a provider. The versions have other options, so that only that of the registry is accepted.
 *
 * @throws KelivoError with code `missing-package` for another version. NoSuchModelError without image models.
 */
export function imageModelOf(
  provider: ImportedProvider,
  modelId: string,
  options: { source: string; version: HostVersion },
): AnyImageModel {
  const model = provider.imageModel?.(modelId);
  if (model === undefined) throw new NoSuchModelError({ modelId, modelType: 'imageModel' });
  if (model.specificationVersion === options.version) return model as AnyImageModel;
  const major = Object.entries(VERSION_OF_MAJOR).find(([, known]) => known === options.version)?.[0];
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected an image model of version ${options.version} from ${options.source}, got one of version ${model.specificationVersion}, ` +
      "which the registry cannot convert. Use the provider's image models directly, or install its major version for " +
      `\`ai@${major}\`.`,
  });
}

const toVersionError = (model: { specificationVersion: string }, source: string) =>
  new KelivoError({
    code: 'missing-package',
    message:
      `Expected models of version v2, v3 or v4 (\`ai\` 5, 6 or 7) from ${source}, got one of version ` +
      `${String(model.specificationVersion)}. Install a major version of the package for \`ai\` 5, 6 or 7.`,
  });

/** The provider name of a model, before and after it is loaded, and its id. */
type ModelFacts = Pick<CoreModel, 'provider' | 'modelId'>;

/** Creates a language model whose package is loaded when it is first used. After a failed load, the next use loads again. */
export function createImportedLanguageModel(facts: ModelFacts, load: () => Promise<CoreModel>): CoreModel {
  let provider = facts.provider;
  const loaded = loadOnce(async () => {
    const model = await load();
    ({ provider } = model);
    return model;
  });
  return {
    get provider() {
      return provider;
    },
    modelId: facts.modelId,
    get supportedUrls() {
      return ignoreRejection(loaded().then(model => model.supportedUrls));
    },
    open: async call => (await loaded()).open(call),
  };
}

/** Creates an embedding model whose package is loaded when it is first used. */
export function createImportedEmbeddingModel(
  facts: ModelFacts,
  load: () => Promise<CoreEmbeddingModel>,
): CoreEmbeddingModel {
  let provider = facts.provider;
  const loaded = loadOnce(async () => {
    const model = await load();
    ({ provider } = model);
    return model;
  });
  return {
    get provider() {
      return provider;
    },
    modelId: facts.modelId,
    get server() {
      return ignoreRejection(loaded().then(model => model.server));
    },
    get maxEmbeddingsPerCall() {
      return ignoreRejection(loaded().then(model => model.maxEmbeddingsPerCall));
    },
    get supportsParallelCalls() {
      return ignoreRejection(loaded().then(model => model.supportsParallelCalls));
    },
    embed: async call => (await loaded()).embed(call),
  };
}

/** Prevents an unhandled rejection of a property that is read but not awaited. The call itself reports the error. */
function ignoreRejection<Value>(value: Promise<Value>): Promise<Value> {
  value.catch(() => {});
  return value;
}
