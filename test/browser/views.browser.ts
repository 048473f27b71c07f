import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { findBrokenWords, findOverflow } from './_accessibility.js';
import { openPage } from './_page.js';

const sizes = [
  { name: 'desktop', width: 1440, height: 900 },
  { name: 'laptop', width: 1024, height: 768 },
  { name: 'phone', width: 390, height: 844 },
];

/** The picture of the README, which `UPDATE_PICTURE=1` writes anew. */
const picture = fileURLToPath(new URL('../../playground/picture.png', import.meta.url));

describe.skipIf(missing)(`views${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('fit three sizes, light and dark, and leave each part enough room', async () => {
    const { page, shoot, ask } = await openPage({
      mcpServers: { everything: { ...everythingOverStdio(), trustAnnotations: true } },
    });
    const problems: string[] = [];
    const view = async (name: string, check?: (size: string) => Promise<void>): Promise<void> => {
      for (const { name: size, ...viewport } of sizes) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await shoot(`view-${name}-${size}-${colorScheme}`);
        }
        problems.push(...(await findOverflow(page)).map(element => `${name} ${size}: ${element} overflows`));
        await check?.(size);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    };
    const atLeast = async (selector: string, height: number, size: string): Promise<void> => {
      const found = await heightOf(page, selector);
      if (found < height) problems.push(`${selector} on ${size}: ${found} pixels high, expected ${height}`);
    };

    await view('start', async size => {
      const { height } = page.viewportSize() ?? { height: 0 };
      if (size === 'laptop' && (await heightOf(page, '.inspector')) > 0.25 * height)
        problems.push('the empty inspector takes more than a quarter');
      const heading = await page.locator('.empty-state h2').boundingBox();
      const toolbar = await page.locator('.toolbar').boundingBox();
      if ((heading?.y ?? 0) < (toolbar?.y ?? 0) + (toolbar?.height ?? 0))
        problems.push('heading under the toolbar');
    });
    await ask('First get the sum of 17 and 25, then count the words in "the loop runs the tools".');
    await page.locator('.tool-part summary').first().click();
    await view('tools', async size => {
      await atLeast('.thread', 200, size);
      problems.push(...(await findBrokenWords(page, 'th')).map(word => `tools ${size}: ${word} is broken`));
    });
    if (process.env.UPDATE_PICTURE === '1') await page.screenshot({ path: picture });
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.getByRole('table', { name: 'Traces' }).waitFor();
    await view('traces', async size => {
      const cells = '.trace-table :is(th, td)';
      problems.push(...(await findBrokenWords(page, cells)).map(word => `traces ${size}: ${word} is broken`));
    });
    await page.getByRole('table', { name: 'Traces' }).getByRole('link').click();
    await page.locator('.events li').first().waitFor();
    await view('trace');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Save the prices' }).waitFor();
    await view('settings');
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByRole('link', { name: 'Inspect everything' }).click();
    await page.getByRole('button', { name: 'Call the tool' }).waitFor();
    await view('tools-of-a-server', async size => {
      const rows = page.getByRole('list', { name: 'Tools of everything' }).getByRole('listitem');
      const places = await rows.evaluateAll(items =>
        items.map(item => {
          const [name, badges, control] = [...item.children].map(child => child.getBoundingClientRect());
          return JSON.stringify([name?.left, badges?.left, control?.left, control?.width]);
        }),
      );
      if (new Set(places).size !== 1)
        problems.push(`tools ${size}: names, badges or switches are not aligned`);
    });
    await page.getByRole('link', { name: 'Chats' }).click();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Get the sum of 17 and 25.');
    await page.keyboard.press('Enter');
    await page.locator('.comparison td', { hasText: 'finished' }).nth(1).waitFor();
    await view('compare', async size => {
      await atLeast('.side-by-side .thread', 100, size);
      await atLeast('.comparison', size === 'phone' ? 90 : 170, size);
      problems.push(...(await findBrokenWords(page, 'th')).map(word => `compare ${size}: ${word} is broken`));
    });
    await page.locator('.run-differences > summary').click();
    await page.getByRole('list', { name: 'Items of both runs' }).getByRole('listitem').first().waitFor();

    expect(problems).toEqual([]);
  });
});

const heightOf = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate(element => element.getBoundingClientRect().height);
