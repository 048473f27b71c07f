import * as z from 'zod/v4';
import type { Part } from './part.js';
import type { CallSettings, Prompt, ProviderOptions, Tool } from './prompt.js';

/*
 * Observation of model calls, tool calls and MCP requests. The package only knows these interfaces, which the entry
 * `kelivo-responses/telemetry` implements with OpenTelemetry. No method throws.
 */

/** Observes the calls of models. `createTelemetry()` of `kelivo-responses/telemetry` creates it. */
export interface Telemetry {
  /**
   * Begins a call of a model. Called synchronously at the start of `doGenerate` and `doStream`, so that all operations of
   * the call belong to the operation that is active then.
   *
   * @internal
   */
  startCall(facts: CallFacts): CallTelemetry;
  /** Begins a request to an MCP server outside of tool calls. @internal */
  startMcpRequest(facts: McpRequestFacts): McpRequestTelemetry;
}

/** Facts of a call that its provider knows. */
export interface CallFacts {
  /** Protocol, host and port of the model's server. @default unknown */
  readonly server?: string;
}

/** Observes one call of a model with all its rounds. */
export interface CallTelemetry {
  /** Begins a turn of several rounds. */
  startTurn(turn: { readonly turnId: string }): void;
  /** Ends the turn. Only the first end counts. */
  endTurn(outcome?: OperationOutcome): void;
  startRound(facts: RoundFacts): RoundTelemetry;
  startTool(facts: ToolFacts): ToolTelemetry;
}

/** The end of an operation: without an error, it succeeded. The reason of an abort is an error, too. */
export interface OperationOutcome {
  readonly error?: unknown;
  /** True if the caller ended the operation, or if a time limit did. @default false */
  readonly isAborted?: boolean;
}

/** An operation in progress. */
interface ObservedOperation {
  /** Runs a function as part of the operation, which is then active for everything that the function starts. */
  run<T>(start: () => T): T;
}

/** The properties of a call that telemetry records. */
export interface ObservedCall extends CallSettings {
  readonly isStream: boolean;
  readonly prompt: Prompt;
  readonly tools?: readonly Tool[] | undefined;
  /** The application's options of this package. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly providerOptions?: ProviderOptions | undefined;
  /** The turn of the request. Undefined outside of a tool loop. */
  readonly turn?:
    | {
        readonly id: string;
        readonly round: number;
        readonly isCompaction?: boolean | undefined;
        readonly response?: 'submit' | { readonly responseId: string } | undefined;
      }
    | undefined;
}

/** One request to a model. */
export interface RoundFacts {
  readonly provider: string;
  readonly modelId: string;
  readonly call: ObservedCall;
  /** True if the response is read from a record, without a request. @default false */
  readonly isReplayed?: boolean;
}

export interface RoundTelemetry extends ObservedOperation {
  /** False if nothing is recorded, so that no parts need to be added. */
  readonly isRecording: boolean;
  /** Adds parts of the response as they arrive. `finish` ends the operation. */
  add(parts: readonly Part[]): void;
  /** Begins one HTTP request of the round. The secrets are never recorded. Returns the function that ends it. */
  startHttpRequest(secrets: readonly string[]): (status: number | undefined) => void;
  /** Ends the operation. Only the first end counts. */
  end(outcome?: OperationOutcome): void;
}

/** One tool call of a model. */
export interface ToolFacts {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly description: string | undefined;
  /** The arguments as JSON. */
  readonly input: string;
  readonly turnId: string;
  readonly round: number;
  /** `refused`: the call did not run. `replayed`: its output is read from a record. @default the tool runs */
  readonly notRun?: 'refused' | 'replayed' | undefined;
}

export interface ToolTelemetry extends ObservedOperation {
  /** Begins a request to an MCP server for this call. */
  startMcpRequest(facts: McpRequestFacts): McpRequestTelemetry;
  /** Ends the operation. Only the first end counts. */
  end(outcome: OperationOutcome & { readonly output?: unknown; readonly isError?: boolean }): void;
}

/** The kind of a failure that the caller caused. */
export const ABORTED = 'aborted';

/** One request to an MCP server. */
export interface McpRequestFacts {
  readonly server: string;
  readonly method: string;
  /** The name of the tool or the prompt. @default none */
  readonly target?: string | undefined;
  /** The address of the resource. @default none */
  readonly uri?: string | undefined;
  /** `url` is that of an HTTP server. @default a process */
  readonly url?: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly sessionId: string | undefined;
  /** Values that are never recorded. */
  readonly secrets: readonly string[];
}

export interface McpRequestTelemetry extends ObservedOperation {
  /** The trace context for `_meta` of the request. */
  readonly meta: Readonly<Record<string, string>>;
  /** Ends the request. `failure` has the kind of an error and the code of a JSON-RPC error. `id` is that of the request. */
  end(failure?: { readonly kind: string; readonly rpcCode?: number | undefined }, id?: string | number): void;
}

/** Returns true for a value that observes calls. */
const isTelemetry = (value: unknown): value is Telemetry =>
  typeof value === 'object' &&
  value !== null &&
  'startCall' in value &&
  typeof value.startCall === 'function' &&
  'startMcpRequest' in value;

/** What is observed, of a provider, of a tool loop and of MCP servers. */
export interface ObservedOptions {
  /**
   * Observes model calls, tool calls and requests to MCP servers: the result of `createTelemetry()` of
   * `kelivo-responses/telemetry`. That of a provider is the default of its tool loop and of its servers, and that of a tool
   * loop also observes its calls on servers.
   * @default none
   */
  telemetry?: Telemetry;
}

/** The setting of an observer. */
export const telemetrySetting = () =>
  z.custom<Telemetry>(
    isTelemetry,
    'expected the result of `createTelemetry()` of `kelivo-responses/telemetry`',
  );

const run = <T>(start: () => T): T => start();
const ignore = (): void => {};

/** The observer of a request that nobody observes. */
export const NO_ROUND_TELEMETRY: RoundTelemetry = {
  isRecording: false,
  run,
  add: ignore,
  startHttpRequest: () => ignore,
  end: ignore,
};

const NO_MCP_TELEMETRY: McpRequestTelemetry = { run, meta: {}, end: ignore };

/** The observer of a tool call that nobody observes. */
export const NO_TOOL_TELEMETRY: ToolTelemetry = { run, startMcpRequest: () => NO_MCP_TELEMETRY, end: ignore };

/** The observer of a call that nobody observes. An outer layer that observes replaces it. */
export const NO_CALL_TELEMETRY: CallTelemetry = {
  startTurn: ignore,
  endTurn: ignore,
  startRound: () => NO_ROUND_TELEMETRY,
  startTool: () => NO_TOOL_TELEMETRY,
};
