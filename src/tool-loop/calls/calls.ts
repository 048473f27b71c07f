import type { Part, PartOf } from '../../core/part.js';
import type { PartFacts, ProviderMetadata } from '../../core/prompt.js';
import type { ParsedToolArguments } from '../../core/tool-calls/tool-arguments.js';
import type { ToolDefinition, ToolOutput, ToolProgress, ToolTimeouts } from '../../tools/tool-source.js';

/** A call of a tool that the loop runs. */
export interface LoopCall {
  /** Unique in the conversation. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: ProviderMetadata | undefined;
  readonly own?: PartFacts | undefined;
}

/** A finished call with its output. */
export interface CallOutcome {
  readonly call: LoopCall;
  /** Undefined if no tool has the name that the model called. */
  readonly tool: ToolDefinition | undefined;
  readonly output: ToolOutput;
  /** Milliseconds from the tool's start to its end; 0 for a call that did not start. */
  readonly duration: number;
  /** True if the output was read from a record. @default false */
  readonly isReplayed?: boolean;
  /** True if the tool was stopped, so that its effect is unknown. @default false */
  readonly isInterrupted?: boolean;
}

/** The call of an event, and the tool by its server and original name. */
interface CallFacts extends Pick<ToolDefinition, 'server' | 'originalName'> {
  readonly round: number;
  readonly toolCallId: string;
  readonly toolName: string;
}

export type CallEvent =
  /** A tool starts. Calls that are refused, unreadable or already recorded do not start. */
  | ({ type: 'tool-start'; input: string } & CallFacts)
  /** A running tool reports progress, as MCP servers do, or yields a preliminary result, as generators do. */
  | ({ type: 'tool-progress' } & CallFacts & ToolProgress)
  | ({
      type: 'tool-end';
      /** Milliseconds between the tool's start and its end; 0 for a call that did not start. */
      duration: number;
      isError: boolean;
      /** True if the output was read from a record, so that the tool did not start. @default false */
      isReplayed?: boolean;
    } & CallFacts);

/** A part of a call that the loop runs. */
type LoopCallPart =
  PartOf<`tool-input-${'start' | 'delta' | 'end'}`> | PartOf<'tool-call'> | PartOf<'tool-result'>;

/** Writes a part of a call that the loop runs, hidden if the host must not show it. */
export type ShowPart = (part: LoopCallPart, write: (part: Part) => void) => void;

/** Returns the server and the original name of a tool, for events and callbacks. */
export const toolOriginOf = ({ server, originalName }: Partial<ToolDefinition> = {}): Pick<
  ToolDefinition,
  'server' | 'originalName'
> => ({
  ...(server !== undefined && { server }),
  ...(originalName !== undefined && { originalName }),
});

/**
 * Adds the server and the original name of a tool to the facts of its call. In a later process, the name alone could
 * refer to another server's tool.
 */
export function withToolIdentity<Call extends Pick<LoopCall, 'own'>>(
  call: Call,
  tool: ToolDefinition | undefined,
): Call {
  if (tool?.server === undefined) return call;
  return {
    ...call,
    own: { ...call.own, tool: { server: tool.server, name: tool.originalName ?? tool.name } },
  };
}

/** When the calls of a turn start. */
export interface Scheduling {
  readonly execution: 'auto' | 'parallel' | 'sequential';
  /** The calls that may start before their response ends. */
  readonly startEarly: 'read-only' | boolean;
}

/** A call that has arrived, as the features of a turn see it. */
export interface AnnouncedCall {
  readonly made: LoopCall;
  /** Undefined if no tool can run it. */
  readonly tool: ToolDefinition | undefined;
  /** The arguments as the schema of its tool expects them. */
  readonly arguments: ParsedToolArguments;
  /** Undefined until it has ended. */
  readonly outcome: CallOutcome | undefined;
}

/** The decision of a feature about a call. */
export interface Admission {
  /** Returns `run`, `wait` while it depends on running calls, or the output of a call that must not run. */
  decide(): CallVerdict | 'wait';
  /** The call never ran, because its response is repeated. */
  drop(): void;
}

/**
 * Changes the output of a tool as the model, the host and the journal receive it. Outputs of calls that did not run, and of the
 * loop's own tools, do not pass it. Rejects on abort.
 */
export type ChangeOutput = (
  output: ToolOutput,
  call: { readonly tool: ToolDefinition; readonly round: number; readonly signal: AbortSignal },
) => ToolOutput | undefined | Promise<ToolOutput | undefined>;

/** Counts a call, in the order of the model. Returns undefined if the call may run, and is not counted. */
export type Admit = (call: AnnouncedCall, round: number) => Admission | undefined;

export type CallVerdict = 'run' | ToolOutput;

/** The answer to a call whose effect is unknown. */
export type UnknownOutcomePolicy = 'refuse' | 'ask' | 'run';

/** The decisions of the application about all calls of a loop, except approvals. */
export interface CallPolicy extends Scheduling {
  /** Time that a tool may take without reporting progress, in milliseconds, for all tools and by name. */
  readonly timeouts: ToolTimeouts;
  readonly onUnknownOutcome: UnknownOutcomePolicy;
}
