import type { JSONObject, JSONValue } from './shared/json.js';
import type { GeneratedFileData, PartFacts, ProviderMetadata, Tool, ToolResultOutput } from './prompt.js';

/*
 * The response of a model in the vocabulary of the newest version of the model interface, with fields that no version has:
 * `own`, `output`, `ofLoop` and `Usage.total`.
 */

/** Members of all parts that a history contains. */
interface KeptPart {
  /** Facts of all providers but this package. */
  readonly providerMetadata?: ProviderMetadata | undefined;
  readonly own?: PartFacts | undefined;
}

export interface Text extends KeptPart {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[] | undefined;
}

export interface Reasoning extends KeptPart {
  readonly type: 'reasoning';
  readonly text: string;
}

/** Content without a common form, such as an item of the Responses API in `own.item`. */
export interface Custom extends KeptPart {
  readonly type: 'custom';
  readonly kind: `${string}.${string}`;
}

/** A generated file. `reasoning-file` belongs to the reasoning. */
export interface GeneratedFile extends KeptPart {
  readonly type: 'file' | 'reasoning-file';
  readonly mediaType: string;
  readonly data: GeneratedFileData;
}

export type Source = KeptPart & { readonly type: 'source'; readonly id: string } & (
    | { readonly sourceType: 'url'; readonly url: string; readonly title?: string | undefined }
    | {
        readonly sourceType: 'document';
        readonly mediaType: string;
        readonly title: string;
        readonly filename?: string | undefined;
      }
  );

/** A source that supports a range of a text. */
export interface Citation {
  readonly source: Source;
  readonly startIndex?: number | undefined;
  /** End of the range, exclusive. */
  readonly endIndex?: number | undefined;
  readonly citedText?: string | undefined;
}

/** Members of the parts of a call. */
interface CallPart extends KeptPart {
  readonly toolName: string;
  /** True if the call did not declare the tool. Set at the door of a version. */
  readonly dynamic?: boolean | undefined;
  /**
   * Set for calls that a tool loop ran. A host that does not show a call keeps it in its history nevertheless.
   *
   * - `shown`: hosts show it if they accept calls of the tool.
   * - `hidden`: no host shows it.
   */
  readonly ofLoop?: 'shown' | 'hidden' | undefined;
}

export interface ToolCall extends CallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  /** Arguments as JSON text. */
  readonly input: string;
  readonly providerExecuted?: boolean | undefined;
  readonly title?: string | undefined;
  /**
   * True if the server has marked the call as complete, so that it may run before the response ends. Calls of other APIs may
   * turn out to be truncated. @default false
   */
  readonly isComplete?: boolean | undefined;
}

/** The result of a call that was run for the host. */
export interface ToolResult extends CallPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly result: NonNullable<JSONValue>;
  readonly isError?: boolean | undefined;
  /** True if a later result of the same call replaces this one. */
  readonly preliminary?: boolean | undefined;
  /** The result as the next prompt contains it. @default derived from `result` */
  readonly output?: ToolResultOutput | undefined;
}

export interface ToolApprovalRequest extends KeptPart {
  readonly type: 'tool-approval-request';
  readonly approvalId: string;
  readonly toolCallId: string;
}

/** A part of a complete response. */
export type Content =
  Text | Reasoning | Custom | GeneratedFile | Source | ToolCall | ToolResult | ToolApprovalRequest;

/** A part of a response as it arrives. */
export type Part =
  | { readonly type: 'stream-start'; readonly warnings: readonly Warning[] }
  | ({ readonly type: 'response-metadata' } & ResponseMetadata)
  | (KeptPart & { readonly type: 'text-start'; readonly id: string })
  | (KeptPart & { readonly type: 'text-delta'; readonly id: string; readonly delta: string })
  | (KeptPart & {
      readonly type: 'text-end';
      readonly id: string;
      readonly citations?: readonly Citation[] | undefined;
    })
  | (KeptPart & { readonly type: 'reasoning-start'; readonly id: string })
  | (KeptPart & { readonly type: 'reasoning-delta'; readonly id: string; readonly delta: string })
  | (KeptPart & { readonly type: 'reasoning-end'; readonly id: string })
  | ToolInputStart
  | (KeptPart & { readonly type: 'tool-input-delta'; readonly id: string; readonly delta: string })
  | (KeptPart & { readonly type: 'tool-input-end'; readonly id: string })
  | Exclude<Content, Text | Reasoning>
  | Finish
  | { readonly type: 'raw'; readonly rawValue: unknown }
  | { readonly type: 'error'; readonly error: unknown };

export type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>;

export interface ToolInputStart extends CallPart {
  readonly type: 'tool-input-start';
  readonly id: string;
  readonly providerExecuted?: boolean | undefined;
  readonly title?: string | undefined;
  /** Format of the deltas. `text` for custom tools, whose complete input is a JSON string. @default 'json' */
  readonly inputEncoding?: 'json' | 'text' | undefined;
}

/** The end of a response. */
export interface Finish {
  readonly type: 'finish';
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly providerMetadata?: ProviderMetadata | undefined;
  /** Facts of this package about the response, such as its rounds. Hosts do not keep them in their history. */
  readonly own?: JSONObject | undefined;
  /** The text that contains the structured output, as a model of another package reports it. */
  readonly structuredOutputText?: string | undefined;
}

export interface ResponseMetadata {
  readonly id?: string | undefined;
  readonly timestamp?: Date | undefined;
  readonly modelId?: string | undefined;
}

/** The reason why a response ended. */
export interface FinishReason {
  /** `interrupted` if the response ended without a reason. */
  readonly unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';
  /** The server's reason, if it sent one. */
  readonly raw: string | undefined;
}

/** Token counts. Unknown counts are undefined. */
export interface Usage {
  readonly inputTokens: {
    readonly total: number | undefined;
    readonly noCache: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
  readonly outputTokens: {
    readonly total: number | undefined;
    readonly text: number | undefined;
    readonly reasoning: number | undefined;
  };
  /** All tokens as the server counted them. @default the sum of input and output */
  readonly total?: number | undefined;
  /** The usage as the server reported it. For several rounds, the sum of each count. */
  readonly raw?: JSONObject | undefined;
  /** The cost in US dollars. @default unknown */
  readonly cost?: number | undefined;
}

/** A part of a call that the model does not support or handles differently. */
export type Warning =
  | {
      readonly type: 'unsupported';
      readonly feature: string;
      readonly details?: string | undefined;
      /** The tool that is not supported. */
      readonly tool?: Tool | undefined;
    }
  | { readonly type: 'compatibility'; readonly feature: string; readonly details?: string | undefined }
  | { readonly type: 'deprecated'; readonly setting: string; readonly message: string }
  | { readonly type: 'other'; readonly message: string };
