import type { AuthProvider, FetchLike, OAuthClientProvider } from '@modelcontextprotocol/client';
import { KelivoError } from '../../shared/errors.js';
import {
  type AuthorizationCallback,
  createCredentialFetch,
  describeAuthorizationProblem,
  SignInError,
  unreadableTokens,
} from './authorization-messages.js';
import { type Authorization, authStateOf, createSharing } from './auth-state.js';
import type { McpHttpServerConfig, McpServerConfig } from '../config/config.js';
import { createOAuthAuthorization } from './oauth-authorization.js';

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

/** Completes a sign-in. Without a provider or with an invalid callback, the error is a `KelivoError`. */
export async function finishAuth(
  config: McpServerConfig,
  callback: AuthorizationCallback,
  { serverName, fetch = (url, init) => globalThis.fetch(url, init), state }: FinishAuthOptions,
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
    await authorization.finish(callback, { fetch, headers: config.headers, state });
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new KelivoError({
      code: 'mcp-unauthorized',
      message: `The sign-in to ${server} was not completed. ${reason}`,
    });
  }
}

interface FinishAuthOptions {
  serverName: string;
  fetch?: FetchLike;
  state?: string;
}

const hasCredentials = ({ headers = {} }: McpHttpServerConfig): boolean =>
  Object.keys(headers).some(name => name.toLowerCase() === 'authorization');

/** Returns true for providers of OAuth, which the SDK distinguishes from plain token providers in the same way. */
export function isOAuthProvider(
  provider: AuthProvider | OAuthClientProvider,
): provider is OAuthClientProvider {
  return 'tokens' in provider && 'clientInformation' in provider;
}

/** Wraps a provider that only returns tokens. */
function createTokenAuthorization(provider: AuthProvider, serverUrl: URL): Authorization {
  const share = createSharing();
  let problem: string | undefined;

  return {
    signIn: undefined,
    get problem() {
      return problem;
    },
    async readToken() {
      try {
        return await provider.token();
      } catch (error) {
        problem = unreadableTokens;
        throw error;
      }
    },
    recover: ({ response, token }, { fetch, headers }) =>
      share(`${token}`, async () => {
        if (response.status !== 401) return false;
        const stored = await provider.token();
        if (stored !== undefined && stored !== token) return true;
        if (provider.onUnauthorized === undefined) return false;
        try {
          const fetchFn = createCredentialFetch(fetch, { serverUrl, headers });
          // Only the headers matter, and the body must remain unread.
          const { status, headers: received } = response;
          const challenge = new Response(null, { status, headers: received });
          await provider.onUnauthorized({ response: challenge, serverUrl, fetchFn });
          problem = undefined;
          return true;
        } catch (error) {
          problem = describeAuthorizationProblem(error);
          return false;
        }
      }),
    confirm() {
      problem = undefined;
    },
    async finish() {
      throw new SignInError(
        'Its `authProvider` only returns tokens. Use an OAuthClientProvider to sign in a user.',
      );
    },
  };
}
