import { APICallError } from 'ai';
import { describeFailure } from '../shared/failure.js';

/**
 * Sentences of errors that speak to a developer who passes options, and what they mean for a person at the page. The texts are
 * those of this package, of its tool loop and of `fetch`.
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /Pass `apiKey` to \w+\(\), or set the environment variable OPENAI_API_KEY\./g,
    'Enter it under “API key” in the setup.',
  ],
  [
    /No `apiKey` was set: pass one, or set OPENAI_API_KEY\./g,
    'This endpoint needs a key: enter it under “API key” in the setup.',
  ],
  [/Check `apiKey` and `headers`/g, 'Check the key in the setup'],
  [/(Could not reach \S+): fetch failed\b/g, '$1: nothing answers there'],
  [
    /If that is the right server, set `baseURL` to it\./g,
    'If that is the right server, enter it in the setup.',
  ],
  [
    /The turn was ended by `close\(\)` of (MCP server ".*?")\. Wait for turns to end before you close\. A new turn opens the tools again\./g,
    '$1 was disconnected meanwhile. Its next use connects it again.',
  ],
  [
    /requires that the user signs in(.*?)\. Open the `authorizationUrl` of its status, and pass the URL of the callback to `finishAuth`\./g,
    'requires that you sign in$1. The button is on its card.',
  ],
  [/Check its `headers`, or set an `authProvider`\./g, 'Check the headers in its configuration.'],
  [/`baseURL`/g, '“Base URL” in the setup'],
  [/`apiKey`/g, '“API key” in the setup'],
];

/** Returns the message of an error in the words of the page. */
export const toPageWords = (message: string): string =>
  WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), message);

/** Returns the message of a failed turn in the words of the page, and when the server accepts the next request. */
export function toTurnFailure(error: unknown): string {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const seconds = Number(headers?.['retry-after'] ?? NaN);
  const message = toPageWords(describeFailure(error));
  if (!(seconds > 0)) return message;
  return `${message.replace(/[^.!?]$/, '$&.')} Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`;
}
