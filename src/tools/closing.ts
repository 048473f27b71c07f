import { KelivoError } from '../shared/errors.js';

/** The times between the calls of a source's `close()`. */
export interface Closing {
  /** Aborts at the next `close()`. After it there is a new signal. */
  readonly signal: AbortSignal;
  close(): void;
}

/** @param name What is closed, in the message of the error with which turns end. */
export function createClosing(name: string): Closing {
  let controller = new AbortController();
  return {
    get signal() {
      return controller.signal;
    },
    close() {
      const closed = controller;
      controller = new AbortController();
      closed.abort(
        new KelivoError({
          code: 'closed',
          message:
            `The turn was ended by \`close()\` of ${name}. ` +
            'Wait for turns to end before you close. A new turn opens the tools again.',
        }),
      );
    },
  };
}
