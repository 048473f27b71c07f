import type { OAuthClientProvider as FirstOAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { ClientCredentialsProvider as FirstClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
} from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { McpHttpServerConfig } from '../../../src/tools/mcp/index.js';
import {
  type AuthorizationFixture,
  redirectUrl,
  signIn,
  startAuthorizationServer,
} from './_authorization-server.js';
import { call, openTools } from './_fixture-server.js';

type Provider = McpHttpServerConfig['authProvider'];

const open = (server: AuthorizationFixture, authProvider: Provider, kind = 'dual') =>
  openTools({ server: { url: server.urlOf(kind), type: 'http', authProvider } });

const machine = { clientId: 'machine', clientSecret: 'machine-secret' };

describe('providers of the SDK', () => {
  it('signs in a machine with client credentials, once for 20 concurrent calls', async () => {
    const server = await startAuthorizationServer();
    const provider = new ClientCredentialsProvider({ ...machine, expectedIssuer: `${server.authUrl}/one` });
    const tools = open(server, provider);
    await tools.listTools();
    expect(tools.status()).toMatchObject([{ state: 'ready' }]);
    await server.act('expire');
    const outputs = await Promise.all(Array.from({ length: 20 }, () => call(tools, 'whoami')));
    expect(outputs).toMatchObject(Array(20).fill({ type: 'text', value: 'whoami: machine' }));
    expect(await server.grants('client_credentials')).toHaveLength(2);
  });

  it('requests more scopes for a machine without a user', async () => {
    const server = await startAuthorizationServer();
    const provider = new ClientCredentialsProvider({ ...machine, expectedIssuer: `${server.authUrl}/one` });
    const tools = open(server, provider);
    await tools.listTools();
    expect(await call(tools, 'administer')).toMatchObject({ type: 'text', value: 'administer: machine' });
    const scopes = (await server.grants('client_credentials')).map(({ scope }) => scope);
    expect(scopes).toEqual(['basic', 'basic admin']);
  });

  it('never sends client credentials to an authorization server that they do not belong to', async () => {
    const server = await startAuthorizationServer();
    const provider = new ClientCredentialsProvider({ ...machine, expectedIssuer: `${server.authUrl}/two` });
    const tools = open(server, provider);
    expect((await tools.listTools()).warnings).toEqual([expect.stringContaining('They were not sent.')]);
    expect(await server.grants('client_credentials')).toEqual([]);
  });

  it('exchanges the identity token of an enterprise', async () => {
    const server = await startAuthorizationServer();
    const provider = new CrossAppAccessProvider({
      ...machine,
      expectedIssuer: `${server.authUrl}/one`,
      async assertion({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
        const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
          idpUrl: `${server.authUrl}/idp`,
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: 'id-token-of-carol',
          ...machine,
          scope,
          fetchFn,
        });
        return jwtAuthGrant;
      },
    });
    const tools = open(server, provider);
    await tools.listTools();
    expect(await call(tools, 'whoami')).toMatchObject({ type: 'text', value: 'whoami: carol' });
  });

  it('renews the token of a plain token provider once', async () => {
    const server = await startAuthorizationServer();
    let token: string | undefined;
    const renewals: string[] = [];
    const provider = {
      token: async () => token,
      async onUnauthorized() {
        const body = new URLSearchParams({
          grant_type: 'client_credentials',
          resource: server.urlOf('dual'),
        });
        const headers = { authorization: `Basic ${btoa('machine:machine-secret')}` };
        const response = await fetch(`${server.authUrl}/one/token`, { method: 'POST', body, headers });
        token = (await response.json()).access_token;
        renewals.push('renewed');
      },
    };
    const tools = open(server, provider);
    await tools.listTools();
    await server.act('expire');
    const outputs = await Promise.all(Array.from({ length: 20 }, () => call(tools, 'whoami')));
    expect(outputs).toMatchObject(Array(20).fill({ type: 'text', value: 'whoami: machine' }));
    expect(renewals).toHaveLength(2);
  });

  it('reports a provider that cannot read its tokens', async () => {
    const server = await startAuthorizationServer();
    const token = () => Promise.reject(new Error('secret-path is locked'));
    const { warnings } = await open(server, { token }).listTools();
    expect(warnings).toEqual([expect.stringContaining('failed to return its tokens.')]);
    expect(warnings.join()).not.toContain('secret');
  });

  it('reports a provider that cannot read its tokens again after they were rejected', async () => {
    const server = await startAuthorizationServer();
    let isLocked = false;
    const token = async () => {
      if (isLocked) throw new Error('secret-path is locked');
      isLocked = true;
      return 'expired';
    };
    const { warnings } = await open(server, { token }).listTools();
    expect(warnings).toEqual([expect.stringContaining('failed to return its tokens.')]);
    expect(warnings.join()).not.toContain('secret');
  });

  it('rejects an object that is no provider', async () => {
    const server = await startAuthorizationServer();
    const authProvider = { tokens: () => undefined } as unknown as Provider;
    expect(() => open(server, authProvider)).toThrow(
      'Expected `authProvider` of MCP server "server" to be an object with the functions `tokens` and ' +
        '`clientInformation`, or `token`, got an object.',
    );
  });
});

type FirstInformation = Awaited<ReturnType<FirstOAuthClientProvider['clientInformation']>>;
type FirstTokens = Awaited<ReturnType<FirstOAuthClientProvider['tokens']>>;

/** A provider as it was written for SDK 1.x: it has only the required members, and knows no issuers. */
class FirstProvider implements FirstOAuthClientProvider {
  readonly redirectUrl = redirectUrl;
  readonly clientMetadata = { client_name: 'first', redirect_uris: [redirectUrl] };
  #information: FirstInformation;
  #tokens: FirstTokens;
  #verifier = '';
  readonly opened: string[] = [];

  clientInformation() {
    return this.#information;
  }

  saveClientInformation(information: FirstInformation) {
    this.#information = information;
  }

  tokens() {
    return this.#tokens;
  }

  saveTokens(tokens: FirstTokens) {
    this.#tokens = tokens;
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }

  codeVerifier() {
    return this.#verifier;
  }

  redirectToAuthorization(url: URL) {
    this.opened.push(url.href);
    throw new Error('Providers of some hosts throw here.');
  }
}

describe('a provider for SDK 1.x', () => {
  for (const kind of ['dual', 'legacy']) {
    it(`signs in a user at the ${kind} server, refreshes once, and signs in again`, async () => {
      const server = await startAuthorizationServer();
      const provider = new FirstProvider();
      const tools = open(server, provider, kind);
      await tools.listTools();
      expect(tools.status()).toMatchObject([{ state: 'unauthorized', authorizationUrl: provider.opened[0] }]);
      await signIn(tools);
      await tools.listTools();
      await server.act('expire');
      const outputs = await Promise.all(Array.from({ length: 20 }, () => call(tools, 'whoami')));
      expect(outputs).toMatchObject(Array(20).fill({ type: 'text', value: 'whoami: alice' }));
      expect(await server.grants('refresh_token')).toHaveLength(1);

      // It cannot delete credentials, which are not sent again nevertheless.
      await server.act('revoke');
      await call(tools, 'whoami');
      expect(await server.grants('refresh_token')).toHaveLength(2);
      await signIn(tools, { user: 'bob' });
      expect(await call(tools, 'whoami')).toMatchObject({ type: 'text', value: 'whoami: bob' });
    });
  }

  it('registers a new client if the authorization server has forgotten the old one', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server, new FirstProvider(), 'legacy');
    await tools.listTools();
    await signIn(tools);
    await tools.listTools();
    await server.act('expire');
    await server.act('forget-clients');
    await call(tools, 'whoami');
    expect(tools.status()).toMatchObject([{ state: 'unauthorized' }]);
    await signIn(tools);
    expect(await call(tools, 'whoami')).toMatchObject({ type: 'text', value: 'whoami: alice' });
  });

  it('may come from the SDK', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server, new FirstClientCredentialsProvider(machine), 'legacy');
    await tools.listTools();
    expect(await call(tools, 'whoami')).toMatchObject({ type: 'text', value: 'whoami: machine' });
  });
});
