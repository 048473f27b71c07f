import {
  type Client,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  type LoggingLevel,
  type LoggingMessageNotificationParams,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/client';
import { appMediaType } from './list-tools.js';
import type { McpMessage } from './messages.js';
import type { McpCallFacts, RunningCalls } from './running-calls.js';

/**
 * Callbacks for requests and notifications of servers. Servers learn which callbacks exist when the connection opens,
 * and offer tools that need a callback only if it exists. With any callback, the connection to a Streamable HTTP
 * server keeps a listening stream open, which keeps an idle Node process alive until `close()`.
 */
export interface McpCallbacks {
  /**
   * Responds to a server that requests input from the user: a form of a few fields, given as a JSON Schema. Fields that
   * are missing from the response get the defaults of the schema. Show the user which server asks. The context names
   * the call that the request belongs to; a request that cannot be assigned to one running call is rejected.
   *
   * Over stdio and SSE, requests do not name their call, so with this callback or `onSampling` the calls of such a
   * server run one at a time. The callbacks must not wait for another call of the same server.
   * @default such requests are rejected
   */
  onElicitation?: (
    request: ElicitRequestFormParams,
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
   * Receives the log messages of servers. The context names a call only if it is the only one of the server.
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
   * no text that looks like a credential. Errors it throws are ignored.
   * @default messages are not observed
   */
  onMessage?: (message: McpMessage) => void;
  /**
   * Declares to servers that the host displays the user interfaces of tools (MCP Apps). Some servers offer tools with a
   * user interface only to such hosts. The metadata of a tool has the address of its page.
   * @default false
   */
  apps?: boolean;
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

/** Returns the capabilities to declare to a server: only those with a callback. */
export function toCapabilities({
  onElicitation,
  onSampling,
  apps = false,
}: McpCallbacks): ClientCapabilities {
  return {
    ...(onElicitation && { elicitation: { form: { applyDefaults: true } } }),
    ...(onSampling && { sampling: {} }),
    ...(apps && { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [appMediaType] } } }),
  };
}

/** Passes the requests and log messages of a server to the callbacks of the host. */
export function handleServerRequests(
  client: Client,
  { onElicitation, onSampling, onLog }: McpCallbacks,
  { server, calls }: { server: string; calls: RunningCalls },
): void {
  async function respond<T>(
    { id, signal }: { id: RequestId; signal: AbortSignal },
    callback: (context: McpRequestContext) => T | Promise<T>,
  ): Promise<T> {
    const call = calls.find(id);
    if (call === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, unassignableMessage);
    try {
      return await call.respond(signal, async signalOfRequest =>
        callback({ ...call.facts, signal: signalOfRequest }),
      );
    } catch {
      // The host's error may contain information that the server must not receive.
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The host could not respond.');
    }
  }

  if (onElicitation) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq: request }) => {
      if (params.mode === 'url')
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Only forms are supported.');
      return respond(request, context => onElicitation(params, context));
    });
  }
  if (onSampling) {
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq: request }) =>
      respond(request, context => onSampling(params, context)),
    );
  }
  if (onLog) {
    client.setNotificationHandler('notifications/message', ({ params }) =>
      onLog(params, { server, ...calls.only?.facts }),
    );
  }
}

const unassignableMessage =
  'The request does not belong to exactly one running tool call, so no user can respond to it. ' +
  'Send it while the call runs, over Streamable HTTP on the response stream of the call.';
