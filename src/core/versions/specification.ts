import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2ResponseMetadata,
  LanguageModelV2StreamPart,
  SharedV2Headers,
  SharedV2ProviderMetadata,
} from './specification-v2.js';
import type { CoreModel } from '../source.js';
import type { JSONObject, JSONValue } from '../shared/json.js';

/** A language model of any version and any package. */
export interface AnyLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: CoreModel['supportedUrls'];
  /** Returns a complete response. */
  doGenerate(options: never): PromiseLike<object>;
  /** Streams a response. */
  doStream(options: never): PromiseLike<{ stream: ReadableStream<{ type: string }> }>;
}

/** Language models by the version of the model interface: `v2` of `ai` 5, `v3` of `ai` 6 and `v4` of `ai` 7. */
export interface LanguageModels {
  v2: LanguageModelV2;
  v3: LanguageModelV3;
  v4: LanguageModelV4;
}

/** Versions of the model interface for which the package has an entry. */
export type HostVersion = keyof LanguageModels;

/** A model of the version of another one, without the private members of its class. */
export type SameVersion<Model extends AnyLanguageModel> = Pick<Model, keyof AnyLanguageModel>;

/*
 * The types of versions 3 and 4 that differ from version 2. They are declared here, because an application installs the
 * release of `@ai-sdk/provider` that belongs to its major of `ai`, and only version 2 is in all of them.
 */

/** A language model for `ai` 6 and 7. */
export interface LanguageModelV3 extends Pick<LanguageModelV2, 'provider' | 'modelId' | 'supportedUrls'> {
  readonly specificationVersion: 'v3';
  /** Returns a complete response. */
  doGenerate(options: LanguageModelV3CallOptions): PromiseLike<LanguageModelV3GenerateResult>;
  /** Streams a response. */
  doStream(options: LanguageModelV3CallOptions): PromiseLike<LanguageModelV3StreamResult>;
}

/** Options of a call. The types of prompt parts are open, because they differ between `ai` 6 and 7. */
export interface LanguageModelV3CallOptions extends Omit<
  LanguageModelV2CallOptions,
  'prompt' | 'tools' | 'providerOptions'
> {
  /** The messages of the conversation. */
  readonly prompt: readonly LanguageModelV3Message[];
  /** The tools that the model can call. @default none */
  readonly tools?: readonly LanguageModelV3Tool[];
  /** Options by provider. @default none */
  readonly providerOptions?: LanguageModelV3ProviderOptions;
}

/** Options by provider. Unlike in version 2, a value may be undefined. */
export type LanguageModelV3ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A message of the prompt. */
export interface LanguageModelV3Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly { readonly type: string }[];
  readonly providerOptions?: LanguageModelV3ProviderOptions;
}

/** A function, or a tool that the provider defines. */
export interface LanguageModelV3Tool {
  readonly type: 'function' | 'provider';
  readonly name: string;
  /** Id of a provider-defined tool, for example `openai.web_search`. */
  readonly id?: string;
}

/** A complete response. */
export interface LanguageModelV3GenerateResult {
  content: LanguageModelV3Content[];
  finishReason: LanguageModelV3FinishReason;
  usage: LanguageModelV3Usage;
  providerMetadata?: SharedV2ProviderMetadata;
  request?: { body?: unknown };
  response?: LanguageModelV2ResponseMetadata & { headers?: SharedV2Headers; body?: unknown };
  warnings: LanguageModelV3Warning[];
}

/** A streamed response. */
export interface LanguageModelV3StreamResult {
  stream: ReadableStream<LanguageModelV3StreamPart>;
  request?: { body?: unknown };
  response?: { headers?: SharedV2Headers };
}

/** A part of a complete response. */
export type LanguageModelV3Content =
  | Exclude<LanguageModelV2Content, { type: 'tool-call' | 'tool-result' }>
  | LanguageModelV3ToolCall
  | LanguageModelV3ToolApprovalRequest
  | LanguageModelV3ToolResult;

export type LanguageModelV3ToolCall = Extract<LanguageModelV2Content, { type: 'tool-call' }> & {
  /** True if the host did not declare the tool. */
  dynamic?: boolean;
};

/** A request to approve a call that the server has not run yet. */
export interface LanguageModelV3ToolApprovalRequest {
  type: 'tool-approval-request';
  approvalId: string;
  toolCallId: string;
  providerMetadata?: SharedV2ProviderMetadata;
}

/** The result of a tool that the provider ran. */
export interface LanguageModelV3ToolResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  result: NonNullable<JSONValue>;
  isError?: boolean;
  /** True if a later result of the same call replaces this one. */
  preliminary?: boolean;
  dynamic?: boolean;
  providerMetadata?: SharedV2ProviderMetadata;
}

type PlainPart = Exclude<
  LanguageModelV2StreamPart,
  { type: 'stream-start' | 'tool-input-start' | 'tool-call' | 'tool-result' | 'finish' }
>;

/** A part of a streamed response. */
export type LanguageModelV3StreamPart =
  | PlainPart
  | { type: 'stream-start'; warnings: LanguageModelV3Warning[] }
  | LanguageModelV3ToolInputStart
  | LanguageModelV3ToolCall
  | LanguageModelV3ToolApprovalRequest
  | LanguageModelV3ToolResult
  | {
      type: 'finish';
      finishReason: LanguageModelV3FinishReason;
      usage: LanguageModelV3Usage;
      providerMetadata?: SharedV2ProviderMetadata;
    };

/** The beginning of the input of a call. */
export type LanguageModelV3ToolInputStart = Extract<
  LanguageModelV2StreamPart,
  { type: 'tool-input-start' }
> & {
  dynamic?: boolean;
  /** Format of the deltas: `text` for custom tools, whose complete input is a JSON string. @default json */
  inputEncoding?: 'json' | 'text';
  title?: string;
};

/** The reason why a response ended. */
export interface LanguageModelV3FinishReason {
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
  /** The server's reason, if it sent one. */
  raw: string | undefined;
}

/** Token counts. Unknown counts are undefined. */
export interface LanguageModelV3Usage {
  inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: number | undefined;
  };
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined };
  /** The usage as the server reported it. For several rounds, the sum of each count. */
  raw?: JSONObject;
}

/** A part of a call that the model does not support or handles differently. */
export type LanguageModelV3Warning =
  | { type: 'unsupported'; feature: string; details?: string }
  | { type: 'compatibility'; feature: string; details?: string }
  | { type: 'other'; message: string };

/** A part of version 4 without a common form. */
export interface CustomPart {
  type: 'custom';
  kind: `${string}.${string}`;
  providerMetadata?: SharedV2ProviderMetadata;
}

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
  /** `interrupted` if the response ended without a reason, or if only its stream ended. */
  unified: LanguageModelV3FinishReason['unified'] | 'interrupted';
  /** The server's reason, if it sent one. */
  raw: string | undefined;
}

/** A part of a call that the model does not support or handles differently. */
export type LanguageModelV4Warning =
  LanguageModelV3Warning | { type: 'deprecated'; setting: string; message: string };
