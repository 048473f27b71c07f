import type { StreamProblem } from '../../shared/trace.js';

/** Describes a part that interfaces built with `ai` cannot read, and the event of the server that caused it. */
export function describeStreamProblem({ message, exchange, event, eventName }: StreamProblem): string {
  const cause =
    eventName === undefined ? '' : ` It followed event ${event} of request ${exchange}, ${eventName}.`;
  return `The provider sent ${message}, on which a chat interface of ai fails. The playground repaired the stream.${cause}`;
}
