/** A request that the server refused, with its reason and what else it said. */
class ApiError extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(toReason(body) ?? `The playground's server answered with status ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
  }
}

/** @throws ApiError for a refusal, and Error when the server does not answer. */
export async function callApi<Answer>(
  path: string,
  { method = 'GET', body, signal }: { method?: string; body?: unknown; signal?: AbortSignal } = {},
): Promise<Answer> {
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
    throw new Error('The playground’s server does not answer. Is it still running?', { cause });
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new ApiError(response.status, answer);
  return answer as Answer;
}

const toReason = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
    ? body.error
    : undefined;
