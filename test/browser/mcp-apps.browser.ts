import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { findOverflow, findViolations } from './_accessibility.js';
import { startEmulator } from '../testing/_emulator.js';
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

async function openTheatre({ endpoint }: { endpoint?: string } = {}) {
  const [allowed, foreign] = [await startListener(), await startListener()];
  const theatre = {
    command: process.execPath,
    args: [fileURLToPath(new URL('_app-server.mjs', import.meta.url))],
    env: { ALLOWED: allowed.url, FOREIGN: foreign.url },
  };
  const settings = endpoint === undefined ? {} : { endpoint };
  const opened = await openPage({ mcpServers: { theatre }, settings });
  const { page, playground } = opened;
  const chat = page.url();
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
  return { ...opened, chat, theatre, openTool, frame, line, stderr, allowed, foreign };
}

/** A chat in which the model has called `seats`. The call waits for its approval. */
async function openChat() {
  const emulator = await startEmulator();
  const theatre = await openTheatre({ endpoint: emulator.baseURL });
  const { page, chat, frame } = theatre;
  await page.goto(chat);
  emulator.enqueue([{ call: 'seats', arguments: { play: 'Hamlet' } }], [{ text: 'Twelve.' }]);
  await page.getByRole('textbox', { name: 'Message' }).fill('Are there seats for Hamlet?');
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog', { name: /^Allow seats/ }).waitFor();
  const press = (name: string) => frame.getByRole('button', { name, exact: true }).click();
  /** The requests of the model. */
  const questions = () =>
    emulator.requests.flatMap(({ body }) => {
      const { input, tools } = (body ?? {}) as { input?: object[]; tools?: { name: string }[] };
      return input === undefined ? [] : [{ text: JSON.stringify(input.at(-1)), tools }];
    });
  /** Waits for a text of the model. */
  const said = (text: string) => page.getByRole('log').getByText(text).waitFor();
  const allow = () => page.getByRole('button', { name: 'Allow', exact: true }).click();
  return { ...theatre, emulator, questions, said, press, allow };
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

    await frame.getByRole('button', { name: 'Price' }).click();
    await page
      .getByRole('alertdialog', { name: 'Allow the app to call price?' })
      .getByRole('button', { name: 'Allow' })
      .click();
    await line(/Price: .*Price 18/).waitFor();
    for (const name of ['Delete all', 'Elsewhere']) {
      await frame.getByRole('button', { name }).click();
      await line(new RegExp(`${name} failed: .*offers no tool`)).waitFor();
    }
    for (const name of ['Write', 'Add']) {
      await frame.getByRole('button', { name, exact: true }).click();
      await line(new RegExp(`^${name} failed: .*There is no conversation here`)).waitFor();
    }
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

  it('are below their call in a chat, with its arguments and result, and on demand after a reload', async () => {
    const { page, theatre, emulator, questions, said, press, allow, line, ended, ...more } = await openChat();
    const { callApi, stderr, shoot, errors } = more;
    expect(await page.locator('.tool-app').count()).toBe(0);
    await page.getByRole('button', { name: 'Edit arguments' }).click();
    await page.getByLabel('New arguments of seats').fill('{"play": "Lear"}');
    await allow();
    await line('play: Lear').waitFor();
    await line('free: 12').waitFor();
    await ended();
    await line('free: 12').waitFor();
    await press('Price');
    await allow();
    await line(/Price: .*Price 18/).waitFor();
    await press('Delete all');
    await line(/Delete all failed: .*offers no tool/).waitFor();
    const offered = questions().flatMap(({ tools = [] }) => tools.map(({ name }) => name));
    expect(offered).toEqual(expect.arrayContaining(['seats', 'model-only']));
    expect(offered).not.toContain('price');
    await shoot('mcp-app-in-chat');
    expect(await findViolations(page, 'an app in a chat')).toEqual([]);
    expect(await findOverflow(page)).toEqual([]);

    emulator.enqueue([{ call: 'seats', arguments: {} }], [{ text: 'Rejected.' }]);
    await page.getByRole('textbox', { name: 'Message' }).fill('And now?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await said('Rejected.');
    await ended();
    expect(await page.locator('.tool-app').count()).toBe(1);

    await page.reload();
    const show = page.getByRole('button', { name: 'Show the app of seats' });
    await show.waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await show.click();
    await line('play: Lear').waitFor();
    await line('free: 12').waitFor();
    const shownApps = page.getByRole('switch', { name: 'Show apps of tools' });
    await shownApps.click();
    await page.locator('iframe').waitFor({ state: 'detached' });
    expect(await show.count()).toBe(0);

    const replace = async (mcpServers: object): Promise<void> => {
      await callApi('/servers', { method: 'PUT', body: { config: JSON.stringify({ mcpServers }) } });
      await page.reload();
    };
    await shownApps.click();
    await replace({ theatre: { ...theatre, disabled: true } });
    await show.click();
    await page.getByText('The MCP server “theatre” is not connected.').waitFor();
    await replace({});
    await show.click();
    await page.getByText('No MCP server has this name.').waitFor();
    errors.splice(0);
    await expect(stderr()).rejects.toThrow('404');
  });

  it('are shown on demand in a group of calls, and write to both sides of a comparison', async () => {
    const { page, emulator, line, press, ended } = await openChat();
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await ended();
    const calls = Array.from({ length: 3 }, () => ({ call: 'seats', arguments: { play: 'Macbeth' } }));
    emulator.enqueue(calls, [{ text: 'Thrice.' }]);
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Three times');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow all (3)' }).click();
    await page.getByRole('log').getByText('Thrice.').waitFor();
    await ended();
    await page.locator('.tool-part', { hasText: '× 3' }).first().locator('summary').first().click();
    const show = page.getByRole('button', { name: 'Show the app of seats' });
    await show.nth(2).click();
    await line('play: Macbeth').waitFor();
    expect(await page.locator('iframe').count()).toBe(1);
    expect(await findOverflow(page)).toEqual([]);

    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByLabel('Left: provider').waitFor();
    for (let count = 0; count < 2; count++)
      emulator.enqueue([{ call: 'seats', arguments: { play: 'Faust' } }], [{ text: 'Two.' }]);
    await field.fill('Both');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow', exact: true }).first().click();
    await line('play: Faust').first().waitFor();
    await press('Add');
    await page.getByRole('region', { name: 'Text of the app of seats' }).waitFor();
  });

  it('write drafts and additions, which only the person sends', async () => {
    const { page, emulator, questions, said, press, allow, line, ended, shoot } = await openChat();
    await allow();
    await line('play: Hamlet').waitFor();
    await line('free: 12').waitFor();
    await ended();
    const field = page.getByRole('textbox', { name: 'Message' });
    const sent = questions().length;
    const added = page.getByRole('region', { name: 'Text of the app of seats' });

    for (const [name, reason] of [
      ['Write long', 'at most 10,000 characters of an app, got 20,000'],
      ['Write much', 'too large'],
      ['Draw', 'accepts text of apps'],
      ['Add long', 'at most 10,000 characters'],
      ['Add much', 'too large'],
    ] as const) {
      await press(name);
      await line(new RegExp(`^${name} failed: .*${reason}`)).waitFor();
    }
    expect(await field.inputValue()).toBe('');
    expect(await added.count()).toBe(0);

    await field.fill('My own');
    await press('Write');
    await line(/^Write failed: .*The person is writing/).waitFor();
    expect(await field.inputValue()).toBe('My own');
    await field.fill('');
    await press('Write');
    await line('Write: {}').waitFor();
    expect(await field.inputValue()).toBe('<img src=x onerror=alert(1)> Book row 7.');
    await page.getByText(/The app of seats at “theatre” wrote this draft/).waitFor();
    await shoot('mcp-app-draft');
    expect(await findViolations(page, 'a draft of an app')).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Show the app of seats' }).click();
    await line('play: Hamlet').waitFor();
    expect(await field.inputValue()).toBe('<img src=x onerror=alert(1)> Book row 7.');
    await page.getByText(/The app of seats at “theatre” wrote this draft/).waitFor();
    await field.press('Enter');
    await page.getByText(/the first Enter does not send it/).waitFor({ state: 'detached' });
    expect(questions().length).toBe(sent);
    emulator.enqueue([{ text: 'Booked.' }]);
    await field.press('Enter');
    await said('Booked.');
    expect(questions().at(-1)?.text).toContain('<img src=x onerror=alert(1)> Book row 7.');
    expect(await page.locator('.message img, .composer img').count()).toBe(0);
    await ended();

    await press('Add');
    await added.getByText('Row 7 <b>is</b> marked.').waitFor();
    await press('Add nothing');
    await added.waitFor({ state: 'detached' });
    await press('Add');
    await added.getByRole('button', { name: 'Remove' }).click();
    await field.fill('Without');
    emulator.enqueue([{ text: 'Nothing added.' }]);
    await field.press('Enter');
    await said('Nothing added.');
    expect(questions().at(-1)?.text).not.toContain('is</b> marked');
    await ended();

    await field.fill('With this');
    await press('Add');
    await added.waitFor();
    await shoot('mcp-app-addition');
    expect(await findViolations(page, 'an addition of an app')).toEqual([]);
    expect(await findOverflow(page)).toEqual([]);
    const before = questions().length;
    await field.press('Enter');
    await page.getByText(/the first Enter does not send it/).waitFor({ state: 'detached' });
    expect(questions().length).toBe(before);
    emulator.enqueue([{ text: 'Seen.' }]);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await said('Seen.');
    expect(questions().at(-1)?.text).toMatch(
      /With this.*From the app of seats .*Row 7 <b>is<\/b> marked\..*row/,
    );
    expect(await added.count()).toBe(0);
    await ended();
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
