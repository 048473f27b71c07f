import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  type OAuthClientProvider,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client';
import { createOAuthProvider } from 'kelivo-responses/mcp';

export interface SignIn {
  readonly provider: OAuthClientProvider;
  /** Returns the URL to which the browser was redirected, once. */
  takeRedirect(): URL | undefined;
}

/** The members of the scenario's context that are used here. */
interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_token_endpoint?: string;
  readonly valid_jwt?: string;
}

const redirectUrl = 'http://localhost:3000/callback';

/** Signs in with the credentials of the scenario's context, or as a user in a browser that always agrees. */
export function createSignIn(
  scenario: string,
  { url, context = '{}' }: { url: string; context?: string },
): SignIn {
  const credentials: Context = JSON.parse(context);
  const provider = createMachineProvider(scenario, credentials);
  return provider === undefined
    ? createBrowserSignIn(scenario, url, credentials)
    : { provider, takeRedirect: () => undefined };
}

/** Returns the provider of a scenario without a user. */
function createMachineProvider(
  scenario: string,
  { client_id: clientId = '', client_secret: clientSecret = '', ...context }: Context,
): OAuthClientProvider | undefined {
  const { private_key_pem: privateKey = '', signing_algorithm: algorithm = 'ES256' } = context;
  const providers: Record<string, () => OAuthClientProvider> = {
    'auth/client-credentials-basic': () => new ClientCredentialsProvider({ clientId, clientSecret }),
    'auth/client-credentials-jwt': () => new PrivateKeyJwtProvider({ clientId, privateKey, algorithm }),
    'auth/enterprise-managed-authorization': () =>
      new CrossAppAccessProvider({
        clientId,
        clientSecret,
        async assertion({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: context.idp_token_endpoint ?? '',
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: context.idp_id_token ?? '',
            clientId: context.idp_client_id ?? '',
            scope,
            fetchFn,
          });
          return jwtAuthGrant;
        },
      }),
    'auth/wif-jwt-bearer': () => createWorkloadProvider(clientId, context.valid_jwt ?? ''),
  };
  return providers[scenario]?.();
}

/** Exchanges the token of a workload for an access token, with the JWT bearer grant. */
function createWorkloadProvider(clientId: string, assertion: string): OAuthClientProvider {
  const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  let tokens: OAuthTokens | undefined;
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: [grantType], token_endpoint_auth_method: 'none' },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => tokens,
    saveTokens: saved => {
      tokens = saved;
    },
    prepareTokenRequest: scope =>
      new URLSearchParams({ grant_type: grantType, assertion, ...(scope !== undefined && { scope }) }),
    redirectToAuthorization() {
      throw new Error('A workload cannot open a browser.');
    },
    saveCodeVerifier() {},
    codeVerifier: () => '',
  };
}

function createBrowserSignIn(scenario: string, serverUrl: string, context: Context): SignIn {
  const { client_id: clientId, client_secret: clientSecret, issuer = '' } = context;
  let redirect: URL | undefined;
  const provider = createOAuthProvider({
    serverUrl,
    redirectUrl,
    // The suite accepts this URL as a client id.
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(clientId !== undefined && { client: { clientId, clientSecret, issuer } }),
    async onSignIn(url) {
      const { headers } = await fetch(url, { redirect: 'manual' });
      redirect = new URL(headers.get('location') ?? '', url);
    },
  });
  const session = scenario.startsWith('auth/dpop') ? DpopSession.create() : undefined;
  return {
    provider: session === undefined ? provider : { ...provider, dpop: () => session },
    takeRedirect() {
      const taken = redirect;
      redirect = undefined;
      return taken;
    },
  };
}
