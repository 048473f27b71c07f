import type { FetchLike, RequestId } from '@modelcontextprotocol/client';
import { type LinkedSignal, linkSignal } from '../../../core/shared/abort.js';
import { tryParseJson } from '../../../core/shared/json.js';
import { createLineSplitter } from '../../../core/http/text-stream.js';
import { streamEndedMessage } from './failures.js';
import { toMisaddressed, toUnreadable, WireMessages } from './wire-messages.js';

/*
 * Corrects how the Streamable HTTP transport of the MCP SDK (2.4.0) handles streams:
 *
 * - If a POST stream ends without a response, the call waits for its timeout, also after the last attempt to resume the
 *   stream (https://github.com/modelcontextprotocol/typescript-sdk/issues/2739). Here a stream that cannot be resumed
 *   fails its call immediately, and no other call. Since revision 2026-07-28 no stream can be resumed, whatever event ids it has.
 * - Before that revision, the stream of a cancelled call stays open until the server ends it, and is then resumed. Here it
 *   is closed, and not resumed.
 * - A separate GET stream is opened, which keeps an idle Node process alive. Unless `listens` is set, it gets status 405,
 *   which means "not offered".
 * - It drops a message with an odd member, and the call waits for its timeout. Here messages are made valid before it reads
 *   them, and an answer that stays unreadable fails its call immediately.
 * - It ignores an answer with status 202, so that the call waits for its timeout, and rejects an answer whose content type is
 *   missing or wrong. Here the content decides, and a call without an answer fails immediately, unless a separate stream may
 *   bring it.
 * - It does not connect to a server that rejects notifications. Here the requests that follow decide.
 * - It does not report on which stream a request of the server arrived. Here it is reported.
 *
 * Tests of the bare SDK: "Streamable HTTP" in test/tools/mcp/sdk-corrections.test.ts.
 */

const CANCELLED = new DOMException('The request was cancelled.', 'AbortError');

/**
 * Creates a `fetch` for the SDK's Streamable HTTP transport.
 *
 * @param listens Opens the separate GET stream.
 * @param onServerRequest Called before the SDK reads a request of the server that arrives on the response stream of a call.
 */
export function createStreamFetch(
  fetch: FetchLike,
  listens = false,
  onServerRequest?: (requestId: RequestId, options: { callId: RequestId }) => void,
): FetchLike {
  const messages = new WireMessages();
  /** Requests without a response, each with the signal that ends its stream. */
  const pending = new Map<RequestId, LinkedSignal>();
  const resumed = new Set<LinkedSignal>();
  /** The calls of streams that can be resumed, by the id of the last event. Undefined if several have the same id. */
  const owners = new Map<string, RequestId | undefined>();

  /** The last event ids of calls whose streams have ended and are resumed. */
  const interrupted = new Map<RequestId, string>();
  /** Numbers of failed attempts to resume a stream, by the id of its last event. */
  const failures = new Map<string, number>();

  /** Creates a scanner for the stream of a call. */
  function scan(callId: RequestId | undefined, onResponse = settle): ResponseScanner {
    return createResponseScanner({
      messages,
      exchangeId: callId,
      onResponse,
      onRequest: id => {
        if (callId !== undefined) onServerRequest?.(id, { callId });
      },
    });
  }

  function rememberOwner(callId: RequestId | undefined, { lastEventId }: ResponseScanner): void {
    if (lastEventId === undefined || callId === undefined || !pending.has(callId)) return;
    interrupted.set(callId, lastEventId);
    const isShared = owners.has(lastEventId) && owners.get(lastEventId) !== callId;
    owners.set(lastEventId, isShared ? undefined : callId);
  }

  /** Sends a request. Its stream is passed on with valid messages, and with an event added at its end if needed. */
  async function post(url: string | URL, init: RequestInit, id: RequestId): Promise<Response> {
    const link = linkSignal(init.signal ?? undefined);
    pending.set(id, link);
    try {
      const received = await fetch(url, { ...init, signal: link.signal });
      const response = received.ok ? await withOwnType(received, { listens }) : received;
      if (!isEventStream(response)) {
        // Any other body contains the response or means that there is none.
        pending.delete(id);
        const answer = withBody(response, { onEnd: () => void link.release() });
        return response.ok && isJson(response) ? toReadableAnswer(answer, id, messages) : answer;
      }
      let hasResponse = false;
      const scanner = scan(id, receivedId => {
        settle(receivedId);
        hasResponse ||= receivedId === id;
      });
      // Requests since revision 2026-07-28 name their method in a header.
      const canResume = !new Headers(init.headers).has('mcp-method');
      return withBody(response, {
        scanner,
        onEnd: () => {
          link.release();
          const isResumable = canResume && scanner.lastEventId !== undefined;
          if (link.signal.aborted) return isResumable ? toEmptyResult(id) : '';
          rememberOwner(id, scanner);
          if (hasResponse || isResumable) return undefined;
          pending.delete(id);
          messages.forget(id);
          return toMissingAnswer(id, scanner);
        },
      });
    } catch (error) {
      pending.delete(id);
      link.release();
      throw error;
    }
  }

  /** Returns the end of the stream of calls that cannot be resumed: their errors. */
  function fail(ids: readonly RequestId[]): string {
    for (const id of ids) {
      settle(id);
      messages.forget(id);
    }
    return ids.map(toStreamEnd).join('');
  }

  /**
   * Ends the calls of a stream that is not resumed any more, so that the others of the session go on. Returns undefined if the
   * SDK tries again, or if the stream belongs to no call.
   */
  function giveUp(eventId: string, response?: Response): Response | undefined {
    const count = (failures.get(eventId) ?? 0) + 1;
    failures.set(eventId, count);
    if (count < maxResumes && !isRefusal(response?.status)) return undefined;
    failures.delete(eventId);
    const ids = [...interrupted].flatMap(([id, last]) => (last === eventId ? [id] : []));
    if (ids.length === 0) return undefined;
    response?.body?.cancel().catch(() => {});
    return new Response(fail(ids), { headers: { 'content-type': 'text/event-stream' } });
  }

  /** Sends the GET request with which the SDK resumes a broken POST stream. */
  async function resume(url: string | URL, init: RequestInit): Promise<Response> {
    const link = linkSignal(init.signal ?? undefined);
    const eventId = new Headers(init.headers).get('last-event-id') ?? '';
    const callId = owners.get(eventId);
    resumed.add(link);
    const release = () => {
      resumed.delete(link);
      link.release();
    };
    try {
      const response = await fetch(url, { ...init, signal: link.signal });
      if (!isEventStream(response)) {
        release();
        return giveUp(eventId, response) ?? response;
      }
      failures.delete(eventId);
      const scanner = scan(callId);
      return withBody(response, {
        scanner,
        onEnd: () => {
          release();
          rememberOwner(callId, scanner);
          if (link.signal.aborted) return toEmptyResult('cancelled');
          // Without an id, the SDK does not ask for this stream again.
          const isOver = scanner.lastEventId === undefined && callId !== undefined && pending.has(callId);
          return isOver ? fail([callId]) : undefined;
        },
      });
    } catch (error) {
      release();
      const ended = link.signal.aborted ? undefined : giveUp(eventId);
      if (ended !== undefined) return ended;
      throw error;
    }
  }

  function settle(id: RequestId): void {
    pending.delete(id);
    failures.delete(interrupted.get(id) ?? '');
    interrupted.delete(id);
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
    messages.sent(message);
    if (message?.method === 'notifications/cancelled') {
      // Notifies the server first, which might treat a closed stream as a client that will reconnect.
      return fetch(url, init).finally(() => cancel(message.params?.requestId ?? ''));
    }
    if (message?.method !== undefined)
      return message.id === undefined ? toAccepted(await fetch(url, init)) : post(url, init, message.id);
    if (!isListening(init)) return fetch(url, init);
    if (new Headers(init.headers).has('last-event-id') && pending.size > 0) return resume(url, init);
    return listens ? readStream(await fetch(url, init), messages) : new Response(null, { status: 405 });
  };
}

/** Creates a `fetch` for the SDK's SSE transport, on whose stream all messages arrive. */
export const createMessageFetch =
  (fetch: FetchLike, messages = new WireMessages()): FetchLike =>
  async (url, init = {}) => {
    const message = readMessage(init);
    messages.sent(message);
    const response = await fetch(url, init);
    if (init.method !== 'POST') return readStream(response, messages);
    const isNotification = message?.method !== undefined && message.id === undefined;
    return isNotification ? toAccepted(response) : response;
  };

/** Returns the response to a notification. Unless the server requires credentials, what it rejects shows in the next request. */
function toAccepted(response: Response): Response {
  if (response.ok || response.status === 401 || response.status === 403) return response;
  response.body?.cancel().catch(() => {});
  return new Response(null, { status: 202 });
}

/** Returns a stream with valid messages. */
function readStream(response: Response, messages: WireMessages): Response {
  if (!isEventStream(response)) return response;
  const scanner = createResponseScanner({ messages, onResponse: () => {} });
  return withBody(response, { scanner, onEnd: () => undefined });
}

/** Returns the answer to a request as valid messages. */
async function toReadableAnswer(
  response: Response,
  id: RequestId,
  messages: WireMessages,
): Promise<Response> {
  const text = await response.text();
  const read = messages.read(tryParseJson(text), id);
  if (!read.some(message => 'id' in message && message.id === id && !('method' in message))) {
    messages.forget(id);
    const [other] = read.flatMap(message =>
      'id' in message && message.id !== undefined ? [message.id] : [],
    );
    read.push(other === undefined ? toUnreadable(id, text) : toMisaddressed(id, other));
  }
  return Response.json(read.length === 1 ? read[0] : read, {
    status: response.status,
    headers: withoutBodyHeaders(response.headers),
  });
}

/** Returns headers that do not describe the body. */
function withoutBodyHeaders(original: Headers): Headers {
  const headers = new Headers(original);
  for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
  return headers;
}

interface PostedMessage {
  method?: string;
  id?: RequestId;
  params?: { requestId?: RequestId };
}

/**
 * Gives a response the status and the content type with which the SDK reads it. An empty response with status 202 keeps both if
 * the answer may arrive on a separate stream.
 */
async function withOwnType(response: Response, { listens }: { listens: boolean }): Promise<Response> {
  const reader = isEventStream(response) ? undefined : response.body?.getReader();
  const { value: first = new Uint8Array() } = (await reader?.read()) ?? {};
  const start = new TextDecoder().decode(first).trimStart();
  const type = /^[[{]/.test(start)
    ? 'application/json'
    : /^(?:data|event|id|retry)?:/.test(start)
      ? 'text/event-stream'
      : undefined;
  const isEmpty = type === undefined && !isEventStream(response);
  if (response.status === 202 ? isEmpty && listens : reader === undefined) return response;
  const headers = new Headers(response.headers);
  if (type !== undefined) headers.set('content-type', type);
  return new Response(reader ? withFirst(first, reader) : response.body, { headers });
}

/** Returns the body whose first chunk was read. */
const withFirst = (
  first: Uint8Array,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: controller => controller.enqueue(first),
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: reason => reader.cancel(reason),
  });

function withBody({ body, status, statusText, headers }: Response, options: TrailerOptions): Response {
  // An event stream may have no body at all.
  const read = body ?? (options.scanner && new Blob([]).stream());
  return new Response(read && withTrailer(read, options), { status, statusText, headers });
}

/** Only a response keeps the SDK from resuming a stream. No call waits for this one. */
function toEmptyResult(id: RequestId): string {
  return toEvent({ id, result: {} });
}

/** Maximum number of attempts in a row to resume a stream, after which the SDK gives up. */
const maxResumes = 2;

/** Returns true for a status with which a server refuses to resume a stream, now and later. */
const isRefusal = (status = 500): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;

const toStreamEnd = (id: RequestId): string =>
  toEvent({ id, error: { code: -32000, message: streamEndedMessage } });

/** Returns the error of a call whose stream ended without an answer that can be read. */
const toMissingAnswer = (id: RequestId, { unreadable }: ResponseScanner): string =>
  toEvent(
    unreadable === undefined
      ? { id, error: { code: -32000, message: streamEndedMessage } }
      : toUnreadable(id, unreadable),
  );

/** Starts with blank lines, so that the event is separate even after an incomplete event. */
function toEvent(message: object): string {
  return `\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

const isListening = (init: RequestInit): boolean =>
  init.method === 'GET' && new Headers(init.headers).get('accept') === 'text/event-stream';

/** Reads the JSON-RPC message of a POST request of the SDK. */
function readMessage(init: RequestInit): PostedMessage | undefined {
  return init.method === 'POST' && typeof init.body === 'string' && init.body.startsWith('{')
    ? JSON.parse(init.body)
    : undefined;
}

function isEventStream(response: Response): boolean {
  return response.ok && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
}

const isJson = (response: Response): boolean =>
  /^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');

interface ResponseScanner {
  /** Returns the text with valid messages, as far as its events have ended. */
  readonly push: (chunk: Uint8Array) => string;
  /** Returns the rest of a stream that has ended: an event without a line at its end counts if it is whole. */
  readonly end: () => string;
  /** The last event that contains no readable message. */
  readonly unreadable: string | undefined;
  /** The id of the last event that had one. The SDK can then resume the stream. */
  readonly lastEventId: string | undefined;
}

/**
 * Reads an SSE stream of an MCP server, makes its messages valid, and reports each JSON-RPC response and request in it.
 *
 * @internal
 */
export function createResponseScanner({
  onResponse,
  onRequest,
  messages = new WireMessages(),
  exchangeId,
}: {
  onResponse: (id: RequestId) => void;
  onRequest?: (id: RequestId) => void;
  messages?: WireMessages;
  /** The request to which the stream belongs. */
  exchangeId?: RequestId | undefined;
}): ResponseScanner {
  const decoder = new TextDecoder();
  const lines = createLineSplitter(readLine);
  let output: string[] = [];
  let data: string[] = [];
  let isMessage = true;
  let isBeginning = true;
  /** The text of a stream that is a JSON document. */
  let document: string | undefined;
  let lastEventId: string | undefined;
  let unreadable: string | undefined;

  function readText(text: string): void {
    if (isBeginning && text.trim() !== '') {
      isBeginning = false;
      if (/^\s*[[{]/.test(text)) document = '';
    }
    if (document === undefined) lines.push(text);
    else document += text;
  }

  function readLine(line: string): void {
    if (line === '') return readEvent();
    if (line.startsWith('data:')) return void data.push(line.slice('data:'.length).replace(/^ /, ''));
    if (line.startsWith('event:')) isMessage = /^event: ?(?:message)?$/.test(line);
    lastEventId = /^id: ?(.+)/.exec(line)?.[1] ?? lastEventId;
    output.push(`${line}\n`);
  }

  function readEvent(): void {
    const text = data.join('\n');
    const read = isMessage && data.length > 0 ? messages.read(tryParseJson(text), exchangeId) : [];
    if (isMessage && read.length === 0 && text.trim() !== '') unreadable = text;
    for (const message of read) {
      output.push(`data: ${JSON.stringify(message)}\n\n`);
      const id = 'id' in message ? message.id : undefined;
      if (id === undefined) continue;
      if ('method' in message) onRequest?.(id);
      else onResponse(id);
    }
    // The SDK ignores or reports anything else.
    if (read.length === 0) output.push(...data.map(line => `data: ${line}\n`), '\n');
    data = [];
    isMessage = true;
  }

  function take(): string {
    const text = output.join('');
    output = [];
    return text;
  }

  return {
    push(chunk) {
      readText(decoder.decode(chunk, { stream: true }));
      return take();
    },
    end() {
      readText(decoder.decode());
      lines.end();
      if (document !== undefined) data = [document];
      if (tryParseJson(data.join('\n')) !== undefined) readEvent();
      return take();
    },
    get lastEventId() {
      return lastEventId;
    },
    get unreadable() {
      return unreadable;
    },
  };
}

interface TrailerOptions {
  /** Reads the body and returns the text that is passed on. @default the body is passed on unchanged */
  scanner?: Pick<ResponseScanner, 'push' | 'end'>;
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

/** Passes a body on and may append text at its end. @internal */
export function withTrailer(
  body: ReadableStream<Uint8Array>,
  { scanner, onEnd, maxBytes = maxBodyBytes }: TrailerOptions,
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

  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { value, done, error } = await readNext();
        if (value) {
          const passedOn = scanner === undefined ? value : encoder.encode(scanner.push(value));
          if (passedOn.byteLength === 0) continue;
          return controller.enqueue(passedOn);
        }
        const rest = done ? (scanner?.end() ?? '') : '';
        const trailer = onEnd();
        if (!done && trailer === undefined) return controller.error(error);
        if (rest !== '' || trailer) controller.enqueue(encoder.encode(`${rest}${trailer ?? ''}`));
        return controller.close();
      }
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
