import {
  type AuthProvider,
  type FetchLike,
  type OAuthClientProvider,
  withDpopFromProvider,
} from '@modelcontextprotocol/client';
import { untilAborted } from '../../../core/shared/abort.js';
import { KelivoError } from '../../../core/shared/errors.js';
import { objectOf, tryParseJson } from '../../../core/shared/json.js';
import type { McpHttpServerConfig, McpServerConfig } from '../config/config.js';
import { type Authorization, type AuthorizationCallback, authStateOf } from './authorization.js';
import {
  createCredentialFetch,
  describeAuthorizationProblem,
  isRejection,
  SignInError,
  unreadableTokens,
} from './authorization-server.js';
import { createOAuthAuthorization, createSharing } from './oauth-flow.js';

/** Returns the authorization of a server, or undefined if it has none or its headers contain the credentials. */
export function authorizationOf(config: McpServerConfig): Authorization | undefined {
  if ('command' in config || config.authProvider === undefined || hasCredentials(config)) return undefined;
  const { authProvider, url } = config;
  const { authorizations } = authStateOf(authProvider);
  const known = authorizations.get(url);
  if (known) return known;
  const created = isOAuthProvider(authProvider)
    ? createOAuthAuthorization(authProvider, new URL(url))
    : createTokenAuthorization(authProvider, new URL(url));
  authorizations.set(url, created);
  return created;
}

const hasCredentials = (config: McpHttpServerConfig): boolean =>
  Object.keys(config.headers ?? {}).some(name => name.toLowerCase() === 'authorization');

/** Returns true for providers of OAuth, which the SDK distinguishes from plain token providers in the same way. */
function isOAuthProvider(provider: AuthProvider | OAuthClientProvider): provider is OAuthClientProvider {
  return 'tokens' in provider && 'clientInformation' in provider;
}

/** Wraps a provider that only returns tokens. */
function createTokenAuthorization(provider: AuthProvider, serverUrl: URL): Authorization {
  const share = createSharing();
  let problem: string | undefined;

  async function token(): Promise<string | undefined> {
    try {
      return await provider.token();
    } catch (error) {
      problem = unreadableTokens;
      throw error;
    }
  }

  return {
    signInUrl: undefined,
    get problem() {
      return problem;
    },
    token,
    async recover(exchange, options) {
      if (!isRejection(exchange.response)) problem = undefined;
      if (exchange.response.status !== 401) return false;
      return share(`${exchange.token}`, async () => {
        try {
          const stored = await token();
          if (stored !== undefined && stored !== exchange.token) return true;
        } catch {
          return false; // its error may contain secrets
        }
        if (provider.onUnauthorized === undefined) return false;
        try {
          const fetchFn = createCredentialFetch(options.fetch, serverUrl, options.headers);
          // Only the headers matter, and the body must remain unread.
          const challenge = new Response(null, { status: 401, headers: exchange.response.headers });
          await provider.onUnauthorized({ response: challenge, serverUrl, fetchFn });
          problem = undefined;
          return true;
        } catch (error) {
          problem = describeAuthorizationProblem(error);
          return false;
        }
      });
    },
    async finish() {
      throw new SignInError(
        'Its `authProvider` only returns tokens. Use an OAuthClientProvider to sign in a user.',
      );
    },
  };
}

/** Maximum number of times that a request is sent: at first, with a refreshed token, and with more scopes. */
const maxSends = 3;

/** Number of tokens that are remembered for each provider: a server may still repeat the one before. */
const maxSentTokens = 2;

/**
 * Adds the token of a server's `authProvider` to the requests of a transport. A rejected request is sent again if a new
 * token is available. Otherwise the response is returned unchanged, and the authorization knows the reason.
 *
 * Corrects the MCP SDK (2.4.0): a transport that has the provider itself refreshes once for every rejected request. With
 * rotating refresh tokens, all but one fail, and the user has to sign in again
 * (https://github.com/modelcontextprotocol/typescript-sdk/issues/234). Test of the bare SDK: "every
 * rejected request of a transport refreshes the token" in test/tools/mcp/sdk-corrections-auth.test.ts.
 */
export function createAuthorizedFetch(config: McpHttpServerConfig, fetch: FetchLike): FetchLike {
  const authorization = authorizationOf(config);
  const { authProvider, headers } = config;
  if (authorization === undefined || authProvider === undefined) return fetch;
  const state = authStateOf(authProvider);
  const send =
    isOAuthProvider(authProvider) && authProvider.dpop ? withDpopFromProvider(authProvider)(fetch) : fetch;

  return async (url, init = {}) => {
    const signal = init.signal ?? undefined;
    const operation = toOperation(init);
    let wasRejected = false;
    for (let sent = 1; ; sent++) {
      // A provider that fails has no token. The authorization knows the reason.
      const token = await untilAborted(
        authorization.token().catch(() => null),
        signal,
      );
      if (token === null) return new Response(null, { status: 401 });
      const request = { ...init, headers: new Headers(init.headers) };
      if (token !== undefined) {
        request.headers.set('authorization', `Bearer ${token}`);
        state.sentTokens = [...state.sentTokens.filter(other => other !== token), token].slice(
          -maxSentTokens,
        );
      }
      const response = await send(url, request);
      // Do not ask the user to sign in only to end a session.
      if (init.method === 'DELETE') return response;
      const isRenewed = response.status === 401 && wasRejected;
      if (isRejection(response) && (sent === maxSends || isRenewed)) return response;
      wasRejected ||= response.status === 401;
      const recovery = authorization.recover({ response, token, operation }, { fetch, headers });
      if (!(await untilAborted(recovery, signal))) return response;
      await response.body?.cancel();
    }
  };
}

/** Returns the JSON-RPC method of a request and its tool, prompt or resource. */
function toOperation(init: RequestInit): string {
  const message = typeof init.body === 'string' ? objectOf(tryParseJson(init.body)) : undefined;
  const params = objectOf(message?.params);
  return JSON.stringify([init.method ?? 'GET', message?.method, params?.name ?? params?.uri]);
}

/** @throws KelivoError `mcp-unauthorized`, or `invalid-settings` without a provider. It has no text of the callback. */
export async function finishAuth(
  config: McpServerConfig,
  callback: AuthorizationCallback,
  {
    serverName,
    fetch = (url, init) => globalThis.fetch(url, init),
  }: { serverName: string; fetch?: FetchLike },
): Promise<void> {
  const server = `MCP server ${JSON.stringify(serverName)}`;
  const authorization = authorizationOf(config);
  if (authorization === undefined || 'command' in config) {
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Expected ${server} to have an \`authProvider\` and no \`Authorization\` header, which \`finishAuth\` requires.`,
    });
  }
  try {
    await authorization.finish(callback, { fetch, headers: config.headers });
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new KelivoError({
      code: 'mcp-unauthorized',
      message: `The sign-in to ${server} was not completed. ${reason}`,
    });
  }
}
