import type { ProviderMetadata, ProviderOptions } from './prompt.js';
import type { Warning } from './part.js';

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

/** A text embedding model, whatever its version is. */
export interface CoreEmbeddingModel {
  readonly provider: string;
  readonly modelId: string;
  /** The vector length that the model requests. Undefined for the model's own length. */
  readonly dimensions?: number | undefined;
  /** The name of the provider in the registry that created the model, and then the other names of its server. */
  readonly providerNames?: readonly string[] | undefined;
  /** The address of the server. Undefined if it is not known. */
  readonly server?: PromiseLike<string | undefined> | string | undefined;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  readonly supportsParallelCalls: PromiseLike<boolean> | boolean;
  /** Returns the vectors of the texts. */
  embed(call: EmbeddingCall): Promise<EmbeddingResult>;
}

/** One call of an embedding model. */
export interface EmbeddingCall {
  readonly values: readonly string[];
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** The vector length. `dimensions` in the provider options overrides it. */
  readonly dimensions?: number | undefined;
  /** Options of all providers but this package. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** The application's options of this package. */
  readonly own: Readonly<Record<string, unknown>>;
}

export interface EmbeddingResult {
  readonly embeddings: number[][];
  readonly usage?: { readonly tokens: number } | undefined;
  readonly providerMetadata?: ProviderMetadata | undefined;
  readonly response?:
    { readonly headers?: Record<string, string> | undefined; readonly body?: unknown } | undefined;
  readonly warnings?: readonly Warning[] | undefined;
}

/**
 * Returns the address of the server that an embeddings endpoint belongs to, without credentials and query. Undefined if the
 * text is no URL.
 */
export function toEmbeddingServer(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/$/, '').replace(/\/embeddings$/, '');
}

/** Returns the length that the options of a call request: `dimensions` (OpenAI, Mistral) or `outputDimensionality` (Google). */
export function toAskedDimensions(
  providerOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): number | undefined {
  const { kelivo, ...others } = providerOptions;
  const asked = [kelivo, ...Object.values(others)].map(
    options => options?.dimensions ?? options?.outputDimensionality ?? options?.outputDimension,
  );
  return asked.find(value => typeof value === 'number');
}
