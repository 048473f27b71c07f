import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlainObject } from '../../core/shared/json.js';
import { type ApiError, type StreamEvent, toErrorBody } from '../protocol/wire.js';
import type { ErrorEventFault, Fault, ScriptedStatus } from '../protocol/scripts.js';

/** The response to one request as a list of steps. Faults edit this list. */
export interface Delivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly DeliveryStep[];
  /** Ends the body when it aborts. @default nothing does */
  readonly ends?: AbortSignal;
  /** Called when the body has ended properly. */
  readonly onEnd?: () => void;
}

export type DeliveryStep =
  | { readonly write: string }
  /** Milliseconds. */
  | { readonly wait: number }
  /** Ends the body properly. */
  | 'end'
  /** Destroys the socket. */
  | 'destroy'
  /** Keeps the connection open without sending more. */
  | 'silence'
  /** Keeps the connection open without sending headers. */
  | 'nothing';

export const toJsonDelivery = (body: PlainObject, options: { status?: number } = {}): Delivery => ({
  status: options.status ?? 200,
  headers: { 'content-type': 'application/json' },
  steps: [{ write: JSON.stringify(body, null, 2) }, 'end'],
});

export const toErrorDelivery = (error: ApiError): Delivery =>
  toJsonDelivery(toErrorBody(error), { status: error.status });

export const toStreamDelivery = (steps: readonly DeliveryStep[]): Delivery => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  steps,
});

/** Converts a {@link ScriptedStatus}. The default body is the API's error for the status. */
export function toStatusDelivery({ status, retryAfter, headers, body }: ScriptedStatus): Delivery {
  const content = body ?? toErrorBody(toKnownError(status));
  const delivery: Delivery =
    typeof content === 'string'
      ? { status, headers: {}, steps: [{ write: content }, 'end'] }
      : toJsonDelivery(content, { status });
  const retry = retryAfter !== undefined && { 'retry-after': String(retryAfter) };
  return { ...delivery, headers: { ...delivery.headers, ...retry, ...headers } };
}

/** Formats an event as the API does: an `event:` line, a `data:` line and an empty line. */
export const formatEvent = (event: StreamEvent): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** OpenAI's errors for these statuses, https://platform.openai.com/docs/guides/error-codes: type, code and message. */
const knownErrors: Readonly<Record<number, readonly [type: string, code: string, message: string]>> = {
  401: [
    'invalid_request_error',
    'invalid_api_key',
    'Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.',
  ],
  403: [
    'request_forbidden',
    'unsupported_country_region_territory',
    'Country, region, or territory not supported',
  ],
  429: [
    'requests',
    'rate_limit_exceeded',
    'Rate limit reached for requests. Limit: 3 / min. Please try again in 20s.',
  ],
  503: [
    'service_unavailable_error',
    'server_is_overloaded',
    'The engine is currently overloaded, please try again later.',
  ],
};

/** Returns OpenAI's error for a status. @internal */
export function toKnownError(status: number): Omit<ApiError, 'status'> {
  const serverError = 'The server had an error while processing your request. Sorry about that!';
  const [type, code, message] = knownErrors[status] ?? [
    status >= 500 ? 'server_error' : 'invalid_request_error',
    null,
    status >= 500 ? serverError : `The request was rejected with status ${status}.`,
  ];
  return { message, type, param: null, code };
}

/** A response in the format of one API, as a body and as a stream. Faults apply to either. */
export interface ResponseFormat {
  readonly body: PlainObject;
  /** The formatted server-sent events. */
  readonly frames: readonly string[];
  /** Number of frames before the first content. */
  readonly openingFrames: number;
  /** Number of frames at the end that mark the response as complete. */
  readonly terminalFrames: number;
  readonly malformedFrame: string;
  /** Returns the frames that replace those after `after` when the response fails there. */
  readonly failFrames: (fault: FailingFault, options: { after: number }) => readonly string[];
  readonly failBody: (fault: FailingFault) => PlainObject;
}

export type FailingFault = ErrorEventFault | Extract<Fault, { fault: 'failed' }>;

/** Returns code and message of a failure, by default those of the API. */
export const toFailure = ({ code = 'server_error', message }: FailingFault) => ({
  code,
  message: message ?? 'The server had an error processing your request. Sorry about that!',
});

export interface DeliveryOptions {
  readonly stream: boolean;
  /** Milliseconds before each event of a stream, and before a body. */
  readonly latency: number;
  readonly fault?: Fault;
}

const replacements = {
  html: () => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    steps: [{ write: webPage }, 'end'],
  }),
  empty: options => ({ ...(options.stream ? toStreamDelivery([]) : toJsonDelivery({})), steps: ['end'] }),
  'headers-never': () => ({ status: 200, headers: {}, steps: ['nothing'] }),
  'chat-completions': options =>
    options.stream
      ? toStreamDelivery([...chatChunks.map(chunk => ({ write: `data: ${chunk}\n\n` })), 'end'])
      : toJsonDelivery(chatCompletion),
} satisfies Partial<Record<Fault['fault'], (options: { stream: boolean }) => Delivery>>;

/** A fault that replaces the complete response. */
type ReplacingFault = Extract<Fault, { fault: keyof typeof replacements }>;

/** A fault that edits the response. The functions for streams and for bodies handle each of them. */
type EditingFault = Exclude<Fault, ReplacingFault>;

export function toDelivery(format: ResponseFormat, { stream, latency, fault }: DeliveryOptions): Delivery {
  if (fault !== undefined && isReplacing(fault)) return replacements[fault.fault]({ stream });
  if (!stream) return toBody(format, fault, latency);
  const pause = fault?.fault === 'slow' ? fault.delay : latency;
  return toStreamDelivery(withPauses(toFaultySteps(format, fault), pause));
}

/** Converts a fault that replaces the complete response. Returns undefined for other faults. */
export const toReplacement = (fault: Fault, options: { stream: boolean }): Delivery | undefined =>
  isReplacing(fault) ? replacements[fault.fault](options) : undefined;

const isReplacing = (fault: Fault): fault is ReplacingFault => Object.hasOwn(replacements, fault.fault);

/** Adds a pause in milliseconds before each event. */
export const withPauses = (steps: readonly DeliveryStep[], pause: number): readonly DeliveryStep[] =>
  pause > 0 ? steps.flatMap(step => (isWrite(step) ? [{ wait: pause }, step] : [step])) : steps;

const isWrite = (step: DeliveryStep): step is { write: string } =>
  typeof step === 'object' && 'write' in step;

const write = (frames: readonly string[]): DeliveryStep[] => frames.map(frame => ({ write: frame }));

function toFaultySteps(format: ResponseFormat, fault: EditingFault | undefined): DeliveryStep[] {
  const { frames, terminalFrames, openingFrames, malformedFrame } = format;
  const begun = (after = frames.length - terminalFrames): DeliveryStep[] => write(frames.slice(0, after));
  switch (fault?.fault) {
    case undefined:
    case 'slow': // the caller adds the delays
      return [...write(frames), 'end'];
    case 'cut':
      return [...begun(fault.after), 'destroy'];
    case 'early-end':
      return [...begun(fault.after), 'end'];
    case 'stall':
      return [...begun(fault.after), 'silence'];
    case 'malformed': {
      const after = fault.after ?? openingFrames;
      return [...begun(after), { write: malformedFrame }, ...write(frames.slice(after)), 'end'];
    }
    case 'error-event':
    case 'failed': {
      const after = fault.after ?? openingFrames;
      return [...begun(after), ...write(format.failFrames(fault, { after })), 'end'];
    }
  }
}

/** Applies a fault to a response that is not streamed. */
function toBody(format: ResponseFormat, fault: EditingFault | undefined, latency: number): Delivery {
  if (fault?.fault === 'error-event' || fault?.fault === 'failed')
    return toJsonDelivery(format.failBody(fault));
  const complete = toJsonDelivery(format.body);
  const pause = fault?.fault === 'slow' ? fault.delay : latency;
  const wait: DeliveryStep[] = pause > 0 ? [{ wait: pause }] : [];
  const end = fault === undefined || fault.fault === 'slow' ? undefined : endsOfBodies[fault.fault];
  if (end === undefined) return { ...complete, steps: [...wait, ...complete.steps] };
  const text = JSON.stringify(format.body);
  return { ...complete, steps: [...wait, { write: text.slice(0, text.length / 2) }, end] };
}

/** What follows the first half of a body. */
const endsOfBodies = { cut: 'destroy', 'early-end': 'end', malformed: 'end', stall: 'silence' } as const;

const webPage =
  '<!DOCTYPE html><html><head><title>Welcome</title></head><body>Sign in to continue.</body></html>';

const chatCompletion = {
  id: 'chatcmpl-emulated',
  object: 'chat.completion',
  created: 0,
  model: 'emulated',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};

const chatChunks = [{ role: 'assistant', content: '' }, { content: 'Hello' }, {}]
  .map((delta, index) => ({ index: 0, delta, finish_reason: index < 2 ? null : 'stop' }))
  .map(choice => JSON.stringify({ ...chatCompletion, object: 'chat.completion.chunk', choices: [choice] }))
  .concat('[DONE]');

/** Sends a delivery. Stops without an error when the client disconnects. */
export async function sendDelivery(
  delivery: Delivery,
  response: ServerResponse,
  disconnected: AbortSignal,
): Promise<void> {
  const signal = delivery.ends === undefined ? disconnected : AbortSignal.any([disconnected, delivery.ends]);
  delivery.ends?.addEventListener('abort', () => void response.end(), { once: true, signal: disconnected });
  for (const step of delivery.steps) {
    if (signal.aborted) return;
    if (step === 'nothing') return;
    if (step === 'destroy') return void response.destroy();
    if (!response.headersSent) {
      response.writeHead(delivery.status, delivery.headers);
      response.flushHeaders();
    }
    if (step === 'silence') return;
    if (step === 'end') {
      delivery.onEnd?.();
      return void response.end();
    }
    if ('wait' in step) await delay(step.wait, undefined, { signal }).catch(() => undefined);
    else await writeChunk(response, step.write);
  }
}

/** Waits until the data has been flushed, so that destroying the socket afterwards does not discard it. */
const writeChunk = (response: ServerResponse, data: string): Promise<void> =>
  new Promise(resolve => void response.write(data, () => resolve()));
