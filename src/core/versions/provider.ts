import type { CoreEmbeddingModel, EmbeddingModelOptions } from '../embedding.js';
import type { Warning } from '../part.js';
import { KelivoError } from '../shared/errors.js';
import type { JSONObject, JSONValue } from '../shared/json.js';
import {
  type EmbeddingModelV3,
  type EmbeddingModelV4,
  type KelivoEmbeddingModel,
  toEmbeddingModel,
} from './embedding-model.js';
import type { HostVersion } from './specification.js';
import type { SharedV2ProviderOptions } from './specification-v2.js';

/** The version of the models that each major of `ai` expects. */
export const VERSION_OF_MAJOR = { 5: 'v2', 6: 'v3', 7: 'v4' } as const satisfies Record<number, HostVersion>;

/** The version of models whose version no option names. */
export type DefaultVersion = (typeof VERSION_OF_MAJOR)[5];
export const DEFAULT_VERSION: DefaultVersion = VERSION_OF_MAJOR[5];

export const versionNames: readonly [HostVersion, ...HostVersion[]] = ['v2', 'v3', 'v4'];

export const isVersion = (name: string): name is HostVersion => versionNames.some(known => known === name);

/** The major of the packages of the AI SDK that have models of a version: `@ai-sdk/openai` 2 has those of version 2. */
export const majorOf = (version: HostVersion): number => Number(version.slice(1));

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

/** An image model for `ai@5`. */
export interface ImageModelV2 {
  readonly specificationVersion: 'v2';
  readonly provider: string;
  readonly modelId: string;
  readonly maxImagesPerCall:
    | number
    | undefined
    | ((options: { modelId: string }) => PromiseLike<number | undefined> | number | undefined);
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

/** The methods of an embedding model, under each of the names that it has in a major of the official provider. */
interface EmbeddingMethods<Model> {
  /**
   * Creates a text embedding model that uses `POST …/embeddings`.
   *
   * @throws KelivoError with code `invalid-settings` for a wrong option.
   */
  embeddingModel(modelId: string, options?: EmbeddingModelOptions): Model;
  /** Same as `embeddingModel`. */
  embedding(modelId: string, options?: EmbeddingModelOptions): Model;
  /** Same as `embeddingModel`. `ai@5` looks for this name. */
  textEmbeddingModel(modelId: string, options?: EmbeddingModelOptions): Model;
  /** Same as `embeddingModel`. */
  textEmbedding(modelId: string, options?: EmbeddingModelOptions): Model;
}

/** The members of providers that differ between versions. */
export interface ProviderShapes {
  v2: EmbeddingMethods<KelivoEmbeddingModel> & UploadMethods;
  v3: EmbeddingMethods<EmbeddingModelV3> & UploadMethods & { readonly specificationVersion: 'v3' };
  v4: EmbeddingMethods<EmbeddingModelV4> & UploadMethods & { readonly specificationVersion: 'v4' };
}

/** The uploads of `ai@7`. Providers of all versions have them, because it accepts providers of all versions. */
interface UploadMethods {
  /** Returns the files of the account, for `uploadFile`. Absent if another provider sends the requests. */
  readonly files?: () => FilesV4;
  /** Returns the skills of the account, for `uploadSkill`. Absent if another provider sends the requests. */
  readonly skills?: () => SkillsV4;
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
  ) => Omit<ProviderShapes[Version], keyof UploadMethods>;
} = {
  v2: create => toEmbeddingMethods((modelId, options) => toEmbeddingModel(create(modelId, options), 'v2')),
  v3: create => ({
    specificationVersion: 'v3',
    ...toEmbeddingMethods((modelId, options) => toEmbeddingModel(create(modelId, options), 'v3')),
  }),
  v4: create => ({
    specificationVersion: 'v4',
    ...toEmbeddingMethods((modelId, options) => toEmbeddingModel(create(modelId, options), 'v4')),
  }),
};

const toEmbeddingMethods = <Model>(
  create: (modelId: string, options?: EmbeddingModelOptions) => Model,
): EmbeddingMethods<Model> => ({
  embeddingModel: create,
  embedding: create,
  textEmbeddingModel: create,
  textEmbedding: create,
});

/** Creates the members of a provider that differ between versions. */
export const toProviderShape = <Version extends HostVersion>(
  version: Version,
  create: CreateEmbeddingModel,
  uploads: Uploads | undefined,
): ProviderShapes[Version] =>
  ({
    ...SHAPES[version](create),
    ...(uploads && { files: () => uploads.files(), skills: () => uploads.skills() }),
  }) as ProviderShapes[Version];

/**
 * Checks a version that an application names.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown version.
 */
export function checkVersion(version: unknown, owner: string): void {
  if (typeof version === 'string' && isVersion(version)) return;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`specificationVersion\` of ${owner} to be ${versionNames.join(', ')}, got "${String(version)}".`,
  });
}

/*
 * Files and skills of `ai` 7. They are declared here, because an application may install any release of `@ai-sdk/provider`.
 */

/** Id of an upload at each provider that stores it. */
export type ProviderReference = Record<string, string> & { type?: never };

type ProviderOptions = Record<string, JSONObject>;

/** Options that name a file. */
export interface FilesV4FileOptions {
  /** The reference that the upload returned. */
  file: ProviderReference;
  abortSignal?: AbortSignal;
  /** Headers of the request, in addition to those of the provider. */
  headers?: Record<string, string | undefined>;
  /** Options of the request, by namespace. */
  providerOptions?: ProviderOptions;
}

export interface FilesV4UploadOptions extends Omit<FilesV4FileOptions, 'file'> {
  /** The content. A string in `data` is base64. A stream is read completely before the request. */
  data:
    | { type: 'data'; data: Uint8Array | string }
    | { type: 'text'; text: string }
    | { type: 'stream'; stream: ReadableStream<Uint8Array> };
  /** The media type of the content. */
  mediaType: string;
  /** Name of the file. @default none */
  filename?: string;
}

/** The description of an uploaded file. */
export interface FilesV4Metadata {
  providerReference: ProviderReference;
  mediaType?: string;
  filename?: string;
  /** Size in bytes. */
  byteSize?: number;
  createdAt?: Date;
  expiresAt?: Date;
  /** The fields of the API, in camel case. */
  providerMetadata?: Record<string, JSONObject>;
  warnings: Warning[];
}

/** The files of a provider: `POST …/files` and the endpoints below it. */
export interface FilesV4 {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  /**
   * Uploads a file. Its reference can be used as the `data` of a file in a message. `providerOptions.openai` may contain
   * `purpose`, which is `assistants` by default, and `expiresAfter`, in seconds.
   */
  uploadFile(options: FilesV4UploadOptions): PromiseLike<FilesV4Metadata>;
  /** Returns the description of a file. */
  getFileMetadata(options: FilesV4FileOptions): PromiseLike<FilesV4Metadata>;
  /** Returns the content of a file as a stream. An error of the connection is an error of the stream. */
  downloadFile(options: FilesV4FileOptions): PromiseLike<{
    content: ReadableStream<Uint8Array>;
    mediaType?: string;
    warnings: Warning[];
  }>;
  /** Deletes a file. `deleted` is false if the server does not confirm it. */
  deleteFile(options: FilesV4FileOptions): PromiseLike<{
    providerReference: ProviderReference;
    deleted: boolean;
    warnings: Warning[];
  }>;
}

/** The skills of a provider: `POST …/skills`. */
export interface SkillsV4 {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  /** Uploads a skill. The hosted shell tool accepts its reference. */
  uploadSkill(options: {
    /** The files of the skill, with paths relative to its folder. */
    files: {
      path: string;
      data: { type: 'data'; data: Uint8Array | string } | { type: 'text'; text: string };
    }[];
    /** Not supported by the API. */
    displayTitle?: string;
    /** Options of the request, by namespace. */
    providerOptions?: ProviderOptions;
  }): PromiseLike<{
    providerReference: ProviderReference;
    name?: string;
    description?: string;
    latestVersion?: string;
    providerMetadata?: Record<string, JSONObject>;
    warnings: Warning[];
  }>;
}
