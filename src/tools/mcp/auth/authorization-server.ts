import {
  AuthorizationServerMismatchError,
  extractWWWAuthenticateParams,
  type FetchLike,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { objectOf, type PlainObject, tryParseJson } from '../../../core/shared/json.js';
import { AddressGate, createGatedFetch, RefusedAddressError } from './addresses.js';
import type { AuthorizationCallback } from './authorization.js';

/** Returns true for a response that rejects the token: HTTP 401, or 403 for insufficient scopes. */
export function isRejection(response: Response): boolean {
  if (response.status === 401) return true;
  return response.status === 403 && extractWWWAuthenticateParams(response).error === 'insufficient_scope';
}

/** Maximum time for one request to an authorization server, in milliseconds. */
const requestTimeout = 30_000;

/**
 * Creates a `fetch` for the requests of the SDK's authorization flow. The configured headers are sent to the MCP server
 * only, and addresses that servers name pass a gate.
 *
 * Corrects the MCP SDK (2.4.0): it prints the text of token endpoints on the console, and messages of its errors contain
 * it. Here only the code of an error remains. Its requests also have no time limit, and it rejects a document in which a member
 * is empty, or one that it does not need is missing. Tests of the bare SDK: "prints the text of a token endpoint on the console"
 * and "rejects a document with an empty member" in test/tools/mcp/sdk-corrections-auth.test.ts.
 *
 * @param onRefresh Called with the status of a refresh request, or undefined if it failed.
 */
export function createCredentialFetch(
  fetch: FetchLike,
  serverUrl: URL,
  headers?: Readonly<Record<string, string>>,
  onRefresh?: (status: number | undefined) => void,
): FetchLike {
  const gated = createGatedFetch(fetch, new AddressGate(serverUrl));
  return async (url, init = {}) => {
    const isServer = new URL(url).origin === serverUrl.origin;
    const request = {
      ...init,
      headers: new Headers([...(isServer ? new Headers(headers) : []), ...new Headers(init.headers)]),
      signal: AbortSignal.timeout(requestTimeout),
    };
    if (!(init.body instanceof URLSearchParams)) return withReadableDocument(await gated(url, request), init);
    const report = init.body.get('grant_type') === 'refresh_token' ? onRefresh : undefined;
    try {
      const response = await gated(url, request);
      report?.(response.status);
      return await withoutErrorText(response);
    } catch (error) {
      report?.(undefined);
      throw error;
    }
  };
}

/** Returns the response of a token endpoint. An error, which some servers send with status 200, is reduced to its code. */
async function withoutErrorText(response: Response): Promise<Response> {
  if (response.status < 200 || (response.status >= 300 && response.status < 400)) return response; // a redirect
  const text = await response.text();
  const body = objectOf(tryParseJson(text));
  const { status, headers } = response;
  const document = body && withoutEmpty(body);
  if (response.ok && document !== undefined && !('error' in document)) {
    const { token_type = 'Bearer', scope, ...tokens } = document;
    const scopes = Array.isArray(scope) ? scope.join(' ') : scope;
    return toDocument({ ...tokens, token_type, ...(scopes !== undefined && { scope: scopes }) }, response);
  }
  const error = toErrorCode(body?.error) ?? 'server_error';
  return toDocument({ error }, { status: response.ok ? 400 : status, headers });
}

/**
 * Returns a response with the metadata of a server or a registered client. Servers write `null` or an empty text for what they
 * do not have, leave out what the client has sent, and send a page for addresses that they do not know.
 */
async function withReadableDocument(response: Response, { method, body }: RequestInit): Promise<Response> {
  if (!response.ok) return response;
  const read = objectOf(tryParseJson(await response.text()));
  if (read === undefined) return new Response(null, { status: 404 });
  const document = withoutEmpty(read);
  if (method === 'POST') {
    const { client_secret_expires_at, ...client } = document;
    const sent = objectOf(tryParseJson(String(body)));
    const expiresAt = Number(client_secret_expires_at);
    const expiry = Number.isFinite(expiresAt) ? { client_secret_expires_at: expiresAt } : {};
    return toDocument({ ...sent, ...client, ...expiry }, response);
  }
  const isServer = 'authorization_endpoint' in document;
  return toDocument({ ...(isServer && { response_types_supported: ['code'] }), ...document }, response);
}

const withoutEmpty = (document: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null && value !== ''));

/** Returns a response with another document, and the headers that the SDK reads. */
function toDocument(
  document: PlainObject,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): Response {
  const nonce = headers.get('dpop-nonce');
  return Response.json(document, { status, headers: nonce === null ? {} : { 'dpop-nonce': nonce } });
}

function toErrorCode(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z_]{1,40}$/.test(value) ? value : undefined;
}

/** A sign-in that could not be completed. The message contains no text of the callback or a server. */
export class SignInError extends Error {}

/** The authorization server could not refresh a token that may be valid. */
export class RefreshUnavailableError extends Error {}

/**
 * Reads a callback and compares its `state`.
 *
 * @throws SignInError without any text of the callback, which anyone can send.
 */
export function readAuthorizationCallback(
  callback: AuthorizationCallback,
  expectedState: string | null | undefined,
): { code: string; iss: string | undefined } {
  const query = toQuery(callback);
  if (query === undefined) return { code: String(callback), iss: undefined };
  if (typeof expectedState === 'string' && query.get('state') !== expectedState) {
    throw new SignInError(
      'The `state` of the callback does not match the sign-in that was started. Start it again.',
    );
  }
  const code = query.get('code');
  if (code === null || code === '') {
    throw new SignInError(
      'The callback contains no authorization code: the sign-in was declined or has failed.',
    );
  }
  return { code, iss: query.get('iss') ?? undefined };
}

/** Returns undefined for a code. */
function toQuery(callback: AuthorizationCallback): URLSearchParams | undefined {
  if (callback instanceof URLSearchParams) return callback;
  if (callback instanceof URL) return callback.searchParams;
  if (/^https?:\/\//.test(callback) && URL.canParse(callback)) return new URL(callback).searchParams;
  const query = new URLSearchParams(/\?[^#]*/.exec(callback)?.[0] ?? '');
  return query.has('code') || query.has('error') ? query : undefined;
}

/** A problem of a provider, whose error may contain secrets. */
export const unreadableTokens = 'Its `authProvider` failed to return its tokens.';

/** Messages of errors that the SDK creates without text of a server, by their beginning. */
const knownMessages: readonly (readonly [start: string, sentence: string])[] = [
  ['Protected resource', 'The metadata of the server describe another resource. Check its `url`.'],
  ['Incompatible auth server', 'Its authorization server does not support a required feature.'],
  ['OAuth client information must be', 'Its `authProvider` has no client id and cannot save a new one.'],
  ['Existing OAuth client information', 'Its `authProvider` has no client id. Start the sign-in again.'],
];

/**
 * Describes an error of the authorization flow in one sentence. Messages are not quoted, because they may contain tokens
 * or text that anyone can put in a callback.
 */
export function describeAuthorizationProblem(error: unknown): string {
  if (IssuerMismatchError.isInstance(error)) {
    return error.kind === 'metadata'
      ? 'The metadata of its authorization server name another issuer.'
      : 'The callback is from another authorization server than the sign-in. It was not used.';
  }
  if (AuthorizationServerMismatchError.isInstance(error)) {
    return 'The credentials belong to another authorization server. They were not sent.';
  }
  if (error instanceof RefusedAddressError) {
    return `Its metadata or those of its authorization server are refused. ${error.message}`;
  }
  if (InsecureTokenEndpointError.isInstance(error)) {
    return 'The token endpoint of its authorization server does not use https.';
  }
  if (RegistrationRejectedError.isInstance(error)) {
    const code = toErrorCode(objectOf(tryParseJson(error.body))?.error);
    return `Its authorization server rejected the registration of the client (HTTP ${error.status}${code ? `, ${code}` : ''}).`;
  }
  if (OAuthError.isInstance(error)) {
    return `Its authorization server returned the error ${toErrorCode(error.code) ?? 'server_error'}.`;
  }
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  if (error instanceof RefreshUnavailableError || error instanceof TypeError || isTimeout) {
    return 'Its authorization server cannot be reached. The next use tries again.';
  }
  const message = error instanceof Error ? error.message : '';
  const known = knownMessages.find(([start]) => message.startsWith(start));
  return known?.[1] ?? 'Its authorization server or its `authProvider` failed.';
}
