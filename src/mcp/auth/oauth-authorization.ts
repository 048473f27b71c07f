import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isStrictScopeSuperset,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import {
  createCredentialFetch,
  describeAuthorizationProblem,
  readAuthorizationCallback,
  SignInError,
  unreadableTokens,
} from './authorization-messages.js';
import { createAuthorizationRun, type RecordedDiscovery } from './authorization-run.js';
import {
  type Authorization,
  type AuthorizationOptions,
  authStateOf,
  createSharing,
  createTurns,
  type Rejection,
  type StartedSignIn,
} from './auth-state.js';

interface SignIn extends StartedSignIn {
  /** The token that did not suffice. A response to any other token ends the sign-in. */
  readonly rejectedToken: string | undefined;
}

/** Time after which a sign-in that the user did not complete is started again by the next use, in milliseconds. */
const signInLifetime = 600_000;

/**
 * Maximum number of authorizations for more scopes in that time, for one operation that the server continues to deny.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#step-up-authorization-flow
 */
const maxStepUps = 2;

/** Creates the authorization with a provider of OAuth. */
export function createOAuthAuthorization(provider: OAuthClientProvider, serverUrl: URL): Authorization {
  const inTurn = createTurns(provider);
  const share = createSharing();
  /** Times of the authorizations for more scopes, by operation. */
  const stepUps = new Map<string, number[]>();
  const discovery: RecordedDiscovery = { state: undefined };
  let signIn: SignIn | undefined;
  let problem: string | undefined;
  let requestedScope: string | undefined;

  /** Returns the started sign-in, also of another process. Only `createOAuthProvider` stores it. */
  const readStartedSignIn = async () => authStateOf(provider).readSignIn?.();
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
        if (!findSignIn()) {
          // The user may have opened the page of another process, which a new sign-in would make useless.
          const started = await readStartedSignIn();
          signIn = started && { ...started, rejectedToken };
        }
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
          const started = signIn ?? (await readStartedSignIn());
          const expectedState = state ?? (started && new URL(started.url).searchParams.get('state'));
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
