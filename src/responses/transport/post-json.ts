import { APICallError } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { type OpenResponseOptions, openResponse } from './open-response.js';

export interface PostJsonOptions {
  readonly url: string;
  readonly headers: OpenResponseOptions['headers'];
  readonly needsKey: boolean;
  readonly body: unknown;
  readonly fetch: FetchFunction;
  readonly signal?: AbortSignal;
}

/** Posts JSON and reads the JSON that answers it. Fails as `openResponse` does, and for an answer that is no JSON. */
export async function postJson(options: PostJsonOptions) {
  const opened = await openResponse({ ...options, timeouts: {} });
  try {
    const decoder = new TextDecoder();
    let text = '';
    for (let bytes = await opened.read(); bytes !== undefined; bytes = await opened.read()) {
      text += decoder.decode(bytes, { stream: true });
    }
    return { body: parse(text), headers: opened.headers };
  } finally {
    opened.close();
  }

  function parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      // Its own error repeats pieces of the body, in which a key may be cut beyond recognition.
      const { url, requestBody, responseHeaders, redact } = opened.errorContext;
      throw new APICallError({
        message: `Expected JSON from ${url}, got ${JSON.stringify(redact(text).trim().slice(0, 120))}. Check \`baseURL\`.`,
        url,
        requestBodyValues: requestBody,
        responseHeaders,
        isRetryable: false,
      });
    }
  }
}
