import {
  type EmbeddingModelV2,
  type EmbeddingModelV2Embedding,
  InvalidResponseDataError,
  TooManyEmbeddingValuesForCallError,
} from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { numberOf, objectOf } from '../shared/json.js';
import { once, parseSettings } from '../shared/settings.js';
import type { FetchForCall } from '../http/request-log.js';
import type { Credentials } from '../http/key-ring.js';

/** Options for all calls of an embedding model. */
export interface EmbeddingModelOptions {
  /**
   * The length of the vectors, for models that can shorten them. `dimensions` in the `providerOptions` of a call
   * overrides it.
   * @default the default length of the model
   */
  dimensions?: number;
  /**
   * Maximum number of values in one request. `embedMany` splits longer lists. Some servers accept fewer than OpenAI.
   * @default 2048
   */
  maxEmbeddingsPerCall?: number;
}

/** A text embedding model with the length that it requests for its vectors. */
export interface KelivoEmbeddingModel extends EmbeddingModelV2<string> {
  /** Undefined if the model uses its default length. */
  readonly dimensions: number | undefined;
}

export interface EmbeddingModelConfig {
  readonly provider: string;
  /** The URL of the embeddings endpoint. */
  readonly url: string;
  readonly credentials: Credentials;
  /** True if the server rejects requests without a key. */
  readonly needsKey: boolean;
  readonly fetchFor: FetchForCall;
  /** Time limit of one request, in milliseconds. */
  readonly timeout: number | undefined;
}

/** Maximum number of values in one request to OpenAI. */
const MAX_VALUES = 2048;

const optionsSchema = once(() =>
  z.strictObject({
    dimensions: z.number().int().min(1).optional(),
    maxEmbeddingsPerCall: z.number().int().min(1).optional(),
  }),
);

/**
 * Creates a text embedding model that uses `POST …/embeddings`. It reads `dimensions` and `user` from
 * `providerOptions.openai` and `providerOptions.kelivo`, which takes precedence.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option.
 */
export function createEmbeddingModel(
  modelId: string,
  { provider, ...config }: EmbeddingModelConfig,
  options?: EmbeddingModelOptions,
): KelivoEmbeddingModel {
  const { dimensions: ownDimensions, maxEmbeddingsPerCall = MAX_VALUES } =
    parseSettings<EmbeddingModelOptions>(optionsSchema(), options, 'the embedding model options');
  return {
    specificationVersion: 'v2',
    provider,
    modelId,
    dimensions: ownDimensions,
    maxEmbeddingsPerCall,
    supportsParallelCalls: true,

    async doEmbed({ values, abortSignal, headers, providerOptions }) {
      if (values.length > maxEmbeddingsPerCall) {
        throw new TooManyEmbeddingValuesForCallError({ provider, modelId, maxEmbeddingsPerCall, values });
      }
      const { dimensions = ownDimensions, user } = { ...providerOptions?.openai, ...providerOptions?.kelivo };
      const { url, credentials, needsKey, fetchFor, timeout } = config;
      // Loaded with the first call, so that importing the package loads no HTTP client.
      const { requestJson } = await import('../http/request-json.js');
      const { body, headers: responseHeaders } = await credentials.use(undefined, keyHeaders =>
        requestJson({
          url,
          headers: [keyHeaders, headers],
          needsKey,
          body: { model: modelId, input: values, encoding_format: 'float', dimensions, user },
          fetch: fetchFor(providerOptions),
          signal: abortSignal,
          timeouts: { total: timeout },
        }),
      );
      const embeddings = toEmbeddings(body, values.length);
      const tokens = numberOf(objectOf(objectOf(body)?.usage)?.prompt_tokens);
      return {
        embeddings,
        ...(tokens !== undefined && { usage: { tokens } }),
        response: { headers: responseHeaders, body },
      };
    },
  };
}

/** Returns the vectors in the order of the values. Servers may return them in another order, with an `index` each. */
function toEmbeddings(body: unknown, count: number): EmbeddingModelV2Embedding[] {
  const data: unknown = objectOf(body)?.data;
  const byIndex = new Map<number, EmbeddingModelV2Embedding>();
  (Array.isArray(data) ? data : []).forEach((item: unknown, position) => {
    const { index, embedding } = objectOf(item) ?? {};
    if (isEmbedding(embedding)) byIndex.set(typeof index === 'number' ? index : position, embedding);
  });
  const embeddings = Array.from({ length: count }, (_, index) => byIndex.get(index) ?? []);
  if (byIndex.size !== count || embeddings.some((_, index) => !byIndex.has(index))) {
    throw new InvalidResponseDataError({
      data: body,
      message: `Expected ${count} embeddings in \`data\`, got ${byIndex.size}.`,
    });
  }
  return embeddings;
}

/** The numbers are not checked, because there may be thousands. */
const isEmbedding = (value: unknown): value is EmbeddingModelV2Embedding => Array.isArray(value);
