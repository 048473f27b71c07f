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
import type { McpCallbacks } from './mcp-callbacks.js';

/** The requests of a server to its host that are under way. */
export interface ServerRequests {
  /** When the server last waited for the host, by `performance.now()`: now, while it does. */
  readonly lastAwaitedAt: number;
  /** Tells the callbacks that nobody waits for their answers any more. */
  withdraw(reason: unknown): void;
}

/** What to declare to a server: only what there is a callback for. */
export function toCapabilities({ onElicitation, onSampling }: McpCallbacks): ClientCapabilities {
  return {
    ...(onElicitation && { elicitation: { form: { applyDefaults: true } } }),
    ...(onSampling && { sampling: {} }),
  };
}

/** Lets the host's callbacks answer a server. */
export function handleServerRequests(
  client: Client,
  { onElicitation, onSampling, onLog }: McpCallbacks,
  { server }: { server: string },
): ServerRequests {
  const asking = new Set<LinkedSignal>();
  let lastAwaitedAt = 0;

  async function ask<T>(
    outer: AbortSignal,
    answer: (context: { server: string; signal: AbortSignal }) => T | Promise<T>,
  ): Promise<T> {
    const link = linkSignal(outer);
    asking.add(link);
    try {
      const answering = (async () => answer({ server, signal: link.signal }))();
      return await untilAborted(answering, link.signal);
    } catch {
      // The reason is the host's business: its words may hold what a server should not learn.
      throw new McpError(ErrorCode.InternalError, 'The host could not answer.');
    } finally {
      asking.delete(link);
      link.release();
      lastAwaitedAt = performance.now();
    }
  }

  if (onElicitation) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
      if (params.mode === 'url') throw new McpError(ErrorCode.InvalidParams, 'Only forms are supported.');
      return ask(signal, context => onElicitation(params, context));
    });
  }
  if (onSampling) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) =>
      ask(signal, context => onSampling(params, context)),
    );
  }
  if (onLog) {
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
      onLog(params, { server }),
    );
  }

  return {
    get lastAwaitedAt() {
      return asking.size > 0 ? performance.now() : lastAwaitedAt;
    },
    withdraw(reason) {
      for (const link of asking) link.abort(reason);
    },
  };
}
