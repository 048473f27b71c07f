/** An error response of the playground's server. */
class ApiError extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(toReason(body) ?? `The server of the playground returned status ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
  }
}

interface CallOptions {
  /** @default 'GET' */
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Sends changes of settings and new turns one after another, so that a turn uses the settings that the user selected before.
 *
 * @throws Same errors as {@link callApi}.
 */
export function callInOrder<Result>(path: string, options: CallOptions): Promise<Result> {
  const call = last.then(() => callApi<Result>(path, options));
  last = call.catch(() => {});
  return call;
}

/** @throws ApiError for an error response, and Error if the server cannot be reached. */
export async function callApi<Result>(
  path: string,
  { method = 'GET', body, signal }: CallOptions = {},
): Promise<Result> {
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      signal,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Error('Could not reach the server of the playground. Is it still running?', { cause });
  }
  const result: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new ApiError(response.status, result);
  return result as Result;
}

const toReason = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
    ? body.error
    : undefined;
