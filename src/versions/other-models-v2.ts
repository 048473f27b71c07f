import type { JSONValue } from '../shared/json.js';
import type {
  SharedV2Headers,
  SharedV2ProviderMetadata,
  SharedV2ProviderOptions,
} from './specification-v2.js';

// The types of the other models of version 2. See `specification-v2.ts` for why they are declared here.

/** An embedding model for `ai@5`. */
export interface EmbeddingModelV2<Value> {
  readonly specificationVersion: 'v2';
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  readonly supportsParallelCalls: PromiseLike<boolean> | boolean;
  /** Embeds values. */
  doEmbed(options: {
    values: Value[];
    abortSignal?: AbortSignal;
    providerOptions?: SharedV2ProviderOptions;
    headers?: Record<string, string | undefined>;
  }): PromiseLike<{
    embeddings: number[][];
    usage?: { tokens: number };
    providerMetadata?: SharedV2ProviderMetadata;
    response?: { headers?: SharedV2Headers; body?: unknown };
  }>;
}

/** An image model for `ai@5`. */
export interface ImageModelV2 {
  readonly specificationVersion: 'v2';
  readonly provider: string;
  readonly modelId: string;
  readonly maxImagesPerCall:
    | number
    | undefined
    | ((options: { modelId: string }) => PromiseLike<number | undefined> | number | undefined);
  /** Generates images. */
  doGenerate(options: ImageModelV2CallOptions): PromiseLike<{
    images: string[] | Uint8Array[];
    isRetryable?: boolean;
    warnings: (
      | { type: 'unsupported-setting'; setting: keyof ImageModelV2CallOptions; details?: string }
      | { type: 'other'; message: string }
    )[];
    providerMetadata?: Record<string, { images: JSONValue[] } & JSONValue>;
    response: { timestamp: Date; modelId: string; headers: Record<string, string> | undefined };
  }>;
}

interface ImageModelV2CallOptions {
  prompt: string;
  n: number;
  size: `${number}x${number}` | undefined;
  aspectRatio: `${number}:${number}` | undefined;
  seed: number | undefined;
  providerOptions: SharedV2ProviderOptions;
  abortSignal?: AbortSignal;
  headers?: Record<string, string | undefined>;
}
