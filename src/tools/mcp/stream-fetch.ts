import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { type LinkedSignal, linkSignal } from '../../shared/abort.js';
import { createResponseScanner } from './answer-scanner.js';
import { withTrailer } from './followed-by.js';
import { streamEndedMessage } from './failures.js';

const CANCELLED = new DOMException('The request was cancelled.', 'AbortError');

/**
 * A `fetch` for the SDK's Streamable HTTP transport that mends how it treats streams (measured with 1.32.2):
 *
 * - A POST stream that ends without the answer leaves the call waiting for its timeout: here it fails at once.
 * - The stream of a cancelled call stays open until the server ends it: here it is closed.
 * - After a JSON-RPC error, or when nobody waits any more, a stream is taken up again: here it is not.
 * - The stand-alone GET stream keeps an idle Node alive: unless `listens`, it is answered with 405, "not offered".
 */
export function createStreamFetch(
  fetch: FetchLike,
  { listens = false }: { listens?: boolean } = {},
): FetchLike {
  /** Requests without an answer, each with what ends its stream. */
  const waiting = new Map<RequestId, LinkedSignal>();
  const resumed = new Set<LinkedSignal>();

  async function post(url: string | URL, init: RequestInit, id: RequestId): Promise<Response> {
    const controller = linkSignal(init.signal ?? undefined);
    waiting.set(id, controller);
    try {
      const response = await fetch(url, { ...init, signal: controller.signal });
      if (isEventStream(response))
        return watchPost(response, { id, signal: controller.signal, onEnd: controller.release });
      // Any other body is the answer, or says that there will be none.
      waiting.delete(id);
      return withBody(response, { onEnd: () => void controller.release() });
    } catch (error) {
      waiting.delete(id);
      controller.release();
      throw error;
    }
  }

  /** Passes the stream on unchanged; only what follows its end is ours. */
  function watchPost(response: Response, { id, signal, onEnd }: WatchPostOptions): Response {
    let answer: 'result' | 'error' | undefined;
    const scanner = createResponseScanner({
      onAnswer: (answeredId, kind) => {
        waiting.delete(answeredId);
        if (answeredId === id) answer = kind;
      },
    });
    return withBody(response, {
      onChunk: chunk => scanner.push(chunk),
      onEnd: () => {
        onEnd();
        if (signal.aborted || answer === 'error') return scanner.isResumable ? toSettlingEvent(id) : '';
        if (answer || scanner.isResumable) return undefined;
        waiting.delete(id);
        return toEvent({ id, error: { code: -32000, message: streamEndedMessage } });
      },
    });
  }

  /** The GET stream with which the SDK takes up a broken POST stream. */
  async function resume(url: string | URL, init: RequestInit): Promise<Response> {
    const controller = linkSignal(init.signal ?? undefined);
    resumed.add(controller);
    const settle = () => {
      resumed.delete(controller);
      controller.release();
    };
    try {
      const response = await fetch(url, { ...init, signal: controller.signal });
      const scanner = createResponseScanner({ onAnswer: id => waiting.delete(id) });
      return withBody(response, {
        onChunk: chunk => scanner.push(chunk),
        onEnd: () => {
          settle();
          return controller.signal.aborted ? toSettlingEvent('cancelled') : undefined;
        },
      });
    } catch (error) {
      settle();
      throw error;
    }
  }

  function cancel(id: RequestId): void {
    waiting.get(id)?.abort(CANCELLED);
    waiting.delete(id);
    // Which request a resumed stream belongs to only the server knows.
    if (waiting.size === 0) for (const controller of resumed) controller.abort(CANCELLED);
  }

  return async (url, init = {}) => {
    const message = readMessage(init);
    if (message?.method === 'notifications/cancelled') {
      // The server is told first: it may take a lost stream for a client that will be back.
      return fetch(url, init).finally(() => cancel(message.params?.requestId ?? ''));
    }
    if (message?.method !== undefined && message.id !== undefined) return post(url, init, message.id);
    if (!isListening(init)) return fetch(url, init);
    const isResume = new Headers(init.headers).has('last-event-id');
    if (isResume && waiting.size > 0) return resume(url, init);
    return listens ? fetch(url, init) : new Response(null, { status: 405 });
  };
}

interface PostedMessage {
  method?: string;
  id?: RequestId;
  params?: { requestId?: RequestId };
}

interface WatchPostOptions {
  id: RequestId;
  signal: AbortSignal;
  onEnd: () => void;
}

function withBody(
  { body, status, statusText, headers }: Response,
  options: Parameters<typeof withTrailer>[1],
): Response {
  return new Response(body && withTrailer(body, options), { status, statusText, headers });
}

/** A result is the one thing that keeps the SDK from resuming; nobody waits for this one. */
function toSettlingEvent(id: RequestId): string {
  return toEvent({ id, result: {} });
}

/** An event of its own, also behind half an event. */
function toEvent(message: object): string {
  return `\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

/** The JSON-RPC message of a POST, which the SDK made. */
function readMessage({ method, body }: RequestInit): PostedMessage | undefined {
  return method === 'POST' && typeof body === 'string' && body.startsWith('{')
    ? Object(JSON.parse(body))
    : undefined;
}

function isListening({ method, headers }: RequestInit): boolean {
  return method === 'GET' && new Headers(headers).get('accept') === 'text/event-stream';
}

function isEventStream(response: Response): boolean {
  return response.ok && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
}
