import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPlayground } from '../../playground/server/playground.js';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { findNamelessControls, findOverflow, findViolations } from './_accessibility.js';
import { openPage } from './_page.js';

/** Everything that a page of another port can try. Returns what each attempt has obtained. */
async function attack(playground: string, program: string): Promise<Record<string, string>> {
  const obtained: Record<string, string> = {};
  const attempt = async (name: string, act: () => Promise<string>): Promise<void> => {
    obtained[name] = await act().catch(() => 'nothing');
  };
  const config = JSON.stringify({ mcpServers: { x: { command: 'touch', args: [program] } } });
  const headers = { 'content-type': 'application/json' };
  const credentials = 'include';
  const load = (element: HTMLElement) =>
    new Promise<string>((resolve, reject) => {
      element.onload = () => resolve('loaded');
      element.onerror = reject;
      document.body.append(element);
    });
  for (const way of ['/api/state', '/api/servers', '/api/events?conversation=a', '/']) {
    await attempt(`read ${way}`, async () => (await fetch(playground + way, { credentials })).text());
    await attempt(`read ${way} without CORS`, async () =>
      (await fetch(playground + way, { credentials, mode: 'no-cors' })).text(),
    );
  }
  await attempt('change the servers', async () =>
    (
      await fetch(`${playground}/api/servers`, {
        method: 'PUT',
        headers,
        credentials,
        body: JSON.stringify({ config }),
      })
    ).text(),
  );
  for (const way of ['/api/servers/everything/reconnect', '/api/turns']) {
    // Allowed without a preflight, so it arrives.
    await attempt(`post to ${way}`, async () =>
      (
        await fetch(playground + way, {
          method: 'POST',
          credentials,
          mode: 'no-cors',
          headers: { 'content-type': 'text/plain' },
          body: JSON.stringify({ config }),
        })
      ).text(),
    );
  }
  await attempt('image', () => load(Object.assign(new Image(), { src: `${playground}/icon.svg` })));
  await attempt('script', () =>
    load(Object.assign(document.createElement('script'), { src: `${playground}/api/state` })),
  );
  await attempt('events', () => {
    const source = new EventSource(`${playground}/api/events?conversation=a`, { withCredentials: true });
    return new Promise((resolve, reject) => {
      source.onmessage = ({ data }) => resolve(String(data));
      source.onerror = reject;
    });
  });
  await attempt('socket', () => {
    const socket = new WebSocket(`${playground.replace('http', 'ws')}/api/events`);
    return new Promise((resolve, reject) => {
      socket.onopen = () => resolve('open');
      socket.onerror = reject;
    });
  });
  await attempt('frame', async () => {
    const frame = Object.assign(document.createElement('iframe'), { src: playground });
    await load(frame);
    return frame.contentDocument?.body.innerText || 'nothing';
  });
  await attempt('form', async () => {
    const frame = Object.assign(document.createElement('iframe'), { name: 'target' });
    document.body.append(frame);
    const form = Object.assign(document.createElement('form'), {
      method: 'post',
      action: `${playground}/api/servers/everything/reconnect`,
      target: 'target',
    });
    document.body.append(form);
    const loaded = new Promise(resolve => (frame.onload = resolve));
    form.submit();
    await loaded;
    return frame.contentDocument?.body.innerText || 'nothing';
  });
  await attempt('opener', async () => String((window.opener as Window | null)?.location.href ?? 'nothing'));
  return obtained;
}

/** Listens on a neighbouring port, as another user of the machine can, and keeps what it gets. */
async function listenNextDoor() {
  const received: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    received.push({ url, headers });
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Next door</title><link rel="icon" href="data:,"><body></body>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

describe.skipIf(missing)(`the session${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('gives nothing to a page on another port, which a link of an answer has opened', async () => {
    const neighbour = await listenNextDoor();
    const emulator = await startEmulator();
    const { page, playground, ask, callApi, folder, errors } = await openPage({
      mcpServers: {},
      settings: { endpoint: emulator.baseURL },
    });
    emulator.enqueue([{ text: `[Read more](${neighbour.url}/clicked?a=1)` }]);
    await ask('Hello');
    const read = async () =>
      Promise.all(['/servers', '/state', '/conversations'].map(async way => (await callApi(way)).text()));
    const before = await read();
    const link = page.getByRole('link', { name: 'Read more' });
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.waitForURL(`${neighbour.url}/**`);
    const program = path.join(folder, 'started');
    const obtained = await opened.evaluate(
      `(${attack.toString()})(${JSON.stringify(playground.url)}, ${JSON.stringify(program)})`,
    );
    const typed = await page.context().newPage();
    await typed.goto(`${neighbour.url}/typed`);
    const token = new URL(playground.signInUrl).hash.replace('#token=', '');
    errors.splice(0);

    expect(await link.getAttribute('title')).toBe(`${neighbour.url}/clicked?a=1`);
    expect(new Set(Object.values(obtained as Record<string, string>))).toEqual(new Set(['nothing']));
    expect(Object.keys(obtained as object).length).toBeGreaterThan(15);
    expect(await read()).toEqual(before);
    expect(existsSync(program)).toBe(false);
    expect(await page.context().cookies()).toEqual([]);
    expect(neighbour.received.map(({ url }) => url)).toEqual(['/clicked?a=1', '/typed']);
    for (const { headers } of neighbour.received)
      expect([headers.cookie, headers.authorization, headers.referer]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    expect(JSON.stringify(neighbour.received)).not.toContain(token);
  });

  it('belongs to a tab: it survives a reload, is not in the address, and ends with the tab', async () => {
    const { page, playground, ask, errors } = await openPage({ mcpServers: {} });
    const { url, signInUrl } = playground;
    const { port } = new URL(url);
    const urls: string[] = [];
    page.on('request', request => urls.push(request.url()));
    await ask('Hello there');
    const conversation = page.url();
    await page.reload();
    await page.getByRole('article', { name: 'Response' }).waitFor();
    // The printed address in a tab that shows the page already.
    await page.evaluate(token => void (location.hash = token), new URL(signInUrl).hash);
    await expect.poll(() => page.url()).toBe(conversation);

    const second = await page.context().newPage();
    await second.goto(conversation);
    await second.getByRole('heading', { name: `Sign in to the playground on port ${port}` }).waitFor();
    const found: string[] = [];
    const onEach = async (view: string): Promise<void> => {
      for (const problem of [...(await findOverflow(second)), ...(await findNamelessControls(second))])
        found.push(`${view}: ${problem}`);
    };
    found.push(...(await findViolations(second, 'sign-in', { onEach })));
    const field = second.getByRole('textbox', { name: 'Address or token' });
    const enter = async (text: string): Promise<void> => {
      await field.fill(text);
      await second.getByRole('button', { name: 'Sign in' }).click();
    };
    await enter('hello');
    await second.getByText('Expected the address that the terminal shows').waitFor();
    await enter(signInUrl.replace(port, '1'));
    await second.getByText(`belongs to the playground on port 1. This page is on port ${port}.`).waitFor();
    await enter('a'.repeat(43));
    await second.getByText(`does not belong to the playground on port ${port}`).waitFor();
    await enter(signInUrl);
    await second.getByRole('article', { name: 'Response' }).waitFor();
    await second.close();
    const third = await page.context().newPage();
    await third.goto(url);
    await third.getByRole('heading', { name: `Sign in to the playground on port ${port}` }).waitFor();
    errors.splice(0);

    expect(found).toEqual([]);
    expect(urls.filter(requested => requested.includes('token'))).toEqual([]);
    expect(
      await third.evaluate(() => [document.cookie, sessionStorage.getItem('kelivo-playground-token')]),
    ).toEqual(['', null]);
    expect(await third.evaluate(() => JSON.stringify(localStorage))).not.toMatch(/[\w-]{43}/);
  });

  it('ends with the playground: an open tab asks for the new address, and keeps what was typed', async () => {
    const { page, playground, folder, errors } = await openPage({ mcpServers: {} });
    const { port } = new URL(playground.url);
    await page.getByRole('textbox', { name: 'Message' }).fill('A long question');
    await page.getByRole('button', { name: 'Code', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await playground.close();
    const next = await startPlayground({ folder, environment: {}, port: Number(port), print: () => {} });
    onTestFinished(() => next.close());
    const field = page.getByRole('textbox', { name: 'Address or token' });
    await field.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await field.fill(next.signInUrl);
    await page.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.press('Enter');
    await page.getByRole('article', { name: 'Response' }).waitFor();
    const asked = await page.getByRole('article', { name: 'You' }).innerText();
    // The page would report that its server has gone again.
    await page.close();
    errors.splice(0);

    expect(asked).toContain('A long question');
  });

  it('gets a new token on demand, with which this tab stays signed in and the others do not', async () => {
    const { page, playground, printed, errors } = await openPage({ mcpServers: {} });
    const { port } = new URL(playground.url);
    const former = playground.signInUrl;
    const second = await page.context().newPage();
    await second.goto(former);
    await second.getByRole('textbox', { name: 'Message' }).fill('A long question');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByText('Only this tab is signed in.').waitFor();
    const field = second.getByRole('textbox', { name: 'Address or token' });
    await field.fill(former);
    await second.keyboard.press('Enter');
    await second.getByText(`does not belong to the playground on port ${port}`).waitFor();
    const [address = ''] = /http:\S+#token=[\w-]{43}/.exec(printed()) ?? [];
    await field.fill(address);
    await second.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
    const kept = await second.getByRole('textbox', { name: 'Message' }).inputValue();
    await page.reload();
    // Arrives by the channel, which the new token has opened.
    await page.getByRole('button', { name: 'Save the prices' }).waitFor();
    const isAsked = await page.getByRole('textbox', { name: 'Address or token' }).isVisible();
    // The refusals of the second tab.
    errors.splice(0);

    expect(address).not.toBe(former);
    expect(address).toBe(playground.signInUrl);
    expect(kept).toBe('A long question');
    expect(isAsked).toBe(false);
  });

  it('takes its port back from the service worker of another program', async () => {
    const { page, playground, folder, errors } = await openPage();
    const other = createServer(({ url }, response) => {
      const isScript = url === '/worker.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript
          ? `onfetch = event => event.respondWith(new Response('<h1>Another program</h1>', { headers: { 'content-type': 'text/html' } }));
             onactivate = event => event.waitUntil(clients.claim());`
          : '<h1>Another program</h1>',
      );
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js');
      await navigator.serviceWorker.ready;
    });
    await page.goto('about:blank');
    other.closeAllConnections();
    await new Promise(resolve => other.close(resolve));

    await playground.close();
    const next = await startPlayground({ folder, environment: {}, port, print: () => {} });
    onTestFinished(() => next.close());
    await page.goto(next.signInUrl);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(page.url()).not.toContain('token');
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(
      0,
    );
    // Before the end of the playground, which the page would report.
    await page.goto('about:blank');
    // Those of the closed playground.
    expect(errors.splice(0).every(error => error.includes('ERR_INCOMPLETE_CHUNKED_ENCODING'))).toBe(true);
  });
});
