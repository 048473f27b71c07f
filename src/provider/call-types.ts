import type { JSONValue } from '@ai-sdk/provider';
import type { ResponsesProviderOptions } from '../responses/request/provider-options.js';
import type { TurnLimit } from '../tool-loop/turn-limits.js';
import type { LocalTools } from '../tools/local-tools.js';
import type { ToolApproval } from '../tool-loop/approvals.js';
import type { ToolSource } from '../tools/tool-source.js';

/**
 * Options of one call, in `providerOptions.kelivo`. They override options of the same name in `providerOptions.openai`.
 *
 * @example
 * ```ts
 * await generateText({
 *   model: provider('gpt-5'),
 *   prompt: 'Which files are here?',
 *   providerOptions: { kelivo: { reasoningEffort: 'low', turnId: 'turn-1' } satisfies KelivoProviderOptions },
 * });
 * ```
 */
export interface KelivoProviderOptions extends ResponsesProviderOptions {
  /** Identifies the turn in the `resultStore` of the tool loop, so that another process can repeat the turn. */
  turnId?: string;
  /**
   * A value of the application, for example its user. `approve`, `onEvent`, `onElicitation`, `onSampling`, local tools and
   * the logger receive it by reference. It is never sent to a server.
   */
  context?: unknown;
  /**
   * The value of `toolApproval` of `ai` 7, which asks it only about tools that the host runs: a function, or statuses by
   * tool name. `denied` refuses a call, `user-approval` requests approval, `approved` runs it regardless of the policy, and
   * without a status the policy of the tool loop applies. Under the original name of a tool, `approved` does not count,
   * because the tool of another server may have the same name. It is passed by reference.
   */
  toolApproval?: ToolApproval;
  /** Tools of this call that the tool loop runs. `runInProvider()` sets them. */
  executors?: LocalTools | ToolSource;
}

/**
 * Metadata of this package, in `providerMetadata.kelivo` of results, parts and messages.
 *
 * @example
 * ```ts
 * const metadata = result.providerMetadata?.kelivo as KelivoProviderMetadata | undefined;
 * console.log(metadata?.rounds?.length);
 * ```
 */
export interface KelivoProviderMetadata {
  /** Id of the response that contains the part. */
  readonly responseId?: string;
  /** The rounds of the turn, on the result. */
  readonly rounds?: readonly KelivoRoundMetadata[];
  /** The limit of the tool loop that ended the calling of tools, on the result. @default none was reached */
  readonly stoppedBy?: TurnLimit;
  /** Warnings that arose after the stream had started, on the result. Generated results also contain them in `warnings`. */
  readonly warnings?: readonly string[];
  /**
   * Calls of the tool loop that the host does not keep, on texts, reasoning and calls. The next request restores them from
   * the history.
   */
  readonly hiddenCalls?: JSONValue;
  /** The MCP server and the tool's original name, on calls of MCP tools. The name of the call may differ from it. */
  readonly tool?: { readonly server: string; readonly name: string };
  /** Why the server ended the response early, for example `max_output_tokens`. */
  readonly incompleteReason?: string;
  /** Number of events of the stream that could not be read. */
  readonly droppedEvents?: number;
}

/**
 * Metadata in the format of the official provider, in `providerMetadata.openai` of results, parts and messages. Histories
 * are therefore interchangeable.
 */
export interface KelivoOpenAIMetadata {
  /** Id of the output item that the part belongs to. */
  readonly itemId?: string;
  /** Id of the response, on the result. */
  readonly responseId?: string | null;
  readonly serviceTier?: string;
  /** Encrypted reasoning for the next request, on reasoning parts. */
  readonly reasoningEncryptedContent?: string | null;
  /** `commentary` or `final_answer`, on text parts. */
  readonly phase?: string;
  /** Citations, on text parts. */
  readonly annotations?: JSONValue;
  readonly logprobs?: JSONValue;
}

/** One round of a turn: one request to the model and the tool calls of its response. */
export interface KelivoRoundMetadata {
  readonly responseId?: string;
  /** Token counts. Counts that the server did not report are absent. */
  readonly usage: { readonly [count: string]: number | undefined };
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly durationMs: number;
    readonly isError: boolean;
  }[];
  readonly durationMs: number;
}
