import type { AnswerForm } from './answer-form.js';
import type { Fault } from './answers.js';
import { type Delivery, type DeliveryStep, toJsonDelivery, toStreamDelivery } from './delivery.js';

export interface DeliveryOptions {
  readonly stream: boolean;
  /** Milliseconds before each event of a stream, and before a body. */
  readonly latency: number;
  readonly fault?: Fault;
}

/** Lays out how an answer is sent, with the fault it is to have. */
export function toDelivery(form: AnswerForm, options: DeliveryOptions): Delivery {
  return (
    (options.fault && toWholeFault(options.fault, options)) ??
    (options.stream ? toStream(form, options) : toBody(form, options))
  );
}

/** Faults that need no answer: another kind of body altogether. */
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

function toStream(form: AnswerForm, { fault, latency }: DeliveryOptions): Delivery {
  const steps = toFaultySteps(form, fault);
  const pause = fault?.fault === 'slow' ? fault.delay : latency;
  return toStreamDelivery(
    pause > 0 ? steps.flatMap(step => (isWrite(step) ? [{ wait: pause }, step] : [step])) : steps,
  );
}

const isWrite = (step: DeliveryStep): step is { write: string } =>
  typeof step === 'object' && 'write' in step;

const write = (frames: readonly string[]): DeliveryStep[] => frames.map(frame => ({ write: frame }));

function toFaultySteps(form: AnswerForm, fault: Fault | undefined): DeliveryStep[] {
  const { frames, terminalFrames, openingFrames, malformedFrame } = form;
  const begun = (after = frames.length - terminalFrames): DeliveryStep[] => write(frames.slice(0, after));
  switch (fault?.fault) {
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
      return [...begun(after), ...write(form.failFrames(fault, { after })), 'end'];
    }
    default:
      return [...write(frames), 'end'];
  }
}

/** The same faults in an answer that is not streamed. */
function toBody({ body, failBody }: AnswerForm, { fault, latency }: DeliveryOptions): Delivery {
  const whole = toJsonDelivery(body);
  const text = JSON.stringify(body);
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
    case 'failed':
      return toJsonDelivery(failBody(fault));
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
