import type { JSONSchema7 } from '@ai-sdk/provider';
import type { AbortSource } from '../core/shared/abort.js';
import type { JSONObject, JSONValue } from '../core/shared/json.js';
import type { ModelMessage } from '@ai-sdk/provider-utils';
import type { ProviderOptions } from '../core/prompt.js';
import type { ToolTelemetry } from '../core/telemetry.js';
import type { KeptTask } from './kept-task.js';
import type { DetailedToolOutput } from '../core/tool-calls/mcp-output.js';

/**
 * Provides tools: those of MCP servers, functions of the application, or several sources combined.
 *
 * A source lists its tools at the start of a call and runs them when the model calls them. Models and turns share
 * it, so it opens resources on first use and keeps them open until `close()`.
 */
export interface ToolSource {
  /** Identifies the source in messages, for example `MCP server "files"`. */
  readonly name: string;

  /**
   * Lists the tools that are currently available. If one part fails (a server that does not start, a malformed tool),
   * only its tools are missing, and `warnings` reports it. The promise rejects only on abort, or if the source is closed
   * meanwhile.
   */
  listTools(options?: ListToolsOptions): Promise<ToolListing>;

  /**
   * Runs one tool. A failure is returned as an output of type `error-text` or `error-json`, so that the model can
   * read it and recover. The promise rejects only on abort.
   */
  callTool(call: ToolInvocation, options: ToolCallOptions): Promise<ToolOutput>;

  /** Ends processes, connections and the turns that use the source. Using it afterwards opens them again. */
  close(): Promise<void>;
}

/** Options of one listing. */
export interface ListToolsOptions {
  readonly signal?: AbortSignal;
  /**
   * Names in the conversation, with the tools that they refer to. The listing does not offer another server's tool under such a name.
   * @default none
   */
  readonly known?: readonly KnownTool[];
  /** Names of the host's own tools. Tools of servers get other names. @default none */
  readonly reserved?: readonly string[];
}

/** A name that a conversation uses for a tool of a server. */
export type KnownTool = Required<Pick<ToolDefinition, 'name' | 'server' | 'originalName'>>;

/** The tools that a source offers at one moment. */
export interface ToolListing {
  readonly tools: readonly ToolDefinition[];
  /**
   * One sentence for each item that is missing from `tools`, with its cause. Permanent causes are reported in the
   * first listing only.
   */
  readonly warnings: readonly string[];
  /**
   * Further names of the tools, under which this process has listed them: a call of such a name runs its tool, and options of
   * the application mean it. A name without a tool belongs to a tool that is not available now, and must not run another one.
   * @default none
   */
  readonly aliases?: ReadonlyMap<string, ToolDefinition | undefined>;
  /**
   * The tools that the names in the conversation (`known`) refer to. They take precedence for calls of the model. Options of
   * the application never mean them, because the conversation may come from a client.
   * @default none
   */
  readonly meanings?: ReadonlyMap<string, ToolDefinition | undefined>;
  /**
   * Signals that abort when the source or a part of it is closed. A turn that uses the listing then ends, and starts
   * nothing afterwards.
   * @default closing the source does not end turns
   */
  readonly closed?: readonly AbortSource[];
}

/** A tool as it is declared to the model, with the properties that the loop needs to run it. */
export interface ToolDefinition {
  readonly name: string;
  /** Describes to the model what the tool does. */
  readonly description?: string;
  /** JSON Schema of the arguments, always of `type: "object"`. */
  readonly inputSchema: JSONSchema7;
  /** JSON Schema of the structured content of results, as the server declares it. @default unknown */
  readonly outputSchema?: JSONSchema7;
  /** A name for people. @default that of `metadata` */
  readonly title?: string;
  /** Options of the tool for the model's provider, for example `{ openai: { deferLoading: true } }`. @default none */
  readonly providerOptions?: ProviderOptions;
  /** Requires that the model follows the schema. @default true if the schema satisfies strict mode, else false */
  readonly strict?: boolean;
  /** Examples of arguments, for models that accept them. @default none */
  readonly inputExamples?: readonly { readonly input: JSONObject }[];
  /** True if the tool yields preliminary results, which a host that runs it shows. @default false */
  readonly isGenerator?: boolean;
  /** Receives the arguments of each call while the model writes them. Errors it throws are ignored. @default none */
  readonly onInput?: (event: ToolInputEvent) => void;
  /** The model has to search for the tool before it is offered (`toolSearch` of the tool loop). @default false */
  readonly deferLoading?: boolean;
  /**
   * Properties for the host, which the model does not receive, in the shape of `@ai-sdk/mcp`.
   * @default none, a tool of the application
   */
  readonly metadata?: ToolMetadata;
  /** The `metadata` of a tool of the application, for the host. @default none */
  readonly ofApplication?: Readonly<Record<string, unknown>>;
  /** `_meta` of the tool of an MCP server, for the host. @default none */
  readonly _meta?: JSONObject;
  /** The MCP server that offers the tool, by its name in the configuration. @default none, a tool of the application */
  readonly server?: string;
  /**
   * The tool's name at its source. It differs from `name` if several sources have a tool of this name. Server and
   * original name identify a tool; its name may differ between processes.
   * @default `name`
   */
  readonly originalName?: string;
  /** A server of MCP revision 2025-11-25 runs the calls of the tool as tasks. @default `forbidden` */
  readonly taskSupport?: 'optional' | 'required';
  /** The tool changes nothing, so it may run in parallel with others. MCP `readOnlyHint`. @default unknown */
  readonly readOnly?: boolean;
  /** The tool may perform destructive updates. MCP `destructiveHint`. @default unknown */
  readonly destructive?: boolean;
  /** Repeating a call with the same arguments has no further effect. MCP `idempotentHint`. @default unknown */
  readonly idempotent?: boolean;
  /** The tool interacts with systems outside the application, such as the web. MCP `openWorldHint`. @default unknown */
  readonly openWorld?: boolean;
  /** False if the four hints above are unverified claims of a server: approvals and repeats then ignore them. @default true */
  readonly trustAnnotations?: boolean;
  /** Limit for a call, in milliseconds. `timeouts.tools` takes precedence. @default `timeouts.tool` */
  readonly timeout?: number;
  /**
   * Returns true if a call needs approval, regardless of the approval policy of the loop.
   * @default no call needs approval
   */
  readonly needsApproval?: (
    call: ToolInvocation,
    options: Pick<ToolCallOptions, 'messages' | 'callContext'>,
  ) => boolean | PromiseLike<boolean>;
}

/** An event of the arguments of a call: the model begins them, writes a piece of them, and they are complete. */
export type ToolInputEvent = {
  readonly toolCallId: string;
  readonly messages: readonly ModelMessage[];
  readonly signal: AbortSignal;
  readonly callContext?: Partial<ToolCallContext>;
} & InputStep;

export type InputStep =
  | { readonly type: 'start' }
  | { readonly type: 'delta'; readonly delta: string }
  | { readonly type: 'available'; readonly input: ToolInvocation['input'] };

// Type aliases, because an interface cannot be assigned to the JSON types of `ai`.

/** Properties of a tool of an MCP server for the host. */
export type ToolMetadata = {
  /** The server, by its name in the configuration. */
  clientName?: string;
  /** The tool's own name at the server. */
  toolName: string;
  /** A name for people. */
  title?: string;
  /** The user interface of the tool. @default none */
  app?: ToolApp;
};

/**
 * The user interface of a tool, an MCP App (https://github.com/modelcontextprotocol/ext-apps). Further fields are those
 * of `_meta.ui`.
 */
export type ToolApp = {
  /** The page to display: a resource of the server with the scheme `ui://`. */
  resourceUri?: string;
  /** The media type of the page. */
  mimeType: string;
  /** Who may call the tool. A tool without `model` is not offered to models. @default both */
  visibility?: ('model' | 'app')[];
  [key: string]: JSONValue | undefined;
};

/**
 * One tool call with parsed arguments. Server and original name, if they are given, decide which tool runs: the name
 * may differ between turns.
 */
export interface ToolInvocation extends Pick<ToolDefinition, 'server' | 'originalName'> {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Identifies a call to callbacks: the turn, the round, the call and the application's own context. */
export interface ToolCallContext {
  /**
   * `providerOptions.kelivo.turnId`, or an id that the loop generates for the turn; in the loop of a host, the `turnId` of
   * `agentSettings`, or else the id of the call.
   */
  readonly turnId: string;
  /** The round of the turn, from 1. 0 for calls that an earlier turn left for approval. */
  readonly round: number;
  readonly toolCallId: string;
  /** The MCP server that runs the call, by its name in the configuration. @default none, a tool of the application */
  readonly server?: string;
  /** `providerOptions.kelivo.context` of the application, by reference. @default none */
  readonly context?: unknown;
}

/** Options of one tool call. */
export interface ToolCallOptions {
  /** Identifies the call to callbacks. Outside of a tool loop it has no turn and no round. @default none */
  readonly callContext?: Partial<ToolCallContext>;
  /** Cancels the call: the source stops the work, notifies the server and rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /**
   * `_meta` of the request to an MCP server, for example the `traceparent` of the call. It takes precedence over the
   * option `requestMeta` of the source.
   * @default none
   */
  readonly requestMeta?: Readonly<Record<string, unknown>>;
  /** Called when a running tool reports progress, which also shows that it is still alive. */
  readonly onProgress?: (progress: ToolProgress) => void;
  /** Receives a warning about the call, for the application. @default warnings are dropped */
  readonly onWarning?: (message: string) => void;
  /** The messages that the model had received when it made the call, without system messages. */
  readonly messages?: readonly ModelMessage[];
  /**
   * A key of the call that stays the same when the call is repeated after a crash. A service that accepts such keys then
   * performs its effect once.
   * @default none, outside of a tool loop
   */
  readonly idempotencyKey?: string;
  /**
   * The tool whose call was approved. A source refuses the call if the tool has another description, input schema or title
   * now.
   * @default the call needed no approval
   */
  readonly approved?: ToolDefinition;
  /** `providerOptions.kelivo.scope` of the turn. @default none, outside of a tool loop @internal */
  readonly scope?: string | undefined;
  /** Observes the call. @internal */
  readonly telemetry?: ToolTelemetry;
  /** Keeps the task that a server creates for the call. @internal */
  readonly task?: KeptTask;
  /**
   * True if `toModelOutput` of a tool of the AI SDK receives an object with the output, as in `ai` 6 and later.
   * @default false
   */
  readonly wrapsToolOutput?: boolean;
}

/** Progress of a running tool. */
export interface ToolProgress {
  /** Increases with each report. */
  readonly progress: number;
  /** The final value of `progress`, if known. */
  readonly total?: number;
  /** Describes the current step for people. */
  readonly message?: string;
  /** A preliminary result: `progress` is its number. The last one is the result of the call. @default none */
  readonly result?: JSONValue;
}

/**
 * The output of a tool in the AI SDK's format. `error-text` and `error-json` mean that the call failed. `mcp` has the
 * parts of an MCP result that only the host receives.
 */
export type ToolOutput = Exclude<DetailedToolOutput, { type: 'execution-denied' }>;

/** Returns true if a value is a tool source rather than the configuration of one. */
export const isToolSource = (value: unknown): value is ToolSource =>
  typeof value === 'object' &&
  value !== null &&
  'listTools' in value &&
  typeof value.listTools === 'function' &&
  'callTool' in value &&
  typeof value.callTool === 'function';

/**
 * Returns the hints on which decisions about side effects rely: approvals and repeated calls. Hints of a server that is
 * not trusted are ignored. Missing hints have the defaults of the MCP specification: not read-only, destructive, not
 * idempotent, open world (https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations). A tool that
 * is both read-only and destructive is destructive.
 */
export function effectiveAnnotations(tool: ToolDefinition) {
  const { readOnly, destructive, idempotent, openWorld } = tool.trustAnnotations === false ? {} : tool;
  const isSafe = isReadOnly({ readOnly, destructive });
  return {
    readOnly: isSafe,
    destructive: !isSafe && destructive !== false,
    idempotent: isSafe || idempotent === true,
    openWorld: openWorld !== false,
  };
}

/** Returns true if a tool claims that it may run in parallel with others. The claim may be unverified. */
export const isReadOnly = (tool: Pick<ToolDefinition, 'readOnly' | 'destructive'>): boolean =>
  tool.readOnly === true && tool.destructive !== true;

/** Returns the error of a call that a time limit ended. */
export const toTimeoutText = (toolName: string, limit: number | undefined): string =>
  `The tool "${toolName}" exceeded its limit of ${limit} ms. It may or may not have taken effect.`;

/** Limits for calls, in milliseconds: for all tools, and for single ones by the name that the model calls. */
export interface ToolTimeouts {
  readonly tool?: number | undefined;
  readonly tools?: Readonly<Record<string, number>> | undefined;
}

/** Returns the time that a call may take: of the application for this tool, of the tool, or of the application for all. */
export const timeoutOf = (
  toolName: string,
  definition: Pick<ToolDefinition, 'timeout'>,
  { tool, tools = {} }: ToolTimeouts,
): number | undefined => (Object.hasOwn(tools, toolName) ? tools[toolName] : (definition.timeout ?? tool));
