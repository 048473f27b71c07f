import type { ErrorEventFault, Fault } from './answers.js';
import type { JsonObject } from './json-object.js';

/** An answer in the words of one API: as a body, and as a stream, so that every fault can be laid over it. */
export interface AnswerForm {
  readonly body: JsonObject;
  /** The server-sent events, each as it goes over the wire. */
  readonly frames: readonly string[];
  /** How many frames come before the first content. */
  readonly openingFrames: number;
  /** How many frames at the end say that the answer is complete. */
  readonly terminalFrames: number;
  /** A frame whose JSON breaks off. */
  readonly malformedFrame: string;
  /** What comes in place of the frames after `after`, when the answer fails there. */
  readonly failFrames: (fault: FailingFault, options: { after: number }) => readonly string[];
  /** The body of an answer that fails. */
  readonly failBody: (fault: FailingFault) => JsonObject;
}

export type FailingFault = ErrorEventFault | Extract<Fault, { fault: 'failed' }>;

/** What went wrong, as the API says it when a script does not. */
export const toFailure = ({ code = 'server_error', message }: FailingFault) => ({
  code,
  message: message ?? 'The server had an error processing your request. Sorry about that!',
});
