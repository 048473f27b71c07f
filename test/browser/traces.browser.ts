import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`traces${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('are listed with filters, opened, downloaded for OpenTelemetry, and replayed from a bug report', async () => {
    const { page, playground, ask, ended } = await openPage({ mcpServers: {} });
    await ask('Hello there');
    const conversationId = page.url().split('#/')[1] ?? '';
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByLabel('Emulator fault').selectOption('500');
    await ask('Fail please', { end: 'failed' });
    await page.getByRole('button', { name: 'All traces' }).click();
    const turns = page.getByRole('list', { name: 'Turns' }).getByRole('listitem');
    await expect.poll(() => turns.count()).toBe(2);
    await page.getByLabel('Result').selectOption('error');
    expect(await turns.allInnerTexts()).toEqual([expect.stringContaining('Fail please')]);
    await page.getByLabel('Result').selectOption('all');
    await page.getByRole('searchbox', { name: 'Search traces' }).fill('hello');
    await turns.getByRole('button').click();
    await ended('finished');
    await page.getByRole('button', { name: 'Jump to response.completed' }).click();
    await page.locator('.events details[open]').getByText('completed').first().waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'OpenTelemetry' }).click();
    const text = await readFile(await (await downloading).path(), 'utf8');
    const report = await page
      .context()
      .request.get(`${playground.url}/api/conversations/${conversationId}/fixture`);
    await page.getByRole('button', { name: 'All traces' }).click();
    await page
      .getByLabel('Replay a bug report')
      .setInputFiles({ name: 'report.json', mimeType: 'application/json', buffer: await report.body() });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('emulator, replaying a bug report').waitFor();
    await ended('finished');

    expect(text).toContain('"name":"invoke_agent"');
    await page.getByRole('article', { name: 'You' }).getByText('Hello there').waitFor();
    await page.getByRole('article', { name: 'Response' }).getByText('Hello there').first().waitFor();
  });
});
