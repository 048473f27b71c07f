import type { FetchFunction } from '@ai-sdk/provider-utils';
import { linkSignal, toTimerDelay, untilAborted } from '../shared/abort.js';
import { createCallError } from './api-error.js';
import type { ResponseTimeouts } from './open-response.js';

/**
 * Adds the time limits of responses to a `fetch` whose response another package reads. A limit ends the request with the
 * error that `openResponse` has for it.
 */
export function withTimeLimits(fetch: FetchFunction, timeouts: ResponseTimeouts): FetchFunction {
  if (timeouts.connect === undefined && timeouts.idle === undefined && timeouts.total === undefined)
    return fetch;
  return async (input, init) => {
    const { href } = new URL(input instanceof Request ? input.url : input);
    const [url = ''] = href.split('?');
    const request = linkSignal(init?.signal ?? undefined);
    const limit = (
      milliseconds: number | undefined,
      failure: 'connectTimeout' | 'idleTimeout' | 'totalTimeout',
      description: string,
    ) => {
      if (milliseconds === undefined) return undefined;
      const message = `Expected a response from ${url}, but it sent ${description}.`;
      return setTimeout(
        () => request.abort(createCallError(failure, { url }, message)),
        toTimerDelay(milliseconds),
      );
    };
    const totalTimer = limit(
      timeouts.total,
      'totalTimeout',
      `no complete response within ${timeouts.total} ms (timeouts.total)`,
    );
    const connectTimer = limit(
      timeouts.connect,
      'connectTimeout',
      `no response within ${timeouts.connect} ms (timeouts.connect)`,
    );
    const release = (): void => {
      clearTimeout(totalTimer);
      request.release();
    };
    try {
      const sending = fetch(input, { ...init, signal: request.signal });
      const response = await untilAborted(Promise.resolve(sending), request.signal);
      const reader = response.body?.getReader();
      if (reader === undefined) {
        release();
        return response;
      }
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const timer = limit(
            timeouts.idle,
            'idleTimeout',
            `nothing for ${timeouts.idle} ms (timeouts.idle)`,
          );
          try {
            const { value } = await untilAborted(reader.read(), request.signal);
            if (value !== undefined) return controller.enqueue(value);
            release();
            controller.close();
          } catch (error) {
            release();
            throw error;
          } finally {
            clearTimeout(timer);
          }
        },
        cancel(reason) {
          release();
          return reader.cancel(reason);
        },
      });
      return new Response(body, response);
    } catch (error) {
      release();
      throw error;
    } finally {
      clearTimeout(connectTimer);
    }
  };
}
