import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import { objectOf, tryParseJson } from '../../../core/shared/json.js';
import { once } from '../../../core/shared/once.js';
import { functionSetting, parseSettings } from '../../../core/shared/settings.js';
import {
  authStateOf,
  type McpCredentialStore,
  type SignInStarter,
  START_SIGN_IN,
  type StartedSignIn,
} from './authorization.js';

/** Options of `createOAuthProvider`. */
export interface OAuthProviderOptions {
  /** The `url` of the server. The key of its credentials in the store. */
  serverUrl: string;
  /** The URL of the host to which the authorization server returns the user. Pass that request's URL to `finishAuth`. */
  redirectUrl: string;
  /**
   * Keeps tokens, registered clients and started sign-ins. Each user needs a separate store. Without a persistent store,
   * users sign in again after a restart.
   * @default a `Map` in memory
   */
  store?: McpCredentialStore;
  /**
   * Called with the URL that the user must open, for example to open a browser. The URL is also in the status of the
   * server.
   * @default nothing is opened
   */
  onSignIn?: (url: URL) => void | Promise<void>;
  /**
   * The client that was registered with an authorization server in advance. It is never used with another one. `issuer`
   * is the identifier in the metadata of that authorization server.
   * @default the client of `clientMetadataUrl`, or a client that is registered automatically
   */
  client?: { clientId: string; clientSecret?: string; issuer: string };
  /**
   * The https URL of the client's metadata document, for authorization servers that support it instead of registration.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#client-id-metadata-documents
   * @default none
   */
  clientMetadataUrl?: string;
  /** The name that the authorization server shows to the user. @default 'kelivo-responses' */
  clientName?: string;
  /** Scopes to request, separated by spaces. @default the scopes that the server asks for */
  scope?: string;
}

const optionsSchema = once<z.ZodType<OAuthProviderOptions>>(() =>
  z.strictObject({
    serverUrl: z.url(),
    redirectUrl: z.url(),
    store: z
      .custom<McpCredentialStore>(
        value => typeof value === 'object' && value !== null && 'get' in value && 'set' in value,
        'expected an object with `get` and `set`',
      )
      .optional(),
    onSignIn: functionSetting<OAuthProviderOptions['onSignIn']>().optional(),
    client: z
      .strictObject({
        clientId: z.string().min(1),
        clientSecret: z.string().min(1).optional(),
        issuer: z.url(),
      })
      .optional(),
    clientMetadataUrl: z.string().refine(isClientMetadataUrl, 'expected an https URL with a path').optional(),
    clientName: z.string().min(1).optional(),
    scope: z.string().min(1).optional(),
  }),
);

function isClientMetadataUrl(text: string): boolean {
  const { protocol, pathname } = URL.canParse(text) ? new URL(text) : { protocol: '', pathname: '' };
  return protocol === 'https:' && pathname !== '/';
}

/** The credentials for one server. Objects of the SDK are stored unchanged, with the issuer that they belong to. */
interface Credentials {
  /** The issuer whose tokens were stored last. */
  issuer?: string;
  /** Registered clients by issuer. */
  clients?: Record<string, StoredOAuthClientInformation>;
  /** Tokens by issuer. */
  tokens?: Record<string, StoredOAuthTokens>;
  /** The started sign-in. */
  verifier?: string;
  signIn?: StartedSignIn;
  discovery?: OAuthDiscoveryState;
}

/**
 * Creates an `authProvider` for one server and one user. It uses the authorization code flow with PKCE, keeps the
 * credentials of each authorization server apart, and checks the `state` of callbacks in `finishAuth`, also after a
 * restart.
 *
 * @throws KelivoError `invalid-settings` for an unknown or invalid option.
 *
 * @example
 * const url = 'https://mcp.example.com/mcp';
 * const authProvider = createOAuthProvider({
 *   serverUrl: url,
 *   redirectUrl: 'http://127.0.0.1:3000/callback',
 * });
 * const tools = createMcpTools({ search: { url, authProvider } });
 */
export function createOAuthProvider(options: OAuthProviderOptions): OAuthClientProvider {
  const {
    serverUrl,
    redirectUrl,
    store = new Map<string, string>(),
    onSignIn,
    client,
    clientMetadataUrl,
    clientName = 'kelivo-responses',
    scope,
  } = parseSettings(optionsSchema(), options, 'the OAuth provider options');

  /** The authorization server of the running attempt. */
  let current: string | undefined;
  const read = async (): Promise<Credentials> =>
    objectOf(tryParseJson((await store.get(serverUrl)) ?? '')) ?? {};
  const update = async (change: (credentials: Credentials) => Credentials): Promise<void> => {
    await store.set(serverUrl, JSON.stringify(change(await read())));
  };
  const clientMetadata: OAuthClientMetadata = {
    client_name: clientName,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(scope !== undefined && { scope }),
  };
  const ownClient = client && {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    issuer: client.issuer,
  };

  async function startSignIn(url: URL): Promise<{ opened: Promise<void> }> {
    const signIn = { url: url.href, startedAt: Date.now() };
    await update(credentials => ({ ...credentials, signIn }));
    return { opened: (async () => onSignIn?.(url))() };
  }

  const provider: OAuthClientProvider & SignInStarter = {
    redirectUrl,
    clientMetadata,
    clientMetadataUrl,
    state: () =>
      Array.from(crypto.getRandomValues(new Uint8Array(32)), byte => byte.toString(16).padStart(2, '0')).join(
        '',
      ),
    async clientInformation(context) {
      current = context?.issuer;
      if (ownClient) return ownClient;
      const { clients = {}, issuer = '' } = await read();
      return clients[context?.issuer ?? issuer];
    },
    // A client that is configured is never replaced by a registered one.
    saveClientInformation: ownClient
      ? undefined
      : (information, context) =>
          update(credentials => ({
            ...credentials,
            clients: { ...credentials.clients, [context?.issuer ?? '']: information },
          })),
    async tokens(context) {
      const { tokens = {}, issuer = '' } = await read();
      return tokens[context?.issuer ?? issuer];
    },
    saveTokens: (tokens, context) =>
      update(({ issuer: last = '', ...credentials }) => {
        const issuer = context?.issuer ?? last;
        return { ...credentials, issuer, tokens: { ...credentials.tokens, [issuer]: tokens } };
      }),
    async redirectToAuthorization(url) {
      await (
        await startSignIn(url)
      ).opened;
    },
    [START_SIGN_IN]: startSignIn,
    saveCodeVerifier: verifier => update(credentials => ({ ...credentials, verifier })),
    async codeVerifier() {
      const { verifier } = await read();
      if (verifier === undefined) throw new Error('No sign-in was started.');
      return verifier;
    },
    saveDiscoveryState: discovery => update(credentials => ({ ...credentials, discovery })),
    discoveryState: async () => (await read()).discovery,
    invalidateCredentials: kind =>
      update(credentials => without(credentials, kind, current ?? credentials.issuer ?? '')),
  };
  Object.assign(authStateOf(provider), { store, readSignIn: async () => (await read()).signIn });
  return provider;
}

/** Removes credentials. The clients and tokens of other authorization servers remain. */
function without(credentials: Credentials, kind: CredentialKind, issuer: string): Credentials {
  const remaining = { ...credentials };
  if (kind === 'all') return {};
  if (kind === 'client') remaining.clients = omit(credentials.clients, issuer);
  if (kind === 'tokens') remaining.tokens = omit(credentials.tokens, issuer);
  if (kind === 'discovery') delete remaining.discovery;
  if (kind === 'verifier') {
    delete remaining.verifier;
    delete remaining.signIn;
  }
  return remaining;
}

type CredentialKind = Parameters<NonNullable<OAuthClientProvider['invalidateCredentials']>>[0];

function omit<T>(values: Readonly<Record<string, T>> = {}, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}
