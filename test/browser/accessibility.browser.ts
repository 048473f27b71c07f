import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { findViolations } from './_accessibility.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`accessibility${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('has no violation that axe finds, in any state of a chat, light and dark, at three sizes', async () => {
    const { page, ended } = await openPage({
      mcpServers: { everything: everythingOverStdio() },
      settings: { approvals: 'always' },
    });
    const found = await findViolations(page, 'empty');
    await page.getByRole('tab', { name: 'MCP servers' }).click();
    await page.locator('.server-card[data-state="ready"]').waitFor();
    found.push(...(await findViolations(page, 'servers')));
    await page.getByRole('button', { name: 'Add or edit servers' }).click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await findViolations(page, 'configuration')));
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Message' }).fill('Get the sum of 1 and 2.');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: /get-sum/ }).waitFor();
    found.push(...(await findViolations(page, 'approval')));
    await page.getByRole('button', { name: 'Allow' }).click();
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
});
