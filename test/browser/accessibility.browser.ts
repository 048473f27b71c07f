import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { openPage } from './_page.js';

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

declare global {
  interface Window {
    axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
  }
}

/** Returns the violations of the page at three sizes, light and dark. */
async function findViolations(page: Page, state: string): Promise<string[]> {
  const found = new Set<string>();
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await page.evaluate(() =>
        window.axe.run(document, { resultTypes: ['violations'] }),
      );
      for (const { id, nodes } of violations) {
        for (const { html, failureSummary } of nodes)
          found.add(
            `${state} ${size.width} ${colorScheme}: ${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`,
          );
      }
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  return [...found];
}

describe.skipIf(missing)(`accessibility${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('has no violation that axe finds, in any state of a chat, light and dark, at three sizes', async () => {
    const { page, ended } = await openPage({
      mcpServers: { everything: everythingOverStdio() },
      settings: { approvals: 'always' },
    });
    await page.evaluate(axe.source);
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
