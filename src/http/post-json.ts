import { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { RESPONSE_LIMITS } from './limits.js';
import { isNestedDeeper } from './is-nested-deeper.js';
import { redactStrings } from './redact-strings.js';
import { toErrorText } from './to-error-text.js';
import { type OpenResponseOptions, openResponse, type ResponseTimeouts } from './open-response.js';

export interface PostJsonOptions {
  readonly url: string;
  readonly headers: OpenResponseOptions['headers'];
  readonly needsKey: boolean;
  readonly body: unknown;
  readonly fetch: FetchFunction;
  readonly signal?: AbortSignal;
  /** @default none */
  readonly timeouts?: ResponseTimeouts;
}

/** Posts JSON and reads the JSON that answers it. Fails as `openResponse` does, and for an answer that is no JSON. */
export async function postJson({ timeouts = {}, ...options }: PostJsonOptions) {
  const opened = await openResponse({ ...options, timeouts });
  const { url, requestBody, responseHeaders, redact } = opened.errorContext;
  try {
    const text = await readText();
    const body = parse(text);
    // A body with a key in it is an error that calls itself an answer, and hosts show bodies.
    const isClean = redact(text) === text;
    return { body: isClean ? body : redactStrings(body, redact), headers: opened.headers };
  } finally {
    opened.close();
  }

  async function readText(): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for (let bytes = await opened.read(); bytes !== undefined; bytes = await opened.read()) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > RESPONSE_LIMITS.eventLength)
        throw toError(`at most ${RESPONSE_LIMITS.eventLength} characters of JSON from ${url}, got more`);
    }
    return text;
  }

  function parse(text: string): unknown {
    if (isNestedDeeper(text, RESPONSE_LIMITS.nesting))
      throw toError(`JSON nested at most ${RESPONSE_LIMITS.nesting} deep from ${url}, got deeper`);
    try {
      return JSON.parse(text);
    } catch {
      // Its own error repeats pieces of the body, in which a key may be cut beyond recognition.
      throw toError(`JSON from ${url}, got ${JSON.stringify(redact(text).trim().slice(0, 120))}`);
    }
  }

  function toError(told: string): APICallError {
    return new APICallError({
      message: `Expected ${toErrorText(told)}. Check \`baseURL\`.`,
      url,
      requestBodyValues: requestBody,
      responseHeaders,
      isRetryable: false,
    });
  }
}
