import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { findOverflow, findViolations } from './_accessibility.js';
import { openPage } from './_page.js';

/** A server on another port, which notes what reaches it. */
async function startListener() {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*').end('free data');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function openTheatre() {
  const [allowed, foreign] = [await startListener(), await startListener()];
  const theatre = {
    command: process.execPath,
    args: [fileURLToPath(new URL('_app-server.mjs', import.meta.url))],
    env: { ALLOWED: allowed.url, FOREIGN: foreign.url },
  };
  const opened = await openPage({ mcpServers: { theatre } });
  const { page, playground } = opened;
  await page.getByRole('link', { name: 'MCP servers' }).click();
  await page.locator('.server-card[data-state="ready"]').waitFor();
  const openTool = async (name: string): Promise<void> => {
    await page.goto(`${playground.url}/servers/theatre/tools/${name}`);
    await page.getByRole('button', { name: 'Call the tool' }).click();
  };
  const frame = page.frameLocator('iframe[title^="App of"]');
  const line = (text: string | RegExp) => frame.getByText(text);
  const stderr = async (): Promise<string> => {
    const response = await opened.callApi('/mcp/theatre');
    return JSON.stringify(((await response.json()) as { stderr: unknown }).stderr);
  };
  return { ...opened, openTool, frame, line, stderr, allowed, foreign };
}

describe.skipIf(missing)(`MCP apps${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('show the result of a call, and call tools and open pages only after the user has allowed it', async () => {
    const { page, openTool, frame, line, stderr, shoot, errors } = await openTheatre();
    await page.goto(new URL('/servers/theatre/tools/seats', page.url()).href);
    await page.getByRole('link', { name: 'seats', exact: true }).locator('..').getByText('app').waitFor();
    await page.getByRole('textbox', { name: 'play' }).fill('Hamlet');
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await line('play: Hamlet').waitFor();
    await line('free: 12').waitFor();
    await line('colours: light').waitFor();
    expect(await stderr()).toContain('io.modelcontextprotocol/ui');
    expect(await findViolations(page, 'an app', { isDesktopOnly: true })).toEqual([]);

    await frame.getByRole('button', { name: 'Book' }).click();
    const card = page.getByRole('alertdialog', { name: 'Allow the app to call book?' });
    await card.getByText('"seats"').waitFor();
    await shoot('mcp-app');
    expect(await stderr()).not.toContain('called book');
    await card.getByRole('button', { name: 'Reject' }).click();
    await line(/Book failed: .*rejected/).waitFor();
    expect(await stderr()).not.toContain('called book');
    await frame.getByRole('button', { name: 'Book' }).click();
    await card.getByRole('button', { name: 'Allow' }).click();
    await line(/Book: .*Booked 2/).waitFor();
    expect(await stderr()).toContain('called book');

    await frame.getByRole('button', { name: 'Delete all' }).click();
    await line(/Delete all failed: .*offers no tool/).waitFor();
    await frame.getByRole('button', { name: 'Read' }).click();
    await line(/Read: .*Not a page/).waitFor();
    await frame.getByRole('button', { name: 'Script' }).click();
    await line(/Script failed: .*Only web pages/).waitFor();
    await frame.getByRole('button', { name: 'Website' }).click();
    await page
      .getByRole('alertdialog', { name: 'Allow the app to open https://theatre.example/plays?' })
      .getByRole('button', { name: 'Reject' })
      .click();
    await line(/Website failed/).waitFor();
    await frame.getByRole('button', { name: 'Flood' }).click();
    await line(/Flood failed: .*Too many/).waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(5);
    await frame.getByRole('button', { name: 'Grow' }).click();
    await expect.poll(async () => (await page.locator('iframe').boundingBox())?.height).toBeLessThan(810);
    expect(await findOverflow(page)).toEqual([]);

    await page.getByRole('switch', { name: 'Show apps of tools' }).click();
    await page.locator('iframe').waitFor({ state: 'detached' });
    await openTool('seats');
    await page.getByText(/Succeeded after/).waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('read nothing of the page, and reach only what their server declares', async () => {
    const { page, playground, openTool, frame, line, allowed, foreign, errors } = await openTheatre();
    await openTool('thief');
    await line('tried all').waitFor();
    for (const [what, result] of Object.entries({
      origin: 'null',
      storage: 'refused',
      'document above': 'refused',
      'storage above': 'refused',
      playground: 'refused',
      'script of the playground': 'refused',
      undeclared: 'refused',
      declared: 'free data',
      window: 'refused',
      top: 'refused',
    }))
      expect.soft(await line(new RegExp(`^${what}: `)).innerText()).toBe(`${what}: ${result}`);
    await page.getByText(`The app may contact ${allowed.url}, as its server declares.`).waitFor();
    const address = (await page.locator('iframe').getAttribute('src')) ?? '';
    expect((await fetch(playground.url + address)).status).toBe(401);

    await frame.getByRole('button', { name: 'Send' }).click();
    await openTool('runaway');
    await page.getByText('The app did not start within 10 seconds.').waitFor();
    expect(foreign.received).toEqual([]);
    expect(allowed.received).toEqual(['/data']);
    expect(page.url()).toBe(`${playground.url}/servers/theatre/tools/runaway`);
    // Each attempt is reported by the browser.
    expect(errors.splice(0).length).toBeGreaterThan(0);
  });

  it('say why they are not shown', async () => {
    const { page, openTool, errors } = await openTheatre();
    await openTool('missing');
    await page.getByText(/Expected the resource .* to be a page/).waitFor();
    await openTool('silent');
    await page.getByText('The app did not start within 10 seconds.').waitFor();
    errors.splice(0);
  });
});
