/**
 * Keeps embeddings comparable: the identity of an index, and models restricted to it.
 *
 * @module kelivo-responses/embeddings
 */
import { InvalidResponseDataError } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { toAskedDimensions } from '../../core/embedding.js';
import { KelivoError } from '../../core/shared/errors.js';
import { once } from '../../core/shared/once.js';
import { parseSettings } from '../../core/shared/settings.js';
import type { AnyEmbeddingModel } from '../../core/versions/embedding-model.js';
import { embeddingServerOf } from '../../core/versions/embedding-server.js';

export type { EmbeddingModelOptions } from '../../core/embedding.js';
export type { AnyEmbeddingModel, KelivoEmbeddingModel } from '../../core/versions/embedding-model.js';

/** Identifies comparable vectors. Plain data, to be stored with an index. */
export interface EmbeddingIdentity {
  /**
   * The name of the provider in its registry, else `model.provider`. Names may differ where the server is the same.
   */
  readonly provider: string;
  readonly modelId: string;
  /** The length of the vectors. */
  readonly dimensions: number;
  /**
   * The address of the server, which computes equal vectors for providers of all names. Undefined if it is not known, as in
   * identities of earlier versions: the names of the providers are compared then.
   */
  readonly server?: string | undefined;
}

type EmbedProviderOptions = Record<string, Record<string, unknown>>;

/** Options of `embeddingIdentity`. */
export interface EmbeddingIdentityOptions {
  /**
   * The provider options with which the index is created. The length of the vectors in them replaces `dimensions` of the
   * model.
   */
  providerOptions?: EmbedProviderOptions;
}

/**
 * Returns the identity of a model's vectors, to be stored with an index and passed to `pinEmbeddingModel`. If the length
 * of the vectors is not known, one short text is embedded to measure it. For a model of a provider registry, the identity
 * has the provider's name in the registry, so that `registry.embeddingModelFor(role, identity)` creates the model again.
 *
 * @example
 * ```ts
 * const identity = await embeddingIdentity(provider.textEmbeddingModel('text-embedding-3-small'));
 * // { provider: 'kelivo-responses', modelId: 'text-embedding-3-small', dimensions: 1536, server: 'https://api.openai.com/v1' }
 * ```
 *
 * @throws InvalidResponseDataError if the model returns no vector, and the errors of the call.
 */
export async function embeddingIdentity(
  model: AnyEmbeddingModel,
  { providerOptions }: EmbeddingIdentityOptions = {},
): Promise<EmbeddingIdentity> {
  const { modelId, providerNames: [provider = model.provider] = [] } = model;
  const server = await embeddingServerOf(model);
  const toIdentity = (dimensions: number): EmbeddingIdentity => ({
    provider,
    modelId,
    dimensions,
    ...(server !== undefined && { server }),
  });
  const asked = toAskedDimensions(providerOptions) ?? model.dimensions;
  if (asked !== undefined) return toIdentity(asked);
  const { embeddings } = await model.doEmbed({ values: ['dimensions'], providerOptions });
  const [embedding] = embeddings;
  if (embedding !== undefined && embedding.length > 0) return toIdentity(embedding.length);
  throw new InvalidResponseDataError({
    data: embeddings,
    message: `Expected a vector from ${provider} "${modelId}" to measure, got none. Check that the server has this model.`,
  });
}

/** The length is undefined if the call was rejected before it was known. */
export type ActualEmbedding = Omit<EmbeddingIdentity, 'dimensions'> & {
  readonly dimensions: number | undefined;
};

/** Thrown if the vectors of a call are not comparable with those of the index. */
export class EmbeddingMismatchError extends KelivoError {
  /** The identity of the index. */
  readonly expected: EmbeddingIdentity;
  /** The identity of the vectors of the call. */
  readonly actual: ActualEmbedding;

  constructor(options: { expected: EmbeddingIdentity; actual: ActualEmbedding }) {
    super({
      code: 'embedding-mismatch',
      message:
        `Expected embeddings of ${describe(options.expected)}, as in the index, got ${describe(options.actual)}. ` +
        'Use the model of the index, or create the index again.',
    });
    this.name = 'EmbeddingMismatchError';
    this.expected = options.expected;
    this.actual = options.actual;
  }

  /** Returns true for an `EmbeddingMismatchError`, including one of another copy of this package. */
  static override isInstance(error: unknown): error is EmbeddingMismatchError {
    return KelivoError.isInstance(error) && error.code === 'embedding-mismatch';
  }
}

const describe = (embedding: ActualEmbedding): string =>
  `${embedding.provider} "${embedding.modelId}"${embedding.dimensions === undefined ? '' : ` with ${embedding.dimensions} dimensions`}`;

const identitySchema = once(() =>
  z.object({
    provider: z.string().min(1),
    modelId: z.string().min(1),
    dimensions: z.number().int().min(1),
    server: z.string().optional(),
  }),
);

/**
 * Restricts a model to the identity of an index. Embeddings from different models or with different lengths are not
 * comparable, and no vector store raises an error: a search returns unrelated results.
 *
 * A call with another provider, model or length is rejected before the request. Providers are the same if their servers or
 * their names are. The length of the returned vectors is checked as well, because a server may change the model behind a
 * name. Works with the models of any AI SDK provider.
 *
 * @param identity The result of `embeddingIdentity` when the index was created.
 *
 * @example
 * ```ts
 * const model = pinEmbeddingModel(provider.textEmbeddingModel(settings.embeddingModel), index.identity);
 * const { embedding } = await embed({ model, value: question });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid identity. Calls of the model reject with
 *   `EmbeddingMismatchError`.
 */
export function pinEmbeddingModel<Model extends AnyEmbeddingModel>(
  model: Model,
  identity: EmbeddingIdentity,
): Model {
  const expected = parseSettings<EmbeddingIdentity>(identitySchema(), identity, 'the embedding identity');
  const { specificationVersion, modelId, maxEmbeddingsPerCall, supportsParallelCalls, providerNames } = model;

  const pinned: AnyEmbeddingModel = {
    specificationVersion,
    get provider() {
      return model.provider;
    },
    modelId,
    maxEmbeddingsPerCall,
    supportsParallelCalls,
    ...(providerNames !== undefined && { providerNames }),
    get server() {
      return embeddingServerOf(model);
    },
    dimensions: model.dimensions,
    async doEmbed(options) {
      const asked = toAskedDimensions(options.providerOptions) ?? options.dimensions ?? model.dimensions;
      const provider = await toComparedProvider(model, expected);
      check({ provider, modelId, dimensions: asked });
      const result = await model.doEmbed(options);
      for (const { length } of result.embeddings) check({ provider, modelId, dimensions: length });
      return result;
    },
  };
  return pinned as Model;

  function check(actual: ActualEmbedding): void {
    const isSame =
      actual.provider === expected.provider &&
      actual.modelId === expected.modelId &&
      (actual.dimensions ?? expected.dimensions) === expected.dimensions;
    if (!isSame) throw new EmbeddingMismatchError({ expected, actual });
  }
}

/**
 * Returns the provider of an index if the provider of a model computes equal vectors, else the name of the latter. The
 * package of a model of a registry is loaded for it, and only if the names differ.
 */
async function toComparedProvider(model: AnyEmbeddingModel, expected: EmbeddingIdentity): Promise<string> {
  // An identity that was created without a registry has the provider of the model, known when its package is loaded.
  const names = (): string[] => [...(model.providerNames ?? []), model.provider];
  if (names().includes(expected.provider)) return expected.provider;
  const server = await embeddingServerOf(model);
  const isSame =
    names().includes(expected.provider) ||
    (server === undefined || expected.server === undefined
      ? names().map(toVendor).includes(toVendor(expected.provider))
      : server === expected.server);
  return isSame ? expected.provider : (names()[0] ?? model.provider);
}

/** Returns a provider name without the kind of its models: `openai` for `openai.embedding`. Majors of packages differ in it. */
const toVendor = (provider: string): string => provider.replace(/\.(?:text-?)?embeddings?$/i, '');
