import type { ResponsesEmulator } from 'kelivo-responses/testing';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../testing/_emulator.js';
import { chooseOption, openPage } from './_page.js';

const lastRequest = (emulator: ResponsesEmulator): unknown =>
  emulator.requests.findLast(({ method }) => method === 'POST')?.body;

describe('the settings of a chat', () => {
  it('stay with it: two chats send different models, also after a reload', async () => {
    const emulator = await startEmulator();
    const { page, ask } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    const model = page.getByLabel('Model', { exact: true });
    const choose = async (id: string): Promise<void> => {
      await model.fill(id);
      await model.press('Enter');
      await page.getByText(`No adapter matches ${id}.`).waitFor();
    };
    const open = async (title: string): Promise<void> => {
      await page.getByRole('tab', { name: 'Chats' }).click();
      await page.locator('.conversation-title', { hasText: title }).click();
      await page.getByRole('tab', { name: 'Setup' }).click();
    };
    const sent = (): string => (lastRequest(emulator) as { model: string }).model;
    await choose('model-one');
    await ask('The first chat');
    await page.getByRole('button', { name: 'New chat' }).click();
    await choose('model-two');
    await ask('The second chat');
    const second = sent();
    await open('The first chat');
    await page.getByText('No adapter matches model-one.').waitFor();
    await page.reload();
    await page.getByText('No adapter matches model-one.').waitFor();
    await ask('Again');
    const first = sent();
    await open('The second chat');
    await page.getByText('No adapter matches model-two.').waitFor();
    await ask('Again');

    expect([second, first, sent()]).toEqual(['model-two', 'model-one', 'model-two']);
  });

  it('become a preset, with which new chats start', async () => {
    const emulator = await startEmulator();
    const { page, ask, shoot } = await openPage({
      mcpServers: {},
      settings: { endpoint: emulator.baseURL, modelId: 'kept', systemPrompt: 'Be brief.' },
    });
    const presets = page.getByRole('region', { name: 'Presets' });
    await page.getByRole('link', { name: 'Settings' }).click();
    await presets.getByLabel('Name of a new preset').fill('Short answers');
    await presets.getByRole('button', { name: 'Save as preset' }).click();
    await presets.getByRole('radio', { name: 'Short answers' }).click();
    await presets.getByRole('button', { name: 'Rename Short answers' }).click();
    await presets.getByLabel('New name of Short answers').fill('Brief');
    await page.keyboard.press('Enter');
    await presets.getByRole('radio', { name: 'Brief', checked: true }).waitFor();
    await shoot('presets');
    await page.getByRole('link', { name: 'Chats' }).click();
    const model = page.getByLabel('Model', { exact: true });
    await model.fill('changed');
    await model.press('Enter');
    await page.getByText('No adapter matches changed.').waitFor();
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByText('No adapter matches kept.').waitFor();
    await ask('Hello');
    await page.getByRole('link', { name: 'Settings' }).click();
    await presets.getByRole('button', { name: 'Delete Brief' }).click();
    await presets.getByRole('radio', { name: 'Brief' }).waitFor({ state: 'detached' });

    expect(lastRequest(emulator)).toMatchObject({ model: 'kept' });
    expect(JSON.stringify(lastRequest(emulator))).toContain('Be brief.');
    expect(await presets.getByRole('radio', { checked: true }).count()).toBe(1);
  });
});

describe('a response that the endpoint refuses for a while', () => {
  it('says when to try again, and a button does it', async () => {
    const { page, ask, ended, errors } = await openPage({ mcpServers: {}, settings: { fault: '429' } });
    await ask('Hello', { end: 'failed' });
    await page.getByRole('alert').filter({ hasText: 'Try again in a second.' }).waitFor();
    await chooseOption(page, 'Emulator fault', 'None');
    await page.getByRole('button', { name: 'Try again' }).click();
    await ended('finished');

    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Regenerate' }).waitFor();
    expect(errors).toEqual([]);
  });
});
