import type { StreamProblem } from '../../shared/trace.js';

/** Describes a failure of a provider to read or to write a stream, and the event of the server that caused it. */
export function describeStreamProblem({ message, exchange, event, eventName }: StreamProblem): string {
  if (eventName === undefined) return message;
  return `${message} Its last event was ${eventName}, number ${event} of request ${exchange}.`;
}
