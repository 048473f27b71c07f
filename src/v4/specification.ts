import type { SharedV2ProviderMetadata } from '@ai-sdk/provider';
import type { CustomPart } from '../v3/custom-parts.js';
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
  LanguageModelV3Usage,
  LanguageModelV3Warning,
} from '../v3/specification.js';

// The types of version 4 of the model specification that differ from version 3. They are declared here, because this
// package depends on `@ai-sdk/provider` 2 and an application may install any release of version 4.

/** A language model for `ai@7`. */
export interface LanguageModelV4 {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]>;
  /** Returns a complete response. */
  doGenerate(options: LanguageModelV4CallOptions): PromiseLike<LanguageModelV4GenerateResult>;
  /** Streams a response. */
  doStream(options: LanguageModelV4CallOptions): PromiseLike<LanguageModelV4StreamResult>;
}

/** Options of a call. */
export interface LanguageModelV4CallOptions extends LanguageModelV3CallOptions {
  /** The reasoning effort. `reasoningEffort` in the provider options overrides it. @default the model's own */
  readonly reasoning?: 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
}

/** A complete response. */
export interface LanguageModelV4GenerateResult extends Omit<
  LanguageModelV3GenerateResult,
  'content' | 'finishReason' | 'request' | 'warnings'
> {
  content: LanguageModelV4Content[];
  /** The text that contains the structured output, if other texts precede it. */
  structuredOutputText?: string;
  finishReason: LanguageModelV4FinishReason;
  request?: { url?: string; body?: unknown };
  warnings: LanguageModelV4Warning[];
}

/** A streamed response. */
export interface LanguageModelV4StreamResult extends Omit<LanguageModelV3StreamResult, 'stream' | 'request'> {
  stream: ReadableStream<LanguageModelV4StreamPart>;
  request?: { url?: string; body?: unknown };
}

/** A file that the model generated. */
export interface LanguageModelV4File {
  /** `reasoning-file` if the file belongs to the reasoning of the model. */
  type: 'file' | 'reasoning-file';
  mediaType: string;
  data: { type: 'data'; data: string | Uint8Array } | { type: 'url'; url: URL };
  providerMetadata?: SharedV2ProviderMetadata;
}

type Source = Extract<LanguageModelV3Content, { type: 'source' }>;

/** A reference that supports a text. */
export interface LanguageModelV4Citation {
  source: Source;
  /** Start of the supported range in the text. */
  startIndex?: number;
  /** End of the supported range in the text, exclusive. */
  endIndex?: number;
  /** The supporting passage of the source. */
  citedText?: string;
}

/** A part of a complete response. */
export type LanguageModelV4Content =
  | Exclude<LanguageModelV3Content, { type: 'text' | 'file' }>
  | (Extract<LanguageModelV3Content, { type: 'text' }> & { citations?: LanguageModelV4Citation[] })
  | LanguageModelV4File
  | CustomPart;

/** A part of a streamed response. */
export type LanguageModelV4StreamPart =
  | Exclude<LanguageModelV3StreamPart, { type: 'stream-start' | 'text-end' | 'file' | 'finish' }>
  | { type: 'stream-start'; warnings: LanguageModelV4Warning[] }
  | (Extract<LanguageModelV3StreamPart, { type: 'text-end' }> & { citations?: LanguageModelV4Citation[] })
  | LanguageModelV4File
  | CustomPart
  | {
      type: 'finish';
      finishReason: LanguageModelV4FinishReason;
      usage: LanguageModelV3Usage;
      providerMetadata?: SharedV2ProviderMetadata;
    };

/** The reason why a response ended. */
export interface LanguageModelV4FinishReason {
  /** `interrupted` if the response ended without a reason. */
  unified: LanguageModelV3FinishReason['unified'] | 'interrupted';
  /** The server's reason, if it sent one. */
  raw: string | undefined;
}

/** A part of a call that the model does not support or handles differently. */
export type LanguageModelV4Warning =
  LanguageModelV3Warning | { type: 'deprecated'; setting: string; message: string };
