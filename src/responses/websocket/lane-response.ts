import { statusOfCode } from '../../core/http/retry.js';
import { readError } from '../../core/shared/reported-error.js';
import { RESPONSE_LIMITS, ResponseLimitError } from '../../core/http/text-stream.js';
import {
  idOf,
  numberOf,
  objectOf,
  type PlainObject,
  stringOf,
  tryParseJson,
} from '../../core/shared/json.js';
import { continues } from '../echo.js';
import { SocketError } from './socket.js';

export interface LaneBeginning {
  /** The events as `text/event-stream`, or an error with its status. */
  readonly response: Response;
  readonly errorCode?: string | undefined;
}

export interface LaneResponse {
  /** Resolves with the first frame. Rejects if the connection ends before it. */
  readonly begun: Promise<LaneBeginning>;
  /** Processes a frame. */
  receive(text: string): void;
  /** Shows a reader that waits that the server is alive. */
  touch(): void;
  /** Ends the response with an error. */
  fail(error: Error): void;
}

export interface LaneResponseOptions {
  /** The headers of the response to the upgrade request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The id of the previous response on the same lane. */
  readonly previousId: string | undefined;
  /** The id of the response that the request continues, without the input before it. */
  readonly continuedId: string | undefined;
  /** True if each frame must be parsed. */
  readonly isShared: boolean;
  /** Called once with the last frame, before the response ends. */
  readonly onEnd: (end: LaneEnd) => void;
  /** Called with a frame of another response: the frames of the connection belong to no certain request. */
  readonly onForeign: (error: SocketError) => void;
  /** Called when the reader closes the response before its end. */
  readonly onCancel: () => void;
  /** Called when the reader falls behind, and when it has caught up. */
  readonly onPressure: (isHigh: boolean) => void;
}

export interface LaneEnd {
  /** The id of a completed response. Undefined if the response cannot be continued. */
  readonly id: string | undefined;
  readonly output: readonly PlainObject[];
  /** True if the server may send more frames for the response. */
  readonly mayContinue: boolean;
}

const TERMINAL: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'error',
]);

/** The code for a response that does not continue the one that the request names. */
export const PREVIOUS_IGNORED = 'previous_response_ignored';

/** Events with a delta have none of the facts that an exchange needs. */
const DELTA = /^\{"type":"response\.[\w.]+\.delta"/;

/** Characters in the queue above which the socket is paused until they are read. */
const HIGH_MARK = 1024 * 1024;

export function createLaneResponse(options: LaneResponseOptions): LaneResponse {
  const { headers, previousId, continuedId, isShared, onEnd, onForeign, onCancel, onPressure } = options;
  const body = createBody({ onCancel, onPressure });
  const output: PlainObject[] = [];
  let id: string | undefined;
  let isOver = false;
  let begin: (response: LaneBeginning) => void = () => {};
  let reject: (error: Error) => void = () => {};
  let hasBegun = false;
  let isUnconfirmed = continuedId !== undefined;
  const begun = new Promise<LaneBeginning>((resolve, fail) => {
    begin = resolve;
    reject = fail;
  });
  begun.catch(() => {});

  return {
    begun,
    receive(text) {
      if (isOver) return undefined;
      const frame = !isShared && hasBegun && DELTA.test(text) ? {} : objectOf(tryParseJson(text));
      const type = stringOf(frame?.type);
      const foreign = findForeignId(frame);
      if (foreign !== undefined) {
        const expected = id === undefined ? 'a new response' : `the response ${id}`;
        return onForeign(
          new SocketError(`expected frames of ${expected}, got one of the response ${foreign}`),
        );
      }
      const status = type === 'error' && !hasBegun && frame !== undefined ? toStatus(frame) : undefined;
      if (status !== undefined && frame !== undefined) {
        hasBegun = true;
        end({ id: undefined, output: [], mayContinue: false });
        return begin({
          response: new Response(text, { status, headers: { ...headers, ...toHeaders(frame) } }),
          errorCode: readError(frame)?.code,
        });
      }
      if (isUnconfirmed && continuedId !== undefined && frame !== undefined && type !== 'error') {
        // Servers send frames of their own before the response.
        if (!type.startsWith('response.')) return body.push(toEvent(text));
        isUnconfirmed = false;
        if (!continues(objectOf(frame.response) ?? {}, continuedId)) {
          end({ id: undefined, output: [], mayContinue: true });
          return begin({ response: new Response(null, { headers }), errorCode: PREVIOUS_IGNORED });
        }
      }
      const isForeign = !hasBegun && frame === undefined;
      start();
      // A server that does not begin with an event has another API. The reader of the body reports what it sends.
      if (isForeign) {
        body.push(text);
        return finish({ id: undefined, output, mayContinue: true });
      }
      const item = type === 'response.output_item.done' ? objectOf(frame?.item) : undefined;
      if (item !== undefined) output.push(item);
      body.push(toEvent(text));
      if (!TERMINAL.has(type)) return undefined;
      return finish({
        id: type === 'response.completed' ? id : undefined,
        output,
        mayContinue: type === 'error',
      });
    },
    touch: () => body.touch(),
    fail,
  };

  function start(): void {
    if (hasBegun) return;
    hasBegun = true;
    const response = new Response(body.stream, {
      headers: { ...headers, 'content-type': 'text/event-stream' },
    });
    begin({ response });
  }

  function finish(result: LaneEnd): void {
    end(result);
    body.end();
  }

  function end(result: LaneEnd): void {
    isOver = true;
    onEnd(result);
  }

  function fail(error: Error): void {
    if (isOver) return;
    end({ id: undefined, output: [], mayContinue: true });
    reject(error);
    body.fail(error);
  }

  /**
   * Returns the id of the response of a frame, if it is the previous one or a second one. Apart from that, the ids of a
   * response need not be equal: those of GitHub Copilot differ in each event.
   */
  function findForeignId(frame: PlainObject | undefined): string | undefined {
    const found = idOf(objectOf(frame?.response)?.id);
    if (found === undefined) return undefined;
    const isSecond = frame?.type === 'response.created' && id !== undefined && found !== id;
    if (found === previousId || isSecond) return found;
    id = found;
    return undefined;
  }
}

/** Returns a frame as an event. A line break separates lines of an event stream. In JSON it can only be white space. */
const toEvent = (text: string): string =>
  `data: ${/[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ') : text}\n\n`;

/** Returns the status of an error that replaces the response. Undefined for an error of a stream. */
function toStatus(frame: PlainObject): number | undefined {
  const status = numberOf(frame.status) ?? numberOf(frame.status_code);
  if (status === undefined) return undefined;
  return status >= 400 && status < 600 ? status : statusOfCode(readError(frame) ?? { message: '' });
}

/** Returns the headers of an error frame, such as `retry-after`. */
function toHeaders(frame: PlainObject): Record<string, string> {
  const fields = objectOf(frame.headers) ?? objectOf(objectOf(frame.error)?.headers) ?? {};
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number'
        ? [[name.toLowerCase(), String(value).replace(/[^\t\x20-\x7e]/g, '')]]
        : [],
    ),
  );
}

/** A stream of text that is written without waiting. */
function createBody(options: Pick<LaneResponseOptions, 'onCancel' | 'onPressure'>) {
  const encoder = new TextEncoder();
  let queue: string[] = [];
  let length = 0;
  let isHigh = false;
  let outcome: 'open' | 'ended' | Error = 'open';
  let wake: (() => void) | undefined;

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (queue.length === 0 && outcome === 'open')
          await new Promise<void>(resolve => {
            wake = resolve;
          });
        if (queue.length > 0) {
          controller.enqueue(encoder.encode(queue.join('')));
          queue = [];
          length = 0;
          setPressure(false);
        } else if (outcome === 'ended') controller.close();
        else if (outcome instanceof Error) controller.error(outcome);
      },
      cancel() {
        if (outcome === 'open') options.onCancel();
        outcome = 'ended';
        queue = [];
      },
    },
    { highWaterMark: 0 },
  );

  return {
    stream,
    push(text: string) {
      if (outcome !== 'open') return;
      queue.push(text);
      length += text.length;
      if (length > HIGH_MARK) setPressure(true);
      if (length > RESPONSE_LIMITS.otherLength) {
        const { message } = new ResponseLimitError('otherLength', 'characters of unread events');
        stop(new SocketError(message, { isOverLimit: true }));
      } else continueReading();
    },
    touch() {
      if (wake === undefined) return;
      queue.push(':\n\n');
      continueReading();
    },
    end: () => stop('ended'),
    fail: stop,
  };

  function stop(result: 'ended' | Error): void {
    if (outcome === 'open') outcome = result;
    continueReading();
  }

  function continueReading(): void {
    const resume = wake;
    wake = undefined;
    resume?.();
  }

  function setPressure(isNowHigh: boolean): void {
    if (isNowHigh === isHigh) return;
    isHigh = isNowHigh;
    options.onPressure(isHigh);
  }
}
