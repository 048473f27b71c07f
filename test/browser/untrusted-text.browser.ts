import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import type { Playground } from '../../playground/server/playground.js';
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
    const foreign = collectForeignRequests(page, playground.url);
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
    await page.getByRole('table', { name: 'Traces' }).getByRole('link').last().click();
    for (const request of ['1', '3']) {
      await page.getByRole('radio', { name: request, exact: true }).check({ force: true });
      const items = page.locator('.events summary').filter({ hasText: /reasoning|message|function_call/ });
      await items.last().waitFor();
      // An open item hides the ones below it.
      for (const item of (await items.all()).toReversed()) {
        await item.click();
        await check(`item of request ${request}`);
        await item.click();
      }
    }
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

  it('of requests of servers, names of tools, applications and spans is never run, and loads nothing', async () => {
    const emulator = await startEmulator();
    const { page, playground, errors } = await openPage({
      mcpServers: hostileServers,
      settings: { endpoint: emulator.baseURL },
    });
    const foreign = collectForeignRequests(page, playground.url);
    const found: string[] = [];
    const check = async (state: string): Promise<void> => {
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      found.push(...(await findAttacks(page)).map(attack => `${state}: ${attack}`));
    };
    const press = (name: string): Promise<void> =>
      page.getByRole('button', { name, exact: true }).first().click();

    emulator.enqueue(
      [{ call: 'ask', arguments: {} }],
      [{ call: 'complete', arguments: {} }],
      [{ text: 'Done.' }],
    );
    await page.getByRole('textbox', { name: 'Message' }).fill('Ask me');
    await page.keyboard.press('Enter');
    await press('Allow');
    const form = page.getByRole('region', { name: /requests input$/ });
    await form.waitFor();
    await check('form');
    await form.getByRole('textbox').last().fill('no number');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('so they were not sent').waitFor();
    errors.splice(0);
    await check('refused form');
    await form.getByRole('button', { name: 'Decline' }).click();
    await press('Allow');
    await page.getByRole('region', { name: /requests a completion$/ }).waitFor();
    await check('completion');
    await press('Decline');
    await page
      .locator('.state-badge[data-state="finished"], .state-badge[data-state="failed"]')
      .first()
      .waitFor();

    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByRole('link', { name: /^Inspect </ }).click();
    await page.getByRole('link', { name: /^<img/ }).click();
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await page.getByText(/^Succeeded after/).waitFor();
    await check('tool with markup');
    await page.locator('a[href$="/tools/attack"]').click();
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await page.getByText(/^Succeeded after/).waitFor();
    await page.getByRole('region', { name: 'History' }).locator('.mcp-message').click();
    await check('history');
    await page.reload();
    await page.getByRole('button', { name: 'Call the tool' }).waitFor();
    await check('reloaded tool');

    await sendHostileTurns(playground);
    await page.getByRole('link', { name: 'Traces' }).click();
    const table = page.getByRole('table', { name: 'Traces' });
    const rows = table.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(3);
    await check('traces of applications');
    for (const index of [0, 1]) {
      await rows.nth(index).getByRole('link').click();
      await page.getByRole('region', { name: 'Timeline' }).waitFor();
      await check('timeline');
      for (const tab of ['Request', 'Response', 'Headers', 'Events']) {
        await page.getByRole('tab', { name: tab, exact: true }).click();
        await check(`${index} ${tab}`);
      }
      await page.goBack();
      await table.waitFor();
    }
    for (const index of [0, 1]) await rows.nth(index).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('list', { name: 'Items of both runs' }).waitFor();
    await check('difference');

    expect(found).toEqual([]);
    expect(foreign).toEqual([]);
    expect(await page.title()).not.toContain('attacked');
  });
});

/** Names of applications are short. */
const hostileName = Object.keys(hostileServers)[0] ?? '';

/** Sends a turn of `devTools()` and one of spans, whose every text is hostile. */
async function sendHostileTurns({ appUrl, url }: Playground): Promise<void> {
  const authorization = `Bearer ${new URL(appUrl).pathname.split('/').at(-1)}`;
  const send = async (path: string, body: object): Promise<void> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const sent = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(sent.status).toBe(200);
  };
  const part = (type: string, more: object) => ({
    ...{ type: 'part', call: 1, at: 1 },
    part: { type, ...more },
  });
  const tool = { toolCallId: hostileText, toolName: hostileText, providerExecuted: true };
  const prompt = [{ role: 'user', content: [{ type: 'text', text: hostileText }] }];
  await send('/v1/devtools', {
    ...{ app: { id: '1', name: hostileName }, lost: 0 },
    messages: [
      { type: 'call-start', call: 1, at: 1, modelId: hostileText, provider: hostileText, prompt },
      part('stream-start', { warnings: [{ type: 'other', message: hostileText }] }),
      part('reasoning-delta', { id: '1', delta: hostileText }),
      part('tool-call', { ...tool, input: JSON.stringify({ [hostileText]: hostileText }) }),
      part('tool-result', { ...tool, result: { [hostileText]: hostileText } }),
      part('text-delta', { id: '2', delta: hostileText }),
      {
        ...{ type: 'call-end', call: 1, at: 2 },
        error: {
          ...{ message: hostileText, statusCode: 500, url: `http://attacker.invalid/${hostileText}` },
          ...{ responseBody: `<!doctype html>${hostileText}`, responseHeaders: { 'x-more': hostileText } },
        },
      },
    ],
  });
  const text = (key: string, value: unknown) => ({
    key,
    value: { stringValue: typeof value === 'string' ? value : JSON.stringify(value) },
  });
  const toSpan = (id: string, attributes: object[]) => ({
    ...{ traceId: 'a'.repeat(32), spanId: id.repeat(16), name: hostileText, attributes },
    ...{ startTimeUnixNano: '1900000000000000000', endTimeUnixNano: '1900000001000000000' },
    status: { code: 2, message: hostileText },
  });
  const messages = (role: string) => [{ role, parts: [{ type: 'text', content: hostileText }] }];
  const spans = [
    toSpan('b', [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', hostileText),
      text('gen_ai.provider.name', hostileText),
      text('server.address', 'javascript:window.attacked=1'),
      text('gen_ai.input.messages', messages('user')),
      text('gen_ai.output.messages', messages('assistant')),
    ]),
  ];
  const resource = { attributes: [text('service.name', hostileText)] };
  await send('/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
}

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

/** Collects the addresses of requests to other servers than the playground. */
function collectForeignRequests(page: Page, own: string): readonly string[] {
  const foreign: string[] = [];
  page.on('request', request => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(own)) foreign.push(request.url());
  });
  return foreign;
}
