import {
  auth,
  type AuthOptions,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
  isStrictScopeSuperset,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import {
  type Authorization,
  type AuthorizationCallback,
  type AuthorizationOptions,
  authStateOf,
  type HttpExchange,
  type SignInStarter,
  START_SIGN_IN,
  type StartedSignIn,
} from './authorization.js';
import { AddressGate, RefusedAddressError, toShownAddress } from './addresses.js';
import {
  createCredentialFetch,
  describeAuthorizationProblem,
  isRejection,
  readAuthorizationCallback,
  RefreshUnavailableError,
  SignInError,
  unreadableTokens,
} from './authorization-server.js';

/*
 * Runs `auth()` of the MCP SDK, and corrects it (2.4.0) in these points:
 *
 * - Concurrent attempts are not shared. See `createSharing` and `createTurns`.
 * - A recorded authorization server is used for ever, so that a client never notices that a server has moved to another
 *   one. Here it is used for the callback only.
 * - After a rejected refresh token, all stored tokens are deleted, also newer ones of another process. Here those are
 *   kept and used, and a rejected authorization code does not delete tokens that are still valid.
 * - If the provider cannot delete rejected credentials, they are sent again. Here they are not.
 * - After a refresh that failed temporarily, the user is asked to sign in again. Here the next use tries again.
 *
 * Tests of the bare SDK: "the flow" in test/tools/mcp/sdk-corrections-auth.test.ts.
 */

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

export function createOAuthAuthorization(provider: OAuthClientProvider, serverUrl: URL): Authorization {
  const inTurn = createTurns(provider);
  const share = createSharing();
  const stepUps = createStepUps();
  const discovery: RecordedDiscovery = { state: undefined };
  const gate = new AddressGate(serverUrl);
  let signIn: SignIn | undefined;
  let problem: string | undefined;
  let requestedScope: string | undefined;
  /** The last token that was obtained without the user, until the server accepts it. */
  let unprovenToken: string | undefined;
  /** The end of the function that opens the page of the sign-in that the last attempt has started. */
  let opened: Promise<void> | undefined;

  /** Returns the started sign-in, also of another process. Only `createOAuthProvider` stores it. */
  const readStartedSignIn = async () => authStateOf(provider).readSignIn?.();
  const findSignIn = (): SignIn | undefined =>
    signIn && Date.now() - signIn.startedAt < signInLifetime ? signIn : undefined;

  async function token(): Promise<string | undefined> {
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
    {
      fetch,
      headers,
      ...options
    }: AuthorizationOptions & Pick<AuthOptions, 'resourceMetadataUrl' | 'scope' | 'forceReauthorization'>,
  ): Promise<boolean> {
    const run = createRun(provider, { discovery, gate });
    const fetchFn = createCredentialFetch(fetch, serverUrl, headers, run.onRefresh);
    try {
      checkMetadataOrigin(options.resourceMetadataUrl, serverUrl);
      const result = await auth(run.provider, { serverUrl, fetchFn, ...options });
      problem = undefined;
      signIn = undefined;
      if (result === 'AUTHORIZED') {
        unprovenToken = await token();
        return true;
      }
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
      opened = run.opened;
    }
    return false;
  }

  /** Gets a token after HTTP 401, or one with more scopes after HTTP 403. */
  async function renew(exchange: HttpExchange, options: AuthorizationOptions): Promise<boolean> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(exchange.response);
    if (exchange.response.status === 401) {
      requestedScope = computeScopeUnion(requestedScope, scope);
      // Another refresh would return another token that the server rejects.
      const forceReauthorization = exchange.token !== undefined && exchange.token === unprovenToken;
      return authorize(exchange.token, { ...options, resourceMetadataUrl, scope, forceReauthorization });
    }
    if (!stepUps.begin(exchange.operation)) return false;
    const granted = (await provider.tokens())?.scope;
    requestedScope = computeScopeUnion(requestedScope, granted, scope);
    // A refresh cannot add scopes.
    const forceReauthorization = isStrictScopeSuperset(requestedScope, granted);
    return authorize(exchange.token, {
      ...options,
      resourceMetadataUrl,
      scope: requestedScope,
      forceReauthorization,
    });
  }

  return {
    get signInUrl() {
      return findSignIn()?.url;
    },
    get problem() {
      return problem;
    },
    token,
    async recover(exchange, options) {
      const { response, token: sent, operation } = exchange;
      if (!isRejection(response)) {
        problem = undefined;
        stepUps.forget(operation);
        if (sent === unprovenToken) unprovenToken = undefined;
        if (sent !== undefined && sent !== signIn?.rejectedToken) signIn = undefined;
        return false;
      }
      const { scope } = extractWWWAuthenticateParams(response);
      const key = response.status === 401 ? `401 ${sent}` : `403 ${scope} ${sent}`;
      let ownPage: Promise<void> | undefined;
      const attempt = async (): Promise<boolean> => {
        opened = undefined;
        const stored = await token();
        if (stored !== undefined && stored !== sent) return true;
        if (!findSignIn()) {
          // The user may have opened the page of another process, which a new sign-in would make useless.
          const started = await readStartedSignIn();
          signIn = started && { ...started, rejectedToken: sent };
        }
        if (findSignIn()) return false;
        const isRenewed = await renew(exchange, options);
        ownPage = opened;
        return isRenewed;
      };
      const isRenewed = await share(key, () => inTurn(attempt).catch(() => false));
      if (ownPage === undefined) return isRenewed;
      // The application may wait for the user, and call `finishAuth`, which needs its turn.
      await ownPage;
      const stored = await token().catch(() => undefined);
      return stored !== undefined && stored !== sent;
    },
    finish: (callback, options) =>
      inTurn(async () => {
        const run = createRun(provider, { discovery, gate, isCallback: true });
        const fetchFn = createCredentialFetch(options.fetch, serverUrl, options.headers);
        await exchangeCode(run, callback, {
          serverUrl,
          fetchFn,
          readSignIn: async () => signIn ?? (await readStartedSignIn()),
        });
        signIn = undefined;
        problem = undefined;
        // The tokens are stored, so leftovers of the sign-in do no harm.
        await run.forgetSignIn().catch(() => {});
      }),
  };
}

/** Exchanges the code of a callback for tokens. */
async function exchangeCode(
  run: ReturnType<typeof createRun>,
  callback: AuthorizationCallback,
  {
    serverUrl,
    fetchFn,
    readSignIn,
  }: { serverUrl: URL; fetchFn: FetchLike; readSignIn: () => Promise<StartedSignIn | undefined> },
): Promise<void> {
  try {
    const started = await readSignIn();
    const expectedState = started && new URL(started.url).searchParams.get('state');
    const { code, iss } = readAuthorizationCallback(callback, expectedState);
    if (!(await run.isSignInStarted()))
      throw new SignInError('No sign-in waits for a callback. Start it again.');
    await auth(run.provider, { serverUrl, fetchFn, authorizationCode: code, iss });
  } catch (error) {
    throw error instanceof SignInError ? error : new SignInError(describeAuthorizationProblem(error));
  }
}

/** Counts the authorizations for more scopes, by operation. */
function createStepUps() {
  const times = new Map<string, number[]>();
  return {
    /** Returns false if the operation has reached its maximum. */
    begin(operation: string): boolean {
      const recent = (times.get(operation) ?? []).filter(time => Date.now() - time < signInLifetime);
      if (recent.length >= maxStepUps) return false;
      times.set(operation, [...recent, Date.now()]);
      return true;
    },
    forget: (operation: string) => times.delete(operation),
  };
}

/** The authorization server that the last sign-in was started at, for providers that do not store it. */
interface RecordedDiscovery {
  state: OAuthDiscoveryState | undefined;
}

interface RunOptions {
  discovery: RecordedDiscovery;
  /** Decides which addresses servers may name. */
  gate: AddressGate;
  /** Exchanges the code of a callback. Otherwise, the run refreshes tokens or starts a sign-in. */
  isCallback?: boolean;
}

/** Creates one run of the SDK's flow, with a provider that corrects how the SDK uses the host's provider. */
function createRun(provider: OAuthClientProvider, options: RunOptions) {
  let authorizationUrl: URL | undefined;
  let opened: Promise<void> | undefined;
  let usedTokens: StoredOAuthTokens | undefined;
  let foundNewerTokens = false;
  let isRefreshUnavailable = false;
  const deleted = new Set<'client' | 'tokens'>();
  const recordsDiscovery = provider.saveDiscoveryState !== undefined || options.discovery.state !== undefined;
  const readDiscovery = async (): Promise<OAuthDiscoveryState | undefined> =>
    (await provider.discoveryState?.()) ?? options.discovery.state;

  const overrides: Partial<OAuthClientProvider> = {
    async tokens(context) {
      if (deleted.has('tokens')) return undefined;
      usedTokens = await provider.tokens(context);
      return usedTokens;
    },
    async clientInformation(context) {
      return deleted.has('client') ? undefined : provider.clientInformation(context);
    },
    async invalidateCredentials(scope) {
      if (options.isCallback && scope === 'tokens') return;
      if (scope === 'tokens') {
        const stored = await provider.tokens();
        if (stored && usedTokens && stored.refresh_token !== usedTokens.refresh_token) {
          foundNewerTokens = true;
          throw new Error('Newer tokens are stored.');
        }
      }
      if (scope === 'tokens' || (scope === 'client' && provider.saveClientInformation)) deleted.add(scope);
      await provider.invalidateCredentials?.(scope);
    },
    discoveryState: async () => (options.isCallback ? readDiscovery() : undefined),
    // Without a recorded server, the SDK accepts the callback of a provider only if it has no such function.
    saveDiscoveryState:
      options.isCallback && !recordsDiscovery
        ? undefined
        : async state => {
            for (const address of addressesIn(state)) options.gate.check(address);
            options.discovery.state = state;
            await provider.saveDiscoveryState?.(state);
          },
    async saveCodeVerifier(verifier) {
      if (isRefreshUnavailable) throw new RefreshUnavailableError();
      await provider.saveCodeVerifier(verifier);
    },
    async redirectToAuthorization(url) {
      const shown = toShownAddress(options.gate.check(url));
      authorizationUrl = shown;
      const { [START_SIGN_IN]: start } = provider as OAuthClientProvider & Partial<SignInStarter>;
      if (start === undefined) return provider.redirectToAuthorization(shown);
      opened = (await start(shown)).opened.catch(() => {});
    },
  };

  return {
    provider: override(provider, overrides),
    /** The URL that the user must open. */
    get authorizationUrl() {
      return authorizationUrl;
    },
    /** The end of the function that opens this URL. */
    get opened() {
      return opened;
    },
    /** True if the flow was stopped, because another process has replaced the rejected tokens. */
    get foundNewerTokens() {
      return foundNewerTokens;
    },
    /** Returns false if no sign-in was started, or it was completed, so that a callback cannot belong to one. */
    isSignInStarted: async () =>
      provider.saveDiscoveryState === undefined || (await readDiscovery()) !== undefined,
    /** Records the result of a refresh request: its HTTP status, or undefined if it failed. */
    onRefresh(status: number | undefined) {
      isRefreshUnavailable = status === undefined || status >= 500 || status === 429;
    },
    /** Removes the authorization server and the code verifier of a completed sign-in. */
    async forgetSignIn() {
      options.discovery.state = undefined;
      if (provider.discoveryState) await provider.invalidateCredentials?.('discovery');
      await provider.invalidateCredentials?.('verifier');
    },
  };
}

/** @throws RefusedAddressError for metadata of another origin than that of the server. */
function checkMetadataOrigin(metadataUrl: URL | undefined, url: URL): void {
  if (metadataUrl !== undefined && metadataUrl.origin !== url.origin)
    throw new RefusedAddressError('The metadata of a server must have its own origin.');
}

/** Returns the addresses in a discovered state, at which credentials are sent or requested. */
const addressesIn = (state: OAuthDiscoveryState): string[] =>
  [
    state.authorizationServerUrl,
    state.resourceMetadataUrl,
    ...Object.entries({ ...state.authorizationServerMetadata }).flatMap(([name, value]) =>
      /^issuer$|_endpoint$|_uri$/.test(name) ? [value] : [],
    ),
  ].filter(address => typeof address === 'string');

/** Replaces members of an object. The others run on the object, which may have private fields. */
function override<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get(_target, key) {
      if (key in overrides) return Reflect.get(overrides, key);
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Runs attempts to get a token one after the other. One store is never written by two attempts at the same time. */
function createTurns(provider: object): <T>(operation: () => Promise<T>) => Promise<T> {
  const state = authStateOf(authStateOf(provider).store ?? provider);
  return operation => {
    const turn = state.lastAttempt.then(operation);
    state.lastAttempt = turn.catch(() => {});
    return turn;
  };
}

/** Shares a running operation among callers with the same key. */
export function createSharing(): (key: string, operation: () => Promise<boolean>) => Promise<boolean> {
  const running = new Map<string, Promise<boolean>>();
  return (key, operation) => {
    const shared = running.get(key) ?? operation().finally(() => running.delete(key));
    running.set(key, shared);
    return shared;
  };
}
