import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPlayground } from '../../playground/server/playground.js';
import { missingChromium as missing } from '../_chromium.js';
import { makeFolder } from '../playground/server/_playground.js';
import { startEmulator } from '../testing/_emulator.js';
import { openPage } from './_page.js';

const restaurant = {
  command: process.execPath,
  args: [fileURLToPath(new URL('_inspected-server.mjs', import.meta.url))],
};

describe.skipIf(missing)(`two tabs${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('show the same cards, and a decision in one of them is final in both', async () => {
    const emulator = await startEmulator();
    const { page, playground, ended, errors } = await openPage({
      mcpServers: { restaurant },
      settings: { endpoint: emulator.baseURL },
    });
    emulator.enqueue([{ call: 'form', arguments: {} }], [{ text: 'Ordered.' }]);
    await page.getByRole('textbox', { name: 'Message' }).fill('An order');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Always allow' }).waitFor();
    const second = await page.context().newPage();
    await second.goto(playground.signInUrl);
    await second.goto(page.url());
    await second.getByRole('button', { name: 'Always allow' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    const cards = [page, second].map(tab => tab.getByRole('region', { name: '“restaurant” requests input' }));
    const [first, other] = cards as [(typeof cards)[number], (typeof cards)[number]];
    await first.getByLabel('Name').fill('Ada');
    await other.getByLabel('Name').fill('Bob');
    expect(await first.getByLabel('Name').inputValue()).toBe('Ada');
    // A tab that has not heard of the decision yet.
    await page.route('**/api/mcp/requests/*', async route => {
      await other.getByRole('button', { name: 'Send' }).click();
      await other.waitFor({ state: 'detached' });
      await route.continue();
    });
    const late = page.waitForResponse('**/api/mcp/requests/*');
    await first.getByRole('button', { name: 'Send' }).click();
    expect((await late).status()).toBe(410);
    await first.waitFor({ state: 'detached' });
    await ended();
    errors.splice(0);
    const results = JSON.stringify(emulator.requests.at(-1)?.body);
    expect(results).toContain('Bob');
    expect(results).not.toContain('Ada');

    await page.getByRole('link', { name: 'Settings' }).click();
    const allowed = page.getByRole('region', { name: 'Allowed tools' });
    await allowed.getByText('in all chats').waitFor();
    await second.getByRole('link', { name: 'Settings' }).click();
    await second.getByRole('button', { name: 'Remove form' }).click();
    await allowed.getByText('in all chats').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Chats' }).click();
    await page.getByRole('tab', { name: 'Chats' }).click();
    await second.getByRole('link', { name: 'Chats' }).click();
    await second.getByRole('tab', { name: 'Chats' }).click();
    await second.getByRole('button', { name: 'Delete “An order”' }).click();
    await page.getByText('No conversations yet.').waitFor();
    errors.splice(0);
  });

  it('of two playgrounds have a session each, which the other one does not accept', async () => {
    const { page, playground, errors } = await openPage({ mcpServers: {} });
    const other = await startPlayground({ folder: await makeFolder(), environment: {}, print: () => {} });
    onTestFinished(() => other.close());
    const second = await page.context().newPage();
    await second.goto(`${other.url}/#token=${new URL(playground.signInUrl).hash.replace('#token=', '')}`);
    await second.getByText(`does not belong to the playground on port ${new URL(other.url).port}`).waitFor();
    await second.goto(other.signInUrl);
    await second.getByRole('textbox', { name: 'Message' }).waitFor();
    // The same tab goes to the first one and back, with a token for each port.
    await second.goto(playground.url);
    await second.getByRole('heading', { name: /^Sign in to the playground/ }).waitFor();
    await second.goto(other.url);
    await second.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();

    expect(await page.context().cookies()).toEqual([]);
    errors.splice(0);
  });

  it('ask for the new address on every route after a restart, and go on where they were', async () => {
    const { page, playground, folder, ask, errors } = await openPage({ mcpServers: { restaurant } });
    await ask('Hello there');
    const chat = page.url();
    const tabs = [page];
    for (const path of ['/servers/restaurant/tools/order', '/traces?text=hello', '/settings']) {
      const tab = await page.context().newPage();
      await tab.goto(playground.signInUrl);
      await tab.goto(playground.url + path);
      tabs.push(tab);
    }
    await tabs[1]?.getByLabel('Text', { exact: true }).fill('Soup');
    await tabs[2]?.getByText(/^1 of 1 turn/).waitFor();
    await tabs[3]?.getByLabel('Maximum age in days').waitFor();
    await playground.close();
    const next = await startPlayground({
      ...{ folder, environment: {}, print: () => {} },
      port: Number(new URL(playground.url).port),
    });
    onTestFinished(() => next.close());
    for (const tab of tabs) {
      await tab.bringToFront();
      const field = tab.getByRole('textbox', { name: 'Address or token' });
      await field.fill(next.signInUrl);
      await field.press('Enter');
      await field.waitFor({ state: 'detached' });
    }
    await page.getByRole('log').getByText('You said: Hello there').waitFor();
    await tabs[1]?.getByRole('button', { name: 'Call the tool' }).waitFor();
    await tabs[2]?.getByText(/^1 of 1 turn/).waitFor();

    expect(page.url()).toBe(chat);
    expect(await tabs[1]?.getByLabel('Text', { exact: true }).inputValue()).toBe('Soup');
    // They would report that their server has gone again.
    for (const tab of tabs) await tab.close();
    errors.splice(0);
  });
});
