import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { openPage } from './_page.js';

const restaurant = {
  command: process.execPath,
  args: [fileURLToPath(new URL('_inspected-server.mjs', import.meta.url))],
};

const toOrder = (text: string) => ({ call: 'order', arguments: { text, count: 1 } });

async function openRestaurant() {
  const emulator = await startEmulator();
  const opened = await openPage({ mcpServers: { restaurant }, settings: { endpoint: emulator.baseURL } });
  const { page } = opened;
  /** Returns what the model has received as the results of its calls. */
  const results = (): string[] => {
    const { input } = emulator.requests.at(-1)?.body as { input: { type: string; output?: unknown }[] };
    return input
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => JSON.stringify(output));
  };
  const send = async (text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  return {
    ...opened,
    emulator,
    results,
    send,
    prompts: page.getByRole('alertdialog', { name: /^Allow order/ }),
  };
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();

describe.skipIf(missing)(`cards${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('ask about all calls of a response at once, run changed arguments, and remember what is allowed', async () => {
    const { page, emulator, results, send, prompts, ended, callApi, errors } = await openRestaurant();
    emulator.enqueue([toOrder('soup'), toOrder('pie'), toOrder('tea')], [{ text: 'Ordered.' }]);
    await send('Three orders');
    await prompts.nth(2).waitFor();
    const states = await page.locator('.tool-state').allInnerTexts();
    await prompts.first().getByRole('button', { name: 'Edit arguments' }).click();
    const editor = prompts.first().getByLabel('New arguments of order');
    await editor.fill('{"text": "cake", "count": "one"}');
    await prompts.first().getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('The arguments do not match the schema of the tool.').waitFor();
    errors.splice(0);
    await editor.fill('{"text": "cake", "count": 2}');
    await prompts.first().getByRole('button', { name: 'Allow', exact: true }).click();
    await expect.poll(() => prompts.count()).toBe(2);
    await press(page, 'Allow all (2)');
    await ended();
    const [changed = '', ...others] = results();

    expect(states.join()).not.toContain('running');
    expect(changed).toContain('The user changed the arguments');
    expect(changed).toContain('cake');
    expect(changed).not.toContain('soup');
    expect(others.join()).toMatch(/pie.*tea/);
    await expect
      .poll(() => page.locator('.tool-calls .tool-state').first().textContent())
      .toContain('changed by you');

    emulator.enqueue([toOrder('bread')], [{ text: 'Ordered.' }], [toOrder('milk')], [{ text: 'Ordered.' }]);
    await send('An order');
    await press(page, 'Allow for this chat');
    await ended();
    await send('Another order');
    await expect.poll(() => results().at(-1)).toContain('milk');
    await ended();
    await press(page, 'New chat');
    emulator.enqueue([toOrder('eggs')], [{ text: 'Ordered.' }]);
    await send('An order in another chat');
    await press(page, 'Always allow');
    await ended();
    await page.getByRole('link', { name: 'Settings' }).click();
    const allowed = page.getByRole('region', { name: 'Allowed tools' });
    await allowed.getByText('in all chats').waitFor();
    await allowed.getByRole('button', { name: 'Remove order' }).last().click();
    await allowed.getByText('in all chats').waitFor({ state: 'detached' });
    const state = (await (await callApi('/state')).json()) as { policies: object[] };
    expect(state.policies).toEqual([expect.objectContaining({ server: 'restaurant', tool: 'order' })]);
  });

  it('of servers belong to their chat: another one shows a badge, and the model drafts a completion', async () => {
    const { page, emulator, results, send, ended } = await openRestaurant();
    emulator.enqueue([{ call: 'complete', arguments: {} }]);
    await send('A poem, please');
    await press(page, 'Allow');
    const card = page.getByRole('region', { name: '“restaurant” requests a completion' });
    await card.getByText('for the call of complete in “A poem, please”').waitFor();
    await press(page, 'New chat');
    await page.getByRole('heading', { name: 'See what happens in a turn' }).waitFor();
    expect(await card.count()).toBe(0);
    await page.getByRole('link', { name: 'Chats 1 waiting' }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(1\)/);
    await page.getByRole('tab', { name: 'Chats' }).click();
    await page.locator('.conversation-title', { hasText: 'waits for you' }).click();
    emulator.enqueue([{ text: 'Oh soup, of the model!' }], [{ text: 'Done.' }]);
    await card.getByRole('button', { name: 'Let the model answer' }).click();
    const field = card.getByLabel('Completion');
    await expect.poll(() => field.inputValue()).toBe('Oh soup, of the model!');
    const sampled = emulator.requests.at(-1)?.body as { max_output_tokens?: number };
    await field.press('Escape');
    await field.fill('Oh soup, reviewed!');
    await card.getByRole('button', { name: 'Send' }).click();
    await ended();

    expect(sampled.max_output_tokens).toBe(100);
    expect(results().join()).toContain('Oh soup, reviewed!');
    expect(results().join()).toContain('gpt-5');
  });
});
