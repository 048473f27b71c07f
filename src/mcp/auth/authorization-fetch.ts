import {
  extractWWWAuthenticateParams,
  type FetchLike,
  withDpopFromProvider,
} from '@modelcontextprotocol/client';
import { untilAborted } from '../../shared/abort.js';
import { objectOf, tryParseJson } from '../../shared/json.js';
import { authStateOf } from './auth-state.js';
import { authorizationOf, isOAuthProvider } from './authorization.js';
import type { McpHttpServerConfig } from '../config/config.js';

/** Number of tokens that are remembered for each provider: a server may still repeat the one before. */
const maxRemembered = 2;

/** Returns the tokens that were sent to a server last, which its messages may repeat. */
export function sentTokensOf({ authProvider }: McpHttpServerConfig): readonly string[] {
  return authProvider === undefined ? [] : authStateOf(authProvider).sentTokens;
}

function rememberToken(authProvider: object, token: string): void {
  const state = authStateOf(authProvider);
  const others = state.sentTokens.filter(other => other !== token);
  state.sentTokens = [...others, token].slice(-maxRemembered);
}

/** Maximum number of times that a request is sent: at first, with a refreshed token, and with more scopes. */
const maxSends = 3;

/**
 * Adds the token of a server's `authProvider` to the requests of a transport, which must not have the provider itself:
 * the SDK (2.4.0) refreshes once for every rejected request, and with rotating refresh tokens, all but one fail.
 *
 * A rejected request is sent again if a new token is available. Otherwise the response is returned unchanged, and the
 * authorization knows the reason.
 */
export function createAuthorizedFetch(config: McpHttpServerConfig, fetch: FetchLike): FetchLike {
  const authorization = authorizationOf(config);
  const { authProvider, headers } = config;
  if (authorization === undefined || authProvider === undefined) return fetch;
  const send =
    isOAuthProvider(authProvider) && authProvider.dpop ? withDpopFromProvider(authProvider)(fetch) : fetch;

  /** Returns null if the provider failed. The authorization knows the reason. */
  const readToken = () => authorization.readToken().catch(() => null);

  return async (url, init = {}) => {
    const operation = toOperation(init);
    const rejected = new Set<string | undefined>();
    for (let sent = 1; ; sent++) {
      const token = await untilAborted(readToken(), init.signal ?? undefined);
      if (token === null) return new Response(null, { status: 401 });
      if (token !== undefined) rememberToken(authProvider, token);
      const response = await send(url, withToken(init, token));
      if (!isRejection(response)) {
        authorization.confirm(token, operation);
        return response;
      }
      if (sent === maxSends || (response.status === 401 && rejected.size > 0)) return response;
      if (response.status === 401) rejected.add(token);
      const recovery = authorization.recover({ response, token, operation }, { fetch, headers });
      if (!(await untilAborted(recovery, init.signal ?? undefined))) return response;
      await response.body?.cancel();
    }
  };
}

function isRejection(response: Response): boolean {
  if (response.status === 401) return true;
  return response.status === 403 && extractWWWAuthenticateParams(response).error === 'insufficient_scope';
}

function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** Returns the JSON-RPC method of a request and its tool, prompt or resource. */
function toOperation({ method = 'GET', body }: RequestInit): string {
  const message = typeof body === 'string' ? objectOf(tryParseJson(body)) : undefined;
  const params = objectOf(message?.params);
  return JSON.stringify([method, message?.method, params?.name ?? params?.uri]);
}
