import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../playground/server/app.js';
import type { PlaygroundContext } from '../../../playground/server/context.js';
import { CALLBACK_PATH } from '../../../playground/server/mcp/sign-in.js';
import { createSession } from '../../../playground/server/session.js';
import { startEmulator } from '../../testing/_emulator.js';
import { openPlayground, sendRaw } from './_playground.js';

/** The routes that the app registers, so that a new one cannot be forgotten. Middleware and static files are `/*`. */
function listRoutes(): { method: string; path: string }[] {
  const { routes } = createApp({
    playground: {} as PlaygroundContext,
    port: () => 0,
    session: createSession(),
    page: '/nowhere',
  });
  return routes
    .filter(({ method, path }) => method !== 'ALL' && path !== CALLBACK_PATH)
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'some-id-1') }));
}

const routes = listRoutes();

describe('a client without the token of the session', () => {
  it('is refused by every route, with the origin of the page and without one', async () => {
    const { url, authorization } = await openPlayground();
    const token = authorization.replace('Bearer ', '');
    const wrong: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${'a'.repeat(43)}` },
      { authorization: 'Bearer ' },
      { authorization: `Basic ${token}` },
      { cookie: `token=${token}; kelivo-playground-${new URL(url).port}=${token}` },
    ];
    const answers = await Promise.all(
      routes.flatMap(({ method, path }) =>
        wrong.map(async (headers, index) => [
          `${method} ${path} ${index}`,
          (await sendRaw(`${url}${path}?token=${token}`, { method, headers: { origin: url, ...headers } }))
            .status,
        ]),
      ),
    );

    expect(routes.length).toBeGreaterThan(18);
    // Applications send without an origin, so their receivers refuse every page.
    const expected = (name: unknown) => (String(name).startsWith('POST /v1/') ? 403 : 401);
    expect(answers.filter(([name, status]) => status !== expected(name))).toEqual([]);
  });

  it('receives the page, which contains nothing of the session, and the reason as JSON', async () => {
    const { url, authorization } = await openPlayground();
    const page = await fetch(url);
    const api = await fetch(`${url}/api/state`);

    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).not.toContain(authorization.replace('Bearer ', ''));
    expect(await api.json()).toEqual({ error: expect.stringContaining('Open the address that it printed') });
  });

  it('never receives a cookie, nor does a client with the token', async () => {
    const { url, authorization } = await openPlayground();
    for (const path of ['/', '/?token=x', '/api/state', CALLBACK_PATH]) {
      for (const headers of [undefined, { authorization }])
        expect((await sendRaw(url + path, { headers })).headers['set-cookie']).toBeUndefined();
    }
  });

  it.skipIf(process.getuid?.() !== 0)(
    `cannot use the playground as another user of this machine${process.getuid?.() === 0 ? '' : ' (needs root)'}`,
    async () => {
      const { url, folder } = await openPlayground();
      // A forged origin and host, as a local program can send them.
      const program = `
        const { request } = require('node:http');
        const { readdirSync } = require('node:fs');
        const send = ({ method, path }) => new Promise(resolve => {
          const headers = { origin: '${url}', 'content-type': 'application/json' };
          const outgoing = request('${url}' + path, { method, headers, agent: false }, response => {
            response.resume();
            response.on('end', () => resolve(response.statusCode));
          });
          outgoing.end();
        });
        let folder = 'readable';
        try { readdirSync(${JSON.stringify(folder)}); } catch (error) { folder = error.code; }
        Promise.all(${JSON.stringify(routes)}.map(send)).then(statuses =>
          console.log(JSON.stringify({ uid: process.getuid(), folder, statuses: [...new Set(statuses)].sort() })));
      `;
      const child = spawn(process.execPath, ['-e', program], { uid: 65_534, gid: 65_534, cwd: '/', env: {} });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
      await once(child, 'close');

      expect(JSON.parse(output)).toEqual({ uid: 65_534, folder: 'EACCES', statuses: [401, 403] });
    },
  );
});

describe('the token of the printed address', () => {
  it('is in its fragment, which no browser sends to a server', async () => {
    const { signInUrl, url } = await openPlayground();
    const { origin, pathname, search, hash } = new URL(signInUrl);

    expect([origin, pathname, search]).toEqual([url, '/', '']);
    expect(hash).toMatch(/^#token=[\w-]{43}$/);
  });

  it('differs at every start, and is valid for its own playground only', async () => {
    const first = await openPlayground();
    const second = await openPlayground();
    const statusOf = async (url: string, authorization: string) =>
      (await sendRaw(`${url}/api/state`, { headers: { authorization } })).status;

    expect(first.authorization).not.toBe(second.authorization);
    expect(await statusOf(first.url, first.authorization)).toBe(200);
    expect(await statusOf(first.url, second.authorization)).toBe(401);
  });

  it('is replaced on demand: the former one is refused, channels end, and turns continue', async () => {
    const emulator = await startEmulator();
    const playground = await openPlayground();
    const { url, call, authorization, signInUrl } = playground;
    await call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
    emulator.enqueue({ output: [{ text: 'After the renewal' }], fault: 'slow', delay: 30 });
    const channel = await fetch(`${url}/api/events?conversation=other`, { headers: { authorization } });
    const { request } = await playground.begin('Hello');
    const { json } = await call('/api/session', { method: 'POST' });
    const { token } = json as { token: string };
    const get = (path: string) =>
      fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${token}` } });

    expect(token).toMatch(/^[\w-]{43}$/);
    expect(`Bearer ${token}`).not.toBe(authorization);
    expect(await channel.text()).not.toContain(token);
    expect((await call('/api/state')).status).toBe(401);
    expect((await call('/api/session', { method: 'POST' })).status).toBe(401);
    expect((await get('/state')).status).toBe(200);
    expect(playground.printed()).toContain(`The playground runs at ${url}/#token=${token}`);
    expect(signInUrl).not.toContain(token);
    await expect
      .poll(async () => (await get(`/conversations/${request.conversationId}`)).text())
      .toContain('After the renewal');
  });
});
