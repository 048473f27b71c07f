import { APICallError } from '@ai-sdk/provider';
import { linkSignal, toTimerDelay, wait } from '../core/shared/abort.js';
import { KelivoError } from '../core/shared/errors.js';
import { idOf, numberOf, objectOf, type PlainObject, tryParseJson } from '../core/shared/json.js';
import { repeat } from '../core/shared/repeat.js';
import type { ErrorContext } from '../core/http/api-error.js';
import {
  createSseParser,
  RESPONSE_LIMITS,
  ResponseLimitError,
  type SseEvent,
} from '../core/http/text-stream.js';
import { type OpenedResponse, openResponse, RESPONSE_CLOSED } from '../core/http/open-response.js';
import { toRetryAfter } from '../core/http/retry.js';
import {
  toCancelledError,
  toGoneError,
  toLimitError,
  toLostError,
  toTruncationError,
} from './background-errors.js';
import { isInBackground } from './echo.js';
import type { ResponseRequest, ResponseSource, ResponseTransport } from './transport.js';

/*
 * Responses that run in the background of the server. When a connection breaks, the missing events or the state of the
 * response are requested.
 *
 * https://platform.openai.com/docs/guides/background
 */

export interface BackgroundOptions {
  /** A response of an earlier request to continue. */
  readonly resume?: ResumedResponse | undefined;
  /** Delay before the first request for the state, in milliseconds. @default 1000 */
  readonly pollInterval?: number | undefined;
}

/** A response of an earlier request. */
export interface ResumedResponse {
  readonly responseId: string;
  /** Number of the last event that was received. The stream is read from its beginning, to know what it continues. */
  readonly sequenceNumber?: number | undefined;
}

/** Each request for the state waits longer than the one before, up to a maximum in milliseconds. */
const POLL_GROWTH = 1.5;
const MAX_POLL_INTERVAL = 15_000;

/** Number of connections in a row that may fail. */
const MAX_FAILURES = 6;
const FIRST_RETRY_DELAY = 100;

/** Limits of repeated requests if the settings have none, and of cancelling, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;
const CANCEL_TIMEOUT = 10_000;

/** Creates the transport of one call in background mode. Its responses are one body that does not break. */
export const backgroundTransport = (options: BackgroundOptions): ResponseTransport => ({
  open: request => openInBackground({ ...request, ...options }),
});

type BackgroundRequest = ResponseRequest & BackgroundOptions;

/**
 * Creates a response in the background, or continues one, and returns when its id is known. An abort cancels the response
 * on the server.
 */
async function openInBackground(options: BackgroundRequest): Promise<ResponseSource> {
  const { url, signal: outer, timeouts, resume } = options;
  outer?.throwIfAborted();
  const request = linkSignal(outer);
  const { signal } = request;
  const tracker = createTracker(resume?.responseId);
  const connections = createConnections({ ...options, signal }, tracker);
  let isEnded = false;
  const total = startTotalLimit();

  try {
    const { headers, errorContext, redactKnown } = await connections.open();
    const texts = connections.read();
    // Servers send events of their own before the response.
    const first: IteratorResult<string, undefined>[] = [];
    while (!tracker.hasBegun && first.at(-1)?.done !== true) first.push(await texts.next());
    return {
      headers,
      errorContext,
      redactKnown,
      async read() {
        const next = first.shift() ?? (await texts.next().catch(fail));
        return next.done === true ? undefined : new TextEncoder().encode(next.value);
      },
      close: () => end({ cancels: true }),
      background: { responseId: tracker.responseId, leave: () => end({ cancels: false }) },
    };
  } catch (error) {
    return fail(error);
  }

  function startTotalLimit(): ReturnType<typeof setTimeout> | undefined {
    const { total: limit } = timeouts;
    if (limit === undefined) return undefined;
    return setTimeout(() => request.abort(toLimitError(tracker, limit, url)), toTimerDelay(limit));
  }

  /** Ends the reading after a failure. After an abort or a time limit, nobody will read the response. */
  function fail(error: unknown): never {
    const { aborted, reason } = signal;
    end({ cancels: aborted });
    throw aborted ? reason : error;
  }

  function end({ cancels }: { cancels: boolean }): void {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(total);
    const isLost = KelivoError.isInstance(outer?.reason) && isKept(outer.reason, resume);
    connections.close();
    request.release();
    request.abort(RESPONSE_CLOSED);
    if (cancels && !isLost && !tracker.isOver && tracker.responseId !== undefined)
      void cancel(options, tracker);
  }
}

type ConnectionOptions = BackgroundRequest & { readonly signal: AbortSignal };

function createConnections(options: ConnectionOptions, tracker: Tracker) {
  const { url, headers, needsKey, fetch, signal, timeouts, resume, body, toInputJson } = options;
  /** The events are read. Otherwise the state of the response is requested until it is complete. */
  const stream = body.stream === true;
  let connection: OpenedResponse | undefined;
  let failures = 0;
  /** True if the server cannot stream the response again. */
  let isPolling = !stream;
  /** True if the state of a streamed response is requested next, because its stream does not continue. */
  let checksState = resume !== undefined && resume.sequenceNumber === undefined;
  let pause = options.pollInterval ?? 1_000;

  return {
    /** Opens the first connection, which creates the response unless it exists. */
    open: async () => (connection = await (resume === undefined ? create() : openNext({ isFirst: true }))),
    read,
    close: () => connection?.close(),
  };

  function create(): Promise<OpenedResponse> {
    const { connect, idle } = timeouts;
    return openResponse({
      url,
      headers,
      needsKey,
      body,
      toInputJson,
      fetch,
      signal,
      timeouts: stream ? { connect, idle } : {},
    });
  }

  /** Reads all connections as the text of one stream. */
  async function* read(): AsyncGenerator<string, undefined> {
    for (;;) {
      const current = (connection ??= await openNext());
      let isNew = false;
      try {
        for await (const event of eventsOf(current)) {
          const text = tracker.take(event, current.errorContext);
          if (text === undefined) continue;
          isNew = true;
          failures = 0;
          // An unfinished state has no text.
          if (text !== '') yield text;
          if (tracker.isOver) return undefined;
        }
      } catch (error) {
        if (signal.aborted || tracker.responseId === undefined || !isTransient(error)) throw error;
      } finally {
        current.close();
      }
      connection = undefined;
      if (tracker.responseId === undefined) throw toTruncationError(current.errorContext);
      if (isNew) checksState = false;
      else if (++failures > MAX_FAILURES) throw toLostError(tracker, failures, current.errorContext);
      // The response may have ended in another way.
      else checksState = failures > 1;
    }
  }

  /** Opens the next connection: the stream after the last event, or the state of the response. */
  async function openNext({ isFirst = false } = {}): Promise<OpenedResponse> {
    if (failures > 0 || !isFirst) {
      const delay = takePause();
      if (delay > 0) await wait(delay, signal);
    }
    return repeat(request, pauseAfter, signal);
  }

  function request(): Promise<OpenedResponse> {
    const { connect = REQUEST_TIMEOUT, idle } = timeouts;
    const isState = isPolling || checksState;
    return openResponse({
      method: 'GET',
      url: toUrl(options, tracker, { isState }),
      headers,
      needsKey,
      fetch,
      signal,
      timeouts: { connect, idle: isState ? (idle ?? REQUEST_TIMEOUT) : idle },
    });
  }

  /** Decides what to request after a failure, and when. Throws if the response is gone or its server stays away. */
  function pauseAfter(error: unknown): number | undefined {
    if (!APICallError.isInstance(error)) return undefined;
    const isRefused = !isTransient(error);
    const isGone = error.statusCode === 404 || ((isPolling || checksState) && isRefused);
    if (isGone) throw toGoneError(tracker, error, resume);
    if (isRefused) isPolling = true;
    else if (++failures > MAX_FAILURES)
      throw toLostError(tracker, failures, {
        url: error.url,
        responseHeaders: error.responseHeaders,
        cause: error,
      });
    checksState ||= failures > 1;
    return takePause(toRetryAfter(error.responseHeaders, Date.now()));
  }

  /** Returns the time before the next request, in milliseconds. The one between requests for the state grows. */
  function takePause(requested?: number): number {
    const backOff = failures === 0 ? 0 : (requested ?? FIRST_RETRY_DELAY * 2 ** (failures - 1));
    if (!isPolling && !checksState) return backOff;
    const delay = Math.max(pause, backOff);
    pause = Math.max(pause, Math.min(pause * POLL_GROWTH, MAX_POLL_INTERVAL));
    return delay;
  }
}

/** Returns the address of the state of the response, or of its stream after the last event. */
function toUrl(
  options: BackgroundRequest,
  tracker: Tracker,
  { isState = false, action = '' }: { isState?: boolean; action?: string },
): string {
  const address = new URL(options.url);
  address.pathname += `/${encodeURIComponent(tracker.responseId ?? '')}${action}`;
  if (action !== '') return address.href;
  for (const value of options.body.include ?? []) address.searchParams.append('include[]', value);
  if (!isState) address.searchParams.set('stream', 'true');
  if (!isState && tracker.lastEvent >= 0)
    address.searchParams.set('starting_after', String(tracker.lastEvent));
  return address.href;
}

async function cancel(options: BackgroundRequest, tracker: Tracker): Promise<void> {
  const { headers, needsKey, fetch } = options;
  const url = toUrl(options, tracker, { action: '/cancel' });
  try {
    const timeouts = { total: CANCEL_TIMEOUT };
    const cancelled = await openResponse({ url, headers, needsKey, fetch, timeouts });
    cancelled.close();
  } catch {
    // The response may have ended, and nobody waits for it.
  }
}

/** Returns true if another process may continue the response: the turn is durable, and only this process has ended it. */
const isKept = (error: KelivoError, resume: ResumedResponse | undefined): boolean =>
  error.code === 'turn-running' ||
  error.code === 'journal-failed' ||
  (error.code === 'closed' && resume !== undefined);

/** An event of a connection, or a document in place of the stream. */
interface ReceivedEvent extends SseEvent {
  readonly isDocument?: boolean;
}

async function* eventsOf(response: OpenedResponse): AsyncGenerator<ReceivedEvent, undefined> {
  const decoder = new TextDecoder();
  let events: ReceivedEvent[] = [];
  const parser = createSseParser(event => events.push(event));
  let beginning = '';
  let isDocument: boolean | undefined;
  for (;;) {
    const bytes = await response.read();
    beginning += decoder.decode(bytes, { stream: bytes !== undefined });
    if (isDocument === undefined && beginning.trim() !== '') isDocument = /^\s*[{[<]/.test(beginning);
    if (isDocument === false) {
      parser.feed(beginning);
      beginning = '';
      // An event without its blank line may be truncated.
      yield* events;
      events = [];
    } else if (beginning.length > RESPONSE_LIMITS.eventLength) {
      throw new ResponseLimitError('eventLength', 'characters of JSON');
    }
    if (bytes !== undefined) continue;
    if (isDocument === true) {
      if (/^\s*\{/.test(beginning) && tryParseJson(beginning) === undefined)
        throw toTruncationError(response.errorContext);
      yield { event: undefined, data: beginning, isDocument };
    }
    return undefined;
  }
}

const PENDING: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

const BEGINNING = /^(?:response\.|error$)/;
const TERMINAL_EVENTS = /^(?:response\.(?:completed|incomplete|failed|done)|error)$/;

/** The facts of a response that its events have in common. */
interface Tracker {
  readonly responseId: string | undefined;
  readonly status: unknown;
  readonly lastEvent: number;
  readonly isOver: boolean;
  /** True after an event of the response, which shows whether it runs in the background. */
  readonly hasBegun: boolean;
  /**
   * Takes over an event. Returns its text for the reader, `''` for an unfinished state, and undefined for an event that
   * was received before.
   */
  take(event: ReceivedEvent, context: ErrorContext): string | undefined;
}

function createTracker(responseId: string | undefined): Tracker {
  const tracker = {
    responseId,
    status: undefined as unknown,
    lastEvent: -1,
    isOver: false,
    hasBegun: responseId !== undefined,
    take({ event, data, isDocument = false }: ReceivedEvent, context: ErrorContext): string | undefined {
      const fields = objectOf(tryParseJson(data)) ?? {};
      const isState = isDocument && typeof fields.status === 'string';
      const response: PlainObject = (isState ? fields : objectOf(fields.response)) ?? {};
      const type = idOf(fields.type) ?? event ?? '';
      const number = numberOf(fields.sequence_number);
      if (number !== undefined && number <= tracker.lastEvent) return undefined;
      tracker.lastEvent = number ?? tracker.lastEvent;
      // A response that ran at once cannot be read again.
      if (isInBackground(response)) tracker.responseId ??= idOf(response.id);
      tracker.hasBegun ||= isDocument || BEGINNING.test(type);
      tracker.status = response.status ?? tracker.status;
      if (response.status === 'cancelled') throw toCancelledError(tracker, context);
      if (isState) {
        if (PENDING.has(response.status)) return '';
        tracker.isOver = true;
        const end = `response.${String(response.status)}`;
        return toText({ event: end, data: JSON.stringify({ type: end, response }) });
      }
      tracker.isOver = isDocument || TERMINAL_EVENTS.test(type);
      return isDocument ? data : toText({ event, data });
    },
  };
  return tracker;
}

function toText(sseEvent: SseEvent): string {
  const lines = sseEvent.data.split('\n').map(line => `data: ${line}\n`);
  return `${sseEvent.event === undefined ? '' : `event: ${sseEvent.event}\n`}${lines.join('')}\n`;
}

const isTransient = (error: unknown): boolean => APICallError.isInstance(error) && error.isRetryable;
