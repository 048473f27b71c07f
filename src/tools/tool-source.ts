import type { JSONSchema7, LanguageModelV2Prompt, LanguageModelV2ToolResultPart } from '@ai-sdk/provider';

/**
 * Where tools come from: MCP servers, the application's own functions, or several of those joined.
 *
 * A source lists its tools at the start of a call and runs them when the model asks. It is shared by
 * models and turns, so it opens what it needs lazily and keeps it open until `close()`.
 */
export interface ToolSource {
  /** Names the source in messages, for example `MCP server "files"`. */
  readonly name: string;

  /**
   * The tools on offer now. One broken part (a server that does not start, a malformed tool) costs its
   * own tools only and is reported in `warnings`; the promise rejects on abort alone.
   */
  listTools(options?: { signal?: AbortSignal }): Promise<ToolListing>;

  /**
   * Runs one tool. A tool that fails is a value, an output of type `error-text` or `error-json`, so that
   * the model can read it and recover; the promise rejects on abort alone.
   */
  callTool(call: ToolInvocation, options: ToolCallOptions): Promise<ToolOutput>;

  /** Releases processes and connections. The source may be used again afterwards and reopens what it needs. */
  close(): Promise<void>;
}

/** What a source offers at one moment. */
export interface ToolListing {
  readonly tools: readonly ToolDefinition[];
  /**
   * One sentence for each thing that is missing from `tools`, with its cause. What will not change is said in the
   * first listing only.
   */
  readonly warnings: readonly string[];
}

/** A tool as the model is told of it, with what the loop must know to run it. */
export interface ToolDefinition {
  readonly name: string;
  /** What the tool does and when it is of use, for the model to read. */
  readonly description?: string;
  /** JSON Schema of the arguments, always of `type: "object"`. */
  readonly inputSchema: JSONSchema7;
  /** Changes nothing: may run beside others. MCP `readOnlyHint`. @default false */
  readonly readOnly?: boolean;
  /** May destroy something. MCP `destructiveHint`. @default false */
  readonly destructive?: boolean;
  /** Running it twice with the same arguments is harmless. MCP `idempotentHint`. @default false */
  readonly idempotent?: boolean;
  /** Whether a call needs approval, whatever the loop asks of tools of this kind. @default that of no call */
  readonly needsApproval?: (
    call: ToolInvocation,
    options: Pick<ToolCallOptions, 'messages'>,
  ) => boolean | PromiseLike<boolean>;
}

/** One call of a tool, with its arguments parsed. */
export interface ToolInvocation {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What goes along with a call. */
export interface ToolCallOptions {
  /** Ends the call: the source stops the work, tells whoever does it, and rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Told how far a running tool is, where it says so. It means that the tool is alive. */
  readonly onProgress?: (progress: ToolProgress) => void;
  /** What the model had read when it called, without system messages. */
  readonly messages?: LanguageModelV2Prompt;
  /** Whether the host is known to be `ai` 6 or later. @default false */
  readonly isV3Host?: boolean;
}

/** How far a running tool is, as it tells. */
export interface ToolProgress {
  /** Grows with each report. */
  readonly progress: number;
  /** What `progress` will have come to at the end, if known. */
  readonly total?: number;
  /** What it is doing, for people to read. */
  readonly message?: string;
}

/** What a tool gave, in the AI SDK's own form. `error-text` and `error-json` say that it failed. */
export type ToolOutput = LanguageModelV2ToolResultPart['output'];

/** Whether a value is a tool source, rather than the configuration of one. */
export const isToolSource = (value: unknown): value is ToolSource =>
  typeof value === 'object' &&
  value !== null &&
  'listTools' in value &&
  typeof value.listTools === 'function' &&
  'callTool' in value &&
  typeof value.callTool === 'function';
