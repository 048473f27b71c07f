import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { openPage } from './_page.js';

const restaurant = {
  command: process.execPath,
  args: [fileURLToPath(new URL('_inspected-server.mjs', import.meta.url))],
};

/** The most elements that one press of Tab after another passes on the way to another one. */
const MAX_STEPS = 80;

describe.skipIf(missing)(`the keyboard alone${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('asks, approves, opens a tool, searches the wire and edits servers, with a visible focus', async () => {
    const { page, ended } = await openPage({
      mcpServers: { everything: everythingOverStdio() },
      settings: { approvals: 'always' },
    });
    const { press, tabTo } = useKeyboard(page);

    await press('/');
    await page.keyboard.type('Get the sum of 1 and 2.');
    await press('Enter');
    await page.getByRole('alertdialog', { name: /get-sum/ }).waitFor();
    await tabTo('button', /^Allow/, 'Shift+Tab');
    await press('Enter');
    // The button has gone, and its call has the focus.
    expect(await describeFocus(page)).toMatchObject({
      role: 'summary',
      name: expect.stringContaining('get-sum'),
    });
    await ended();
    expect((await describeFocus(page)).role).toBe('summary');
    await press('Enter');
    await page.locator('.tool-part[open]').waitFor();
    await tabTo('input', /Search the wire/);
    await page.keyboard.type('completed');
    await page.locator('.wire .count', { hasText: ' of ' }).waitFor();

    await tabTo('tab', /Setup/, 'Shift+Tab');
    await press('ArrowRight');
    await page.getByRole('tab', { name: 'Chats', selected: true }).waitFor();
    await tabTo('a', /MCP servers/, 'Shift+Tab');
    await press('Enter');
    await tabTo('button', /Add a server/);
    await press('Enter');
    await page.getByRole('textbox', { name: 'URL, command or JSON' }).waitFor();
    expect(await describeFocus(page)).toMatchObject({ name: expect.stringMatching(/^URL, command or JSON/) });
    await page.keyboard.type('http://127.0.0.1:9/mcp');
    await tabTo('button', /^Connect$/);
    await press('Enter');
    await page.getByRole('region', { name: 'MCP server “server”' }).waitFor();
  });

  it('moves from an approval to the next one without a decision about it, and then to the call', async () => {
    const emulator = await startEmulator();
    const { page, ended } = await openPage({
      mcpServers: {},
      settings: { approvals: 'always', endpoint: emulator.baseURL },
    });
    const words = ['one', 'two'].map(text => ({ call: 'word-count', arguments: { text } }));
    emulator.enqueue(words, [{ text: 'Done.' }]);
    await page.getByRole('textbox', { name: 'Message' }).fill('Count twice');
    await page.keyboard.press('Enter');
    const prompts = page.getByRole('alertdialog', { name: 'Allow word-count to run?' });
    await prompts.nth(1).waitFor();
    await prompts.first().getByRole('button', { name: 'Reject' }).focus();
    await page.keyboard.press('Enter');
    const second = await describeFocus(page);
    await expect.poll(() => prompts.count()).toBe(1);
    for (let step = 0; step < 3; step++) await page.keyboard.press('Tab');
    const button = await describeFocus(page);
    await page.keyboard.press('Enter');
    const last = await describeFocus(page);
    await ended();

    expect(second).toMatchObject({ role: 'alertdialog', name: 'Allow word-count to run?' });
    expect([button.name, last.role]).toEqual(['Allow', 'summary']);
  });

  it('answers a form of a server, removes a policy, and compares, opens and replays traces', async () => {
    const emulator = await startEmulator();
    const { page, ended } = await openPage({
      mcpServers: { restaurant },
      settings: { endpoint: emulator.baseURL },
    });
    const { press, tabTo } = useKeyboard(page);
    emulator.enqueue([{ call: 'form', arguments: {} }], [{ text: 'Ordered.' }], [{ text: 'Hello.' }]);
    await press('/');
    await page.keyboard.type('An order');
    await press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await tabTo('button', /^Always allow/, 'Shift+Tab');
    await press('Enter');
    await page.getByRole('region', { name: '“restaurant” requests input' }).waitFor();
    await tabTo('input', /^Name/);
    await page.keyboard.type('Ada');
    await tabTo('input', /^pie/);
    await press('Space');
    await press('Escape');
    await tabTo('button', /^Send$/);
    await press('Enter');
    await ended();
    const sent = JSON.stringify(emulator.requests.at(-1)?.body);
    await press('/');
    await page.keyboard.type('Hello');
    await press('Enter');
    await page.getByRole('log').getByText('Hello.').waitFor();
    await ended();

    await tabTo('a', /^Settings/, 'Shift+Tab');
    await press('Enter');
    await page.getByRole('region', { name: 'Allowed tools' }).waitFor();
    await tabTo('button', /^Remove form/);
    await press('Enter');
    await page.getByText('in all chats').waitFor({ state: 'detached' });
    await tabTo('a', /^Traces/, 'Shift+Tab');
    await press('Enter');
    await page.getByRole('table', { name: 'Traces' }).waitFor();
    for (const row of [/^Select “Hello”/, /^Select “An order”/]) {
      await tabTo('input', row);
      await press('Space');
    }
    await tabTo('button', /Compare/, 'Shift+Tab');
    await press('Enter');
    await page.getByRole('list', { name: 'Items of both runs' }).waitFor();
    await tabTo('a', /^All traces|^Traces/);
    await press('Enter');
    await page.getByRole('table', { name: 'Traces' }).waitFor();
    await tabTo('a', /^Hello/);
    await press('Enter');
    await page.getByRole('region', { name: 'Timeline' }).waitFor();
    await tabTo('button', /Replay/);
    await press('Enter');
    await page.getByText('emulator, replaying a recording').waitFor();
    await ended();

    expect(sent).toContain('Ada');
    expect(sent).toContain('pie');
  });
});

function useKeyboard(page: Page) {
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  return {
    press,
    /** Moves the focus with Tab until it is on an element with this role and name. */
    async tabTo(role: string, name: RegExp, key = 'Tab'): Promise<void> {
      const passed: string[] = [];
      while (passed.length < MAX_STEPS) {
        await press(key);
        const focused = await describeFocus(page);
        passed.push(`${focused.role} ${focused.name}`);
        expect(focused.isVisible, `visible focus on ${passed.at(-1)}`).toBe(true);
        if (focused.role === role && name.test(focused.name)) return;
      }
      throw new Error(`Expected ${role} ${String(name)} to be reached, got ${passed.join(', ')}.`);
    },
  };
}

/** The element with the focus: its role or tag, its name, and whether an outline shows it. */
const describeFocus = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const label =
      element.getAttribute('aria-label') ?? (element as HTMLInputElement).labels?.[0]?.textContent;
    const isOutlined = (shown: Element | null): boolean =>
      shown !== null &&
      getComputedStyle(shown).outlineStyle !== 'none' &&
      getComputedStyle(shown).outlineWidth !== '0px';
    // The outline of a hidden or borderless input is on its label or frame.
    const frames = [element, element.nextElementSibling, element.parentElement, element.closest('form')];
    return {
      role: element.getAttribute('role') ?? element.tagName.toLowerCase(),
      name: label ?? element.textContent ?? '',
      isVisible: element === document.body || frames.some(isOutlined),
    };
  });
