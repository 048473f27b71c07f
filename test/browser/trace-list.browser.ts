import { describe, expect, it, onTestFinished } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { openDatabase } from '../../playground/server/store/database.js';
import type { TraceEvent } from '../../playground/shared/trace-event.js';
import { openPage } from './_page.js';

const COUNT = 10_000;

/** Stores turns of two applications: each hundredth is one of `shop`, and every second one of those is two days old. */
function storeTurns(folder: string): void {
  const database = openDatabase(folder);
  onTestFinished(() => void database.close());
  const addConversation = database.prepare(
    "INSERT INTO conversations (id, title, mode, updated_at) VALUES (?, ?, 'app', '2026-01-01T00:00:00.000Z')",
  );
  const addTurn = database.prepare(
    `INSERT INTO messages (conversation_id, id, thread, message, end, outline, trace)
     VALUES (?, ?, 'main', '{}', 'finished', ?, '[]')`,
  );
  const add = (number: number): void => {
    const startedAt = new Date(Date.now() - (number % 200 === 0 ? 48 : 0.1) * 3_600_000).toISOString();
    const outline: readonly TraceEvent[] = [
      {
        type: 'turn-start',
        at: 0,
        startedAt,
        app: { name: number % 100 === 0 ? 'shop' : 'other' },
        modelId: 'priced-model',
        endpoint: '',
        adapters: [],
      },
      {
        type: 'turn-end',
        at: number * 1000,
        end: 'finished',
        usage: { inputTokens: number * 1000, outputTokens: 0 },
      },
    ];
    addConversation.run(`stored-${number}`, `Turn ${number}`);
    addTurn.run(`stored-${number}`, `turn-${number}`, JSON.stringify(outline));
  };
  database.transaction(() => {
    for (let number = 1; number <= COUNT; number++) add(number);
  })();
}

describe.skipIf(missing)(`10,000 traces${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('are filtered, with their percentiles, and drawn in pages', async () => {
    const { page, folder, callApi, shoot } = await openPage({ mcpServers: {}, width: 390 });
    storeTurns(folder);
    await callApi('/state/prices', {
      method: 'PUT',
      body: { 'priced-model': { input: 1, cachedInput: 1, output: 1 } },
    });
    await page.goto(new URL('/traces', page.url()).href);
    const rows = page.getByRole('table', { name: 'Traces' }).locator('tbody tr');
    const shows = (count: number) => page.getByText(new RegExp(`^${count} of 10,?000 turns`)).waitFor();
    const fact = (title: string) =>
      page.locator('.traces .turn-facts > div', { hasText: title }).locator('dd').innerText();
    await shows(COUNT);
    const nodes = () => page.locator('.traces *').count();
    const drawn = await nodes();
    expect(await rows.count()).toBe(200);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('201 to 400', { exact: true }).waitFor();
    expect(await nodes()).toBeLessThan(6000);
    expect(drawn).toBeLessThan(6000);

    await page.getByLabel('Application').selectOption('shop');
    await shows(100);
    expect(await fact('Cost p50')).toBe('$5.00');
    await page.getByLabel('Started', { exact: true }).selectOption('Last day');
    await shows(50);
    await page.getByText('More filters').click();
    await page.getByLabel('US dollars, at least').fill('9.5');
    await shows(3);
    await page.getByLabel('Milliseconds, at least').fill('9600000');
    await shows(2);
    expect(await fact('Cost p50')).toBe('$9.70');
    await page.reload();
    await shows(2);
    expect(await rows.getByRole('link').allInnerTexts()).toEqual(['Turn 9900', 'Turn 9700']);
    await page.getByText('More filters · 2 set').click();
    await page.getByLabel('Tokens, at least').fill('9800000');
    await shows(1);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await shoot('trace-filters-narrow');
  });
});
