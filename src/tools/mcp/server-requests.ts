import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type ClientCapabilities,
  type CreateMessageRequestParams,
  CreateMessageRequestSchema,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  ElicitRequestSchema,
  type ElicitResult,
  ErrorCode,
  type LoggingMessageNotificationParams,
  LoggingMessageNotificationSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { type LinkedSignal, linkSignal, untilAborted } from '../../shared/abort.js';

/**
 * Callbacks for requests and notifications of servers. Servers learn which callbacks exist when the connection opens,
 * and offer tools that need a callback only if it exists. With any callback, the connection to a Streamable HTTP
 * server keeps a listening stream open, which keeps an idle Node process alive until `close()`.
 */
export interface McpCallbacks {
  /**
   * Responds to a server that requests input from the user: a form of a few fields, given as a JSON Schema. Fields that
   * are missing from the response get the defaults of the schema. Show the user which server asks.
   * @default such requests are rejected
   */
  onElicitation?: (
    request: ElicitRequestFormParams,
    context: McpRequestContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Responds to a server that requests a model completion. The user pays for it, so ask the user first.
   * @default such requests are rejected
   */
  onSampling?: (
    request: CreateMessageRequestParams,
    context: McpRequestContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /**
   * Receives the log messages of servers.
   * @default log messages are ignored
   */
  onLog?: (message: LoggingMessageNotificationParams, context: McpMessageContext) => void;
}

/** The sender of a message. */
export interface McpMessageContext {
  /** The server's name in the configuration. If sources share the connection, its name in the first of them. */
  readonly server: string;
}

/** The sender of a request, and a signal that ends with the request. */
export interface McpRequestContext extends McpMessageContext {
  /** Aborts when the response is no longer needed: the server or host cancelled the call, or the connection closed. */
  readonly signal: AbortSignal;
}

/** The pending requests of a server to its host. */
export interface ServerRequests {
  /** The last time at which a request was pending, by `performance.now()`. While one is pending, the current time. */
  readonly lastPendingAt: number;
  /** Aborts the signals of all pending callbacks. */
  cancelAll(reason: unknown): void;
}

/** Returns the capabilities to declare to a server: only those with a callback. */
export function toCapabilities({ onElicitation, onSampling }: McpCallbacks): ClientCapabilities {
  return {
    ...(onElicitation && { elicitation: { form: { applyDefaults: true } } }),
    ...(onSampling && { sampling: {} }),
  };
}

/** Passes the requests and log messages of a server to the callbacks of the host. */
export function handleServerRequests(
  client: Client,
  { onElicitation, onSampling, onLog }: McpCallbacks,
  { server }: { server: string },
): ServerRequests {
  const pending = new Set<LinkedSignal>();
  let lastPendingAt = 0;

  async function run<T>(
    outer: AbortSignal,
    callback: (context: { server: string; signal: AbortSignal }) => T | Promise<T>,
  ): Promise<T> {
    const link = linkSignal(outer);
    pending.add(link);
    try {
      const answering = (async () => callback({ server, signal: link.signal }))();
      return await untilAborted(answering, link.signal);
    } catch {
      // The host's error may contain information that the server must not receive.
      throw new McpError(ErrorCode.InternalError, 'The host could not respond.');
    } finally {
      pending.delete(link);
      link.release();
      lastPendingAt = performance.now();
    }
  }

  if (onElicitation) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
      if (params.mode === 'url') throw new McpError(ErrorCode.InvalidParams, 'Only forms are supported.');
      return run(signal, context => onElicitation(params, context));
    });
  }
  if (onSampling) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) =>
      run(signal, context => onSampling(params, context)),
    );
  }
  if (onLog) {
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
      onLog(params, { server }),
    );
  }

  return {
    get lastPendingAt() {
      return pending.size > 0 ? performance.now() : lastPendingAt;
    },
    cancelAll(reason) {
      for (const link of pending) link.abort(reason);
    },
  };
}
