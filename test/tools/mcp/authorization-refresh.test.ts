import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createOAuthProvider, type McpTools } from '../../../src/tools/mcp/index.js';
import { bundleScript } from '../../_bundled-script.js';
import {
  type AuthorizationFixture,
  redirectUrl,
  signIn,
  startAuthorizationServer,
  visit,
} from './_authorization-server.js';
import { call, openTools, temporaryFolder } from './_fixture-server.js';

const who = (tools: McpTools) => call(tools, 'whoami');
const alice = { type: 'text', value: 'whoami: alice' };

/** Creates tools with a separate pool and a separate provider over a store. */
function open(
  server: AuthorizationFixture,
  { kind = 'legacy', store = new Map<string, string>() } = {},
): McpTools {
  const url = server.urlOf(kind);
  const authProvider = createOAuthProvider({ serverUrl: url, redirectUrl, store });
  return openTools({ server: { url, type: kind === 'sse' ? 'sse' : 'http', authProvider } });
}

async function openSignedIn(
  server: AuthorizationFixture,
  options?: { kind?: string; store?: Map<string, string> },
) {
  const tools = open(server, options);
  await tools.listTools();
  await signIn(tools);
  await tools.listTools();
  return tools;
}

describe('an expired token', () => {
  for (const kind of ['modern', 'dual', 'legacy', 'sse']) {
    it(`is refreshed once for 20 concurrent calls of the ${kind} server`, async () => {
      const server = await startAuthorizationServer();
      const tools = await openSignedIn(server, { kind });
      for (const round of [1, 2]) {
        await server.act('expire');
        const outputs = await Promise.all(Array.from({ length: 20 }, () => who(tools)));
        expect(outputs).toMatchObject(Array(20).fill(alice));
        expect(await server.grants('refresh_token')).toHaveLength(round);
      }
    });
  }

  it('is refreshed once for the connections of several pools that share a provider', async () => {
    const server = await startAuthorizationServer();
    const url = server.urlOf('legacy');
    const authProvider = createOAuthProvider({ serverUrl: url, redirectUrl });
    const sources = Array.from({ length: 4 }, () =>
      openTools({ server: { url, type: 'http', authProvider } }),
    );
    const [first] = sources as [McpTools];
    await first.listTools();
    await signIn(first);
    await Promise.all(sources.map(tools => tools.listTools()));
    await server.act('expire');

    const outputs = await Promise.all([...sources, ...sources].map(who));
    expect(outputs).toMatchObject(Array(8).fill(alice));
    expect(await server.grants('refresh_token')).toHaveLength(1);
  });

  it('is refreshed once for several providers that share a store', async () => {
    const server = await startAuthorizationServer();
    const store = new Map<string, string>();
    const first = await openSignedIn(server, { store });
    const second = open(server, { store });
    await second.listTools(); // needs no sign-in
    await server.act('expire');

    expect(await Promise.all([first, second, first, second].map(who))).toMatchObject(Array(4).fill(alice));
    expect(await server.grants('refresh_token')).toHaveLength(1);
  });

  it('asks for a sign-in if the refresh token was revoked, and ends that state at once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const server = await startAuthorizationServer();
    const tools = await openSignedIn(server);
    await server.act('revoke');
    const outputs = await Promise.all(Array.from({ length: 5 }, () => who(tools)));
    expect(new Set(outputs.map(({ type }) => type))).toEqual(new Set(['error-text']));
    expect(await server.grants('refresh_token')).toHaveLength(1);
    expect(tools.status()).toMatchObject([{ state: 'unauthorized' }]);

    await signIn(tools);
    expect(await who(tools)).toMatchObject(alice);
    // The SDK prints a warning. It contains neither tokens nor text of the authorization server.
    expect(warn).toHaveBeenCalled();
    expect(warn.mock.calls.join('\n')).not.toMatch(/secret|refresh-|access-/);
    warn.mockRestore();
  });

  it('asks for a sign-in if the server rejects the refreshed tokens', async () => {
    const server = await startAuthorizationServer();
    const tools = await openSignedIn(server);
    await server.set({ refreshedResource: 'https://other.example/mcp' });
    await server.act('expire');
    const first = await who(tools);
    const second = await who(tools);
    expect([first.type, second.type]).toEqual(['error-text', 'error-text']);
    expect(tools.status()).toMatchObject([{ state: 'unauthorized' }]);
    expect(await server.grants('refresh_token')).toHaveLength(1);

    await server.set({ refreshedResource: null });
    await signIn(tools);
    expect(await who(tools)).toMatchObject(alice);
    await server.act('expire');
    expect(await who(tools)).toMatchObject(alice);
  });

  it('opens no page for the end of a session', async () => {
    const server = await startAuthorizationServer();
    const tools = await openSignedIn(server);
    await server.act('revoke');
    const before = await server.events();
    await tools.close();
    const added = (await server.events()).slice(before.length);
    expect(added).toEqual([{ event: 'rejected', kind: 'legacy' }]);
    expect(tools.status()).toMatchObject([{ authorizationUrl: undefined }]);
  });

  it('does not ask for a sign-in while the authorization server fails', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const server = await startAuthorizationServer();
    const tools = await openSignedIn(server);
    await server.act('expire');
    await server.set({ tokenStatus: 503 });
    expect(await who(tools)).toEqual({
      type: 'error-text',
      value: expect.stringContaining('cannot be reached'),
    });
    expect(tools.status()).toMatchObject([{ authorizationUrl: undefined }]);

    await server.set({ tokenStatus: null });
    expect(await who(tools)).toMatchObject(alice);
    warn.mockRestore();
  });

  it('keeps tokens that another process has stored while a refresh is rejected', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const server = await startAuthorizationServer();
    const store = new Map<string, string>();
    const first = await openSignedIn(server, { store });
    const url = server.urlOf('legacy');
    const provider = createOAuthProvider({ serverUrl: url, redirectUrl, store });
    // The other process does not share the lock. It signs in while the refresh runs.
    const otherStore = new Map<string, string>();
    const other = await openSignedIn(server, { store: otherStore });
    expect(await who(other)).toMatchObject(alice);
    const [newer = ''] = otherStore.values();
    await server.set({ tokenDelay: 300 });
    const { tokens } = JSON.parse([...store.values()][0] ?? '');
    const [issuer = ''] = Object.keys(tokens);
    await provider.saveTokens(
      { ...tokens[issuer], access_token: 'access-old', refresh_token: 'refresh-old' },
      { issuer },
    );
    const pending = who(first);
    await expect.poll(() => server.grants('refresh_token')).toHaveLength(1);
    store.set(url, newer);

    expect(await pending).toMatchObject(alice);
    expect(store.get(url)).toBe(newer);
    expect(first.status()).toMatchObject([{ state: 'ready' }]);
    warn.mockRestore();
  });
});

describe('more scopes', () => {
  it('are requested once a tool needs them, together with those that were granted', async () => {
    const server = await startAuthorizationServer();
    const tools = await openSignedIn(server);
    expect(await call(tools, 'administer')).toEqual({
      type: 'error-text',
      value: expect.stringContaining('requires that the user signs in'),
    });
    const { state, authorizationUrl = '' } = tools.status()[0] ?? {};
    expect(state).toBe('unauthorized');
    expect(new URL(authorizationUrl).searchParams.get('scope')).toBe('basic admin');
    // Calls that need no more scopes still work, and do not end the sign-in.
    expect(await who(tools)).toMatchObject(alice);
    expect(tools.status()[0]?.authorizationUrl).toBe(authorizationUrl);

    await signIn(tools);
    expect(await call(tools, 'administer')).toMatchObject({ type: 'text', value: 'administer: alice' });
    expect(tools.status()).toMatchObject([{ state: 'ready' }]);
  });

  it('are requested twice at most for an operation that is still denied', async () => {
    const server = await startAuthorizationServer();
    await server.set({ withheld: ['admin'] });
    const tools = await openSignedIn(server);
    for (const round of [1, 2]) {
      await call(tools, 'administer');
      expect(tools.status(), `round ${round}`).toMatchObject([{ state: 'unauthorized' }]);
      await signIn(tools);
    }
    expect(await call(tools, 'administer')).toEqual({
      type: 'error-text',
      value: expect.stringMatching(/denied access at .* \(HTTP 403\)/),
    });
    expect(tools.status()).toMatchObject([{ state: 'ready' }]);
    const authorizations = (await server.events()).filter(({ event }) => event === 'authorize');
    expect(authorizations).toHaveLength(3);
    // Another operation has a separate limit.
    await call(tools, 'audit');
    expect(tools.status()).toMatchObject([{ state: 'unauthorized' }]);
  });
});

describe('several processes', () => {
  const run = promisify(execFile);

  it('complete a sign-in that another process has started', async () => {
    const server = await startAuthorizationServer();
    const file = path.join(await temporaryFolder(), 'credentials.json');
    await writeFile(file, '{}');
    const script = await bundleScript(new URL('_sign-in-script.ts', import.meta.url));
    const settings = [server.urlOf('legacy'), redirectUrl, file];
    const started = await run(process.execPath, [script, 'start', ...settings]);
    const callback = await visit(started.stdout.trim());

    const forged = callback.replace(/state=\w+/, 'state=forged');
    const failed = run(process.execPath, [script, 'finish', ...settings, forged]);
    await expect(failed).rejects.toThrow('The `state` of the callback does not match');
    const finished = await run(process.execPath, [script, 'finish', ...settings, callback]);
    expect(finished.stdout).toBe('whoami: alice\n');
  });
});
