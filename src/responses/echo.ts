import type { Warning } from '../core/part.js';
import { idOf, type PlainObject } from '../shared/json.js';
import type { ResponsesRequestBody } from './wire.js';

/*
 * Servers ignore fields that they do not know, without an error. The response object repeats the fields that it follows, and
 * what a request asked for counts only if it does.
 */

/** Returns true if a response runs in the background, where it can be read again. Ollama repeats the field, and stores nothing. */
export const isInBackground = ({ background, store }: PlainObject): boolean =>
  background === true && store !== false;

/** Returns true if a response continues another one. OpenAI always repeats the id, so that a missing one means no. */
export const continues = ({ previous_response_id: id }: PlainObject, previousId: string): boolean =>
  id === previousId;

/** Returns the warnings about options that a response ignores, and that no other request can make up for. */
export function toEchoWarnings(body: ResponsesRequestBody, response: PlainObject): Warning[] {
  const previousId = idOf(body.previous_response_id);
  if (previousId === undefined || continues(response, previousId)) return [];
  return [
    {
      type: 'unsupported',
      feature: 'previousResponseId',
      details:
        'The server ignored previousResponseId: the model has not seen the conversation before it. ' +
        'Send the complete history instead.',
    },
  ];
}

export const BACKGROUND_IGNORED: Warning = {
  type: 'unsupported',
  feature: 'background',
  details: 'The server ignored background and answered at once: the response cannot be resumed.',
};
