import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startAuthorizationServer } from '../../tools/mcp/_authorization-server.js';
import { openCredentials } from '../../../playground/server/mcp/credentials.js';
import type { ServersResponse, ServerView } from '../../../playground/shared/playground-state.js';
import { makeFolder, openPlayground, type TestPlayground } from './_playground.js';

async function openVault(url: string, options: { folder?: string } = {}) {
  const playground = await openPlayground({ mcpServers: { vault: { url, type: 'http' } }, ...options });
  return { playground, server: () => readServer(playground) };
}

async function readServer({ call }: TestPlayground) {
  const { servers } = (await call('/api/servers')).json as ServersResponse;
  return servers[0] ?? expect.fail('no server is configured');
}

/** Waits for a state of the only server. */
const reaches = (read: () => ReturnType<typeof readServer>, state: string) =>
  expect.poll(read).toMatchObject({ state });

const filesOf = (folder: string) => path.join(folder, 'credentials.json');

describe('signing in at an MCP server', () => {
  it('keeps tokens and registration over a restart, and forgets them with the sign-out', async () => {
    const authorization = await startAuthorizationServer();
    const url = authorization.urlOf('modern');
    const { playground: first, server } = await openVault(url);
    await reaches(server, 'unauthorized');
    await signIn(await server());
    await reaches(server, 'ready');
    const file = filesOf(first.folder);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = findToken(readFileSync(file, 'utf8'));
    await first.close();

    const { playground, server: restarted } = await openVault(url, { folder: first.folder });
    await reaches(restarted, 'ready');
    const pages = await Promise.all(
      ['/api/servers', '/api/mcp/vault', '/api/state'].map(
        async where => (await playground.call(where)).text,
      ),
    );
    expect(pages.join('\n')).not.toContain(token);
    // A model that repeats the token does not show it either.
    const { trace } = await playground.ask(`Repeat ${token}`);
    expect(JSON.stringify(trace)).toContain('Repeat');
    expect(JSON.stringify(trace)).not.toContain(token);
    const counts = async () =>
      (await authorization.events()).filter(({ event }) => event === 'register').length;
    expect([await counts(), (await authorization.grants('authorization_code')).length]).toEqual([1, 1]);

    await playground.call('/api/servers/vault/sign-out', { method: 'POST' });
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    expect(await restarted()).toMatchObject({ state: 'unauthorized', authorizationUrl: expect.anything() });
    expect(await restarted()).not.toHaveProperty('isSignedIn');
    await signIn(await restarted());
    await reaches(restarted, 'ready');

    // A server that is removed leaves nothing.
    const config = '{"mcpServers":{}}';
    await playground.call('/api/servers', { method: 'PUT', body: { config } });
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  it('does not ask the server again with every turn', async () => {
    const authorization = await startAuthorizationServer();
    const { playground, server } = await openVault(authorization.urlOf('modern'));
    await reaches(server, 'unauthorized');
    const rejections = async () =>
      (await authorization.events()).filter(({ event }) => event === 'rejected').length;
    const before = await rejections();
    const { trace } = await playground.ask('Hello.');

    expect(JSON.stringify(trace)).toContain('sign in');
    expect(before).toBeGreaterThan(0);
    expect(await rejections()).toBe(before);
    await playground.call('/api/servers/vault/reconnect', { method: 'POST' });
    expect(await rejections()).toBeGreaterThan(before);
  });

  it('starts with a damaged file', async () => {
    const authorization = await startAuthorizationServer();
    const url = authorization.urlOf('modern');
    const { playground } = await openVault(url);
    await playground.close();
    writeFileSync(filesOf(playground.folder), '{"http');
    const { server } = await openVault(url, { folder: playground.folder });
    await reaches(server, 'unauthorized');
  });
});

/** Signs in as the browser of the user does: the authorization server redirects to the playground. */
async function signIn({ authorizationUrl = '' }: ServerView): Promise<void> {
  expect((await fetch(authorizationUrl)).status).toBe(200);
}

function findToken(text: string): string {
  const [entry = ''] = Object.values(JSON.parse(text) as Record<string, string>);
  const [, token] = /"access_token":"([^"]+)"/.exec(entry) ?? [];
  return token ?? expect.fail('the file has no token');
}

it('starts without sign-ins if their file cannot be read', async () => {
  const folder = await makeFolder();
  expect(openCredentials(folder).secrets()).toEqual([]);
});
