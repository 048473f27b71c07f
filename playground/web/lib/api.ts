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

/** @throws ApiError for an error response, and Error if the server cannot be reached. */
export async function callApi<Result>(
  path: string,
  { method = 'GET', body, signal }: { method?: string; body?: unknown; signal?: AbortSignal } = {},
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
