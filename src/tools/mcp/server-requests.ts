import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ErrorCode,
  LoggingMessageNotificationSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { type LinkedSignal, linkSignal, untilAborted } from '../../shared/abort.js';
import type { McpCallbacks } from './options.js';

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
      throw new McpError(ErrorCode.InternalError, 'The host could not answer.');
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
