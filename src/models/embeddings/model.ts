import { InvalidResponseDataError, TooManyEmbeddingValuesForCallError } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import {
  type CoreEmbeddingModel,
  type EmbeddingModelOptions,
  toEmbeddingServer,
} from '../../core/embedding.js';
import type { Credentials } from '../../core/http/key-ring.js';
import { requestJson } from '../../core/http/request-json.js';
import type { FetchForCall } from '../../core/http/request-log.js';
import { numberOf, objectOf } from '../../core/shared/json.js';
import { once } from '../../core/shared/once.js';
import { parseSettings } from '../../core/shared/settings.js';

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
): CoreEmbeddingModel {
  const { dimensions: ownDimensions, maxEmbeddingsPerCall = MAX_VALUES } =
    parseSettings<EmbeddingModelOptions>(optionsSchema(), options, 'the embedding model options');
  return {
    provider,
    modelId,
    dimensions: ownDimensions,
    server: toEmbeddingServer(config.url),
    maxEmbeddingsPerCall,
    supportsParallelCalls: true,

    async embed(call) {
      const values = [...call.values];
      if (values.length > maxEmbeddingsPerCall) {
        throw new TooManyEmbeddingValuesForCallError({ provider, modelId, maxEmbeddingsPerCall, values });
      }
      const { abortSignal, headers, providerOptions, own } = call;
      const options: Readonly<Record<string, unknown>> = { ...providerOptions?.openai, ...own };
      const { dimensions = call.dimensions ?? ownDimensions, user } = options;
      const { url, credentials, needsKey, fetchFor, timeout } = config;
      const { body, headers: responseHeaders } = await credentials.use(undefined, keyHeaders =>
        requestJson({
          url,
          headers: [keyHeaders, headers],
          needsKey,
          body: { model: modelId, input: values, encoding_format: 'float', dimensions, user },
          fetch: fetchFor({ own }),
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
function toEmbeddings(body: unknown, count: number): number[][] {
  const data: unknown = objectOf(body)?.data;
  const byIndex = new Map<number, number[]>();
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
const isEmbedding = (value: unknown): value is number[] => Array.isArray(value);
