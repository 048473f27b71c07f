import { type AnswerForm, type FailingFault, toFailure } from './answer-form.js';
import type { ErrorEventFault } from './answers.js';
import { formatEvent } from './delivery.js';
import { numberEvents, toEvents } from './to-events.js';
import { toWireResponse } from './to-wire-response.js';
import type { EmulatedResponse, StreamEvent } from './wire.js';

/** A response in the form of the Responses API. */
export function toResponsesForm(
  response: EmulatedResponse,
  { rewriteEvents }: { rewriteEvents?: (events: readonly StreamEvent[]) => readonly StreamEvent[] },
): AnswerForm {
  const events = toEvents(response);
  return {
    body: toWireResponse(response),
    frames: (rewriteEvents?.(events) ?? events).map(formatEvent),
    openingFrames: 2, // `response.created` and `response.in_progress`
    terminalFrames: 1,
    malformedFrame: 'event: response.output_text.delta\ndata: {"type":"response.outp\n\n',
    failFrames: (fault, { after }) => toFailFrames(response, { fault, after }),
    failBody: fault =>
      fault.fault === 'failed' ? toWireResponse(toFailedResponse(response, fault)) : toErrorFields(fault),
  };
}

function toFailFrames(
  response: EmulatedResponse,
  { fault, after }: { fault: FailingFault; after: number },
): readonly string[] {
  const failed = { type: 'response.failed', response: toWireResponse(toFailedResponse(response, fault)) };
  const format = (...events: StreamEvent[]) => numberEvents(events, { from: after }).map(formatEvent);
  if (fault.fault === 'failed') return format(failed);
  if (fault.shape === 'bare') return [`data: ${JSON.stringify(toErrorFields(fault))}\n\n`];
  const error: StreamEvent = { type: 'error', ...toErrorFields(fault) };
  return fault.thenFailed === true ? format(error, failed) : format(error);
}

function toErrorFields(fault: ErrorEventFault): Record<string, unknown> {
  const { code, message } = toFailure(fault);
  if (fault.shape === 'flat') return { code, message, param: null };
  return { error: { type: code ?? 'server_error', code, message, param: null } };
}

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
