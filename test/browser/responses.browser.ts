import { readFile } from 'node:fs/promises';
import type { ScriptedResponse } from 'kelivo-responses/testing';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { secrets, secretTexts } from '../playground/server/_secrets.js';
import { startEmulator } from '../testing/_emulator.js';
import { findBrokenWords, findOverflow, findViolations } from './_accessibility.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`a response${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('shows the arguments of a call as a tree with complete texts, whose branches open and close', async () => {
    const emulator = await startEmulator();
    const { page, ask } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    const text = `${'a text of many words '.repeat(20)}and its end`;
    const long = `${'x'.repeat(3000)} the last`;
    emulator.enqueue(
      [
        {
          call: 'word-count',
          arguments: { text, extra: { inner: { deep: 'a deep text '.repeat(10), long } } },
        },
      ],
      [{ text: 'Done.' }],
    );
    await ask('Count');
    await page.locator('.tool-part > summary').click();
    const tree = page.getByRole('region', { name: 'Arguments of word-count' });
    await tree.getByText('and its end').waitFor();
    await tree.getByText('a deep text a deep text').waitFor();
    const shortened = await tree.getByText('the last').count();
    await tree.getByRole('button', { name: '1,009 more characters' }).click();
    await tree.getByText('the last').waitFor();
    const branch = tree.getByRole('button', { name: 'Branch' }).nth(1);
    await branch.click();
    await tree.getByText('a deep text').waitFor({ state: 'detached' });
    await branch.focus();
    await page.keyboard.press('Enter');
    await tree.getByText('a deep text').waitFor();

    expect(shortened).toBe(0);
    expect(await tree.innerText()).toContain(text);
  });

  it('that failed shows its body, and one that has ended never waits for events', async () => {
    const emulator = await startEmulator();
    const { page, ask } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    const details = `${'a detail '.repeat(3500)}and the last`;
    emulator.enqueue({ status: 422, body: { error: { message: 'Rejected.', details } } });
    await ask('Hello', { end: 'failed' });
    const notes = await page.locator('.events').innerText();
    await page.getByRole('tab', { name: 'Response', exact: true }).click();
    const body = page.getByRole('region', { name: 'Response body' });
    await body.getByText('and the last').waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    emulator.enqueue([{ text: 'Hello back.' }]);
    await ask('Hello');
    await page.getByRole('tab', { name: 'Response', exact: true }).click();
    await body.getByText('"completed"').first().waitFor();

    expect(notes).not.toMatch(/no events|waiting/i);
  });

  it('that is a page or too long shows what was received, with its size, and can be downloaded', async () => {
    const emulator = await startEmulator();
    const { page, ask, errors } = await openPage({
      mcpServers: {},
      settings: { endpoint: emulator.baseURL },
    });
    const body = page.getByRole('region', { name: 'Response body' });
    const open = async (response: ScriptedResponse): Promise<string> => {
      emulator.enqueue(response);
      await page.getByRole('button', { name: 'New chat' }).click();
      await ask('Hello', { end: 'failed' });
      await page.getByRole('tab', { name: 'Response', exact: true }).click();
      await body.waitFor();
      const downloading = page.waitForEvent('download');
      await page.locator('.wire').getByRole('button', { name: 'Download' }).click();
      return readFile(await (await downloading).path(), 'utf8');
    };
    const html = '<!doctype html><h1 onclick="x()">Forbidden</h1>';
    const headers = { 'content-type': 'text/html' };
    expect(await open({ status: 403, headers, body: html })).toBe(html);
    expect(await body.innerText()).toBe(html);
    await page.getByText(`${html.length} characters`, { exact: true }).waitFor();
    const json = '{"error":  {"message":"raw"}}';
    expect(await open({ status: 400, headers: { 'content-type': 'application/json' }, body: json })).toBe(
      json,
    );
    expect(await body.innerText()).toContain('    "message": "raw"');
    const long = '<p>row</p>'.repeat(300_000);
    const received = await open({ status: 422, headers, body: long });
    await page
      .getByText(/^\d+,\d+ characters that were received before the connection was closed$/)
      .waitFor();
    expect(received.length).toBeGreaterThan(100_000);
    expect(long.startsWith(received)).toBe(true);
    expect(errors).toEqual([]);
  });

  it('keeps words whole in tables, and names the boxes of a task list', async () => {
    const emulator = await startEmulator();
    const { page, ask } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    const text = `| Name | State | Explanation |\n| --- | --- | --- |\n| internationalisation | approved | ${'many words '.repeat(60)}${'x'.repeat(300)} |\n\n- [x] written\n- [ ] tested`;
    emulator.enqueue([{ text }]);
    await ask('Hello');
    await page.getByRole('checkbox', { name: 'Done' }).waitFor();
    const found: string[] = [];
    const onEach = async (view: string): Promise<void> => {
      const broken = await findBrokenWords(page, '.thread :is(th, td)');
      found.push(...[...broken, ...(await findOverflow(page))].map(problem => `${view}: ${problem}`));
    };
    found.push(...(await findViolations(page, 'task list', { within: '.thread', onEach })));

    expect(await page.getByRole('checkbox', { name: 'To do' }).count()).toBe(1);
    expect(found).toEqual([]);
  });

  it('that a limit has ended says so, and is continued', async () => {
    const emulator = await startEmulator();
    const { page, ask } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    const calls = Array.from({ length: 19 }, (_, index) => [
      { call: 'word-count', arguments: { text: 'word '.repeat(index + 1) } },
    ]);
    emulator.enqueue(...calls, [{ text: 'Not finished.' }], [{ text: 'Finished now.' }]);
    await ask('Count', { end: 'limit' });
    await page.getByText('The limit of rounds ended the turn before the model had finished.').waitFor();
    const badge = await page.locator('.inspector-head .state-badge').innerText();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('log').getByText('Finished now.').waitFor();

    expect(badge).toBe('Limit reached');
  });

  it('that repeats secrets in parts leaves them out of reports, Markdown and code, and the model receives them unchanged', async () => {
    const emulator = await startEmulator();
    const { page, ask } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    await page.getByLabel('API key').fill(secrets.typed.join(''));
    await page.getByLabel('API key').press('Enter');
    await page.getByText('The key for this endpoint is stored').waitFor();
    const text = secretTexts.join(' and ');
    emulator.enqueue(
      [{ call: 'word-count', arguments: { text } }],
      [{ text: `You said ${text}` }],
      [{ text: 'Done.' }],
    );
    await ask(`Count ${text}`);
    await ask('Again');
    const sent = JSON.stringify(emulator.requests.at(-1)?.body);
    const reports: string[] = [];
    for (const name of ['Export', 'Bug report']) {
      await page.getByRole('button', { name, exact: true }).click();
      const report = page.getByLabel(`Text of the report: ${name}`);
      await expect.poll(() => report.inputValue()).toContain('[redacted]');
      reports.push(await report.inputValue());
      await page.keyboard.press('Escape');
    }
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the conversation as Markdown' }).click();
    const read = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(read).toContain('## Assistant');
    reports.push(await read());
    await page.getByRole('button', { name: 'Code', exact: true }).click();
    const code = page.getByRole('region', { name: 'Code' });
    await code.getByText('createKelivoResponsesProvider').first().waitFor();
    reports.push(await code.innerText());
    await page.locator('label', { hasText: 'curl' }).click();
    await code.getByText('curl -N').first().waitFor();
    reports.push(await code.innerText());

    expect(reports).toHaveLength(5);
    expect(reports[2]).toContain('Count [redacted] and');
    for (const secret of secretTexts) {
      expect(sent).toContain(secret);
      for (const report of reports) expect(report).not.toContain(secret);
    }
  });
});
