import type { CoreCall } from '../core/call.js';
import { NO_FINISH } from '../core/finish.js';
import type { Part, Warning } from '../core/part.js';
import { type PartSource, withParts } from '../core/source.js';
import { retryDelay, type RetryOptions } from '../core/http/retry.js';
import { linkSignal, untilAborted } from '../core/shared/abort.js';
import { repeat } from '../core/shared/repeat.js';
import type { ResponseReader } from './stream/read-response.js';

/*
 * Hosts repeat a call that rejects, but not a stream that fails. A stream therefore opens with its first content, so that a
 * failure before it rejects. While a model thinks there is none: if nothing follows the announcement of the response, the
 * stream opens with that, and a later failure before the content is repeated here.
 */

/** A response whose beginning has been read. */
export interface BegunResponse {
  readonly reader: ResponseReader;
  readonly head: readonly Part[];
  /** The address of the server. */
  readonly url: string;
  /** The body of the request. */
  readonly body: unknown;
  readonly headers: Record<string, string>;
  readonly warnings: () => Warning[];
  readonly close: () => void;
}

/** Returns the function that opens the stream without content. Undefined if it is open or waits for the content. */
export type Opener = () => ((response: BegunResponse) => void) | undefined;

/** The repetitions within an open stream. Without them, streams open with their content. */
export type StreamRetries = Pick<RetryOptions, 'maxRetries' | 'initialDelay'>;

/** Sends the request and reads the response up to its first content. The signal ends the request and the response. */
type Send = (opener: Opener, signal: AbortSignal | undefined) => Promise<BegunResponse>;

/** Opens a stream. */
export async function openStream(call: CoreCall, send: Send, retries: StreamRetries): Promise<PartSource> {
  const { turn, abortSignal } = call;
  // In later rounds, the stream of the turn is open.
  if (retries.maxRetries > 0 && (turn?.round ?? 1) === 1) return openEarly(call, send, retries);
  const neverOpens = (): undefined => {
    abortSignal?.throwIfAborted();
    return undefined;
  };
  return toSource(await send(neverOpens, abortSignal));
}

/** Opens a stream before its content if the server announces the response and is silent then. */
function openEarly(
  { turn, abortSignal }: CoreCall,
  send: Send,
  { maxRetries, initialDelay }: StreamRetries,
): Promise<PartSource> {
  const life = linkSignal(abortSignal);
  let isOpen = false;
  let hasContent = false;
  return new Promise((resolve, reject) => {
    // A tool loop repeats its rounds itself.
    const pauseAfter = (error: unknown, attempt: number): number | undefined =>
      isOpen && turn === undefined ? retryDelay(error, { attempt, maxRetries, initialDelay }) : undefined;
    const content = repeat(() => send(opener, life.signal), pauseAfter, life.signal).then(
      begunResponse => {
        hasContent = true;
        // Only the signal of a host may outlive the response. That of a turn ends with it.
        const isOfHost = abortSignal !== undefined && turn === undefined;
        return isOfHost ? withEnd(begunResponse, life.release) : begunResponse;
      },
      (error: unknown) => {
        life.release();
        throw error;
      },
    );
    content.then(response => resolve(toSource(response)), reject);

    function opener(): ReturnType<Opener> {
      // The stream may have been cancelled.
      life.signal.throwIfAborted();
      return isOpen ? undefined : open;
    }

    function open(response: BegunResponse): void {
      isOpen = true;
      let next = async (): Promise<readonly Part[] | undefined> => {
        const { head, reader } = await untilAborted(content, life.signal).catch(toFailed);
        ({ next } = reader);
        return head.length > 0 ? head : next();
      };
      const cancel = (reason: unknown): void => {
        // Ends an attempt that still waits for its response. One that has content is only closed: an abort cancels it at the server.
        if (!hasContent) life.abort(reason);
        response.close();
        content.then(begunResponse => begunResponse.close()).catch(() => {});
      };
      resolve(toSource(response, { next: () => next(), cancel }));
    }

    function toFailed(error: unknown): Pick<BegunResponse, 'head' | 'reader'> {
      if (life.signal.aborted) throw error;
      const finish: Part = { ...NO_FINISH, finishReason: { unified: 'error', raw: undefined } };
      return { head: [{ type: 'error', error }, finish], reader: NO_MORE };
    }
  });
}

/** Returns a response that calls `onEnd` when it has been read or is closed. */
function withEnd({ reader, close, ...response }: BegunResponse, onEnd: () => void): BegunResponse {
  const next = async (): Promise<Part[] | undefined> => {
    let parts: Part[] | undefined;
    try {
      parts = await reader.next();
      return parts;
    } finally {
      if (parts === undefined) onEnd();
    }
  };
  return {
    ...response,
    reader: { next, body: () => reader.body() },
    close() {
      onEnd();
      close();
    },
  };
}

/** Shows a response as a source, which `later` continues. */
const toSource = (
  { head, url, body, headers, warnings, ...response }: BegunResponse,
  later: PartSource = { next: response.reader.next, cancel: response.close },
): PartSource =>
  withParts({ ...later, request: { url, body }, response: { headers } }, [
    { type: 'stream-start', warnings: warnings() },
    ...head,
  ]);

/**
 * Reads the parts up to the first one with content. Rejects if the response fails before it. The stream may open with the
 * parts that have been read if the server announces the response and is silent then.
 */
export async function readHead(
  response: Omit<BegunResponse, 'head'>,
  silentParts: ReadonlySet<string>,
  opener: Opener,
): Promise<Part[]> {
  const head: Part[] = [];
  for (;;) {
    const open = opener();
    const isAnnounced = head.some(part => part.type === 'response-metadata');
    const endSilence =
      open && isAnnounced ? whenSilent(() => open({ ...response, head: head.splice(0) })) : undefined;
    const parts = await response.reader.next().finally(endSilence);
    if (parts === undefined) return head;
    for (const part of parts) {
      if (part.type === 'error') throw part.error;
      head.push(part);
      if (!silentParts.has(part.type)) return [...head, ...parts.slice(parts.indexOf(part) + 1)];
    }
  }
}

/** The silence after which a stream opens, in milliseconds. Servers report most failures at once. */
const SILENCE = 100;

/** Calls `action` after the silence. Two timers in a row, because a blocked thread is not a silent server. */
function whenSilent(action: () => void): () => void {
  let timer = setTimeout(() => {
    timer = setTimeout(action, SILENCE / 2);
  }, SILENCE / 2);
  return () => clearTimeout(timer);
}

/** The reader of a response without further parts. */
export const NO_MORE: ResponseReader = { next: async () => undefined, body: () => undefined };
