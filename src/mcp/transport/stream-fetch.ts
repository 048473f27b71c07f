import type { FetchLike, RequestId } from '@modelcontextprotocol/client';
import { type LinkedSignal, linkSignal } from '../../shared/abort.js';
import { objectOf, tryParseJson } from '../../shared/json.js';
import { createLineSplitter } from '../../http/text-stream.js';
import { streamEndedMessage } from './failures.js';

/*
 * Corrects how the Streamable HTTP transport of the MCP SDK (2.4.0) handles streams:
 *
 * - If a POST stream ends without a response, the call waits for its timeout, also after the last attempt to resume the
 *   stream (https://github.com/modelcontextprotocol/typescript-sdk/issues/2739). Here a stream that cannot be resumed
 *   fails its call immediately. Since revision 2026-07-28 no stream can be resumed, whatever event ids it has.
 * - Before that revision, the stream of a cancelled call stays open until the server ends it, and is then resumed. Here it
 *   is closed, and not resumed.
 * - A separate GET stream is opened, which keeps an idle Node process alive. Unless `listens` is set, it gets status 405,
 *   which means "not offered".
 * - It does not report on which stream a request of the server arrived. Here it is reported.
 *
 * Tests of the bare SDK: "Streamable HTTP" in test/mcp/sdk-corrections.test.ts.
 */

const CANCELLED = new DOMException('The request was cancelled.', 'AbortError');

interface StreamFetchOptions {
  listens?: boolean;
  /** Called before the SDK reads a request of the server that arrives on the response stream of a call. */
  onServerRequest?: (requestId: RequestId, options: { callId: RequestId }) => void;
}

/** Creates a `fetch` for the SDK's Streamable HTTP transport. */
export function createStreamFetch(
  fetch: FetchLike,
  { listens = false, onServerRequest }: StreamFetchOptions = {},
): FetchLike {
  /** Requests without a response, each with the signal that ends its stream. */
  const pending = new Map<RequestId, LinkedSignal>();
  const resumed = new Set<LinkedSignal>();
  /** The calls of streams that can be resumed, by the id of the last event. Undefined if several have the same id. */
  const owners = new Map<string, RequestId | undefined>();

  /** Creates a scanner for the stream of a call. */
  function scan(callId: RequestId | undefined, onResponse = settle): ResponseScanner {
    return createResponseScanner({
      onResponse,
      onRequest: id => {
        if (callId !== undefined) onServerRequest?.(id, { callId });
      },
    });
  }

  function rememberOwner(callId: RequestId | undefined, { lastEventId }: ResponseScanner): void {
    if (lastEventId === undefined || callId === undefined || !pending.has(callId)) return;
    const isShared = owners.has(lastEventId) && owners.get(lastEventId) !== callId;
    owners.set(lastEventId, isShared ? undefined : callId);
  }

  /** Sends a request. Its stream is passed on unchanged, with an event added at its end if needed. */
  async function post(url: string | URL, init: RequestInit, id: RequestId): Promise<Response> {
    const link = linkSignal(init.signal ?? undefined);
    pending.set(id, link);
    try {
      const response = await fetch(url, { ...init, signal: link.signal });
      if (!isEventStream(response)) {
        // Any other body contains the response or means that there is none.
        pending.delete(id);
        return withBody(response, { onEnd: () => void link.release() });
      }
      let hasResponse = false;
      const scanner = scan(id, receivedId => {
        settle(receivedId);
        hasResponse ||= receivedId === id;
      });
      // Requests since revision 2026-07-28 name their method in a header.
      const canResume = !new Headers(init.headers).has('mcp-method');
      return withBody(response, {
        onChunk: scanner.push,
        onEnd: () => {
          link.release();
          const isResumable = canResume && scanner.lastEventId !== undefined;
          if (link.signal.aborted) return isResumable ? toEmptyResult(id) : '';
          rememberOwner(id, scanner);
          if (hasResponse || isResumable) return undefined;
          pending.delete(id);
          return toEvent({ id, error: { code: -32000, message: streamEndedMessage } });
        },
      });
    } catch (error) {
      pending.delete(id);
      link.release();
      throw error;
    }
  }

  /** Sends the GET request with which the SDK resumes a broken POST stream. */
  async function resume(url: string | URL, init: RequestInit): Promise<Response> {
    const link = linkSignal(init.signal ?? undefined);
    const callId = owners.get(new Headers(init.headers).get('last-event-id') ?? '');
    resumed.add(link);
    const release = () => {
      resumed.delete(link);
      link.release();
    };
    try {
      const response = await fetch(url, { ...init, signal: link.signal });
      const scanner = scan(callId);
      return withBody(response, {
        onChunk: scanner.push,
        onEnd: () => {
          release();
          rememberOwner(callId, scanner);
          return link.signal.aborted ? toEmptyResult('cancelled') : undefined;
        },
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  function settle(id: RequestId): void {
    pending.delete(id);
    for (const [eventId, callId] of owners) if (callId === id) owners.delete(eventId);
  }

  function cancel(id: RequestId): void {
    pending.get(id)?.abort(CANCELLED);
    settle(id);
    // Only the server knows which request a resumed stream belongs to.
    if (pending.size === 0) for (const link of resumed) link.abort(CANCELLED);
  }

  return async (url, init = {}) => {
    const message = readMessage(init);
    if (message?.method === 'notifications/cancelled') {
      // Notifies the server first, which might treat a closed stream as a client that will reconnect.
      return fetch(url, init).finally(() => cancel(message.params?.requestId ?? ''));
    }
    if (message?.method !== undefined && message.id !== undefined) return post(url, init, message.id);
    const headers = new Headers(init.headers);
    if (init.method !== 'GET' || headers.get('accept') !== 'text/event-stream') return fetch(url, init);
    if (headers.has('last-event-id') && pending.size > 0) return resume(url, init);
    return listens ? fetch(url, init) : new Response(null, { status: 405 });
  };
}

interface PostedMessage {
  method?: string;
  id?: RequestId;
  params?: { requestId?: RequestId };
}

function withBody({ body, status, statusText, headers }: Response, options: TrailerOptions): Response {
  return new Response(body && withTrailer(body, options), { status, statusText, headers });
}

/** Only a response keeps the SDK from resuming a stream. No call waits for this one. */
function toEmptyResult(id: RequestId): string {
  return toEvent({ id, result: {} });
}

/** Starts with blank lines, so that the event is separate even after an incomplete event. */
function toEvent(message: object): string {
  return `\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

/** Reads the JSON-RPC message of a POST request of the SDK. */
function readMessage({ method, body }: RequestInit): PostedMessage | undefined {
  return method === 'POST' && typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : undefined;
}

function isEventStream(response: Response): boolean {
  return response.ok && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
}

interface ResponseScanner {
  readonly push: (chunk: Uint8Array) => void;
  /** The id of the last event that had one. The SDK can then resume the stream. */
  readonly lastEventId: string | undefined;
}

/** Reads an SSE stream of an MCP server and reports each JSON-RPC response and request in it. @internal */
export function createResponseScanner({
  onResponse,
  onRequest,
}: {
  onResponse: (id: RequestId) => void;
  onRequest?: (id: RequestId) => void;
}): ResponseScanner {
  const decoder = new TextDecoder();
  const lines = createLineSplitter(readLine);
  let data: string[] = [];
  let lastEventId: string | undefined;

  function readLine(line: string): void {
    if (line === '') readEvent();
    else if (line.startsWith('data:')) data.push(line.slice('data:'.length));
    else lastEventId = /^id: ?(.+)/.exec(line)?.[1] ?? lastEventId;
  }

  function readEvent(): void {
    const text = data.join('\n');
    data = [];
    if (!/"(result|error|id)"/.test(text)) return;
    // The SDK reports text that is not JSON.
    const message = objectOf(tryParseJson(text));
    const { id, method } = message ?? {};
    if (message === undefined || (typeof id !== 'string' && typeof id !== 'number')) return;
    if (method !== undefined) onRequest?.(id);
    else if ('result' in message || 'error' in message) onResponse(id);
  }

  return {
    push(chunk) {
      lines.push(decoder.decode(chunk, { stream: true }));
    },
    get lastEventId() {
      return lastEventId;
    },
  };
}

interface TrailerOptions {
  onChunk?: (chunk: Uint8Array) => void;
  /**
   * Called once when the body ends or fails. A returned text replaces the end or the error; `undefined` leaves it
   * unchanged.
   */
  onEnd: () => string | undefined;
  /** Maximum size of the body. A longer one fails. @default 256 MiB */
  maxBytes?: number;
}

/** Maximum size of one body, equal to the limit for one message of a process. */
const maxBodyBytes = 256 * 1024 * 1024;

/** Passes a body on unchanged and may append text at its end. @internal */
export function withTrailer(
  body: ReadableStream<Uint8Array>,
  { onChunk, onEnd, maxBytes = maxBodyBytes }: TrailerOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let byteCount = 0;

  async function readNext(): Promise<{ value?: Uint8Array; done?: boolean; error?: unknown }> {
    try {
      const next = await reader.read();
      byteCount += next.value?.byteLength ?? 0;
      if (byteCount <= maxBytes) return next;
      await reader.cancel();
      throw new Error(`The server sent more than ${maxBytes} bytes.`);
    } catch (error) {
      return { error };
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done, error } = await readNext();
      if (value) {
        onChunk?.(value);
        controller.enqueue(value);
        return;
      }
      const trailer = onEnd();
      if (!done && trailer === undefined) return controller.error(error);
      if (trailer) controller.enqueue(new TextEncoder().encode(trailer));
      controller.close();
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
