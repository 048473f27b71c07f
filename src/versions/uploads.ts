import type { JSONObject } from '../shared/json.js';
import type { Warning } from '../core/part.js';

// The interfaces of files and skills of `ai` 7. They are declared here, because an application may install any release of
// `@ai-sdk/provider`.

/** Id of an upload at each provider that stores it. */
export type ProviderReference = Record<string, string> & { type?: never };

type ProviderOptions = Record<string, JSONObject>;

/** Options that name a file. */
export interface FilesV4FileOptions {
  /** The reference that the upload returned. */
  file: ProviderReference;
  /** Aborts the request. */
  abortSignal?: AbortSignal;
  /** Headers of the request, in addition to those of the provider. */
  headers?: Record<string, string | undefined>;
  /** Options of the request, by namespace. */
  providerOptions?: ProviderOptions;
}

/** A file to upload. */
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

/** A skill to upload. */
export interface SkillsV4UploadOptions {
  /** The files of the skill, with paths relative to its folder. */
  files: {
    path: string;
    data: { type: 'data'; data: Uint8Array | string } | { type: 'text'; text: string };
  }[];
  /** Not supported by the API. */
  displayTitle?: string;
  /** Options of the request, by namespace. */
  providerOptions?: ProviderOptions;
}

/** The skills of a provider: `POST …/skills`. */
export interface SkillsV4 {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  /** Uploads a skill. The hosted shell tool accepts its reference. */
  uploadSkill(options: SkillsV4UploadOptions): PromiseLike<{
    providerReference: ProviderReference;
    name?: string;
    description?: string;
    latestVersion?: string;
    providerMetadata?: Record<string, JSONObject>;
    warnings: Warning[];
  }>;
}
