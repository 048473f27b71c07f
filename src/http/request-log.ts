import type { FetchFunction } from '@ai-sdk/provider-utils';
import { createRedactor } from './redaction.js';
import { isSecretName, secretsIn } from './secrets-in.js';
import { toShownUrl } from './to-shown-url.js';

/** What a log tells of an HTTP request at one moment. Keys and other secrets are replaced by `[redacted]`. */
export interface RequestLogEntry {
  /** `request` when it is sent, `response` when its status has come, `error` when none came. */
  readonly phase: 'request' | 'response' | 'error';
  /** The same in all entries of one request. A request that is repeated is another one. */
  readonly requestId: number;
  /** When it happened, in milliseconds since 1970. */
  readonly timestamp: number;
  readonly method: string;
  readonly url: string;
  /** Those of the request, and in the phase `response` those of the answer; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The HTTP status, in the phase `response`. */
  readonly status?: number;
  /** Milliseconds since the request was sent, in the phases `response` and `error`. A stream may go on after that. */
  readonly duration?: number;
  /** What went wrong, in the phase `error`. */
  readonly error?: string;
}

/** Told of each HTTP request. What it throws, or a promise of it rejects with, is ignored. */
export type RequestLogger = (entry: RequestLogEntry) => unknown;

/** The `fetch`, with each of its requests told to the logger; itself where there is none. */
export function withRequestLog(fetch: FetchFunction, logger: RequestLogger | undefined): FetchFunction {
  if (logger === undefined) return fetch;
  let count = 0;

  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const { url, secrets } = toShownUrl(request?.url ?? String(input));
    const sent = [...new Headers(init?.headers ?? request?.headers)];
    const { redact } = createRedactor([...secretsIn(sent), ...secrets.filter(secret => secret.length >= 4)]);
    const requestId = ++count;
    const startedAt = performance.now();
    const common = { requestId, method: init?.method ?? request?.method ?? 'GET', url: redact(url) };
    const write = (entry: Omit<RequestLogEntry, keyof typeof common | 'timestamp'>): void =>
      tell(logger, { ...common, timestamp: Date.now(), ...entry });

    write({ phase: 'request', headers: toShownHeaders(sent, redact) });
    try {
      const response = await fetch(input, init);
      write({
        phase: 'response',
        status: response.status,
        duration: performance.now() - startedAt,
        headers: toShownHeaders(response.headers, redact),
      });
      return response;
    } catch (error) {
      write({
        phase: 'error',
        duration: performance.now() - startedAt,
        headers: toShownHeaders(sent, redact),
        error: redact(error instanceof Error ? error.message : String(error)),
      });
      throw error;
    }
  };
}

const toShownHeaders = (
  headers: Iterable<readonly [string, string]>,
  redact: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    [...headers].map(([name, value]) => [name, isSecretName(name) ? '[redacted]' : redact(value)]),
  );

/** An observer must not be able to break what it observes. */
function tell(logger: RequestLogger, entry: RequestLogEntry): void {
  try {
    Promise.resolve(logger(entry)).catch(() => {});
  } catch {
    // Thrown by the logger at once.
  }
}
