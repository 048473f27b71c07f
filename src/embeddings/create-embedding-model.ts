import {
  type EmbeddingModelV2,
  type EmbeddingModelV2Embedding,
  InvalidResponseDataError,
  TooManyEmbeddingValuesForCallError,
} from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import { parseSettings, once } from '../shared/settings.js';
import type { Credentials } from '../http/key-ring.js';

/** What is the same for all calls of an embedding model. */
export interface EmbeddingModelOptions {
  /**
   * The length of the vectors, for models that can shorten them. `dimensions` in the `providerOptions` of a call wins.
   * @default the model's own
   */
  dimensions?: number;
  /**
   * The most values in one request; `embedMany` splits what is more. Servers other than OpenAI's may take fewer.
   * @default 2048
   */
  maxEmbeddingsPerCall?: number;
}

/** A text embedding model that knows the length it asks its vectors to have. */
export interface KelivoEmbeddingModel extends EmbeddingModelV2<string> {
  /** Undefined where the model's own length is left to it. */
  readonly dimensions: number | undefined;
}

export interface EmbeddingModelConfig {
  readonly provider: string;
  /** Full address of the embeddings endpoint. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Whether a request without any key is a mistake. */
  readonly needsKey: boolean;
  readonly fetch: FetchFunction;
  /** For one request, in milliseconds. */
  readonly timeout: number | undefined;
}

/** What the API takes in one request. */
const MAX_VALUES = 2048;

const optionsSchema = once(() =>
  z.strictObject({
    dimensions: z.number().int().min(1).optional(),
    maxEmbeddingsPerCall: z.number().int().min(1).optional(),
  }),
);

/**
 * A text embedding model over `POST …/embeddings`. `providerOptions.openai` takes `dimensions` and `user`; the same keys
 * under `kelivo` win.
 *
 * @throws KelivoError with code `invalid-settings` for a wrong option.
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
      const { url, credentials, needsKey, fetch, timeout } = config;
      // Loaded with the first call, so that importing the package loads no HTTP client.
      const { postJson } = await import('../http/post-json.js');
      const { body, headers: responseHeaders } = await credentials.use(undefined, keyHeaders =>
        postJson({
          url,
          headers: [keyHeaders, headers],
          needsKey,
          body: { model: modelId, input: values, encoding_format: 'float', dimensions, user },
          fetch,
          signal: abortSignal,
          timeouts: { total: timeout },
        }),
      );
      const embeddings = toEmbeddings(body, values.length);
      const tokens = (body as { usage?: { prompt_tokens?: unknown } }).usage?.prompt_tokens;
      return {
        embeddings,
        ...(typeof tokens === 'number' && { usage: { tokens } }),
        response: { headers: responseHeaders, body },
      };
    },
  };
}

/** The vectors in the order of the values: servers may answer in another order and say so by `index`. */
function toEmbeddings(body: unknown, count: number): EmbeddingModelV2Embedding[] {
  const data = (body as { data?: unknown } | undefined)?.data;
  const entries = Array.isArray(data) ? (data as { index?: unknown; embedding?: unknown }[]) : [];
  const embeddings: EmbeddingModelV2Embedding[] = [];
  entries.forEach((entry, position) => {
    const at = typeof entry?.index === 'number' ? entry.index : position;
    if (Array.isArray(entry?.embedding)) embeddings[at] = entry.embedding as EmbeddingModelV2Embedding;
  });
  if (embeddings.length !== count || embeddings.includes(undefined as never)) {
    throw new InvalidResponseDataError({
      data: body,
      message: `Expected ${count} embeddings in \`data\`, got ${Object.keys(embeddings).length}.`,
    });
  }
  return embeddings;
}
