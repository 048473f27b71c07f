import {
  auth,
  type AuthProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
  isStrictScopeSuperset,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { KelivoError } from '../../shared/errors.js';
import { createAuthorizationRun, type RecordedDiscovery } from './authorization-run.js';
import {
  createCredentialFetch,
  describeAuthorizationProblem,
  readAuthorizationCallback,
  SignInError,
} from './authorization-messages.js';
import type { McpHttpServerConfig, McpServerConfig } from './config.js';
import { lockOf, readStoredState } from './oauth-provider.js';

/** The authorization of one server with one provider. All connections and pools of the process share it. */
export interface Authorization {
  /** The sign-in that waits for the user. */
  readonly signIn: { readonly url: string } | undefined;
  /** The reason why the last attempt to get a token failed, as a sentence without text of servers. */
  readonly problem: string | undefined;
  /** Returns the current access token. */
  readToken(): Promise<string | undefined>;
  /**
   * Gets a token after a response that rejected the one that was sent. Concurrent callers share the attempt. Returns
   * true if the request may be sent again.
   */
  recover(rejection: Rejection, options: AuthorizationOptions): Promise<boolean>;
  /** Records that the server accepted a token for an operation. */
  confirm(token: string | undefined, operation: string): void;
  /**
   * Exchanges the authorization code of a callback.
   *
   * @throws SignInError
   */
  finish(callback: AuthorizationCallback, options: FinishOptions): Promise<void>;
}

/** The URL to which the authorization server returned the user, its query, or only the code in it. */
export type AuthorizationCallback = string | URL | URLSearchParams;

/** A response with HTTP 401, or 403 for insufficient scopes. */
interface Rejection {
  readonly response: Response;
  /** The token that was sent. */
  readonly token: string | undefined;
  /** The request, for the limit of attempts: its JSON-RPC method and the name of the tool. */
  readonly operation: string;
}

interface AuthorizationOptions {
  /** Sends the requests to the authorization server. */
  fetch: FetchLike;
  /** Headers of the server's configuration. Only requests to the server's origin have them. */
  headers?: Readonly<Record<string, string>>;
}

interface FinishOptions extends AuthorizationOptions {
  /** The value of `state` that the callback must have. @default the value of the sign-in that this process started */
  state?: string;
}

interface SignIn {
  readonly url: string;
  /** The token that did not suffice. A response to any other token ends the sign-in. */
  readonly rejectedToken: string | undefined;
  readonly startedAt: number;
}

/** Time after which a sign-in that the user did not complete is started again by the next use, in milliseconds. */
const signInLifetime = 600_000;

/**
 * Maximum number of authorizations for more scopes in that time, for one operation that the server continues to deny.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#step-up-authorization-flow
 */
const maxStepUps = 2;

const unreadableTokens = 'Its `authProvider` failed to return its tokens.';

/** Ends of the last attempts by provider or store. One store is never written by two attempts at the same time. */
const locks = new WeakMap<object, Promise<unknown>>();

const authorizations = new WeakMap<object, Map<string, Authorization>>();

/** Returns the authorization of a server, or undefined if it has none or its headers contain the credentials. */
export function authorizationOf(config: McpServerConfig): Authorization | undefined {
  if ('command' in config || config.authProvider === undefined || hasCredentials(config)) return undefined;
  const { authProvider, url } = config;
  const byUrl = authorizations.get(authProvider) ?? new Map<string, Authorization>();
  const known = byUrl.get(url);
  if (known) return known;
  const created = isOAuthProvider(authProvider)
    ? createAuthorization(authProvider, new URL(url))
    : createTokenAuthorization(authProvider, new URL(url));
  authorizations.set(authProvider, byUrl.set(url, created));
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

/** @internal */
export function createAuthorization(provider: OAuthClientProvider, serverUrl: URL): Authorization {
  const inTurn = createTurns(lockOf(provider));
  const share = createSharing();
  /** Times of the authorizations for more scopes, by operation. */
  const stepUps = new Map<string, number[]>();
  const discovery: RecordedDiscovery = { state: undefined };
  let signIn: SignIn | undefined;
  let problem: string | undefined;
  let requestedScope: string | undefined;

  const findSignIn = (): SignIn | undefined =>
    signIn && Date.now() - signIn.startedAt < signInLifetime ? signIn : undefined;

  async function readToken(): Promise<string | undefined> {
    try {
      return (await provider.tokens())?.access_token;
    } catch (error) {
      problem = unreadableTokens;
      throw error;
    }
  }

  /** Runs the SDK's flow. Returns true if a token was stored, and false if the user must sign in or it failed. */
  async function authorize(
    rejectedToken: string | undefined,
    { fetch, headers, ...options }: AuthorizationOptions & AuthorizeOptions,
  ): Promise<boolean> {
    const run = createAuthorizationRun(provider, { discovery });
    const fetchFn = createCredentialFetch(fetch, { serverUrl, headers, onRefresh: run.onRefresh });
    try {
      const result = await auth(run.provider, { serverUrl, fetchFn, ...options });
      problem = undefined;
      signIn = undefined;
      if (result === 'AUTHORIZED') return true;
    } catch (error) {
      if (run.foundNewerTokens) return true;
      // A provider may throw when it is asked to open the URL.
      if (run.authorizationUrl === undefined) {
        problem = describeAuthorizationProblem(error);
        return false;
      }
    }
    if (run.authorizationUrl !== undefined) {
      signIn = { url: run.authorizationUrl.href, rejectedToken, startedAt: Date.now() };
    }
    return false;
  }

  function renew({ response, token }: Rejection, options: AuthorizationOptions): Promise<boolean> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    return attempt(`401 ${token}`, token, () => {
      requestedScope = computeScopeUnion(requestedScope, scope);
      return authorize(token, { ...options, resourceMetadataUrl, scope });
    });
  }

  function stepUp(
    { response, token, operation }: Rejection,
    options: AuthorizationOptions,
  ): Promise<boolean> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    return attempt(`403 ${scope} ${token}`, token, async () => {
      const recent = (stepUps.get(operation) ?? []).filter(time => Date.now() - time < signInLifetime);
      if (recent.length >= maxStepUps) return false;
      stepUps.set(operation, [...recent, Date.now()]);
      const granted = (await provider.tokens())?.scope;
      requestedScope = computeScopeUnion(requestedScope, granted, scope);
      // A refresh cannot add scopes.
      const forceReauthorization = isStrictScopeSuperset(requestedScope, granted);
      return authorize(token, {
        ...options,
        resourceMetadataUrl,
        scope: requestedScope,
        forceReauthorization,
      });
    });
  }

  /** Gets a token, unless another one is already stored or the user is asked to sign in. */
  function attempt(
    key: string,
    rejectedToken: string | undefined,
    operation: () => Promise<boolean>,
  ): Promise<boolean> {
    return share(key, () =>
      inTurn(async () => {
        const stored = await readToken();
        if (stored !== undefined && stored !== rejectedToken) return true;
        return findSignIn() ? false : operation();
      }).catch(() => false),
    );
  }

  return {
    get signIn() {
      return findSignIn();
    },
    get problem() {
      return problem;
    },
    readToken,
    recover: (rejection, options) =>
      rejection.response.status === 401 ? renew(rejection, options) : stepUp(rejection, options),
    confirm(token, operation) {
      problem = undefined;
      stepUps.delete(operation);
      if (token !== undefined && token !== signIn?.rejectedToken) signIn = undefined;
    },
    finish: (callback, { fetch, headers, state }) =>
      inTurn(async () => {
        const run = createAuthorizationRun(provider, { discovery, isCallback: true });
        const fetchFn = createCredentialFetch(fetch, { serverUrl, headers });
        try {
          const startedState = signIn && new URL(signIn.url).searchParams.get('state');
          const expectedState = state ?? startedState ?? (await readStoredState(provider));
          const { code, iss } = readAuthorizationCallback(callback, { expectedState });
          if (!(await run.isSignInStarted()))
            throw new SignInError('No sign-in waits for a callback. Start it again.');
          await auth(run.provider, { serverUrl, fetchFn, authorizationCode: code, iss });
        } catch (error) {
          throw error instanceof SignInError ? error : new SignInError(describeAuthorizationProblem(error));
        }
        signIn = undefined;
        problem = undefined;
        // The tokens are stored, so leftovers of the sign-in do no harm.
        await run.forgetSignIn().catch(() => {});
      }),
  };
}

interface AuthorizeOptions {
  resourceMetadataUrl?: URL;
  scope?: string;
  forceReauthorization?: boolean;
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

/** Runs operations of one lock one after the other. */
function createTurns(lock: object): <T>(operation: () => Promise<T>) => Promise<T> {
  return operation => {
    const turn = (locks.get(lock) ?? Promise.resolve()).then(operation);
    locks.set(
      lock,
      turn.catch(() => {}),
    );
    return turn;
  };
}

/** Shares a running operation among callers with the same key. */
function createSharing(): (key: string, operation: () => Promise<boolean>) => Promise<boolean> {
  const running = new Map<string, Promise<boolean>>();
  return (key, operation) => {
    const shared = running.get(key) ?? operation().finally(() => running.delete(key));
    running.set(key, shared);
    return shared;
  };
}
