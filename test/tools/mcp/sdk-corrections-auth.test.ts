import {
  auth,
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOAuthProvider } from '../../../src/tools/mcp/index.js';
import { redirectUrl, startAuthorizationServer, visit } from './_authorization-server.js';

/*
 * The behavior of the authorization of the MCP SDK without this package, see `sdk-corrections.test.ts`.
 */

const serverUrl = new URL('https://mcp.example.com/mcp');

interface Scenario {
  /** Responds to the requests to the token endpoint. */
  tokenResponse: () => Response;
  members?: Partial<OAuthClientProvider>;
  authorizationCode?: string;
  /** The authorization server that the MCP server names. */
  issuer?: string;
}

/** Runs the SDK's flow with a provider that has tokens, without a network. */
async function authorize({
  tokenResponse,
  members,
  authorizationCode,
  issuer = 'https://one.example',
}: Scenario) {
  const printed = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  const seen = { tokenRequests: 0, deleted: [] as string[], opened: [] as string[], printed: '' };
  const stored: { tokens?: StoredOAuthTokens } = {
    tokens: {
      access_token: 'old',
      refresh_token: 'old',
      token_type: 'Bearer',
      issuer: 'https://one.example',
    },
  };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl] },
    clientInformation: context => ({ client_id: 'me', issuer: context?.issuer ?? issuer }),
    tokens: () => stored.tokens,
    saveTokens: tokens => void (stored.tokens = tokens),
    redirectToAuthorization: url => void seen.opened.push(url.origin),
    saveCodeVerifier: () => {},
    codeVerifier: () => 'verifier',
    invalidateCredentials: kind => {
      seen.deleted.push(kind);
      if (kind === 'tokens') stored.tokens = undefined;
    },
    ...members,
  };
  const fetchFn = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const { origin, pathname } = new URL(url);
    if (init?.method === 'POST') {
      seen.tokenRequests++;
      return tokenResponse();
    }
    if (pathname.includes('protected-resource'))
      return Response.json({ resource: serverUrl.href, authorization_servers: [issuer] });
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    });
  };
  const run = () => auth(provider, { serverUrl, fetchFn, authorizationCode });
  const result = await run().catch((error: unknown) => error);
  seen.printed = printed.mock.calls.flat().join('\n');
  return { ...seen, result, stored };
}

const invalidGrant = () =>
  Response.json({ error: 'invalid_grant', error_description: 'for alice@example.com' }, { status: 400 });

describe('the flow', () => {
  it('deletes newer tokens of another process if its refresh token is rejected', async () => {
    const newer = { access_token: 'new', refresh_token: 'new', token_type: 'Bearer' };
    const store: { tokens?: StoredOAuthTokens } = {
      tokens: { ...newer, refresh_token: 'old', issuer: 'https://one.example' },
    };
    await authorize({
      tokenResponse() {
        store.tokens = { ...newer, issuer: 'https://one.example' };
        return invalidGrant();
      },
      members: {
        tokens: () => store.tokens,
        invalidateCredentials: () => void delete store.tokens,
      },
    });
    expect(store.tokens).toBeUndefined();
  });

  it('sends a rejected refresh token again if the provider cannot delete it', async () => {
    const members = { invalidateCredentials: undefined };
    expect(await authorize({ tokenResponse: invalidGrant, members })).toMatchObject({ tokenRequests: 2 });
  });

  it('asks the user to sign in while the authorization server is unavailable', async () => {
    const tokenResponse = () => new Response('busy', { status: 503 });
    expect(await authorize({ tokenResponse })).toMatchObject({
      result: 'REDIRECT',
      opened: ['https://one.example'],
    });
  });

  it('deletes valid tokens if a code is rejected', async () => {
    const { stored } = await authorize({ tokenResponse: invalidGrant, authorizationCode: 'wrong' });
    expect(stored.tokens).toBeUndefined();
  });

  it('uses a recorded authorization server after the server has moved to another one', async () => {
    const recorded: OAuthDiscoveryState = { authorizationServerUrl: 'https://one.example' };
    const { opened } = await authorize({
      tokenResponse: invalidGrant,
      issuer: 'https://two.example',
      members: { discoveryState: () => recorded, saveDiscoveryState: () => {} },
    });
    expect(opened).toEqual(['https://one.example']);
  });

  it('rejects a document with an empty member', async () => {
    const tokens = { access_token: 'new', token_type: 'Bearer', scope: null };
    const tokenResponse = () => Response.json(tokens);
    const { result } = await authorize({ tokenResponse, authorizationCode: 'right' });
    expect(result).toBeInstanceOf(Error);
  });

  it('prints the text of a token endpoint on the console', async () => {
    expect((await authorize({ tokenResponse: invalidGrant })).printed).toContain('alice@example.com');
  });
});

it('every rejected request of a transport refreshes the token', async () => {
  const server = await startAuthorizationServer();
  const url = new URL(server.urlOf('legacy'));
  const opened: URL[] = [];
  const provider = createOAuthProvider({
    serverUrl: url.href,
    redirectUrl,
    onSignIn: page => void opened.push(page),
  });
  const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
  await expect(new Client({ name: 'bare', version: '1' }).connect(first)).rejects.toThrow();
  await first.finishAuth(new URL(await visit(opened[0]?.href)).searchParams);

  const client = new Client({ name: 'bare', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
  await server.act('expire');
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  await Promise.allSettled([1, 2, 3, 4, 5].map(() => client.listTools()));
  expect((await server.grants('refresh_token')).length).toBeGreaterThan(1);
});
