import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { findViolations } from './_accessibility.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`lists${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('say what is missing and offer one action, show a skeleton late, and try again after an error', async () => {
    const emulator = await startEmulator();
    const { page, ask, errors } = await openPage({
      mcpServers: {},
      settings: { endpoint: emulator.baseURL },
    });
    const found: string[] = [];
    const check = async (state: string): Promise<void> =>
      void found.push(...(await findViolations(page, state, { isDesktopOnly: true })));
    await page.getByRole('tab', { name: 'Chats' }).click();
    await page.getByText('No conversations yet.').waitFor();
    await check('no conversations');
    await page.getByRole('button', { name: 'Start a chat' }).click();
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByText('No server is configured.').waitFor();
    await check('no servers');

    let fail = (): void => {};
    await page.route('**/api/traces', async route => {
      await new Promise<void>(resolve => (fail = resolve));
      await route.fulfill({ status: 500, json: { error: 'The disk is full.' } });
    });
    await page.getByRole('link', { name: 'Traces' }).click();
    const skeleton = page.locator('.skeleton');
    await skeleton.waitFor();
    expect(
      await skeleton.evaluate(element => {
        const { animationDelay, animationFillMode } = getComputedStyle(element);
        return { animationDelay, animationFillMode };
      }),
    ).toEqual({ animationDelay: '0.2s', animationFillMode: 'backwards' });
    await expect.poll(() => skeleton.evaluate(element => getComputedStyle(element).opacity)).toBe('1');
    await check('loading traces');
    fail();
    await page.getByRole('alert').getByText('The traces were not loaded').waitFor();
    await check('failed traces');
    await page.unroute('**/api/traces');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No turns yet.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await check('no traces');

    await page.getByRole('link', { name: 'Start a chat' }).click();
    emulator.enqueue([{ text: 'Yes.' }]);
    await ask('Is anybody there?');
    await page.getByRole('tab', { name: 'Chats' }).click();
    await page.route('**/api/conversations/search?*', route => route.fulfill({ status: 500, json: {} }));
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('anybody');
    await page.getByRole('alert').getByText('The conversations were not searched').waitFor();
    await page.unroute('**/api/conversations/search?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.conversation-title mark').first().waitFor();

    expect(found).toEqual([]);
    expect(errors.splice(0).filter(error => !error.includes('500'))).toEqual([]);
  });

  it('include the events of a chat, whose inspector says why they are missing and tries again', async () => {
    const { page, ask, errors } = await openPage({ mcpServers: {} });
    await page.route('**/api/conversations/*/traces/*', route =>
      route.fulfill({ status: 500, json: { error: 'The disk is full.' } }),
    );
    await ask('Hello');
    const inspector = page.getByRole('region', { name: 'Inspector' });
    const problem = inspector.getByRole('alert').getByText('The events were not loaded: The disk is full.');
    await problem.waitFor();
    expect(await inspector.getByText('Loading').count()).toBe(0);
    expect(await findViolations(page, 'failed events', { isDesktopOnly: true })).toEqual([]);
    await page.unroute('**/api/conversations/*/traces/*');
    await inspector.getByRole('button', { name: 'Try again' }).click();
    await inspector
      .locator('.wire-search')
      .getByText(/^\d+ events$/)
      .waitFor();
    expect(await problem.count()).toBe(0);
    expect(errors.splice(0).filter(error => !error.includes('500'))).toEqual([]);
  });
});
