import type {
  JSONValue,
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2ResponseMetadata,
  LanguageModelV2StreamPart,
  SharedV2Headers,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';

// Version 3 of the model interface as far as it differs from version 2, told by its shape: this package depends on
// `@ai-sdk/provider` 2 alone, and an application may have any release of it.

/** A model as `ai` 6 and 7 know it. */
export interface LanguageModelV3 extends Pick<LanguageModelV2, 'provider' | 'modelId' | 'supportedUrls'> {
  readonly specificationVersion: 'v3';
  /** One answer, when it is whole. */
  doGenerate(options: LanguageModelV3CallOptions): PromiseLike<LanguageModelV3GenerateResult>;
  /** One answer, as it comes. */
  doStream(options: LanguageModelV3CallOptions): PromiseLike<LanguageModelV3StreamResult>;
}

/** The options of a call. What may stand in a prompt differs between 6 and 7 and is looked at when it comes. */
export interface LanguageModelV3CallOptions extends Omit<
  LanguageModelV2CallOptions,
  'prompt' | 'tools' | 'providerOptions'
> {
  readonly prompt: readonly LanguageModelV3Message[];
  readonly tools?: readonly LanguageModelV3Tool[];
  readonly providerOptions?: LanguageModelV3ProviderOptions;
}

/** Options by provider. From version 3 on a value may be undefined. */
export type LanguageModelV3ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A message of the prompt. */
export interface LanguageModelV3Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly { readonly type: string }[];
  readonly providerOptions?: LanguageModelV3ProviderOptions;
}

/** A function, or a tool that the provider knows by its id. */
export interface LanguageModelV3Tool {
  readonly type: 'function' | 'provider';
  readonly name: string;
  /** Of a tool that the provider knows. */
  readonly id?: string;
}

/** A whole answer. */
export interface LanguageModelV3GenerateResult {
  content: LanguageModelV3Content[];
  finishReason: LanguageModelV3FinishReason;
  usage: LanguageModelV3Usage;
  providerMetadata?: SharedV2ProviderMetadata;
  request?: { body?: unknown };
  response?: LanguageModelV2ResponseMetadata & { headers?: SharedV2Headers; body?: unknown };
  warnings: LanguageModelV3Warning[];
}

/** An answer that streams. */
export interface LanguageModelV3StreamResult {
  stream: ReadableStream<LanguageModelV3StreamPart>;
  request?: { body?: unknown };
  response?: { headers?: SharedV2Headers };
}

/** A part of a whole answer. */
export type LanguageModelV3Content =
  | Exclude<LanguageModelV2Content, { type: 'tool-call' | 'tool-result' }>
  | LanguageModelV3ToolCall
  | LanguageModelV3ToolApprovalRequest
  | LanguageModelV3ToolResult;

/** A call of a tool. */
export type LanguageModelV3ToolCall = Extract<LanguageModelV2Content, { type: 'tool-call' }> & {
  /** Whether the host did not declare the tool. */
  dynamic?: boolean;
};

/** The question whether a call may run that waits at the server. */
export interface LanguageModelV3ToolApprovalRequest {
  type: 'tool-approval-request';
  approvalId: string;
  toolCallId: string;
}

/** What a tool gave that the provider ran. */
export interface LanguageModelV3ToolResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  result: NonNullable<JSONValue>;
  isError?: boolean;
  dynamic?: boolean;
  providerMetadata?: SharedV2ProviderMetadata;
}

type PlainPart = Exclude<
  LanguageModelV2StreamPart,
  { type: 'stream-start' | 'tool-input-start' | 'tool-call' | 'tool-result' | 'finish' }
>;

/** A part of an answer that streams. */
export type LanguageModelV3StreamPart =
  | PlainPart
  | { type: 'stream-start'; warnings: LanguageModelV3Warning[] }
  | (Extract<LanguageModelV2StreamPart, { type: 'tool-input-start' }> & { dynamic?: boolean })
  | LanguageModelV3ToolCall
  | LanguageModelV3ToolApprovalRequest
  | LanguageModelV3ToolResult
  | {
      type: 'finish';
      finishReason: LanguageModelV3FinishReason;
      usage: LanguageModelV3Usage;
      providerMetadata?: SharedV2ProviderMetadata;
    };

/** Why an answer ended. */
export interface LanguageModelV3FinishReason {
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
  /** The server's own word, where it gave one. */
  raw: string | undefined;
}

/** Token counts. What is not known is undefined. */
export interface LanguageModelV3Usage {
  inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: number | undefined;
  };
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined };
}

/** What of a call the model could not do, or did in another way. */
export type LanguageModelV3Warning =
  { type: 'unsupported'; feature: string; details?: string } | { type: 'other'; message: string };
