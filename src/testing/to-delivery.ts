import type { ErrorEventFault, Fault } from './answers.js';
import {
  type Delivery,
  type DeliveryStep,
  formatEvent,
  toJsonDelivery,
  toStreamDelivery,
} from './delivery.js';
import { numberEvents, toEvents } from './to-events.js';
import { toWireResponse } from './to-wire-response.js';
import type { EmulatedResponse, StreamEvent } from './wire.js';

export interface DeliveryOptions {
  readonly stream: boolean;
  /** Milliseconds before each event of a stream, and before a body. */
  readonly latency: number;
  readonly fault?: Fault;
  readonly rewriteEvents?: (events: readonly StreamEvent[]) => readonly StreamEvent[];
}

/** Lays out how a response is sent, with the fault it is to have. */
export function toDelivery(response: EmulatedResponse, options: DeliveryOptions): Delivery {
  return (
    (options.fault && toWholeFault(options.fault, options)) ??
    (options.stream ? toStream(response, options) : toBody(response, options))
  );
}

/** Faults that need no response: another kind of body altogether. */
export function toWholeFault({ fault }: Fault, { stream }: { stream: boolean }): Delivery | undefined {
  switch (fault) {
    case 'html':
      return { status: 200, headers: { 'content-type': 'text/html' }, steps: [{ write: webPage }, 'end'] };
    case 'empty': {
      const { status, headers } = stream ? toStreamDelivery([]) : toJsonDelivery({});
      return { status, headers, steps: ['end'] };
    }
    case 'headers-never':
      return { status: 200, headers: {}, steps: ['nothing'] };
    case 'chat-completions':
      return stream
        ? toStreamDelivery([...chatChunks.map(chunk => ({ write: `data: ${chunk}\n\n` })), 'end'])
        : toJsonDelivery(chatCompletion);
    default:
      return undefined;
  }
}

function toStream(response: EmulatedResponse, { fault, latency, rewriteEvents }: DeliveryOptions): Delivery {
  const events = toEvents(response);
  const steps = toFaultySteps(rewriteEvents?.(events) ?? events, { fault, response });
  const pause = fault?.fault === 'slow' ? fault.delay : latency;
  return toStreamDelivery(
    pause > 0 ? steps.flatMap(step => (isWrite(step) ? [{ wait: pause }, step] : [step])) : steps,
  );
}

const isWrite = (step: DeliveryStep): step is { write: string } =>
  typeof step === 'object' && 'write' in step;

const write = (events: readonly StreamEvent[]): DeliveryStep[] =>
  events.map(event => ({ write: formatEvent(event) }));

function toFaultySteps(
  events: readonly StreamEvent[],
  { fault, response }: { fault?: Fault; response: EmulatedResponse },
): DeliveryStep[] {
  switch (fault?.fault) {
    case 'cut':
      return [...write(events.slice(0, fault.after ?? -1)), 'destroy'];
    case 'early-end':
      return [...write(events.slice(0, fault.after ?? -1)), 'end'];
    case 'stall':
      return [...write(events.slice(0, fault.after ?? -1)), 'silence'];
    case 'malformed': {
      const after = fault.after ?? openingEvents;
      const broken = { write: 'event: response.output_text.delta\ndata: {"type":"response.outp\n\n' };
      return [...write(events.slice(0, after)), broken, ...write(events.slice(after)), 'end'];
    }
    case 'error-event':
    case 'failed':
      return [...toFailingSteps(events, { fault, response }), 'end'];
    default:
      return [...write(events), 'end'];
  }
}

// `response.created` and `response.in_progress`.
const openingEvents = 2;

type FailingFault = ErrorEventFault | Extract<Fault, { fault: 'failed' }>;

function toFailingSteps(
  events: readonly StreamEvent[],
  { fault, response }: { fault: FailingFault; response: EmulatedResponse },
): DeliveryStep[] {
  const begun = events.slice(0, fault.after ?? openingEvents);
  const failed = { type: 'response.failed', response: toWireResponse(toFailedResponse(response, fault)) };
  if (fault.fault === 'failed') return write(numberEvents([...begun, failed]));
  if (fault.shape === 'bare') {
    return [...write(begun), { write: `data: ${JSON.stringify(toErrorFields(fault))}\n\n` }];
  }
  const error: StreamEvent = { type: 'error', ...toErrorFields(fault) };
  return write(numberEvents(fault.thenFailed === true ? [...begun, error, failed] : [...begun, error]));
}

function toErrorFields(fault: ErrorEventFault): Record<string, unknown> {
  const { code, message } = toFailure(fault);
  if (fault.shape === 'flat') return { code, message, param: null };
  return { error: { type: code ?? 'server_error', code, message, param: null } };
}

const toFailure = ({ code = 'server_error', message }: FailingFault) => ({
  code,
  message: message ?? 'The server had an error processing your request. Sorry about that!',
});

function toFailedResponse(response: EmulatedResponse, fault: FailingFault): EmulatedResponse {
  const { code, message } = toFailure(fault);
  return {
    ...response,
    status: 'failed',
    output: [],
    usage: null,
    error: { code: code ?? 'server_error', message },
  };
}

/** The same faults in an answer that is not streamed. */
function toBody(response: EmulatedResponse, { fault, latency }: DeliveryOptions): Delivery {
  const whole = toJsonDelivery(toWireResponse(response));
  const text = JSON.stringify(toWireResponse(response));
  const half = { write: text.slice(0, text.length / 2) };
  const wait: DeliveryStep[] = latency > 0 ? [{ wait: latency }] : [];
  switch (fault?.fault) {
    case 'cut':
      return { ...whole, steps: [...wait, half, 'destroy'] };
    case 'early-end':
    case 'malformed':
      return { ...whole, steps: [...wait, half, 'end'] };
    case 'stall':
      return { ...whole, steps: [...wait, half, 'silence'] };
    case 'slow':
      return { ...whole, steps: [{ wait: fault.delay }, ...whole.steps] };
    case 'error-event':
      return toJsonDelivery(toErrorFields(fault));
    case 'failed':
      return toJsonDelivery(toWireResponse(toFailedResponse(response, fault)));
    default:
      return { ...whole, steps: [...wait, ...whole.steps] };
  }
}

const webPage =
  '<!DOCTYPE html><html><head><title>Welcome</title></head><body>Sign in to continue.</body></html>';

const chatCompletion = {
  id: 'chatcmpl-emulated',
  object: 'chat.completion',
  created: 0,
  model: 'emulated',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};

const chatChunks = [
  ...[{ role: 'assistant', content: '' }, { content: 'Hello' }].map(delta => ({
    delta,
    finish_reason: null,
  })),
  { delta: {}, finish_reason: 'stop' },
]
  .map(choice =>
    JSON.stringify({
      ...chatCompletion,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, ...choice }],
    }),
  )
  .concat('[DONE]');
