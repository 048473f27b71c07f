import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { startEmulator } from '../testing/_emulator.js';
import { findViolations } from './_accessibility.js';
import { openPage } from './_page.js';

const answer = '# Title\n\n- [x] done\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```';

describe.skipIf(missing)(`controls${missing === undefined ? '' : ` (${missing})`}`, () => {
  it.each([
    { title: '44 pixels for a finger', minimum: 44, options: { width: 390, height: 844, isTouch: true } },
    { title: '24 pixels for a mouse', minimum: 24, options: {} },
  ])('have targets of $title on every route', async ({ minimum, options }) => {
    const emulator = await startEmulator();
    const { page, playground, callApi, errors } = await openPage({
      ...options,
      mcpServers: { everything: { ...everythingOverStdio(), trustAnnotations: true } },
      settings: { endpoint: emulator.baseURL },
    });
    const found: string[] = [];
    const check = async (state: string): Promise<void> => {
      await expect.poll(() => findLongSelects(page)).toEqual([]);
      found.push(...(await findSmallTargets(page, minimum)).map(target => `${state}: ${target}`));
    };
    await check('new chat');
    emulator.enqueue(
      [{ call: 'get-sum', arguments: { a: 17, b: 25 } }],
      [{ text: answer }],
      [{ text: 'Again.' }],
    );
    for (const [index, text] of ['Add 17 and 25.', 'Add them again.'].entries()) {
      await page.getByRole('textbox', { name: 'Message' }).fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.message.assistant[data-end="finished"]').nth(index).waitFor();
    }
    await check('chat');
    for (const part of options.isTouch ? ['Setup', 'Inspect'] : []) {
      await page.getByRole('navigation', { name: 'Parts of the chat' }).getByText(part).click();
      await check(part);
    }
    const [first = '', second = ''] = (
      (await (await callApi('/traces')).json()) as { messageId: string }[]
    ).map(({ messageId }) => messageId);
    for (const [path, text] of [
      ['/servers', '16 tools'],
      ['/servers/everything/tools/get-sum', 'Call the tool'],
      ['/servers/everything/tools/get-annotated-message', 'Call the tool'],
      ['/servers/everything/resources', 'architecture.md'],
      ['/servers/everything/prompts', 'Refresh'],
      ['/servers/everything/messages', 'tools/list'],
      ['/servers/everything/stderr', 'Starting default (STDIO) server'],
      ['/servers/everything/connection', 'Roots'],
      ['/traces', 'Add 17 and 25.'],
      [`/traces/${second}`, 'Save as test'],
      [`/traces/compare?a=${first}&b=${second}`, 'Again.'],
      ['/settings', 'Prices'],
      ['/chats/none', 'There is no such chat'],
    ] as const) {
      await page.goto(playground.url + path);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await check(path);
    }
    expect(found).toEqual([]);
    // That of the missing chat.
    expect(errors.splice(0).every(error => error.includes('404'))).toBe(true);
  });

  it('with many choices are searched and operated with the keyboard, and keep their value otherwise', async () => {
    const { page, callApi } = await openPage({ mcpServers: {} });
    const field = page.locator('input').and(page.getByRole('combobox', { name: 'Emulator fault' }));
    const options = page.getByRole('listbox').getByRole('option');
    const readFault = async () =>
      ((await (await callApi('/state')).json()) as { settings: { fault: string } }).settings.fault;
    await field.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => options.count()).toBeGreaterThan(7);
    const groups = await page.getByRole('listbox').getByRole('group').allInnerTexts();
    const violations = await findViolations(page, 'open list', {
      within: '.choice-popup',
      isDesktopOnly: true,
    });

    // What the page receives meanwhile does not replace the text.
    await page.keyboard.type('conn');
    await expect.poll(() => options.allInnerTexts()).toEqual(['Dropped connection']);
    await callApi('/state', { method: 'PATCH', body: { approvals: 'always' } });
    await expect.poll(() => page.getByLabel('Always', { exact: true }).isChecked()).toBe(true);
    expect(await field.inputValue()).toBe('conn');
    await page.keyboard.press('Escape');
    await expect.poll(() => field.inputValue()).toBe('None');
    await field.fill('');
    await page.keyboard.press('Tab');
    await expect.poll(() => field.inputValue()).toBe('None');
    const unchanged = await readFault();

    await field.focus();
    await page.keyboard.type('conn');
    await page.keyboard.press('Enter');
    await expect.poll(readFault).toBe('cut');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('Dropped connection');

    expect(groups.slice(1).map(text => text.split('\n')[0])).toEqual(['Faults', 'Dialects of other servers']);
    expect(violations).toEqual([]);
    expect(unchanged).toBe('none');
  });

  it('use one word for a comparison, and explain providers, faults and hints that are not trusted', async () => {
    const { page } = await openPage({ mcpServers: { everything: everythingOverStdio() } });
    const main = page.getByRole('main');
    await page.getByRole('radio', { name: 'Compare', exact: true }).waitFor();
    await main.getByText('Kelivo is this package. Official is @ai-sdk/openai').waitFor();
    await main.getByText('What the emulator does wrong on purpose').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Call get-tiny-image.');
    await page.keyboard.press('Enter');
    const card = page.getByRole('alertdialog', { name: 'Allow get-tiny-image to run?' });
    await card.getByText('hints not trusted').waitFor();
    const explained = await card.getByText('its configuration has no trustAnnotations').count();
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('radio', { name: 'Compare', exact: true }).click();
    const title = await page.locator('.toolbar-title').innerText();

    expect(explained).toBe(1);
    expect(title).toBe('Compare');
    expect(await page.locator('body').innerText()).not.toMatch(/side by side/i);
  });
});

/** Returns the native selects with more choices than can be surveyed without a search. */
const findLongSelects = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('select')]
      .filter(({ options }) => options.length > 7)
      .map(({ labels }) => labels[0]?.textContent ?? ''),
  );

/** Returns the visible controls that are smaller than a target. Links in running text are as high as their line. */
const findSmallTargets = (page: Page, minimum: number): Promise<string[]> =>
  page.evaluate(least => {
    const isInText = (element: Element): boolean =>
      getComputedStyle(element).display === 'inline' &&
      element.parentElement?.textContent?.trim() !== element.textContent?.trim();
    const measure = (element: Element) => {
      const label = element.matches('[type=checkbox], [type=radio]') ? element.closest('label') : null;
      return (label ?? element).getBoundingClientRect();
    };
    // A checkbox that is off belongs to a list of tasks, which cannot be changed.
    return [...document.querySelectorAll('a[href], button, input:enabled, select, textarea, summary')]
      .filter(
        element =>
          element.checkVisibility({ visibilityProperty: true }) &&
          element.closest('.hidden, [aria-hidden="true"]') === null &&
          !(element.matches('a') && isInText(element)),
      )
      .flatMap(element => {
        const { width, height } = measure(element);
        if (Math.min(width, height) > least - 0.5) return [];
        const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40) ?? '';
        const type = element.getAttribute('type') ?? element.className.toString();
        return `${element.tagName.toLowerCase()} ${type} “${name}” ${Math.round(width)} × ${Math.round(height)}`;
      });
  }, minimum);
