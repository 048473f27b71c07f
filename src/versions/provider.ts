import type { ImageModelV2 } from './other-models-v2.js';
import type { CoreEmbeddingModel, EmbeddingModelOptions } from '../core/embedding.js';
import {
  type EmbeddingModelV3,
  type EmbeddingModelV4,
  type KelivoEmbeddingModel,
  toEmbeddingModel,
} from './embedding-model.js';
import type { HostVersion } from './specification.js';
import type { FilesV4, SkillsV4 } from './uploads.js';

/** The version of the models that each major of `ai` expects. */
export const VERSION_OF_MAJOR = { 5: 'v2', 6: 'v3', 7: 'v4' } as const satisfies Record<number, HostVersion>;

/** The version of models whose version no option names. */
export type DefaultVersion = (typeof VERSION_OF_MAJOR)[5];
export const DEFAULT_VERSION: DefaultVersion = VERSION_OF_MAJOR[5];

/** The names of the versions. */
export const versionNames: readonly [HostVersion, ...HostVersion[]] = ['v2', 'v3', 'v4'];

/** Returns true for the name of a version. */
export const isVersion = (name: string): name is HostVersion => versionNames.some(known => known === name);

/** The major of the packages of the AI SDK that have models of a version: `@ai-sdk/openai` 2 has those of version 2. */
export const majorOf = (version: HostVersion): number => Number(version.slice(1));

/** An image model of any version. */
export interface AnyImageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** Generates images. */
  doGenerate(options: never): PromiseLike<object>;
}

/** Image models by their version. Later versions are only passed on. */
export interface ImageModels {
  v2: ImageModelV2;
  v3: AnyImageModel;
  v4: AnyImageModel;
}

/** The members of providers that differ between versions. */
export interface ProviderShapes {
  v2: {
    /**
     * Creates a text embedding model that uses `POST …/embeddings`.
     *
     * @throws KelivoError with code `invalid-settings` for a wrong option.
     */
    textEmbeddingModel(modelId: string, options?: EmbeddingModelOptions): KelivoEmbeddingModel;
  };
  v3: {
    readonly specificationVersion: 'v3';
    /** Creates a text embedding model that uses `POST …/embeddings`. */
    embeddingModel(modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV3;
    /** Same as `embeddingModel`, under its name in `ai@5`. */
    textEmbeddingModel(modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV3;
  };
  v4: {
    readonly specificationVersion: 'v4';
    /** Creates a text embedding model that uses `POST …/embeddings`. */
    embeddingModel(modelId: string, options?: EmbeddingModelOptions): EmbeddingModelV4;
    /** Returns the files of the account, for `uploadFile`. Absent if another provider sends the requests. */
    readonly files?: () => FilesV4;
    /** Returns the skills of the account, for `uploadSkill`. Absent if another provider sends the requests. */
    readonly skills?: () => SkillsV4;
  };
}

type CreateEmbeddingModel = (modelId: string, options?: EmbeddingModelOptions) => CoreEmbeddingModel;

/** Creates the clients for uploads. Undefined if another provider sends the requests. */
export interface Uploads {
  files(): FilesV4;
  skills(): SkillsV4;
}

const SHAPES: {
  readonly [Version in HostVersion]: (
    create: CreateEmbeddingModel,
    uploads: Uploads | undefined,
  ) => ProviderShapes[Version];
} = {
  v2: create => ({
    textEmbeddingModel: (modelId, options) => toEmbeddingModel(create(modelId, options), 'v2'),
  }),
  v3(create) {
    const embeddingModel: ProviderShapes['v3']['embeddingModel'] = (modelId, options) =>
      toEmbeddingModel(create(modelId, options), 'v3');
    return { specificationVersion: 'v3', embeddingModel, textEmbeddingModel: embeddingModel };
  },
  v4: (create, uploads) => ({
    specificationVersion: 'v4',
    embeddingModel: (modelId, options) => toEmbeddingModel(create(modelId, options), 'v4'),
    ...(uploads && { files: () => uploads.files(), skills: () => uploads.skills() }),
  }),
};

/** Creates the members of a provider that differ between versions. */
export const toProviderShape = <Version extends HostVersion>(
  version: Version,
  create: CreateEmbeddingModel,
  uploads: Uploads | undefined,
): ProviderShapes[Version] => SHAPES[version](create, uploads);
