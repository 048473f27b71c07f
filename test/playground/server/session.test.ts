import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../playground/server/app.js';
import type { PlaygroundContext } from '../../../playground/server/context.js';
import { createSession } from '../../../playground/server/session.js';
import { openPlayground, sendRaw } from './_playground.js';

/** The routes that the app registers, so that a new one cannot be forgotten. Middleware and static files are `/*`. */
function listRoutes(): { method: string; path: string }[] {
  const port = () => 0;
  const { routes } = createApp({
    playground: {} as PlaygroundContext,
    port,
    session: createSession({ port }),
    page: '/nowhere',
  });
  const found = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'some-id-1') }));
  return [
    ...found,
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/index.html' },
    { method: 'GET', path: '/nothing' },
  ];
}

const routes = listRoutes();

describe('a client without the cookie of the session', () => {
  it('is refused by every route, with the origin of the page and without one', async () => {
    const { url } = await openPlayground();
    const answers = await Promise.all(
      routes.flatMap(({ method, path }) =>
        ['', `kelivo-playground-${new URL(url).port}=${'a'.repeat(43)}`].map(async cookie => [
          `${method} ${path}`,
          (await sendRaw(url + path, { method, headers: { origin: url, cookie } })).status,
        ]),
      ),
    );

    expect(routes.length).toBeGreaterThan(18);
    expect(answers.filter(([, status]) => status !== 401)).toEqual([]);
  });

  it('receives a page that says where to find the URL, and JSON for the API', async () => {
    const { url } = await openPlayground();
    const page = await fetch(url);
    const api = await fetch(`${url}/api/state`);

    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toMatch(/Open the URL that it printed in the terminal/);
    expect(await api.json()).toEqual({ error: expect.stringContaining('Open the URL that it printed') });
  });

  it.each(['', 'wrong', 'a'.repeat(43)])('receives no cookie for the token "%s"', async token => {
    const { url } = await openPlayground();
    const { status, headers } = await fetch(`${url}/?token=${token}`, { redirect: 'manual' });

    expect(status).toBe(401);
    expect(headers.get('set-cookie')).toBeNull();
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
          console.log(JSON.stringify({ uid: process.getuid(), folder, statuses: [...new Set(statuses)] })));
      `;
      const child = spawn(process.execPath, ['-e', program], { uid: 65_534, gid: 65_534, cwd: '/', env: {} });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
      await once(child, 'close');

      expect(JSON.parse(output)).toEqual({ uid: 65_534, folder: 'EACCES', statuses: [401] });
    },
  );
});

describe('the token of the printed URL', () => {
  it('is exchanged for a cookie that scripts cannot read and other sites cannot send', async () => {
    const { signInUrl, url } = await openPlayground();
    const { status, headers } = await fetch(signInUrl, { redirect: 'manual' });
    const cookie = headers.get('set-cookie') ?? '';
    const token = new URL(signInUrl).searchParams.get('token') ?? '';

    expect(status).toBe(303);
    expect(headers.get('location')).toBe('/');
    expect(cookie).toContain(`kelivo-playground-${new URL(url).port}=`);
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).not.toContain(token);
    expect(token.length).toBeGreaterThan(40);
  });

  it('is not accepted as the cookie, and differs at every start', async () => {
    const first = await openPlayground();
    const second = await openPlayground();
    const token = (signInUrl: string) => new URL(signInUrl).searchParams.get('token') ?? '';
    const cookie = `kelivo-playground-${new URL(first.url).port}=${token(first.signInUrl)}`;

    expect(token(first.signInUrl)).not.toBe(token(second.signInUrl));
    expect((await sendRaw(`${first.url}/api/state`, { headers: { cookie } })).status).toBe(401);
  });
});
