import type { JSONValue } from '../shared/json.js';
import type { ResponsesProviderOptions } from '../responses/request/options.js';
import type { ToolLoopCallOptions } from '../tool-loop/index.js';
import type { TurnLimit } from '../tool-loop/turn/turn-limits.js';
import type { LocalTools } from '../tools/local-tools.js';
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
export interface KelivoProviderOptions extends ResponsesProviderOptions, ToolLoopCallOptions {
  /**
   * Additional fields of the request, by their API names, for example `{ top_k: 20 }`. They replace fields of the same name,
   * those of the setting `models` included, and an undefined field is removed.
   *
   * @throws InvalidArgumentError for `input`, `stream`, `store`, `previous_response_id` and `conversation`, which have
   * options.
   */
  body?: Record<string, unknown>;
  /** Tools of this call that the tool loop runs. `runInProvider()` sets them. @internal */
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
  /** Number of the event that wrote the part, in responses in the background. `resume` continues after it. */
  readonly sequenceNumber?: number;
  /** The id under which the steps of the turn are recorded, on the result of a durable turn. @default the turn is not durable */
  readonly turnId?: string;
  /** The rounds of the turn, on the result. */
  readonly rounds?: readonly KelivoRoundMetadata[];
  /** The names of the adapters that were applied to the model, the outermost first, on the result. @default none was */
  readonly adapters?: readonly string[];
  /** The syntax in which tools were written into the prompt, on the result. @default tools were sent to the endpoint */
  readonly toolPrompting?: string;
  /** The limit of the tool loop that ended the calling of tools, on the result. @default none was reached */
  readonly stoppedBy?: TurnLimit;
  /** The model that answered, of those of `withFallback()`, on the result. The last one of a turn. */
  readonly answeredBy?: { readonly provider: string; readonly modelId: string };
  /** The cost of the turn in US dollars, on the result. @default unknown */
  readonly cost?: number;
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
  /** Hosted MCP servers whose tools the API could not list, on the result. */
  readonly mcpErrors?: readonly { readonly serverLabel: string; readonly error: JSONValue }[];
  /** Calls that the server sent without a name. They do not run. On the result. */
  readonly unnamedCalls?: readonly { readonly toolCallId?: string; readonly input: string }[];
  /** An output item without text, which the next request contains unchanged, on empty reasoning. */
  readonly item?: JSONValue;
  /** True for a message that is not part of the answer, on reasoning. The next request contains it as a message. */
  readonly commentary?: boolean;
  /** The agent that wrote the part, on parts of agents that the model has started. */
  readonly agent?: JSONValue;
  /** Ids of reasoning items of the request that the API could not use. Later requests omit them, unless they contain ids. */
  readonly removedReasoning?: readonly string[];
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
  /** `commentary` or `final_answer`, on text parts, and on reasoning parts that contain commentary. */
  readonly phase?: string;
  /** Namespace of the function, on calls. */
  readonly namespace?: string;
  /** The program that made the call, on calls. */
  readonly caller?: JSONValue;
  /** True for a call whose result the model does not wait for. */
  readonly async?: boolean;
  /** Citations, on text parts. */
  readonly annotations?: JSONValue;
  readonly logprobs?: JSONValue;
  /** `current_turn` or `all_turns`, on the result. */
  readonly reasoningContext?: string;
  /** Comparison with the cached prompt of another response, on the result, with the field names of the API. */
  readonly promptCacheDiagnostics?: JSONValue;
  /** Results of the requested moderation, on the result. */
  readonly moderation?: JSONValue;
  /** Tokens and requests of hosted tools, on the result. */
  readonly toolUsage?: JSONValue;
  /** Items of the request that the API has removed, on the result. */
  readonly inputTransformations?: JSONValue;
  /** The conversation that contains the response, on the result: `{ id }`. */
  readonly conversation?: JSONValue;
  /** Access programs that applied to the response, on the result. */
  readonly accessPrograms?: JSONValue;
  /** Time at which the response was complete, in seconds since 1970, on the result. */
  readonly completedAt?: number;
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
    /** True if the output was read from a record, so that the tool did not run again. @default false */
    readonly isReplayed?: boolean;
  }[];
  readonly durationMs: number;
  /** True if the round was read from a record, without a request. @default false */
  readonly isReplayed?: boolean;
  /** True for a request that only compacted the conversation, before the next round. @default false */
  readonly isCompaction?: boolean;
  /** As on the result, for the response of this round. */
  readonly answeredBy?: KelivoProviderMetadata['answeredBy'];
  readonly mcpErrors?: KelivoProviderMetadata['mcpErrors'];
  readonly unnamedCalls?: KelivoProviderMetadata['unnamedCalls'];
  readonly droppedEvents?: number;
  readonly incompleteReason?: string;
}
