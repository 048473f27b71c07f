import type { JSONSchema7 } from '@ai-sdk/provider';
import type { JSONValue } from '../shared/json.js';

/*
 * The types of version 2 of the model specification. They are declared here, because their form in `@ai-sdk/provider`
 * depends on its release: a `JSONValue` of releases 3 and 4 is not assignable to that of an earlier release, and a
 * package manager can install a later release for this package than for the host.
 */

/** Options of a call by provider. */
export type SharedV2ProviderOptions = Record<string, Record<string, JSONValue>>;

/** Properties of a result by provider. */
export type SharedV2ProviderMetadata = Record<string, Record<string, JSONValue>>;

/** HTTP headers of a response. */
export type SharedV2Headers = Record<string, string>;

/** A language model for `ai@5`. */
export interface LanguageModelV2 {
  readonly specificationVersion: 'v2';
  readonly provider: string;
  readonly modelId: string;
  /** URLs that the model reads itself, by media type. */
  supportedUrls: PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]>;
  /** Returns a complete response. */
  doGenerate(options: LanguageModelV2CallOptions): PromiseLike<LanguageModelV2GenerateResult>;
  /** Streams a response. */
  doStream(options: LanguageModelV2CallOptions): PromiseLike<LanguageModelV2StreamResult>;
}

export interface LanguageModelV2CallOptions {
  prompt: LanguageModelV2Message[];
  /** The maximum number of tokens of the response. @default the model's own */
  maxOutputTokens?: number;
  /** The temperature of the sampling. @default the model's own */
  temperature?: number;
  /** Texts that end the response. @default none */
  stopSequences?: string[];
  /** The probability mass of the tokens to sample from. @default the model's own */
  topP?: number;
  /** The number of tokens to sample from. @default the model's own */
  topK?: number;
  /** Penalty for tokens that the text contains. @default the model's own */
  presencePenalty?: number;
  /** Penalty for tokens by their number in the text. @default the model's own */
  frequencyPenalty?: number;
  /** The format of the text: plain text, or JSON of a schema. @default text */
  responseFormat?:
    { type: 'text' } | { type: 'json'; schema?: JSONSchema7; name?: string; description?: string };
  /** The seed of the sampling. @default random */
  seed?: number;
  /** The tools that the model can call. @default none */
  tools?: (LanguageModelV2FunctionTool | LanguageModelV2ProviderDefinedTool)[];
  /** Requires or forbids calls. @default auto */
  toolChoice?:
    { type: 'auto' } | { type: 'none' } | { type: 'required' } | { type: 'tool'; toolName: string };
  /** Adds the events of the server to a stream. @default false */
  includeRawChunks?: boolean;
  /** Aborts the call. */
  abortSignal?: AbortSignal;
  /** Additional headers of the request. @default none */
  headers?: Record<string, string | undefined>;
  /** Options by provider. @default none */
  providerOptions?: SharedV2ProviderOptions;
}

/** A function that the host declares. */
interface LanguageModelV2FunctionTool {
  type: 'function';
  name: string;
  description?: string;
  inputSchema: JSONSchema7;
  providerOptions?: SharedV2ProviderOptions;
}

interface LanguageModelV2ProviderDefinedTool {
  type: 'provider-defined';
  /** The provider and the name of the tool: `openai.web_search`. */
  id: `${string}.${string}`;
  name: string;
  args: Record<string, unknown>;
}

type LanguageModelV2Message = { providerOptions?: SharedV2ProviderOptions } & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (LanguageModelV2TextPart | LanguageModelV2FilePart)[] }
  | {
      role: 'assistant';
      content: (
        | LanguageModelV2TextPart
        | LanguageModelV2FilePart
        | LanguageModelV2ReasoningPart
        | LanguageModelV2ToolCallPart
        | LanguageModelV2ToolResultPart
      )[];
    }
  | { role: 'tool'; content: LanguageModelV2ToolResultPart[] }
);

interface LanguageModelV2TextPart {
  type: 'text';
  text: string;
  providerOptions?: SharedV2ProviderOptions;
}

interface LanguageModelV2ReasoningPart extends Omit<LanguageModelV2TextPart, 'type'> {
  type: 'reasoning';
}

interface LanguageModelV2FilePart {
  type: 'file';
  filename?: string;
  /** Bytes, base64 or a URL. */
  data: Uint8Array | string | URL;
  /** The text of a URL that parsing would change. */
  originalUrl?: string;
  /** The media type. Can be a wildcard such as `image/*`. */
  mediaType: string;
  providerOptions?: SharedV2ProviderOptions;
}

/** A tool call of an earlier response. */
interface LanguageModelV2ToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** True if the provider ran the tool. @default false */
  providerExecuted?: boolean;
  providerOptions?: SharedV2ProviderOptions;
}

interface LanguageModelV2ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: LanguageModelV2ToolResultOutput;
  providerOptions?: SharedV2ProviderOptions;
}

type LanguageModelV2ToolResultOutput =
  | { type: 'text'; value: string }
  | { type: 'json'; value: JSONValue }
  | { type: 'error-text'; value: string }
  | { type: 'error-json'; value: JSONValue }
  | {
      type: 'content';
      value: ({ type: 'text'; text: string } | { type: 'media'; data: string; mediaType: string })[];
    };

interface LanguageModelV2GenerateResult {
  content: LanguageModelV2Content[];
  finishReason: LanguageModelV2FinishReason;
  usage: LanguageModelV2Usage;
  providerMetadata?: SharedV2ProviderMetadata;
  request?: { body?: unknown };
  response?: LanguageModelV2ResponseMetadata & { headers?: SharedV2Headers; body?: unknown };
  warnings: LanguageModelV2CallWarning[];
}

interface LanguageModelV2StreamResult {
  stream: ReadableStream<LanguageModelV2StreamPart>;
  request?: { body?: unknown };
  response?: { headers?: SharedV2Headers };
}

/** A part of a complete response. */
export type LanguageModelV2Content =
  | { type: 'text'; text: string; providerMetadata?: SharedV2ProviderMetadata }
  | { type: 'reasoning'; text: string; providerMetadata?: SharedV2ProviderMetadata }
  | LanguageModelV2File
  | LanguageModelV2Source
  | LanguageModelV2ToolCall
  | LanguageModelV2ToolResult;

/** A file that the model generated. */
interface LanguageModelV2File {
  type: 'file';
  mediaType: string;
  /** Base64 or bytes. */
  data: string | Uint8Array;
}

type LanguageModelV2Source =
  | {
      type: 'source';
      sourceType: 'url';
      id: string;
      url: string;
      title?: string;
      providerMetadata?: SharedV2ProviderMetadata;
    }
  | {
      type: 'source';
      sourceType: 'document';
      id: string;
      mediaType: string;
      title: string;
      filename?: string;
      providerMetadata?: SharedV2ProviderMetadata;
    };

interface LanguageModelV2ToolCall {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  /** The arguments as JSON. */
  input: string;
  /** True if the provider runs the tool. @default false */
  providerExecuted?: boolean;
  providerMetadata?: SharedV2ProviderMetadata;
}

/** The result of a tool that the provider ran. */
interface LanguageModelV2ToolResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  result: unknown;
  isError?: boolean;
  providerExecuted?: boolean;
  providerMetadata?: SharedV2ProviderMetadata;
}

export type LanguageModelV2StreamPart =
  | { type: 'stream-start'; warnings: LanguageModelV2CallWarning[] }
  | ({ type: 'response-metadata' } & LanguageModelV2ResponseMetadata)
  | { type: 'text-start'; id: string; providerMetadata?: SharedV2ProviderMetadata }
  | { type: 'text-delta'; id: string; delta: string; providerMetadata?: SharedV2ProviderMetadata }
  | { type: 'text-end'; id: string; providerMetadata?: SharedV2ProviderMetadata }
  | { type: 'reasoning-start'; id: string; providerMetadata?: SharedV2ProviderMetadata }
  | { type: 'reasoning-delta'; id: string; delta: string; providerMetadata?: SharedV2ProviderMetadata }
  | { type: 'reasoning-end'; id: string; providerMetadata?: SharedV2ProviderMetadata }
  | {
      type: 'tool-input-start';
      id: string;
      toolName: string;
      providerExecuted?: boolean;
      providerMetadata?: SharedV2ProviderMetadata;
    }
  | { type: 'tool-input-delta'; id: string; delta: string; providerMetadata?: SharedV2ProviderMetadata }
  | { type: 'tool-input-end'; id: string; providerMetadata?: SharedV2ProviderMetadata }
  | LanguageModelV2ToolCall
  | LanguageModelV2ToolResult
  | LanguageModelV2File
  | LanguageModelV2Source
  | {
      type: 'finish';
      finishReason: LanguageModelV2FinishReason;
      usage: LanguageModelV2Usage;
      providerMetadata?: SharedV2ProviderMetadata;
    }
  | { type: 'raw'; rawValue: unknown }
  | { type: 'error'; error: unknown };

type LanguageModelV2FinishReason =
  'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other' | 'unknown';

/** Properties of a response, if the server sent them. */
export interface LanguageModelV2ResponseMetadata {
  id?: string;
  timestamp?: Date;
  modelId?: string;
}

/** Token counts. Unknown counts are undefined. */
interface LanguageModelV2Usage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  totalTokens: number | undefined;
  reasoningTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
}

/** A part of a call that the model does not support or handles differently. */
type LanguageModelV2CallWarning =
  | {
      type: 'unsupported-setting';
      setting: Omit<keyof LanguageModelV2CallOptions, 'prompt'>;
      details?: string;
    }
  | {
      type: 'unsupported-tool';
      tool: LanguageModelV2FunctionTool | LanguageModelV2ProviderDefinedTool;
      details?: string;
    }
  | { type: 'other'; message: string };
