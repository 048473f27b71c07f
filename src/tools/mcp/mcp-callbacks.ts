import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitResult,
  LoggingMessageNotificationParams,
} from '@modelcontextprotocol/sdk/types.js';

/**
 * What servers may ask of the host and tell it. A server learns of a callback when the connection opens, so it offers
 * tools that need one only where it is given. With any of them, the connection to a server over Streamable HTTP is kept
 * open for what it says, and keeps an idle Node alive until `close()`.
 */
export interface McpCallbacks {
  /**
   * Answers a server that wants something of the user: a form of a few fields, given as a JSON Schema. Fields that the
   * answer leaves out get the defaults of the schema. The user should see which server asks.
   * @default such requests are refused
   */
  onElicitation?: (
    request: ElicitRequestFormParams,
    context: McpRequestContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Answers a server that wants a model to write something. The user pays for it, so ask before.
   * @default such requests are refused
   */
  onSampling?: (
    request: CreateMessageRequestParams,
    context: McpRequestContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /**
   * Takes the log messages that servers send of their own accord.
   * @default they are ignored
   */
  onLog?: (message: LoggingMessageNotificationParams, context: McpMessageContext) => void;
}

/** Who speaks. */
export interface McpMessageContext {
  /** The server's name in the configuration; where sources share its connection, its name in the first of them. */
  readonly server: string;
}

/** Who asks, and for how long. */
export interface McpRequestContext extends McpMessageContext {
  /** Aborts when nobody waits for the answer any more: the server or the host gave the call up, or the connection ended. */
  readonly signal: AbortSignal;
}
