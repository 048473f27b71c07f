import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** The authorization server that the last sign-in was started at, for providers that do not store it. */
export interface RecordedDiscovery {
  state: OAuthDiscoveryState | undefined;
}

/** One run of the SDK's authorization flow over a provider. */
export interface AuthorizationRun {
  /** The provider for the SDK, which corrects how the SDK uses the host's provider. */
  readonly provider: OAuthClientProvider;
  /** The URL that the user must open. */
  readonly authorizationUrl: URL | undefined;
  /** True if the flow was stopped, because another process has replaced the rejected tokens. */
  readonly foundNewerTokens: boolean;
  /** Returns false if no sign-in was started, or it was completed, so that a callback cannot belong to one. */
  isSignInStarted(): Promise<boolean>;
  /** Records the result of a refresh request: its HTTP status, or undefined if it failed. */
  onRefresh(status: number | undefined): void;
  /** Removes the authorization server and the code verifier of a completed sign-in. */
  forgetSignIn(): Promise<void>;
}

interface RunOptions {
  discovery: RecordedDiscovery;
  /** Exchanges the code of a callback. Otherwise, the run refreshes tokens or starts a sign-in. */
  isCallback?: boolean;
}

/**
 * Creates a run. The SDK's flow (2.4.0) is corrected in these points:
 *
 * - A recorded authorization server is used for the callback only. Otherwise a client would never notice that a server
 *   has moved to another authorization server.
 * - If a refresh token is rejected, tokens that another process has stored meanwhile are kept and used.
 * - Rejected credentials are not sent again if the provider cannot delete them.
 * - If a refresh fails temporarily, the user is not asked to sign in again.
 * - A rejected authorization code does not delete the tokens that are still valid.
 */
export function createAuthorizationRun(
  provider: OAuthClientProvider,
  { discovery, isCallback = false }: RunOptions,
): AuthorizationRun {
  let authorizationUrl: URL | undefined;
  let usedTokens: StoredOAuthTokens | undefined;
  let foundNewerTokens = false;
  let isRefreshUnavailable = false;
  const deleted = new Set<'client' | 'tokens'>();
  const recordsDiscovery = provider.saveDiscoveryState !== undefined || discovery.state !== undefined;

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
      if (isCallback && scope === 'tokens') return;
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
    discoveryState: async () => (isCallback ? readDiscovery() : undefined),
    // Without a recorded server, the SDK accepts the callback of a provider only if it has no such function.
    saveDiscoveryState:
      isCallback && !recordsDiscovery
        ? undefined
        : async state => {
            discovery.state = state;
            await provider.saveDiscoveryState?.(state);
          },
    async saveCodeVerifier(verifier) {
      if (isRefreshUnavailable) throw new RefreshUnavailableError();
      await provider.saveCodeVerifier(verifier);
    },
    async redirectToAuthorization(url) {
      if (!/^https?:$/.test(url.protocol))
        throw new Error('Expected an http or https authorization endpoint.');
      authorizationUrl = url;
      await provider.redirectToAuthorization(url);
    },
  };

  async function readDiscovery(): Promise<OAuthDiscoveryState | undefined> {
    return (await provider.discoveryState?.()) ?? discovery.state;
  }

  return {
    provider: override(provider, overrides),
    get authorizationUrl() {
      return authorizationUrl;
    },
    get foundNewerTokens() {
      return foundNewerTokens;
    },
    isSignInStarted: async () =>
      provider.saveDiscoveryState === undefined || (await readDiscovery()) !== undefined,
    onRefresh(status) {
      isRefreshUnavailable = status === undefined || status >= 500 || status === 429;
    },
    async forgetSignIn() {
      discovery.state = undefined;
      if (provider.discoveryState) await provider.invalidateCredentials?.('discovery');
      await provider.invalidateCredentials?.('verifier');
    },
  };
}

/** The authorization server could not refresh a token that may be valid. */
export class RefreshUnavailableError extends Error {}

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
