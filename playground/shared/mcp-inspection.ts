/** A request of an MCP server that waits for the user. */
export interface PendingRequest {
  readonly id: string;
  readonly server: string;
  /** `form` and `url` are elicitations; `sampling` requests a completion. */
  readonly kind: 'form' | 'url' | 'sampling';
  /** The parameters of the request, as the server sent them. */
  readonly params: unknown;
  /** The call that the request belongs to. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The chat of the call. @default none, a call that the user has started */
  readonly conversationId?: string;
}

/** A completion that the model has written for a server. The user sends it. */
export interface CompletionDraft {
  readonly text: string;
  readonly modelId: string;
}

/** The user's response to a request. `content` has the fields of a form, or the text of a completion. */
export interface RequestResponse {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>> | string;
  /** The model that has drafted a completion. @default the user has written it */
  readonly model?: string;
}

/** The first place, from the root, at which a value breaks a schema. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** The response to a value that breaks a schema, and that was not sent for this reason. */
export interface SchemaRefusal {
  readonly error: string;
  readonly problems: readonly SchemaProblem[];
}

/** A tool with everything that its server sent. */
export interface InspectedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations: Readonly<Record<string, boolean>>;
  /** The user interface of the tool, an MCP app. */
  readonly app?: { readonly resourceUri?: string; readonly visibility?: readonly ('model' | 'app')[] };
  /** States if the server can run the tool as a task, or only as one. @default it cannot */
  readonly task?: 'optional' | 'required';
  readonly meta?: unknown;
}

/** The page of an MCP app for its frame. */
export interface OpenedApp {
  /** A path that works once. */
  readonly address: string;
  /** The origins that it may contact, as its server declares them. */
  readonly origins: readonly string[];
  /** The tools that it may ask to call. The call itself is checked again. */
  readonly tools: readonly string[];
}

/** One JSON-RPC message, without secrets. */
export interface InspectedMessage {
  readonly number: number;
  readonly direction: 'sent' | 'received';
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly message: unknown;
}

/** One line of a server's standard error, without secrets. It shares its numbers with the messages. */
export interface InspectedLine {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** The request with which a connection began, and the result of the server. */
export interface Handshake {
  readonly method: string;
  readonly result: unknown;
}

/** One HTTP request of a sign-in, without query and body. */
export interface SignInStep {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  readonly url: string;
  /** The status, or the reason why there was no response. */
  readonly result: number | string;
}

/** From the lowest to the highest (RFC 5424). */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Progress of a call, as its server has reported it. */
export interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export type TaskState = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A call that the server runs as a task. After its end, its result is in the history of its tool. */
export interface TaskView {
  /** That of the call in the history. */
  readonly number: number;
  readonly toolName: string;
  readonly state: TaskState;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** True after the call was sent. It can wait for other calls of the server. */
  readonly isSent?: boolean;
  readonly progress?: CallProgress;
  /** The words of the server about the state. */
  readonly message?: string;
  /** The reason why the task could not be cancelled. */
  readonly problem?: string;
  /** Milliseconds, of a task that has ended. */
  readonly duration?: number;
}

/** Tools and traffic of one server. */
export interface ServerInspection {
  readonly tools: readonly InspectedTool[];
  /** The newest first. */
  readonly tasks: readonly TaskView[];
  readonly handshake?: Handshake;
  /** The configured roots, which the server may request. */
  readonly roots: readonly string[];
  /** Undefined until the user has chosen one. */
  readonly logLevel?: LogLevel;
  /** The number of the newest message or line. */
  readonly last: number;
  /** The messages after the requested number, if they are still kept. */
  readonly messages: readonly InspectedMessage[];
  /** The lines after the requested number, if they are still kept. */
  readonly stderr: readonly InspectedLine[];
  readonly signIn: readonly SignInStep[];
}

/** A call that the user has started, as the history of its tool keeps it. */
export interface PastCall {
  /** Counts the calls of a server, from 1. */
  readonly number: number;
  readonly toolName: string;
  /** As the user has entered it, so that it can be repeated. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The input without secrets, to be copied. */
  readonly redactedInput: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly duration: number;
  readonly isError: boolean;
  /** True if secrets of the result were replaced. */
  readonly isRedacted: boolean;
  /** Without secrets. */
  readonly result: unknown;
}

/** The result of a call that the user has started. */
export interface ToolCallResult extends Pick<PastCall, 'number' | 'isRedacted'> {
  readonly isError: boolean;
  /** Milliseconds. */
  readonly duration: number;
  /** The comparison of the structured content with the output schema, if the tool has one. */
  readonly structured?: { readonly problem?: string };
  /** The reason why the arguments were sent without a check against the schema. */
  readonly unchecked?: string;
  /** The result of the server with its `_meta`, or the text of an error. */
  readonly result: unknown;
}
