/** Provider of a response: this package, or the official provider of the AI SDK. */
export type Flag = 'kelivo' | 'official';

/** Token counts. Servers may omit any of them. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
}

/** The tokens of a turn. */
export interface TurnUsage {
  readonly modelId?: string;
  readonly usage?: Usage;
  /** True if the turn ended before the tokens of all its rounds were reported. */
  readonly isPartial: boolean;
}

/** End of an HTTP exchange: read completely, aborted by the client, or broken by the server. */
export type ExchangeEnd = 'complete' | 'aborted' | 'broken';

/**
 * End of a turn: `limit` if a limit of rounds, calls, time or output tokens ended it before the model did, `aborted` if the
 * process of its application ended.
 */
export type TurnEnd = 'finished' | 'limit' | 'stopped' | 'failed' | 'aborted';

/** The application of a turn that does not run in the playground. */
export interface TracedApp {
  readonly name: string;
  /** The id of its process. */
  readonly process?: number;
}

/**
 * An event of a turn, as plain JSON. Events are streamed to the page and stored with the message. `at` is the time in
 * milliseconds since the turn began.
 */
export type TraceEvent = { readonly at: number } & (
  | {
      type: 'turn-start';
      startedAt: string;
      /** Missing in turns of applications. */
      flag?: Flag;
      app?: TracedApp;
      modelId: string;
      endpoint: string;
      adapters: readonly string[];
      fault?: string;
      /** True if the response must match a JSON schema. */
      hasSchema?: boolean;
    }
  /** The tools of the MCP servers are requested, which connects servers that are not connected. */
  | { type: 'tools-requested' }
  | { type: 'tools-listed' }
  | { type: 'warning'; message: string }
  /** The provider threw, or sent a part that interfaces built with `ai` cannot read. `event` identifies the cause. */
  | { type: 'stream-problem'; message: string; exchange?: number; event?: number; eventName?: string }
  | {
      type: 'request';
      exchange: number;
      round: number;
      method: string;
      url: string;
      headers: Readonly<Record<string, string>>;
      body: unknown;
    }
  | { type: 'response'; exchange: number; status: number; headers: Readonly<Record<string, string>> }
  /** One event of a streamed response; `data` is the parsed JSON, or the text if it is not JSON. */
  | { type: 'wire'; exchange: number; name: string; data: unknown }
  /** The body of a response that is not an event stream. */
  | { type: 'body'; exchange: number; text: string }
  | { type: 'exchange-end'; exchange: number; end: ExchangeEnd; message?: string }
  /** The endpoint noticed that the client closed the connection early. Only the emulator reports this. */
  | { type: 'disconnect-noticed'; exchange: number }
  /** `toolCallId` is the call of the tool that made this request, and `modelId` the model that it asked. */
  | { type: 'round-start'; round: number; toolCallId?: string; modelId?: string }
  | { type: 'first-token' }
  | {
      type: 'tool-start';
      round: number;
      toolCallId: string;
      toolName: string;
      input: string;
      /** The tool at its server, if it has an app. */
      app?: { readonly server: string; readonly tool: string };
    }
  | {
      type: 'tool-progress';
      toolCallId: string;
      progress: number;
      total?: number;
      message?: string;
    }
  | {
      type: 'tool-end';
      round: number;
      toolCallId: string;
      toolName: string;
      duration: number;
      isError: boolean;
    }
  | {
      type: 'approval-requested';
      approvalId: string;
      toolCallId: string;
      toolName: string;
      /** The tool's name at its source. */
      originalName: string;
      /** The MCP server of the tool. Tools of the playground have none. */
      server?: string;
      description?: string;
      isDestructive?: boolean;
      /** True if the hints of the tool are not trusted. */
      isUntrusted?: boolean;
      input: unknown;
    }
  /** `editedInput` are arguments that the user has changed, with which the call runs. */
  | { type: 'approval-decided'; approvalId: string; approved: boolean; editedInput?: unknown }
  | { type: 'round-end'; round: number; finishReason: string; usage: Usage }
  /** A response with a schema was compared with it; `problem` is the first difference. */
  | { type: 'output-checked'; problem?: string }
  /** The contents of requests, responses and events were deleted later, by age or size. */
  | { type: 'recording-deleted' }
  | { type: 'turn-end'; end: TurnEnd; message?: string; finishReason?: string; usage?: Usage }
);

/** A trace event without its time, which the recorder adds. */
export type TraceFact = TraceEvent extends infer Event
  ? Event extends TraceEvent
    ? Omit<Event, 'at'>
    : never
  : never;
