import type { APICallError } from '@ai-sdk/provider';
import { isNestedDeeper } from '../shared/json.js';
import { createCallError, toErrorText } from './api-error.js';
import { RESPONSE_LIMITS } from './text-stream.js';
import { openResponse, type OpenResponseOptions, type ResponseTimeouts } from './open-response.js';
import { redactJson } from '../redaction/redaction.js';

export interface JsonRequestOptions extends Omit<OpenResponseOptions, 'timeouts' | 'toInputJson'> {
  /** @default none */
  readonly timeouts?: ResponseTimeouts;
}

/** Sends a request and reads the JSON of the response. Fails as `openResponse` does, and for a response that is not JSON. */
export async function requestJson({ timeouts = {}, ...options }: JsonRequestOptions) {
  const opened = await openResponse({ ...options, timeouts });
  const { errorContext, redactKnown } = opened;
  const { url, redact } = errorContext;
  try {
    const text = await readText();
    const body = parse(text);
    // Some servers send an error that repeats the key with status 200, and hosts show bodies.
    const isClean = redactKnown(text) === text;
    return { body: isClean ? body : redactJson(body, redactKnown), headers: opened.headers };
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
      throw toError(`JSON with at most ${RESPONSE_LIMITS.nesting} levels of nesting from ${url}, got more`);
    try {
      return JSON.parse(text);
    } catch {
      // The parser's error quotes the body, possibly with a truncated key that cannot be recognized.
      throw toError(`JSON from ${url}, got ${JSON.stringify(redact(text).trim().slice(0, 120))}`);
    }
  }

  function toError(expectation: string): APICallError {
    const message = `Expected ${toErrorText(expectation)}. Check \`baseURL\`.`;
    return createCallError('unexpectedResponse', errorContext, message);
  }
}
