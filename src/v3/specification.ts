import type {
  JSONObject,
  JSONValue,
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2ResponseMetadata,
  LanguageModelV2StreamPart,
  SharedV2Headers,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import type { PlainObject } from '../shared/json.js';

// The types of version 3 of the model specification that differ from version 2. They are declared here, because this
// package depends on `@ai-sdk/provider` 2 and an application may install any release of version 3.

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
  readonly prompt: readonly LanguageModelV3Message[];
  readonly tools?: readonly LanguageModelV3Tool[];
  readonly providerOptions?: LanguageModelV3ProviderOptions;
}

/** Options by provider. Unlike in version 2, a value may be undefined. */
export type LanguageModelV3ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A part of a message. */
export type LanguageModelV3PromptPart = { readonly type: string } & PlainObject;

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

/** A tool call. */
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
