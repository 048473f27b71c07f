import { describe, expect, it } from 'vitest';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { missingChromium as missing } from '../_chromium.js';
import { startHeldEndpoint } from './_held-endpoint.js';
import { chooseOption, openPage } from './_page.js';

const everything = { everything: { ...everythingOverStdio(), trustAnnotations: true } };

describe.skipIf(missing)(`turns of the server${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('are visible in a second tab, which sees the message, the running turn and its end', async () => {
    const { page, playground, ended } = await openPage({ mcpServers: {} });
    await chooseOption(page, 'Emulator fault', 'Slow');
    const second = await page.context().newPage();
    await second.goto(playground.signInUrl);
    await second.goto(page.url());
    await second.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await second.getByRole('article', { name: 'You' }).getByText('Hello').waitFor();
    await second.locator('.state-badge[data-state="running"]').waitFor();
    await second.getByRole('button', { name: 'Stop' }).click();
    await ended('stopped');
    await second.locator('.state-badge[data-state="stopped"]').waitFor();
    await chooseOption(second, 'Emulator fault', 'None');
    await expect.poll(() => page.getByLabel('Emulator fault').inputValue()).toBe('None');
    const textOf = (tab: typeof page) => tab.getByRole('log').innerText();

    // Markdown is rendered gradually in each tab, after the end of the turn, too.
    const texts = async () => [await textOf(page), await textOf(second)] as const;
    await expect
      .poll(async () => {
        const [first, other] = await texts();
        return first === other;
      })
      .toBe(true);
    expect(await textOf(page)).toMatch(/Stopped\..*kelivo · gpt-5 · 1 round/s);
  });

  it('survive a reload in the middle of the text', async () => {
    const endpoint = await startHeldEndpoint();
    const { page, ended } = await openPage({ mcpServers: {}, settings: { endpoint: endpoint.baseURL } });
    const text = `Say ${'ipsum '.repeat(20)}end`;
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Response' }).getByText('ipsum ipsum').last().waitFor();
    await page.reload();
    await page.locator('.state-badge[data-state="running"]').waitFor();
    await page.getByRole('article', { name: 'Response' }).getByText('ipsum ipsum').last().waitFor();
    endpoint.release();
    await ended();

    await page.getByRole('article', { name: 'Response' }).getByText('ipsum end').last().waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
  });

  it('survive a reload in the middle of a tool, and navigation to another conversation', async () => {
    const { page, ended } = await openPage({ mcpServers: everything });
    await page.getByRole('button', { name: 'A long-running tool' }).click();
    await page.locator('.bar.tool[data-state="running"] .bar-progress').waitFor();
    await page.reload();
    await page.locator('.bar.tool[data-state="running"] .bar-progress').waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('tab', { name: 'Chats' }).click();
    const listed = page.locator('.conversation-title');
    await listed.getByText(/^running ·/).waitFor();
    await listed.click();
    await page.locator('.bar.tool[data-state="running"]').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await ended('stopped');
  });

  it('keep a pending approval through a reload and in other conversations', async () => {
    const { page, ended, shoot } = await openPage({ mcpServers: everything });
    await page.locator('label', { hasText: 'Always' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Get the sum of 1 and 2.');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: /get-sum/ }).waitFor();
    await page.reload();
    await page.getByRole('alertdialog', { name: /get-sum/ }).waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('tab', { name: 'Chats 1 waiting' }).click();
    await shoot('approval-elsewhere');
    await page.locator('.conversation-title', { hasText: 'waits for approval' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await ended();

    const response = page.getByRole('article', { name: 'Response' });
    await response.getByText('The sum of 1 and 2 is 3.').last().waitFor();
  });

  it('keep a message whose send failed, and send it again', async () => {
    const { page, ask, ended, shoot, errors } = await openPage({ mcpServers: {} });
    await ask('One');
    await page.route('**/api/turns', route => route.abort());
    await page.getByRole('textbox', { name: 'Message' }).fill('Two');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send again' }).waitFor();
    await shoot('failed-send');
    await page.unroute('**/api/turns');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('log').getByText('You said: Two').waitFor();
    await ended();
    errors.splice(0);

    const texts = () => page.getByRole('article').allInnerTexts();
    await expect
      .poll(texts)
      .toEqual([
        'One',
        expect.stringContaining('You said: One'),
        'Two',
        expect.stringContaining('You said: Two'),
      ]);
  });

  it('keep the previous response when a new one fails', async () => {
    const { page, ask, ended } = await openPage({ mcpServers: {} });
    await ask('Hello');
    await chooseOption(page, 'Emulator fault', '500 server error');
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await page.getByText(/A new response failed, and this one is kept/).waitFor();
    const kept = await page.getByRole('article', { name: 'Response' }).innerText();
    await page.getByRole('button', { name: 'Show it' }).click();
    await ended('failed');

    expect(kept).toContain('You said: Hello');
    expect(kept).toContain('1 of 2');
  });
});

describe.skipIf(missing)(`what a conversation shows${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('names the event on which the other provider failed, side by side', async () => {
    const { page, shoot } = await openPage({ mcpServers: {} });
    await chooseOption(page, 'Emulator fault', 'vLLM');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.locator('.comparison td', { hasText: 'failed' }).waitFor();
    await page.locator('.comparison td', { hasText: 'finished' }).waitFor();
    await shoot('compare-fault');

    expect(await page.locator('.comparison').innerText()).toMatch(
      /Official: .*Its last event was response\./,
    );
  });

  it('shows HTML of the model as text', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    await ask('Use `<a>` or <Button onclick="x()">Save</Button>');
    const response = page.getByRole('article', { name: 'Response' }).locator('> .markdown');

    expect(await response.innerText()).toContain('<Button onclick="x()">Save</Button>');
    expect(await response.locator('button').count()).toBe(0);
  });

  it('accepts 250,000 characters, keeps a longer message in the field, and keeps the focus', async () => {
    const { page, ended } = await openPage({ mcpServers: {} });
    await page.getByRole('button', { name: 'Two tools in sequence' }).click();
    const field = page.getByRole('textbox', { name: 'Message' });
    const isFocused = await field.evaluate(element => element === document.activeElement);
    await ended();
    await field.fill('x'.repeat(1_000_001));
    await page.getByText('The message has 1,000,001 characters.').waitFor();
    const isDisabled = await page.getByRole('button', { name: 'Send' }).isDisabled();
    await chooseOption(page, 'Emulator fault', 'Slow');
    await field.fill(`${'word '.repeat(50_000)}`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await ended('stopped');

    expect(isFocused).toBe(true);
    expect(isDisabled).toBe(true);
  });
});
