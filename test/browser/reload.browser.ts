import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { openPage } from './_page.js';

const restaurant = {
  command: process.execPath,
  args: [fileURLToPath(new URL('_inspected-server.mjs', import.meta.url))],
};

async function openRestaurant() {
  const emulator = await startEmulator();
  const opened = await openPage({ mcpServers: { restaurant }, settings: { endpoint: emulator.baseURL } });
  /** Returns what the model has received as the results of its calls. */
  const results = (): string => {
    const { input } = emulator.requests.at(-1)?.body as { input: { type: string; output?: unknown }[] };
    return JSON.stringify(input.filter(({ type }) => type === 'function_call_output'));
  };
  const send = async (text: string): Promise<void> => {
    await opened.page.getByRole('textbox', { name: 'Message' }).fill(text);
    await opened.page.keyboard.press('Enter');
  };
  return { ...opened, emulator, results, send };
}

const listKept = (page: Page): Promise<string[]> =>
  page.evaluate(() => Object.keys(sessionStorage).filter(key => key.includes('input')));

describe.skipIf(missing)(`input that was not sent${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('survives a reload in the message field of each chat, and is gone when it was sent', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    const field = page.getByRole('textbox', { name: 'Message' });
    await ask('Hello');
    const chat = page.url();
    await field.fill('Half a question');
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => field.inputValue()).toBe('');
    await field.fill('Another one\nwith two lines');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('Another one\nwith two lines');
    await page.goto(chat);
    await expect.poll(() => field.inputValue()).toBe('Half a question');
    await field.press('Enter');
    await page.getByRole('log').getByText('You said: Half a question').waitFor();
    await page.reload();
    await page.getByRole('log').getByText('You said: Half a question').waitFor();

    expect(await field.inputValue()).toBe('');
  });

  it('survives a reload in the form of a tool, also as JSON, and is replaced by a call of the history', async () => {
    const { page, playground } = await openRestaurant();
    await page.goto(`${playground.url}/servers/restaurant/tools/order`);
    const tool = page.getByRole('region', { name: 'Tool order' });
    const call = page.getByRole('button', { name: 'Call the tool' });
    const succeeded = page.getByText(/^Succeeded after/);
    await tool.getByLabel('Text', { exact: true }).fill('Soup');
    await tool.getByLabel('Count', { exact: true }).fill('2');
    await tool.getByLabel('city').fill('Oslo');
    await tool.getByRole('button', { name: 'Add to Tags' }).click();
    await tool.getByLabel('Tags 1', { exact: true }).fill('hot');
    await call.click();
    await succeeded.waitFor();
    await tool.getByLabel('Text', { exact: true }).fill('Half a pie');
    await page.reload();
    await expect.poll(() => tool.getByLabel('Text', { exact: true }).inputValue()).toBe('Half a pie');
    expect(await tool.getByLabel('city').inputValue()).toBe('Oslo');
    expect(await tool.getByLabel('Tags 1', { exact: true }).inputValue()).toBe('hot');
    await tool.getByRole('button', { name: 'Edit as JSON' }).click();
    const json = tool.getByLabel('Arguments as JSON');
    await json.fill('{ "text": "half');
    await page.reload();
    await expect.poll(() => json.inputValue()).toBe('{ "text": "half');
    const history = page.getByRole('region', { name: 'History' });
    await history.getByRole('button', { name: 'Edit', exact: true }).click();
    await expect.poll(() => tool.getByLabel('Text', { exact: true }).inputValue()).toBe('Soup');
    await call.click();
    await history.getByText('2 calls').waitFor();
  });

  it('survives a reload on the card of a server, in the order of its types, and is forgotten when it was sent', async () => {
    const { page, emulator, results, send, ended } = await openRestaurant();
    emulator.enqueue([{ call: 'form', arguments: {} }], [{ text: 'Ordered.' }]);
    await send('An order');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const card = page.getByRole('region', { name: '“restaurant” requests input' });
    await card.getByLabel('Name').fill('Ada');
    await card.getByLabel('Age').fill('36');
    await card.getByLabel('pie').check();
    await page.reload();
    await expect.poll(() => card.getByLabel('Name').inputValue()).toBe('Ada');
    expect(await card.getByLabel('pie').isChecked()).toBe(true);
    await card.getByRole('button', { name: 'Send' }).click();
    await ended();

    expect(results()).toContain(
      JSON.stringify(JSON.stringify({ name: 'Ada', age: 36, dishes: ['pie'] })).slice(2, -2),
    );
    expect(await listKept(page)).toEqual([]);
  });

  it('survives a reload on an approval, where changed arguments run, and on a request for a completion', async () => {
    const { page, emulator, results, send, ended } = await openRestaurant();
    emulator.enqueue([{ call: 'order', arguments: { text: 'soup', count: 1 } }], [{ text: 'Ordered.' }]);
    await send('An order');
    await page.getByRole('button', { name: 'Edit arguments' }).click();
    await page.getByLabel('New arguments of order').fill('{ "text": "cake", "count": 2');
    await page.reload();
    const editor = page.getByLabel('New arguments of order');
    await expect.poll(() => editor.inputValue()).toBe('{ "text": "cake", "count": 2');
    await editor.fill('{ "text": "cake", "count": 2 }');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await ended();
    expect(results()).toContain('cake');
    expect(results()).not.toContain('soup');

    emulator.enqueue([{ call: 'complete', arguments: {} }], [{ text: 'Done.' }]);
    await send('A poem');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('textbox', { name: 'Completion' }).fill('Oh so');
    await page.reload();
    await expect.poll(() => page.getByRole('textbox', { name: 'Completion' }).inputValue()).toBe('Oh so');
    await page.getByRole('textbox', { name: 'Completion' }).fill('Oh soup');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('log').getByText('Done.').waitFor();
    expect(results()).toContain('Oh soup');
    expect(await listKept(page)).toEqual([]);
  });

  it('survives a reload in the configuration of the servers, until it is cancelled', async () => {
    const { page } = await openPage({ mcpServers: {} });
    await page.getByRole('link', { name: 'MCP servers' }).click();
    const edit = page.getByRole('button', { name: 'Edit the configuration' });
    const field = page.getByLabel('Configuration', { exact: true });
    await edit.click();
    await field.fill('{ "mcpServers": { "half');
    await page.reload();
    await edit.click();
    expect(await field.inputValue()).toBe('{ "mcpServers": { "half');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await edit.click();
    expect(JSON.parse(await field.inputValue())).toEqual({ mcpServers: {} });
  });
});
