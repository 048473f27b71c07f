import {
  type EmbeddingModelV2,
  type EmbeddingModelV2Embedding,
  InvalidResponseDataError,
  TooManyEmbeddingValuesForCallError,
} from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import type { Credentials } from '../responses/responses-model.js';
import { postJson } from '../responses/transport/post-json.js';

export interface EmbeddingModelConfig {
  readonly provider: string;
  /** Full address of the embeddings endpoint. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Whether a request without any key is a mistake. */
  readonly needsKey: boolean;
  readonly fetch: FetchFunction;
}

/** What the API takes in one request. */
const MAX_VALUES = 2048;

/** A text embedding model over `POST …/embeddings`. `providerOptions.openai` takes `dimensions` and `user`. */
export function createEmbeddingModel(
  modelId: string,
  config: EmbeddingModelConfig,
): EmbeddingModelV2<string> {
  return {
    specificationVersion: 'v2',
    provider: config.provider,
    modelId,
    maxEmbeddingsPerCall: MAX_VALUES,
    supportsParallelCalls: true,

    async doEmbed({ values, abortSignal, headers, providerOptions }) {
      if (values.length > MAX_VALUES) {
        throw new TooManyEmbeddingValuesForCallError({
          provider: config.provider,
          modelId,
          maxEmbeddingsPerCall: MAX_VALUES,
          values,
        });
      }
      const { dimensions, user } = { ...providerOptions?.openai, ...providerOptions?.kelivo };
      const { url, credentials, needsKey, fetch } = config;
      const { body, headers: responseHeaders } = await credentials.use(undefined, keyHeaders =>
        postJson({
          url,
          headers: [keyHeaders, headers],
          needsKey,
          body: { model: modelId, input: values, encoding_format: 'float', dimensions, user },
          fetch,
          signal: abortSignal,
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
