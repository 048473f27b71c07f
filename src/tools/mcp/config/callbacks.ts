import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitResult,
  LoggingLevel,
  LoggingMessageNotificationParams,
} from '@modelcontextprotocol/client';
import type { KelivoError } from '../../../core/shared/errors.js';
import type { PlainObject } from '../../../core/shared/json.js';
import type { ToolCallContext } from '../../tool-source.js';

/**
 * Callbacks for requests and notifications of servers. Servers learn which callbacks exist when the connection opens,
 * and offer tools that need a callback only if it exists. With any callback, the connection to a Streamable HTTP
 * server keeps a listening stream open, which keeps an idle Node process alive until `close()`.
 */
export interface McpCallbacks {
  /**
   * Responds to a server that requests input from the user. Without a `mode` or with the mode `form`, it is a form of a
   * few fields, given as a JSON Schema. Fields that are missing from the response get the defaults of the schema. With
   * the mode `url`, it is a page to open: show the complete URL, open it only after the user agreed, and return the
   * action `accept`. The call is then repeated. Show the user which server asks. The context names the call that the
   * request belongs to; a request that cannot be assigned to one running call is rejected.
   *
   * Servers of revision 2025-11-25 and earlier do not name the call of a request over stdio and SSE, so with this
   * callback or `onSampling` the calls of such a server run one at a time. The callbacks may call its tools, except in
   * runtimes without `AsyncLocalStorage`; requests that the server makes meanwhile are rejected.
   * @default such requests are rejected
   */
  onElicitation?: (
    request: ElicitRequestFormParams | McpUrlElicitation,
    context: McpRequestContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Responds to a server that requests a model completion. The user pays for it, so ask the user first. Calls are
   * assigned and run as with `onElicitation`.
   * @default such requests are rejected
   */
  onSampling?: (
    request: CreateMessageRequestParams,
    context: McpRequestContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /**
   * Receives the log messages of servers. The context names a call only if it is the only one of the server. Its errors are
   * ignored.
   * @default log messages are ignored
   */
  onLog?: (message: LoggingMessageNotificationParams, context: McpMessageContext) => void;
  /**
   * Minimum level of the log messages that servers send to `onLog`.
   * @default `info` since revision 2026-07-28, and the choice of the server before
   */
  logLevel?: LoggingLevel;
  /**
   * Called for every JSON-RPC message in both directions, with a copy that contains no secrets of the configuration and
   * no text that looks like a credential. Its errors are ignored.
   * @default messages are not observed
   */
  onMessage?: (message: McpMessage) => void;
  /**
   * Called for each line that a server over stdio writes to its standard error, without line end, terminal sequences,
   * secrets of the configuration and text that looks like a credential. Invalid UTF-8 is replaced, empty lines are left
   * out, and a line of more than 16,384 characters is shortened. Its errors are ignored.
   * @default only the last lines are kept, for the errors of a server that has ended
   */
  onStderr?: (line: string, context: Pick<McpMessageContext, 'server'>) => void;
  /**
   * Called when the state of a server changes, for example to show that a program is still being installed. Its
   * errors are ignored.
   * @default `status()` of `createMcpTools` has the states
   */
  onStateChange?: (change: McpStateChange) => void;
  /**
   * Declares to servers that the host displays the user interfaces of tools (MCP Apps). Some servers offer tools with a
   * user interface only to such hosts. The metadata of a tool has the address of its page.
   * @default false
   */
  apps?: boolean;
}

/** A new state of the connection to a server. */
export interface McpStateChange {
  /** The server's name in the configuration. If sources share the connection, its name in the first of them. */
  readonly server: string;
  readonly state: McpConnectionState;
  /** The reason of the states `failed` and `unauthorized`. */
  readonly error?: KelivoError;
  /** The URL that the user must open to sign in. Only in the state `unauthorized`. */
  readonly authorizationUrl?: string;
}

/**
 * - `idle`: not connected, because it was not used yet, was closed, or the server ended.
 * - `connecting`, `ready`: the connection is being opened, or is open. A program that is being installed is `connecting`.
 * - `failed`: the last attempt failed; the next use tries again.
 * - `unauthorized`: a user must sign in. The next use after that works at once.
 */
export type McpConnectionState = 'idle' | 'connecting' | 'ready' | 'failed' | 'unauthorized';

/** A page that the user has to open, for example to sign in or to pay. Its result never passes through the host. */
export interface McpUrlElicitation {
  readonly mode: 'url';
  readonly message: string;
  /** An absolute https URL, or an http URL of this computer, without characters that a shell or a quotation reads. */
  readonly url: string;
  /** Only from servers of revision 2025-11-25. */
  readonly elicitationId?: string;
}

/** The sender of a message, and the call during which it was sent. */
export interface McpMessageContext extends Partial<McpCallFacts> {
  /** The server's name in the configuration. If sources share the connection, its name in the first of them. */
  readonly server: string;
}

/** The call that a request belongs to, and a signal that ends with the request. */
export interface McpRequestContext extends McpCallFacts {
  /** Aborts when the response is no longer needed: the server cancelled the request, or its call ended. */
  readonly signal: AbortSignal;
}

/** Identifies a tool call to callbacks, or a request of the application for a resource or a prompt. */
export interface McpCallFacts extends Pick<ToolCallContext, 'context'> {
  /** @default none, for a resource that the application reads and a prompt */
  readonly toolCallId?: string;
  /** The server's name in the configuration of the tools that made the call. */
  readonly server: string;
  /** The turn of the tool loop. @default none, outside of a tool loop */
  readonly turnId?: string;
  /** The round of the turn, from 1. @default none, outside of a tool loop */
  readonly round?: number;
}

/** Returns `_meta` of a tool call. */
export type RequestMeta = (call: McpCallInfo) => Readonly<Record<string, unknown>> | undefined;

/** Identifies a tool call. */
export interface McpCallInfo extends McpCallFacts {
  /** The tool's own name at the server. */
  readonly toolName: string;
}

/** One JSON-RPC message of a connection, for display. */
export interface McpMessage {
  /** The server's name in the configuration. If sources share the connection, its name in the first of them. */
  readonly server: string;
  /** `sent` by this client or `received` from the server. */
  readonly direction: 'sent' | 'received';
  /** The time at which the message was sent or received, in milliseconds since 1970. */
  readonly time: number;
  /** A copy of the message without secrets: those of the configuration, and text that looks like a credential. */
  readonly message: PlainObject;
}
