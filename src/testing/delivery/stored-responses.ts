import type { PlainObject } from '../../core/shared/json.js';
import { type ApiError, badRequest } from '../protocol/wire.js';
import type { BackgroundScript, Fault } from '../protocol/scripts.js';
import {
  type Delivery,
  type DeliveryOptions,
  type DeliveryStep,
  type ResponseFormat,
  toDelivery,
  toErrorDelivery,
  toJsonDelivery,
  toStreamDelivery,
  withPauses,
} from './delivery.js';

/*
 * Responses that requests find by their id: those of background mode, while they run and afterwards, and stored ones.
 */

interface StoredResponse {
  readonly format: ResponseFormat;
  /** The frames of the complete stream. Undefined if the response was not created as a stream in the background. */
  readonly frames: readonly string[] | undefined;
  readonly body: PlainObject;
  readonly background: BackgroundScript | undefined;
  readonly latency: number;
  /** Ends the streams of the response when it is cancelled. */
  readonly cancelled: AbortController;
  polls: number;
  /** True if the next request for the state is cut. */
  isCutNext: boolean;
  isOver: boolean;
}

export interface NewResponse extends DeliveryOptions {
  /** Course of a response in background mode. */
  readonly background: BackgroundScript | undefined;
}

export interface StoredResponses {
  /** Stores a response, and returns what the request that creates it receives. */
  add(id: string, format: ResponseFormat, options: NewResponse): Delivery;
  retrieve(id: string, query: URLSearchParams): Delivery;
  cancel(id: string): Delivery;
  remove(id: string): Delivery;
}

export function createStoredResponses(): StoredResponses {
  const responses = new Map<string, StoredResponse>();

  return {
    add(id, format, { background, ...options }) {
      const { stream, latency, fault } = options;
      const failing = fault?.fault === 'failed' || fault?.fault === 'error-event' ? fault : undefined;
      const response: StoredResponse = {
        format,
        frames: background !== undefined && stream ? framesOf(format, failing) : undefined,
        body: failing === undefined ? format.body : format.failBody(failing),
        background,
        latency,
        cancelled: new AbortController(),
        polls: 0,
        isCutNext: background?.cutPolls === true,
        isOver: background === undefined,
      };
      responses.set(id, response);
      if (background === undefined) return toDelivery(format, options);
      if (fault !== undefined && failing === undefined)
        return { ...toDelivery(format, options), ends: response.cancelled.signal };
      return stream
        ? toStream(response, response.frames ?? [])
        : toJsonDelivery(toPending(response, 'queued'));
    },

    retrieve(id, query) {
      const response = responses.get(id);
      if (response === undefined) return toErrorDelivery(responseNotFound(id));
      if (query.get('stream') !== 'true') return toState(response);
      if (response.frames === undefined) return toErrorDelivery(notStreamed);
      const after = Number(query.get('starting_after') ?? -1);
      if (!Number.isInteger(after)) return toErrorDelivery(invalidStart);
      return toStream(
        response,
        response.frames.filter(frame => sequenceNumberOf(frame) > after),
      );
    },

    cancel(id) {
      const response = responses.get(id);
      if (response === undefined) return toErrorDelivery(responseNotFound(id));
      if (response.background === undefined) return toErrorDelivery(notCancellable);
      if (!response.isOver) response.cancelled.abort();
      return toJsonDelivery(bodyOf(response));
    },

    remove(id) {
      if (!responses.delete(id)) return toErrorDelivery(responseNotFound(id));
      return toJsonDelivery({ id, object: 'response', deleted: true });
    },
  };
}

function framesOf(format: ResponseFormat, fault: Fault | undefined): readonly string[] {
  const { steps } = toDelivery(format, { stream: true, latency: 0, ...(fault && { fault }) });
  return steps.flatMap(step => (typeof step === 'object' && 'write' in step ? [step.write] : []));
}

function toStream(response: StoredResponse, frames: readonly string[]): Delivery {
  const { cutAfter, polls } = response.background ?? {};
  const isCancelled = response.cancelled.signal.aborted;
  const isCut = cutAfter !== undefined && cutAfter < frames.length;
  const isStuck = polls === Infinity;
  // A response that never starts has sent `response.created` and `response.queued`.
  const sent = isCancelled ? [] : isStuck ? frames.filter(frame => sequenceNumberOf(frame) < 2) : frames;
  const end: DeliveryStep = isCut ? 'destroy' : isStuck && !isCancelled ? 'silence' : 'end';
  const steps = sent.slice(0, isCut ? cutAfter : undefined).map(write => ({ write }));
  return {
    ...toStreamDelivery(withPauses([...steps, end], response.latency)),
    ...(!isCancelled && { ends: response.cancelled.signal }),
    onEnd() {
      response.isOver = true;
    },
  };
}

/** Returns the current state of a response. Each request for it brings a running one closer to its end. */
function toState(response: StoredResponse): Delivery {
  const { polls: needed = 1, cutPolls = false } = response.background ?? { polls: 0 };
  const delivery = (body: PlainObject): Delivery => {
    const complete = toJsonDelivery(body);
    if (!cutPolls) return complete;
    response.isCutNext = !response.isCutNext;
    if (response.isCutNext) return complete;
    const text = JSON.stringify(body);
    return { ...complete, steps: [{ write: text.slice(0, text.length / 2) }, 'destroy'] };
  };
  if (response.cancelled.signal.aborted || response.isOver) return delivery(bodyOf(response));
  if (response.isCutNext) return delivery(toPending(response, 'in_progress'));
  response.polls++;
  if (response.polls <= needed)
    return delivery(toPending(response, needed === Infinity ? 'queued' : 'in_progress'));
  response.isOver = true;
  return delivery(bodyOf(response));
}

const bodyOf = (response: StoredResponse): PlainObject =>
  response.cancelled.signal.aborted ? toPending(response, 'cancelled') : response.body;

const toPending = (response: StoredResponse, status: string): PlainObject => ({
  ...response.body,
  status,
  output: [],
  completed_at: null,
  error: null,
  incomplete_details: null,
  usage: null,
});

const sequenceNumberOf = (frame: string): number =>
  Number(/"sequence_number":(\d+)/.exec(frame)?.[1] ?? Number.NaN);

const responseNotFound = (id: string): ApiError => ({
  ...badRequest(`Response with id '${id}' not found.`),
  status: 404,
});

const notStreamed = badRequest(
  'This response cannot be streamed, because it was not created with `background` and `stream`.',
  { param: 'stream' },
);

const invalidStart = badRequest("Invalid type for 'starting_after': expected an integer.", {
  param: 'starting_after',
  code: 'invalid_type',
});

const notCancellable = badRequest('Cannot cancel a synchronous response.');
