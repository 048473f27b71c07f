import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { startEmulator } from '../testing/_emulator.js';
import { findNamelessControls, findViolations } from './_accessibility.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`accessibility${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('has no violation that axe finds, in any state of a chat, light and dark, at three sizes', async () => {
    const { page, ended } = await openPage({
      mcpServers: { everything: everythingOverStdio() },
      settings: { approvals: 'always' },
    });
    const found = await findViolations(page, 'empty');
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.locator('.server-card[data-state="ready"]').waitFor();
    found.push(...(await findViolations(page, 'servers')));
    await page.getByRole('button', { name: 'Add a server' }).click();
    await page.getByText('Name, headers or variables').click();
    found.push(...(await findViolations(page, 'new server')));
    await page.getByRole('button', { name: 'Edit the configuration' }).click();
    await page.getByLabel('Configuration', { exact: true }).waitFor();
    found.push(...(await findViolations(page, 'configuration')));
    await page.getByRole('link', { name: 'Chats' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Get the sum of 1 and 2.');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: /get-sum/ }).waitFor();
    found.push(...(await findViolations(page, 'approval')));
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await ended();
    await page.locator('.tool-part summary').first().click();
    await page.getByRole('tab', { name: 'Chats' }).click();
    found.push(...(await findViolations(page, 'tool')));
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page
      .getByRole('textbox', { name: 'Message' })
      .fill('# Title\n\n| a | b |\n| --- | --- |\n| 1 | 2 |');
    await page.keyboard.press('Enter');
    await page.locator('.comparison td', { hasText: 'finished' }).nth(1).waitFor();
    found.push(...(await findViolations(page, 'comparison')));

    expect(found).toEqual([]);
  });

  it('has none in the dialogs, the parameters, the search and groups of calls, light and dark', async () => {
    const emulator = await startEmulator();
    const { page, ask } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    const calls = Array.from({ length: 4 }, (_, index) => ({
      call: 'word-count',
      arguments: { text: `${index}` },
    }));
    emulator.enqueue([...calls, { call: 'word-count', arguments: {} }], [{ text: 'Done.' }]);
    await ask('Count');
    const found: string[] = [];
    const check = async (state: string, within?: string): Promise<void> => {
      found.push(...(await findViolations(page, state, { within, isDesktopOnly: true })));
      found.push(
        ...(await findNamelessControls(page)).map(control => `${state}: without a name: ${control}`),
      );
    };
    await page.getByRole('button', { name: /^word-count, 5 calls, 1 failed/ }).click();
    await page.locator('.tool-part:has(.tool-calls) > summary').click();
    await check('groups', '.app');
    for (const name of ['Export', 'Bug report', 'Code']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await check(name, 'dialog');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('link', { name: /^\$0\.0/ }).click();
    await page.getByLabel('Input of gpt-5', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Save the prices' }).click();
    await check('settings');
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.getByRole('table', { name: 'Traces' }).getByRole('link').click();
    await page.locator('.events li').first().waitFor();
    await check('trace');
    await page.goBack();
    await page.getByRole('table', { name: 'Traces' }).waitFor();
    await check('traces');
    await page.getByRole('link', { name: 'Chats' }).click();
    await page.getByText('Parameters', { exact: true }).click();
    await page.getByLabel('Maximum output tokens').fill('many');
    await page.getByLabel('Temperature').focus();
    await page.getByText('Expected a whole number from 1, or nothing.').waitFor();
    await check('parameters', '.side-panel');
    await page.getByRole('tab', { name: 'Chats' }).click();
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('count');
    await page.locator('.conversation-title mark').first().waitFor();
    await check('search', '.side-panel');
    await page.getByRole('button', { name: 'Delete “Count”' }).click();
    await page.getByText('“Count” is deleted.').waitFor();
    await check('deleted', '.side-panel');

    expect(found).toEqual([]);
  });
});
