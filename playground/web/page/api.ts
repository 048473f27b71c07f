import type { SchemaProblem, SchemaRefusal } from '../../shared/mcp-inspection.js';
import { readToken } from './session.js';

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

/** Returns the problems of values that were not sent, because they break a schema. */
export const toSchemaProblems = (error: unknown): readonly SchemaProblem[] | undefined =>
  error instanceof ApiError && error.status === 422 ? (error.body as SchemaRefusal).problems : undefined;

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

interface CallOptions {
  /** @default 'GET' */
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request with the token of this tab to a path below `/api`.
 *
 * @throws the error of `fetch` if the server cannot be reached, or redirects: the token is sent to nobody else.
 */
export function fetchApi(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${readToken() ?? ''}`);
  return fetch(`/api${path}`, { ...init, headers, credentials: 'omit', redirect: 'error' });
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
export async function callApi<Result>(path: string, options: CallOptions = {}): Promise<Result> {
  const response = await send(path, options);
  return (await response.json().catch(() => undefined)) as Result;
}

/**
 * Waits until a response ends, and calls `onText` for each text that arrives.
 *
 * @throws Same errors as {@link callApi}.
 */
export async function followApi(path: string, options: CallOptions, onText: () => void): Promise<void> {
  const { body } = await send(path, options);
  await body?.pipeTo(new WritableStream({ write: onText }));
}

async function send(path: string, { method = 'GET', body, signal }: CallOptions): Promise<Response> {
  let response: Response;
  try {
    response = await fetchApi(path, {
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
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined));
  return response;
}

const toReason = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
    ? body.error
    : undefined;
