import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../testing/_emulator.js';
import { missingChromium as missing } from '../_chromium.js';
import { openPage, type TestPage } from './_page.js';

describe.skipIf(missing)(`the speed of the page${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('has no task over 100 ms while 10,000 words stream at full speed, and shows what is typed', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ text: toAnswer(10_000) }]);
    const test = await openPage({ mcpServers: {} });
    await useEndpoint(test, emulator.baseURL);
    const { page, ended } = test;
    const longest = await watchLongTasks(page);
    await page.getByRole('textbox', { name: 'Message' }).fill('Write ten thousand words.');
    await page.keyboard.press('Enter');
    await page.locator('.message.assistant .markdown').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially('typed meanwhile');
    await ended();
    await page.getByText('The last words.').waitFor();
    const duration = await longest();
    const rows = await page.locator('.events li').count();
    const events = Number((await page.getByText(/^Events \d+$/).innerText()).replace(/\D/g, ''));
    console.log(`longest task: ${duration} ms, ${events} events in ${rows} rows`);

    expect(duration).toBeLessThan(100);
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('typed meanwhile');
    expect(events).toBeGreaterThan(9000);
    expect(rows).toBeLessThan(100);
  });
});

/** Returns paragraphs, lists and code with this number of words. */
function toAnswer(words: number): string {
  const blocks: string[] = [];
  for (let count = 0; count < words; count += 50) {
    const text = Array.from({ length: 50 }, (_, index) => `word${count + index}`);
    if (blocks.length % 10 === 3) blocks.push(`- ${text.slice(0, 25).join(' ')}\n- ${text.slice(25).join(' ')}`);
    else if (blocks.length % 10 === 7) blocks.push(`\`\`\`ts\n${text.join(' ')}\n\`\`\``);
    else blocks.push(`**${text[0]}** ${text.slice(1).join(' ')}`);
  }
  return [...blocks, 'The last words.'].join('\n\n');
}

async function useEndpoint({ page }: TestPage, baseURL: string): Promise<void> {
  await page.getByText('Base URL', { exact: true }).click();
  await page.getByLabel('Base URL').last().fill(baseURL);
  await page.keyboard.press('Enter');
  await page.getByText('No key.').waitFor();
}

/** Measures tasks over 50 milliseconds. The returned function returns the longest duration since the start. */
async function watchLongTasks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const durations: number[] = [];
    new PerformanceObserver(list => durations.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ['longtask'],
    });
    Object.assign(globalThis, { durations });
  });
  return () =>
    page.evaluate(() => Math.max(0, ...(globalThis as unknown as { durations: number[] }).durations));
}
