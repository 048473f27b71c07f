import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOAuthProvider, type McpTools, type McpToolsOptions } from '../../../src/tools/mcp/index.js';
import {
  type AuthorizationFixture,
  redirectUrl,
  signIn,
  startAuthorizationServer,
  visit,
} from './_authorization-server.js';
import { call, namesOf, openTools } from './_fixture-server.js';

const names = ['whoami', 'administer', 'audit'];

interface OpenOptions extends Partial<Parameters<typeof createOAuthProvider>[0]> {
  kind?: string;
  mcp?: McpToolsOptions;
  headers?: Record<string, string>;
}

/** Creates the tools of a protected server with a separate provider. */
function open(
  server: AuthorizationFixture,
  { kind = 'legacy', mcp, headers, ...options }: OpenOptions = {},
): McpTools {
  const url = server.urlOf(kind);
  const authProvider = createOAuthProvider({ serverUrl: url, redirectUrl, ...options });
  return openTools({ server: { url, type: kind === 'sse' ? 'sse' : 'http', headers, authProvider } }, mcp);
}

const messageOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.message : String(error);
};

describe('signing in', () => {
  for (const kind of ['modern', 'dual', 'legacy', 'sse']) {
    it(`offers the tools of the ${kind} server at once after the user has signed in`, async () => {
      const server = await startAuthorizationServer();
      const tools = open(server, { kind });

      const before = await tools.listTools();
      expect(before.tools).toEqual([]);
      expect(before.warnings).toEqual([
        expect.stringMatching(
          /^MCP server "server" requires that the user signs in at http.*`finishAuth`\.$/,
        ),
      ]);
      const [status] = tools.status();
      expect(status).toMatchObject({ state: 'unauthorized', error: { code: 'mcp-unauthorized' } });
      const page = new URL(status?.authorizationUrl ?? '');
      expect(page.href).toMatch(`${server.authUrl}/one/authorize?`);
      expect(page.searchParams.get('code_challenge_method')).toBe('S256');
      expect(page.searchParams.get('resource')).toBe(server.urlOf(kind));

      await tools.finishAuth('server', await visit(page.href));
      expect(tools.status()).toMatchObject([
        { state: 'idle', error: undefined, authorizationUrl: undefined },
      ]);
      expect(await namesOf(tools)).toEqual(names);
      expect(await call(tools, 'whoami')).toMatchObject({ type: 'text', value: 'whoami: alice' });
      expect(tools.status()).toMatchObject([{ state: 'ready' }]);
    });
  }

  it('may be completed by the function that opens the page, which waits for it', async () => {
    const server = await startAuthorizationServer();
    let finished: Promise<void> | undefined;
    const tools = open(server, {
      onSignIn(page) {
        finished = visit(page.href).then(callback => tools.finishAuth('server', callback));
        return finished;
      },
    });
    expect(await namesOf(tools)).toEqual(names);
    await finished;
  });

  it('reports the sign-in also as the output of a call', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server);
    await tools.listTools();
    await signIn(tools);
    await tools.listTools();
    await server.act('revoke');

    expect(await call(tools, 'whoami')).toEqual({
      type: 'error-text',
      value: expect.stringContaining('requires that the user signs in'),
    });
    expect(tools.status()).toMatchObject([{ state: 'unauthorized' }]);
    await signIn(tools, { user: 'bob' });
    expect(await call(tools, 'whoami')).toMatchObject({ type: 'text', value: 'whoami: bob' });
  });

  it('keeps the URL of an abandoned sign-in, which the user can still open', async () => {
    const server = await startAuthorizationServer();
    const opened: string[] = [];
    const tools = open(server, { onSignIn: url => void opened.push(url.href) });
    await tools.listTools();
    const [first] = tools.status();
    await tools.listTools();
    await tools.listTools();

    expect(tools.status()[0]?.authorizationUrl).toBe(first?.authorizationUrl);
    expect(opened).toEqual([first?.authorizationUrl]);
    await signIn(tools);
    expect(await namesOf(tools)).toEqual(names);
  });

  it('keeps the URL of a sign-in that another process has started', async () => {
    const server = await startAuthorizationServer();
    const store = new Map<string, string>();
    const [first, second] = [open(server, { store }), open(server, { store })];
    await first.listTools();
    await second.listTools();
    expect(second.status()[0]?.authorizationUrl).toBe(first.status()[0]?.authorizationUrl);
    await signIn(second);
    expect(await namesOf(first)).toEqual(names);
    expect(first.status()).toMatchObject([{ state: 'ready' }]);
  });

  it('starts an abandoned sign-in again after ten minutes, at the current authorization server', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server);
    await tools.listTools();
    await server.set({ issuer: 'two' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_001 });
    onTestFinished(() => void vi.useRealTimers());
    await tools.listTools();
    expect(tools.status()[0]?.authorizationUrl).toMatch(`${server.authUrl}/two/authorize?`);
    await signIn(tools);
    expect(await namesOf(tools)).toEqual(names);
  });

  it('accepts the callback as a URL, as its query, or as the code in it', async () => {
    const server = await startAuthorizationServer();
    const forms: ((url: string) => string | URL | URLSearchParams)[] = [
      url => new URL(url),
      url => new URL(url).searchParams,
      url => url.replace(/^http:\/\/[^/]*/, ''), // the `url` of a request in Node
    ];
    for (const toForm of forms) {
      const tools = open(server);
      await tools.listTools();
      await tools.finishAuth('server', toForm(await visit(tools.status()[0]?.authorizationUrl)));
      expect(await namesOf(tools)).toEqual(names);
    }

    await server.set({ iss: 'none' });
    const tools = open(server);
    await tools.listTools();
    const callback = new URL(await visit(tools.status()[0]?.authorizationUrl));
    await tools.finishAuth('server', callback.searchParams.get('code') ?? '');
    expect(await namesOf(tools)).toEqual(names);
  });

  it('never shares tokens between two users of one server', async () => {
    const server = await startAuthorizationServer();
    const forAlice = open(server);
    const forBob = open(server);
    await forAlice.listTools();
    await signIn(forAlice);
    await forAlice.listTools();

    await forBob.listTools();
    expect(forBob.status()).toMatchObject([{ state: 'unauthorized' }]);
    await signIn(forBob, { user: 'bob' });
    await forBob.listTools();
    const outputs = await Promise.all([call(forAlice, 'whoami'), call(forBob, 'whoami')]);
    expect(outputs.map(({ value }) => value)).toEqual(['whoami: alice', 'whoami: bob']);
  });

  it('ends the state of all tool sources that share a provider', async () => {
    const server = await startAuthorizationServer();
    const url = server.urlOf('legacy');
    const authProvider = createOAuthProvider({ serverUrl: url, redirectUrl });
    const [first, second] = [0, 1].map(() => openTools({ server: { url, authProvider } })) as [
      McpTools,
      McpTools,
    ];
    await Promise.all([first.listTools(), second.listTools()]);
    expect(second.status()[0]?.authorizationUrl).toBe(first.status()[0]?.authorizationUrl);

    await signIn(first);
    expect(second.status()).toMatchObject([{ state: 'idle' }]);
    expect(await namesOf(second)).toEqual(names);
  });

  it('sends configured headers to the MCP server only', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server, { headers: { 'x-server-key': 'secret-key' } });
    await tools.listTools();
    await signIn(tools);
    expect(await namesOf(tools)).toEqual(names);
    expect(await server.foreignHeaders()).toEqual([]);
  });

  it('does not use the provider if the headers contain credentials', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server, { headers: { authorization: 'Bearer of-the-host' } });
    expect((await tools.listTools()).warnings).toEqual([expect.stringContaining('Check its `headers`')]);
    expect(tools.status()).toMatchObject([{ state: 'failed' }]);
    expect(await messageOf(tools.finishAuth('server', 'code'))).toMatch('no `Authorization` header');
    expect(await server.events()).toEqual([{ event: 'rejected', kind: 'legacy' }]);
  });
});

describe('callbacks that are not accepted', () => {
  it('rejects the issuer of another authorization server, and accepts the right one afterwards', async () => {
    const server = await startAuthorizationServer();
    await server.set({ iss: 'wrong' });
    const tools = open(server);
    await tools.listTools();
    const { authorizationUrl } = tools.status()[0] ?? {};
    const message = await messageOf(tools.finishAuth('server', await visit(authorizationUrl)));
    expect(message).toBe(
      'The sign-in to MCP server "server" was not completed. ' +
        'The callback is from another authorization server than the sign-in. It was not used.',
    );
    expect(await server.grants('authorization_code')).toEqual([]);

    await server.set({ iss: 'right' });
    await tools.finishAuth('server', await visit(authorizationUrl));
    expect(await namesOf(tools)).toEqual(names);
  });

  it('rejects a callback without the issuer that the authorization server announces', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server);
    await tools.listTools();
    const callback = new URL(await visit(tools.status()[0]?.authorizationUrl));
    callback.searchParams.delete('iss');
    expect(await messageOf(tools.finishAuth('server', callback))).toMatch('another authorization server');
    expect(await server.grants('authorization_code')).toEqual([]);
  });

  it('rejects another state, or none', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server);
    await tools.listTools();
    const callback = new URL(await visit(tools.status()[0]?.authorizationUrl));
    for (const state of ['of-an-attacker', undefined]) {
      const forged = new URL(callback);
      forged.searchParams.delete('state');
      if (state) forged.searchParams.set('state', state);
      expect(await messageOf(tools.finishAuth('server', forged))).toMatch(
        'The `state` of the callback does not match',
      );
    }
    expect(await server.grants('authorization_code')).toEqual([]);
    await tools.finishAuth('server', callback);
    expect(await namesOf(tools)).toEqual(names);
  });

  it('shows no text of a declined sign-in', async () => {
    const server = await startAuthorizationServer();
    await server.set({ declines: true });
    const tools = open(server);
    await tools.listTools();
    const callback = await visit(tools.status()[0]?.authorizationUrl);
    expect(callback).toContain('secret-description');
    const message = await messageOf(tools.finishAuth('server', callback));
    expect(message).toMatch('contains no authorization code');
    expect(message).not.toMatch(/secret|access_denied/);
    expect(tools.status()).toMatchObject([{ state: 'unauthorized' }]);
  });

  it('rejects a code that was used before, and keeps the tokens', async () => {
    const server = await startAuthorizationServer();
    const tools = open(server);
    await tools.listTools();
    const callback = await visit(tools.status()[0]?.authorizationUrl);
    await tools.finishAuth('server', callback);
    await tools.listTools();
    expect(await messageOf(tools.finishAuth('server', callback))).toMatch('No sign-in waits for a callback.');
    expect(await call(tools, 'whoami')).toMatchObject({ type: 'text', value: 'whoami: alice' });
  });

  it('names a server that does not exist or has no provider', async () => {
    const server = await startAuthorizationServer();
    const tools = openTools({ plain: { url: server.urlOf('legacy') } });
    expect(await messageOf(tools.finishAuth('other', 'code'))).toMatch(
      /^Expected the name of an MCP server .*\("plain"\), got "other"\.$/,
    );
    expect(await messageOf(tools.finishAuth('plain', 'code'))).toMatch('to have an `authProvider`');
  });
});

describe('authorization servers', () => {
  it('rejects metadata of another issuer', async () => {
    const server = await startAuthorizationServer();
    await server.set({ metadataIssuer: 'https://evil.example' });
    const tools = open(server);
    expect((await tools.listTools()).warnings).toEqual([
      expect.stringMatching(/The metadata of its authorization server name another issuer\.$/),
    ]);
    expect(tools.status()).toMatchObject([{ state: 'failed', authorizationUrl: undefined }]);

    await server.set({ metadataIssuer: null });
    await tools.listTools(); // no back-off
    expect(tools.status()).toMatchObject([{ state: 'unauthorized' }]);
  });

  it('signs in again, as a new client, after a server has moved to another authorization server', async () => {
    const server = await startAuthorizationServer();
    const store = new Map<string, string>();
    const tools = open(server, { store });
    await tools.listTools();
    await signIn(tools);
    expect(await namesOf(tools)).toEqual(names);

    await server.set({ issuer: 'two' });
    await call(tools, 'whoami');
    expect(tools.status()[0]?.authorizationUrl).toMatch(`${server.authUrl}/two/authorize?`);
    await signIn(tools, { user: 'bob' });
    expect(await call(tools, 'whoami')).toMatchObject({ type: 'text', value: 'whoami: bob' });
    const events = await server.events();
    expect(events.filter(({ event }) => event === 'register').map(({ issuer }) => issuer)).toEqual([
      'one',
      'two',
    ]);
    expect(events.filter(({ grant }) => grant === 'refresh_token')).toEqual([]);

    // The tokens of both are stored as they were received, with their issuers.
    const [stored = ''] = store.values();
    const { tokens } = JSON.parse(stored);
    expect(Object.keys(tokens)).toEqual([`${server.authUrl}/one`, `${server.authUrl}/two`]);
    for (const [issuer, saved] of Object.entries(tokens)) expect(saved).toMatchObject({ issuer });
  });

  it('uses a client id metadata document instead of a registration', async () => {
    const server = await startAuthorizationServer();
    const clientMetadataUrl = 'https://client.example/metadata.json';
    await server.set({
      registers: false,
      documents: { [clientMetadataUrl]: { client_id: clientMetadataUrl, redirect_uris: [redirectUrl] } },
    });
    const tools = open(server, { clientMetadataUrl });
    await tools.listTools();
    await signIn(tools);
    expect(await namesOf(tools)).toEqual(names);
    expect(await server.events()).toContainEqual(
      expect.objectContaining({ event: 'authorize', client: clientMetadataUrl }),
    );
  });

  it('never uses a preregistered client at another authorization server', async () => {
    const server = await startAuthorizationServer();
    const client = { clientId: 'mine', clientSecret: 'secret-of-mine', issuer: `${server.authUrl}/two` };
    const tools = open(server, { client });
    expect((await tools.listTools()).warnings).toEqual([
      expect.stringContaining('The credentials belong to another authorization server.'),
    ]);
    expect((await server.events()).map(({ event }) => event)).not.toContain('token');
  });

  it('reports that a client cannot be registered', async () => {
    const server = await startAuthorizationServer();
    await server.set({ registers: false });
    const tools = open(server);
    expect((await tools.listTools()).warnings).toEqual([expect.stringContaining('required feature')]);
  });
});
