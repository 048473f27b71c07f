import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`addresses${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('show the same after a reload and in another tab, and say what is missing', async () => {
    const { page, playground, ask, errors } = await openPage({
      mcpServers: { 'a/b 100%': { ...everythingOverStdio(), trustAnnotations: true } },
    });
    await ask('Hello there');
    const chat = page.url();
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByText('Official', { exact: true }).click();
    await ask('Count the words in "one two".');
    await page.getByRole('button', { name: 'Request 1, done' }).click();
    await page.getByRole('tab', { name: 'Headers', exact: true }).click();
    const second = await page.context().newPage();
    await second.goto(playground.signInUrl);
    /** Opens the address of the page in the other tab, after a reload of the page. */
    const check = async (text: string | RegExp): Promise<void> => {
      await page.reload();
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await second.goto(page.url());
      await second.getByText(text).filter({ visible: true }).first().waitFor();
    };
    await check('"user-agent"');
    expect(page.url()).toMatch(/\/chats\/[\w-]+\?request=1&tab=headers$/);

    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.locator('.server-card[data-state="ready"]').waitFor();
    await page.getByRole('link', { name: 'Inspect a/b 100%' }).click();
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('sum');
    await page.getByRole('link', { name: 'get-sum' }).click();
    expect(new URL(page.url()).pathname).toBe('/servers/a%2Fb%20100%25/tools/get-sum');
    await check('Returns the sum of two numbers');
    await page.getByLabel('a', { exact: true }).fill('17');
    await page.getByLabel('b', { exact: true }).fill('25');
    await page.getByRole('button', { name: 'Call the tool' }).click();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('1 call').waitFor();
    await page.reload();
    await history.getByRole('button', { name: 'Repeat' }).click();
    await history.getByText('2 calls').waitFor();
    await page.getByRole('switch', { name: 'Offer get-sum to the model' }).click();
    await page.reload();
    await expect
      .poll(() => page.getByRole('switch', { name: 'Offer get-sum to the model' }).isChecked())
      .toBe(false);

    await page.getByRole('link', { name: 'Traces' }).click();
    const table = page.getByRole('table', { name: 'Traces' });
    await page.getByRole('searchbox', { name: 'Search traces' }).fill('hello');
    await page.getByText('1 of 2 turns').waitFor();
    await check('1 of 2 turns');
    await page.getByRole('searchbox', { name: 'Search traces' }).fill('');
    await expect.poll(() => table.getByRole('checkbox').count()).toBe(2);
    for (const box of await table.getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: 'Compare' }).click();
    const items = page.getByRole('list', { name: 'Items of both runs' });
    await items.getByText('call word-count', { exact: true }).first().waitFor();
    await check('call word-count');
    await page.goBack();
    await table.waitFor();

    await page.goto(chat);
    await page.getByRole('article', { name: 'Response' }).waitFor();
    for (const [address, title] of [
      ['/chats/no-such-chat', 'There is no such chat'],
      ['/traces/no-such-trace', 'There is no such trace'],
      ['/traces/compare?a=no-such&b=trace', 'There is no such trace'],
      ['/servers/nobody', 'There is no such server'],
      ['/servers/a%2Fb%20100%25/tools/nothing', 'There is no such tool'],
      ['/servers/%E0%A4%A', 'There is no such page'],
      ['/settings/else', 'There is no such page'],
    ]) {
      await page.goto(playground.url + address);
      const missingNote = page.locator('.missing', { hasText: title });
      await missingNote.waitFor();
      expect(await missingNote.getByRole('link').count(), address).toBe(1);
    }
    errors.splice(0);
  });
});
