import { type CoreEmbeddingModel, type EmbeddingCall, type EmbeddingResult } from '../embedding.js';
import { embeddingServerOf } from './embedding-server.js';
import { joinOptions, splitOptions } from './history/facts.js';
import type { HostVersion, LanguageModelV3Warning } from './specification.js';
import type {
  SharedV2Headers,
  SharedV2ProviderMetadata,
  SharedV2ProviderOptions,
} from './specification-v2.js';

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

type EmbedOptionsV2 = Parameters<EmbeddingModelV2<string>['doEmbed']>[0];
type EmbedOptions = Omit<EmbedOptionsV2, 'providerOptions'> & {
  providerOptions?: Record<string, Record<string, unknown>>;
};
type EmbedResult = Awaited<ReturnType<EmbeddingModelV2<string>['doEmbed']>>;

/** A text embedding model with the length that it requests for its vectors. */
export interface KelivoEmbeddingModel extends EmbeddingModelV2<string> {
  /** Undefined if the model uses its default length. */
  readonly dimensions: number | undefined;
  /** The address of the server, if it is known. */
  readonly server?: PromiseLike<string | undefined> | string | undefined;
}

/** An embedding model for `ai` 6 and 7. */
export interface EmbeddingModelV3 extends Omit<EmbeddingModelV2<string>, 'specificationVersion' | 'doEmbed'> {
  readonly specificationVersion: 'v3';
  /** The vector length that the model requests. Undefined for the model's own length. */
  readonly dimensions?: number;
  /** The name of the provider in the registry that created the model, and then the other names of its server. */
  readonly providerNames?: readonly string[];
  /** The address of the server, if it is known. */
  readonly server?: PromiseLike<string | undefined> | string | undefined;
  /** Embeds texts. */
  doEmbed(options: EmbedOptions): PromiseLike<EmbedResult & { warnings: LanguageModelV3Warning[] }>;
}

/** An embedding model for `ai@7`. */
export interface EmbeddingModelV4 extends Omit<EmbeddingModelV3, 'specificationVersion' | 'doEmbed'> {
  readonly specificationVersion: 'v4';
  /** Embeds texts. */
  doEmbed(
    options: EmbedOptions & {
      /** The length of the vectors. `dimensions` in the provider options overrides it. */
      dimensions?: number;
    },
  ): ReturnType<EmbeddingModelV3['doEmbed']>;
}

/** Embedding models by their version. */
export interface EmbeddingModels {
  v2: KelivoEmbeddingModel;
  v3: EmbeddingModelV3;
  v4: EmbeddingModelV4;
}

/** An embedding model of `ai` 5 or later, of any package. */
export interface AnyEmbeddingModel extends Pick<
  EmbeddingModelV2<string>,
  'provider' | 'modelId' | 'maxEmbeddingsPerCall' | 'supportsParallelCalls'
> {
  readonly specificationVersion: string;
  /** The length that the model requests for its vectors, if any. */
  readonly dimensions?: number | undefined;
  /** The name of the provider in the registry that created the model, and then the other names of its server. */
  readonly providerNames?: readonly string[] | undefined;
  /** The address of the server, if it is known. Models of a registry load their package before they return it. */
  readonly server?: PromiseLike<string | undefined> | string | undefined;
  /** Returns the vectors of the texts. Only version 4 has the option `dimensions`. */
  doEmbed(options: EmbedOptions & { dimensions?: number }): PromiseLike<{ embeddings: number[][] }>;
}

/** Versions whose results contain warnings. */
const WITH_WARNINGS: ReadonlySet<HostVersion> = new Set(['v3', 'v4']);

/** Converts an embedding model to a version. */
export function toEmbeddingModel<Version extends HostVersion>(
  core: CoreEmbeddingModel,
  version: Version,
): EmbeddingModels[Version] {
  const model: unknown = {
    specificationVersion: version,
    get provider() {
      return core.provider;
    },
    modelId: core.modelId,
    dimensions: core.dimensions,
    ...(core.providerNames !== undefined && { providerNames: core.providerNames }),
    get server() {
      return core.server;
    },
    get maxEmbeddingsPerCall() {
      return core.maxEmbeddingsPerCall;
    },
    get supportsParallelCalls() {
      return core.supportsParallelCalls;
    },
    async doEmbed({ providerOptions, ...call }: EmbedOptions & { dimensions?: number }) {
      const { own, others } = splitOptions(providerOptions as SharedV2ProviderOptions | undefined);
      const { warnings = [], ...result } = await core.embed({ ...call, own, providerOptions: others });
      return WITH_WARNINGS.has(version) ? { ...result, warnings: [...warnings] } : result;
    },
  };
  return model as EmbeddingModels[Version];
}

/** Converts an embedding model of any version. */
export const fromEmbeddingModel = (model: AnyEmbeddingModel): CoreEmbeddingModel => ({
  get provider() {
    return model.provider;
  },
  modelId: model.modelId,
  dimensions: model.dimensions,
  providerNames: model.providerNames,
  get server() {
    return embeddingServerOf(model);
  },
  get maxEmbeddingsPerCall() {
    return model.maxEmbeddingsPerCall;
  },
  get supportsParallelCalls() {
    return model.supportsParallelCalls;
  },
  async embed({ own, providerOptions, dimensions, values, ...call }: EmbeddingCall) {
    const options = {
      ...call,
      values: [...values],
      providerOptions: joinOptions({ own, providerOptions }),
      ...(dimensions !== undefined && { dimensions }),
    };
    return (await model.doEmbed(options)) as EmbeddingResult;
  },
});
