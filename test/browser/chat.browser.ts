import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { chooseOption, openPage } from './_page.js';

const SUM_AND_COUNT =
  'First get the sum of 17 and 25, then count the words in "the loop runs the tools and streams every round".';

describe.skipIf(missing)(`the chat${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('works on the first start: emulator, both MCP servers and example questions', async () => {
    const { page, ended, shoot } = await openPage();
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.locator('.server-card[data-state="ready"]').nth(1).waitFor();
    const servers = await page.locator('.server-card h3').allTextContents();
    await page.getByRole('link', { name: 'Chats' }).click();
    await shoot('first-start');
    await page.getByRole('button', { name: 'Two tools in sequence' }).click();
    await ended();

    expect(servers).toEqual(['everything', 'files']);
    await expect
      .poll(() => page.getByRole('article', { name: 'Response' }).innerText())
      .toContain('The sum of 17 and 25 is 42.');
  });

  it('displays a turn as a timeline: a lane per round, a bar per request and tool', async () => {
    const { page, ask, shoot } = await openPage();
    await ask(SUM_AND_COUNT);
    const lanes = page.locator('.lane');
    const summaries = await page.locator('.usage tfoot td').allTextContents();
    await shoot('tool-turn');

    const response = page.getByRole('article', { name: 'Response' });
    const reasoning = await response.locator('.reasoning').allInnerTexts();
    await response.locator('.reasoning summary').click();

    expect(reasoning).toEqual(['Choosing tools · Answering']);
    expect(await response.locator('.reasoning .markdown').count()).toBe(3);
    // Nobody pays for the emulator.
    expect(await page.locator('.turn-summary').innerText()).not.toContain('$');
    expect(await page.locator('.toolbar').innerText()).not.toContain('$');
    expect(await lanes.locator('strong').allTextContents()).toEqual(['Round 1', 'Round 2', 'Round 3']);
    expect(await page.locator('.bar.request').count()).toBe(3);
    expect(
      await page
        .locator('.row-button[data-kind="tool"]')
        .evaluateAll(rows => rows.map(row => row.getAttribute('aria-label'))),
    ).toEqual([expect.stringMatching(/^get-sum, done, /), expect.stringMatching(/^word-count, done, /)]);
    expect(await page.locator('.legend').innerText()).toMatch(/first token [\d.]+ m?s after the request/);
    expect(summaries.map(text => Number(text.replaceAll(',', '')))).not.toContain(Number.NaN);
  });

  it('displays a running tool with its progress', async () => {
    const { page, shoot } = await openPage();
    await page.getByRole('button', { name: 'A long-running tool' }).click();
    const bar = page.locator('.bar.tool[data-state="running"]');
    await bar.locator('.bar-progress').waitFor();
    const early = await bar.boundingBox();
    await shoot('running');
    await page.getByRole('button', { name: 'Stop' }).click();

    expect(early?.width).toBeGreaterThan(4);
    await page.locator('.bar.tool[data-state="stopped"]').waitFor();
  });

  it('shows the image of a call below its row, and in the open row with arguments and result', async () => {
    const { page, ask, shoot } = await openPage();
    await ask('Show me the get-tiny-image, please.');
    const image = page.getByRole('img', { name: 'Result of get-tiny-image' });
    const isDrawn = () =>
      expect
        .poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth))
        .toBeGreaterThan(0);
    await isDrawn();
    const outside = await page.locator('.tool-part img').count();
    await shoot('image');
    await page.locator('.tool-part summary').click();
    await page.locator('.tool-part img').waitFor();
    await isDrawn();

    expect(outside).toBe(0);
    expect(await page.locator('.tool-part').innerText()).toContain("Here's the image you requested:");
  });

  it('stops a turn with Escape, and the endpoint notices it', async () => {
    const { page, ended, shoot } = await openPage({ mcpServers: {} });
    await chooseOption(page, 'Emulator fault', 'Slow');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.locator('.events li').nth(2).waitFor();
    await page.keyboard.press('Escape');
    await ended('stopped');
    await shoot('stopped');

    await expect
      .poll(() => page.getByRole('log').innerText())
      .toContain('The endpoint noticed the closed connection.');
    await expect.poll(() => page.locator('.wire-line').innerText()).toContain('closed by the client');
    expect(await page.getByRole('button', { name: 'Send' }).isVisible()).toBe(true);
  });

  it('renders Markdown without its HTML and loads no image of a response', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    const requests: string[] = [];
    page.on('request', request => requests.push(request.url()));
    await ask(
      '**bold** `code` <img src=x onerror="document.title=1"> ![pixel](http://127.0.0.1:9/pixel.png)',
    );
    const response = page.getByRole('article', { name: 'Response' }).locator('> .markdown');

    expect(await response.locator('strong').innerText()).toBe('bold');
    expect(await response.locator('img').count()).toBe(0);
    expect(await response.getByRole('link', { name: 'pixel' }).getAttribute('rel')).toContain('noreferrer');
    expect(await page.title()).toBe('Playground – kelivo-responses');
    expect(requests.filter(url => url.includes('pixel'))).toEqual([]);
  });

  it('shows a link whose address is rejected in the colour of the text', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    await ask('Plain, [followed](https://example.com/) and [rejected](javascript:alert(1)).');
    const response = page.getByRole('article', { name: 'Response' }).locator('> .markdown');
    const colourOf = (text: string): Promise<string> =>
      response
        .getByText(text)
        .last()
        .evaluate(element => getComputedStyle(element).color);

    expect(await response.getByRole('link').allInnerTexts()).toEqual(['followed']);
    expect(await colourOf('rejected')).toBe(await colourOf('Plain'));
    expect(await colourOf('rejected')).not.toBe(await colourOf('followed'));
  });

  it('restores a conversation with its timeline and events after a reload', async () => {
    const { page, ask, ended, shoot } = await openPage({ mcpServers: {} });
    await ask('Count the words in "one two three".');
    const before = await page.getByRole('log').innerText();
    await page.reload();
    await ended();
    await page.getByRole('tab', { name: 'Chats' }).click();
    await shoot('reloaded');

    await expect.poll(() => page.getByRole('log').innerText()).toBe(before);
    expect(await page.locator('.lane').count()).toBe(2);
    await page.getByText('Raw', { exact: true }).click();
    expect(await page.locator('.events li').count()).toBeGreaterThan(10);
    expect(await page.locator('.conversation-title').first().innerText()).toContain('Count the words');
  });

  it('creates, opens and deletes conversations', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    await ask('The first.');
    await page.getByRole('button', { name: 'New chat' }).click();
    await ask('The second.');
    await page.getByRole('tab', { name: 'Chats' }).click();
    await page.getByRole('button', { name: /^The first\./ }).click();
    await page.getByRole('log').getByText('You said: The first.').waitFor();
    await page.getByRole('button', { name: 'Delete “The first.”' }).click();
    await page.getByRole('heading', { name: 'See what happens in a turn' }).waitFor();

    expect(await page.locator('.conversation-title span').allTextContents()).toEqual(['The second.']);
  });

  it('supports the keyboard: / focuses the field, Shift+Enter inserts a line break, Enter sends', async () => {
    const { page, ended } = await openPage({ mcpServers: {} });
    await page.locator('.brand').click();
    await page.keyboard.press('/');
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    const typed = await page.getByRole('textbox', { name: 'Message' }).inputValue();
    await page.keyboard.press('Enter');
    await ended();

    expect(typed).toBe('one\ntwo');
    await expect.poll(() => page.getByRole('article', { name: 'You' }).innerText()).toBe('one\ntwo');
  });

  it('shows the conversation and a bug report before their download', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    await ask('Hello');
    for (const [name, file] of [
      ['Export', /^conversation-.*\.json$/],
      ['Bug report', /^bug-report-.*\.json$/],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click();
      const text = page.getByLabel(`Text of the report: ${name}`);
      await expect.poll(() => text.inputValue()).toContain('"Hello"');
      const reviewed = await text.inputValue();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(await readFile(await download.path(), 'utf8')).toBe(reviewed);
      expect(download.suggestedFilename()).toMatch(file);
    }
  });

  it('keeps the selected colours', async () => {
    const { page } = await openPage({ mcpServers: {} });
    const background = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByRole('button', { name: /^Colours/ }).click();
    await page.getByRole('button', { name: /^Colours: light/ }).click();
    const dark = await background();
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();

    expect(dark).not.toBe(light);
    expect(await background()).toBe(dark);
  });
});
