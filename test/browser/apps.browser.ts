import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startApp } from '../playground/server/_start-app.js';
import { startHeldEndpoint } from './_held-endpoint.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`applications${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('appear in an open list of traces, and their turn continues in its page without a reload', async () => {
    const endpoint = await startHeldEndpoint();
    const { page, playground, ended } = await openPage({ mcpServers: {} });
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.getByText('0 of 0 turns').waitFor();
    const { answered, child } = startApp('express', 'Call add with 17 and 25.', {
      MODEL_URL: endpoint.baseURL,
      KELIVO_PLAYGROUND_URL: playground.appUrl,
    });
    const row = page.getByRole('table', { name: 'Traces' }).locator('tbody tr');
    await row.getByText('running').waitFor();
    expect(await row.innerText()).toContain(`express.mjs (${child.pid})`);
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Running' }).waitFor();
    endpoint.release();

    expect(await answered).toBe('The tool add returned: 42');
    await ended('finished');
    await page.getByRole('region', { name: 'Timeline' }).getByText('add').first().waitFor();
  });
});
