import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { hostileServers, hostileText } from './_hostile-server.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`untrusted text${missing === undefined ? '' : ` (${missing})`}`, () => {
  // The page's own log is part of the proof: if only the content security policy had stopped a payload, it would report it.
  it('of model, tools, servers, titles and reports is never run, and loads nothing', async () => {
    const emulator = await startEmulator();
    const { page, playground, ask, callApi } = await openPage({
      mcpServers: hostileServers,
      settings: { endpoint: emulator.baseURL, approvals: 'always' },
    });
    const foreign: string[] = [];
    page.on('request', request => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(playground.url))
        foreign.push(request.url());
    });
    const found: string[] = [];
    const check = async (state: string): Promise<void> => {
      found.push(...(await findAttacks(page)).map(attack => `${state}: ${attack}`));
    };

    emulator.enqueue(
      [{ reasoning: hostileText }, { call: 'attack', arguments: { q: hostileText } }],
      [{ call: 'fail', arguments: {} }],
      [{ text: hostileText }],
    );
    await page.getByRole('textbox', { name: 'Message' }).fill(hostileText);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await check('approval');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page
      .getByRole('alertdialog', { name: /fail/ })
      .getByRole('button', { name: 'Allow', exact: true })
      .click();
    await page.locator('.state-badge[data-state="finished"]').waitFor();
    for (const summary of await page.locator('.thread summary').all()) await summary.click();
    await check('conversation');
    await page.getByRole('tab', { name: 'Chats' }).click();
    await page.locator('.conversation-title').first().waitFor();
    await check('titles');
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.locator('.server-card[data-state="ready"]').waitFor();
    for (const summary of await page.locator('.server-card summary').all()) await summary.click();
    await check('server');
    await page.getByRole('link', { name: /^Inspect </ }).click();
    const workspace = page.locator('.server-workspace');
    await workspace.getByRole('tab').first().waitFor();
    for (const tab of await workspace.getByRole('tab').all()) {
      await tab.click();
      for (const summary of await workspace.locator('summary:visible').all()) await summary.click();
      await check(await tab.innerText());
    }
    await page.getByRole('link', { name: 'Chats' }).click();
    emulator.enqueue({ status: 500, body: hostileText });
    await ask('Hello', { end: 'failed' });
    await check('error');
    await page.reload();
    await page.getByRole('article', { name: 'Response' }).first().waitFor();
    await check('reloaded');

    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    const report = await callApi(`/conversations/${id}/fixture`);
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.getByRole('table', { name: 'Traces' }).getByRole('link').first().click();
    await page.locator('.events li, .body-text').first().waitFor();
    await check('trace');
    await page.goBack();
    await page.getByRole('table', { name: 'Traces' }).waitFor();
    await check('traces');
    await page.getByLabel('Replay a bug report').setInputFiles({
      name: `${hostileText}.json`,
      mimeType: 'application/json',
      buffer: Buffer.from(await report.arrayBuffer()),
    });
    const replay = page.getByRole('button', { name: 'Replay', exact: true });
    await replay.first().waitFor();
    await check('imported report');
    await replay.first().click();
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await check('replay');

    expect(found).toEqual([]);
    expect(foreign).toEqual([]);
  });
});

/** Returns the traces of payloads that became part of the page. */
const findAttacks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const elements = document.querySelectorAll(
      'body script, iframe, object, embed, base, body style, body link, math, [onerror], [onload], [ontoggle], ' +
        '[onfocus], [onmouseover], a[href^="javascript" i], a[href^="data" i], form[action], img[src*="attacker"]',
    );
    return [
      ...('attacked' in window ? ['code of a payload was run'] : []),
      ...[...elements].map(element => element.outerHTML.slice(0, 200)),
    ];
  });
