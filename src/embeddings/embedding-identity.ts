import { type EmbeddingModelV2, InvalidResponseDataError } from '@ai-sdk/provider';

/** What vectors have in common that can be compared with each other. Plain data, to be kept with an index. */
export interface EmbeddingIdentity {
  /** The name of the provider, `model.provider`. */
  readonly provider: string;
  readonly modelId: string;
  /** The length of the vectors. */
  readonly dimensions: number;
}

/** An embedding model of any release of `ai` from 5 on. */
export interface AnyEmbeddingModel extends Pick<
  EmbeddingModelV2<string>,
  'provider' | 'modelId' | 'maxEmbeddingsPerCall' | 'supportsParallelCalls'
> {
  readonly specificationVersion: string;
  /** The length that the model asks its vectors to have, where it has one. */
  readonly dimensions?: number;
  /** Makes the vectors of some texts. */
  doEmbed(options: EmbedOptions): PromiseLike<{ embeddings: number[][] }>;
}

interface EmbedOptions {
  values: string[];
  abortSignal?: AbortSignal;
  providerOptions?: EmbedProviderOptions;
  headers?: Record<string, string | undefined>;
}

type EmbedProviderOptions = Record<string, Record<string, unknown>>;

/** How the length of the vectors is found out. */
export interface EmbeddingIdentityOptions {
  /**
   * The length of the vectors, where it is known.
   * @default the model's `dimensions`, else the length of a vector that is asked of the model
   */
  dimensions?: number;
  /** Options of the calls that make the index, for the call that measures a vector. */
  providerOptions?: EmbedProviderOptions;
  /** Ends the call that measures a vector. */
  abortSignal?: AbortSignal;
}

/**
 * Who makes the vectors of an index: to be stored with it, so that `pinEmbeddingModel` can keep to it. Where nothing
 * says how long the vectors are, one short text is embedded to see.
 *
 * @example
 * ```ts
 * const identity = await embeddingIdentity(provider.textEmbeddingModel('text-embedding-3-small'));
 * // { provider: 'kelivo-responses', modelId: 'text-embedding-3-small', dimensions: 1536 }
 * ```
 *
 * @throws InvalidResponseDataError where the model gives no vector; what its call throws.
 */
export async function embeddingIdentity(
  model: AnyEmbeddingModel,
  { dimensions = model.dimensions, providerOptions, abortSignal }: EmbeddingIdentityOptions = {},
): Promise<EmbeddingIdentity> {
  const { provider, modelId } = model;
  const asked = dimensions ?? toAskedDimensions(providerOptions);
  if (asked !== undefined) return { provider, modelId, dimensions: asked };
  const { embeddings } = await model.doEmbed({ values: ['dimensions'], providerOptions, abortSignal });
  const [embedding] = embeddings;
  if (embedding !== undefined && embedding.length > 0) {
    return { provider, modelId, dimensions: embedding.length };
  }
  throw new InvalidResponseDataError({
    data: embeddings,
    message: `Expected a vector of ${provider} "${modelId}" to measure, got none. Pass \`dimensions\` instead.`,
  });
}

/** The length that the options of a call ask for: `dimensions` at OpenAI and Mistral, `outputDimensionality` at Google. */
export function toAskedDimensions(providerOptions: EmbedProviderOptions = {}): number | undefined {
  const { kelivo, ...others } = providerOptions;
  const asked = [kelivo, ...Object.values(others)].map(
    options => options?.dimensions ?? options?.outputDimensionality ?? options?.outputDimension,
  );
  return asked.find(value => typeof value === 'number');
}
