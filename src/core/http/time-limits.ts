import type { FetchFunction } from '@ai-sdk/provider-utils';
import { linkSignal, untilAborted } from '../shared/abort.js';
import { type ResponseTimeouts, startLimit, toTimeoutError } from './open-response.js';

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
    const totalTimer = startLimit(request, timeouts.total, limit =>
      toTimeoutError('totalTimeout', { url }, `no complete response within ${limit} ms (timeouts.total)`),
    );
    const connectTimer = startLimit(request, timeouts.connect, limit =>
      toTimeoutError('connectTimeout', { url }, `no response within ${limit} ms (timeouts.connect)`),
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
          const timer = startLimit(request, timeouts.idle, limit =>
            toTimeoutError('idleTimeout', { url }, `nothing for ${limit} ms (timeouts.idle)`),
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
