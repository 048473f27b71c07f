import type { Locator } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { serve } from '../_server.js';
import { startApp } from '../playground/server/_start-app.js';
import { startEmulator } from '../testing/_emulator.js';
import { startHeldEndpoint } from './_held-endpoint.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`applications${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('appear in an open list of traces, and their turn continues in its page without a reload', async () => {
    const endpoint = await startHeldEndpoint();
    // The tool of the application waits for this.
    let end = (): void => {};
    const shown = new Promise<void>(resolve => (end = resolve));
    const tool = await serve(response => void shown.then(() => response.end()));
    onTestFinished(() => end());
    const { page, playground, ended } = await openPage({ mcpServers: {} });
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.getByText('0 of 0 turns').waitFor();
    const { answered, child } = startApp('express', 'Call add with 17 and 25.', {
      MODEL_URL: endpoint.baseURL,
      TOOL_URL: tool.url,
      KELIVO_PLAYGROUND_URL: playground.appUrl,
    });
    const row = page.getByRole('table', { name: 'Traces' }).locator('tbody tr');
    await row.getByText('running').waitFor();
    expect(await row.innerText()).toContain(`express.mjs (${child.pid})`);
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Running' }).waitFor();
    endpoint.release();
    const call = page.getByRole('region', { name: 'Timeline' }).getByText('add').first();
    await call.waitFor();
    await page.getByRole('heading', { name: 'Running' }).waitFor();
    end();

    expect(await answered).toBe('The tool add returned: 42');
    await ended('finished');
    await call.waitFor();
  });

  it('show a run in a tool below its turn, and indented in the timeline', async () => {
    const emulator = await startEmulator();
    const { page, playground, ended, shoot } = await openPage({ mcpServers: {} });
    await startApp('agent', 'Call ask, please.', {
      MODEL_URL: emulator.baseURL,
      KELIVO_PLAYGROUND_URL: playground.appUrl,
    }).answered;
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.getByText('1 of 1 turn').waitFor();
    const rows = page.getByRole('table', { name: 'Traces' }).locator('tbody tr');
    const [turn, run] = await rows.allInnerTexts();
    const leftOf = (index: number) =>
      rows
        .nth(index)
        .getByRole('link')
        .evaluate(link => link.getBoundingClientRect().left);
    expect(turn).toContain('Call ask, please.');
    expect(run).toMatch(/^\s*in ask\s+of “Call ask, please.”\s+finished\s+gpt-5-mini\s+1 round/);
    expect(await leftOf(1)).toBeGreaterThan((await leftOf(0)) + 8);
    expect(await rows.nth(1).getByRole('checkbox').count()).toBe(0);
    await shoot('nested-run');
    await rows.nth(1).getByRole('link', { name: 'in ask' }).click();
    await ended('finished');

    const dialogue = page.getByRole('region', { name: 'Prompt, calls and answer' });
    expect(await dialogue.getByRole('region', { name: 'Prompt' }).innerText()).toBe('Call ask, please.');
    expect(await dialogue.getByRole('region', { name: 'Answer' }).innerText()).toMatch(
      /The tool ask returned: You said: You are the expert\./,
    );
    const call = dialogue.locator('.tool-part');
    expect(await call.locator('summary').innerText()).toMatch(/^ask\s+done/);
    // It is above the times and the wire.
    const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
    expect(await topOf(call)).toBeLessThan(await topOf(page.locator('.turn-facts')));
    await page.getByRole('button', { name: /^ask, done.*Show the result$/ }).click();
    await call.getByText('You said: You are the expert.').waitFor();
    expect(new URL(page.url()).searchParams.get('request')).toBe('2');
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const indentOf = (name: string) =>
      timeline.getByRole('listitem', { name, exact: true }).evaluate(item => {
        const range = document.createRange();
        range.selectNodeContents(item.firstElementChild ?? item);
        return range.getBoundingClientRect().left;
      });
    expect(await indentOf('Round 2, in the call of ask')).toBeGreaterThan(await indentOf('Round 1'));
    expect(await indentOf('Round 3')).toBe(await indentOf('Round 1'));
  });
});
