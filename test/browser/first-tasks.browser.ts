import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { startApp } from '../playground/server/_start-app.js';
import { startEmulator } from '../testing/_emulator.js';
import { openPage } from './_page.js';

/** The clicks of each task, for the table. */
const counted: string[] = [];

afterAll(() => {
  console.log(['| task | clicks |', '| --- | --- |', ...counted].join('\n'));
});

/** Runs a task, and checks how often it presses a button of the mouse. The page must not be reloaded meanwhile. */
async function expectClicks(
  page: Page,
  task: string,
  limit: number,
  run: () => Promise<void>,
): Promise<void> {
  await page.evaluate(() => {
    const pressed: string[] = [];
    Object.assign(window, { pressed });
    addEventListener(
      'pointerdown',
      ({ target, isTrusted }) => {
        const element =
          (target as HTMLElement).closest<HTMLElement>('a, button, summary') ?? (target as HTMLElement);
        if (isTrusted) pressed.push(element.innerText.trim().split('\n')[0] ?? '');
      },
      true,
    );
  });
  await run();
  const pressed = await page.evaluate(() => (window as unknown as { pressed: string[] }).pressed);
  counted.push(`| ${task} | ${pressed.length}: ${pressed.join(' → ')} |`);
  expect(pressed.length, `clicks to ${task}: ${pressed.join(', ')}`).toBeLessThanOrEqual(limit);
  expect(pressed.length).toBeGreaterThan(0);
}

describe.skipIf(missing)(`the tasks of a stranger${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('add a server', async () => {
    const { page, printed } = await openPage({ mcpServers: {} });
    const { command, args = [] } = everythingOverStdio();
    await expectClicks(page, 'add a server', 4, async () => {
      await page.getByRole('link', { name: 'MCP servers' }).click();
      await page.getByRole('button', { name: 'Add a server' }).click();
      // The fields have the focus.
      await page.keyboard.insertText([command, ...args].map(word => JSON.stringify(word)).join(' '));
      await page.getByRole('button', { name: 'Connect' }).click();
      await page
        .locator('input:focus')
        .and(page.getByRole('textbox', { name: 'Confirmation code' }))
        .waitFor();
      await page.keyboard.insertText(/Confirmation code: (\S+)/.exec(printed())?.[1] ?? '');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      const server = page.getByRole('region', { name: /^MCP server/ });
      await server.getByRole('button', { name: 'Call the tool' }).waitFor();
    });
  });

  it('find out why a call failed', async () => {
    const { page, ask } = await openPage();
    await ask('Call read_text_file with its defaults.');
    const call = page.getByRole('article', { name: 'Response' }).locator('.tool-part');
    await expectClicks(page, 'find out why a call failed', 1, async () => {
      await call.locator('summary').click();
      await call.getByText(/ENOENT: no such file or directory/).waitFor();
    });
  });

  it('compare with the official provider', async () => {
    const { page } = await openPage();
    await expectClicks(page, 'compare with the official provider', 2, async () => {
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('button', { name: 'Two tools in sequence' }).click();
      await page.locator('.comparison td', { hasText: 'finished' }).nth(1).waitFor();
    });
    expect(await page.getByRole('article', { name: 'Response' }).allInnerTexts()).toEqual([
      expect.stringMatching(/The sum of 17 and 25 is 42\.[^]*kelivo · gpt-5/),
      expect.stringMatching(/The sum of 17 and 25 is 42\.[^]*official · gpt-5/),
    ]);
  });

  it('save a test', async () => {
    const { page, ask } = await openPage();
    await ask('Get the sum of 1 and 2.');
    const downloading = page.waitForEvent('download');
    await expectClicks(page, 'save a test', 2, async () => {
      await page.getByRole('link', { name: 'Open the trace' }).click();
      await page.getByRole('button', { name: 'Save as test' }).click();
      await downloading;
    });
    const text = await readFile(await (await downloading).path(), 'utf8');

    expect(text).toContain("from 'vitest'");
    expect(text).toContain('Get the sum of 1 and 2.');
  });

  it('attach an application', async () => {
    const emulator = await startEmulator();
    const { page, playground } = await openPage({ mcpServers: {} });
    await expectClicks(page, 'attach an application', 2, async () => {
      await page.getByRole('link', { name: 'Traces' }).click();
      await page.getByText(/KELIVO_PLAYGROUND_URL/).waitFor();
      await startApp('express', 'Call add with 17 and 25.', {
        MODEL_URL: emulator.baseURL,
        KELIVO_PLAYGROUND_URL: playground.appUrl,
      }).answered;
      await page.getByRole('table', { name: 'Traces' }).locator('tbody tr').getByRole('link').click();
      const answer = page
        .getByRole('region', { name: 'Prompt, calls and answer' })
        .getByRole('region', { name: 'Answer' });
      await answer.getByText('The tool add returned: 42').waitFor();
    });
  });
});
