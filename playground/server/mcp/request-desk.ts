import { randomUUID } from 'node:crypto';
import type { PendingRequest, RequestResponse } from '../../shared/mcp-inspection.js';

/** Requests of MCP servers that wait for the user: forms, pages to open, and completions. */
export interface RequestDesk {
  /** Asks the user. Rejects when the signal aborts, because the call of the request has ended. */
  ask(
    request: Omit<PendingRequest, 'id' | 'conversationId'>,
    options: { signal: AbortSignal },
  ): Promise<RequestResponse>;
  pending(): readonly PendingRequest[];
  /** Returns false if the request is no longer pending. */
  respond(id: string, response: RequestResponse): boolean;
}

/** @param onChange Called when the pending requests have changed. */
export function createRequestDesk({ onChange }: { onChange: () => void }): RequestDesk {
  const waiting = new Map<
    string,
    { request: PendingRequest; resolve: (response: RequestResponse) => void }
  >();
  return {
    ask: (asked, { signal }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const request: PendingRequest = { ...asked, id: randomUUID() };
        const cancel = (): void => {
          waiting.delete(request.id);
          onChange();
          reject(signal.reason);
        };
        signal.addEventListener('abort', cancel, { once: true });
        waiting.set(request.id, {
          request,
          resolve(response) {
            signal.removeEventListener('abort', cancel);
            resolve(response);
          },
        });
        onChange();
      }),
    pending: () => [...waiting.values()].map(({ request }) => request),
    respond(id, response) {
      const found = waiting.get(id);
      if (waiting.delete(id)) onChange();
      found?.resolve(response);
      return found !== undefined;
    },
  };
}
