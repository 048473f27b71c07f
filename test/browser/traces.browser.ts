import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { openDatabase } from '../../playground/server/store/database.js';
import { startHeldEndpoint } from './_held-endpoint.js';
import { chooseOption, openPage } from './_page.js';
import { expectShortTasks } from './_tasks.js';

describe.skipIf(missing)(`traces${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('are listed with filters, opened, downloaded for OpenTelemetry, and replayed from a bug report', async () => {
    const { page, callApi, ask, ended } = await openPage({ mcpServers: {} });
    await ask('Hello there');
    const conversationId = new URL(page.url()).pathname.split('/')[2] ?? '';
    await page.getByRole('button', { name: 'New chat' }).click();
    await chooseOption(page, 'Emulator fault', '500 server error');
    await ask('Fail please', { end: 'failed' });
    await page.getByRole('link', { name: 'Traces' }).click();
    const turns = page.getByRole('table', { name: 'Traces' }).locator('tbody tr');
    await expect.poll(() => turns.count()).toBe(2);
    await page.getByLabel('Result').selectOption('error');
    await expect.poll(() => turns.allInnerTexts()).toEqual([expect.stringContaining('Fail please')]);
    await page.getByLabel('Result').selectOption('all');
    await page.getByRole('searchbox', { name: 'Search traces' }).fill('hello');
    await expect.poll(() => turns.allInnerTexts()).toEqual([expect.stringContaining('Hello there')]);
    await turns.getByRole('link').click();
    await ended('finished');
    await page.getByRole('button', { name: 'Jump to response.completed' }).click();
    await page.locator('.events details[open]').getByText('completed').first().waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'OpenTelemetry' }).click();
    const text = await readFile(await (await downloading).path(), 'utf8');
    const report = await callApi(`/conversations/${conversationId}/fixture`);
    await page.getByRole('link', { name: 'All traces' }).click();
    await page.getByLabel('Replay a bug report').setInputFiles({
      name: 'report.json',
      mimeType: 'application/json',
      buffer: Buffer.from(await report.arrayBuffer()),
    });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('emulator, replaying a recording').waitFor();
    await ended('finished');

    expect(text).toContain('"name":"invoke_agent"');
    await page.getByRole('article', { name: 'You' }).getByText('Hello there').waitFor();
    await page.getByRole('article', { name: 'Response' }).getByText('Hello there').first().waitFor();
  });

  it('group the 50 calls of a turn by tool, with their arguments, without a long task', async () => {
    const emulator = await startEmulator();
    const { page, ask, shoot } = await openPage({
      mcpServers: { everything: { ...everythingOverStdio(), trustAnnotations: true } },
      settings: { endpoint: emulator.baseURL },
    });
    const sums = Array.from({ length: 29 }, (_, a) => ({ call: 'get-sum', arguments: { a, b: 100 } }));
    const counts = Array.from({ length: 20 }, (_, words) => {
      return { call: 'word-count', arguments: { text: 'word '.repeat(words) } };
    });
    const wrong = { call: 'get-sum', arguments: { a: 'not a number' } };
    const rows = page.getByRole('region', { name: 'Timeline' }).locator('.row-button[data-kind="tool"]');
    const timelineGroup = page.getByRole('button', { name: /^get-sum, 30 calls, 1 failed, .*a: 0, b: 100/ });
    const response = page.getByRole('article', { name: 'Response' });
    const group = response.locator('summary', { hasText: 'get-sum× 30' });
    await expectShortTasks(page, async run => {
      if (run > 0) await page.getByRole('button', { name: 'New chat' }).click();
      emulator.enqueue([...sums, wrong, ...counts], [{ text: 'All done.' }]);
      await ask('Fifty calls');
      expect(await rows.count()).toBe(0);
      await timelineGroup.click();
      await rows.nth(29).waitFor();
      await group.click();
      await response.locator('.tool-calls summary').nth(29).waitFor();
    });
    const groups = await response.locator('.tool-part:has(.tool-calls) > summary').allInnerTexts();
    await shoot('fifty-calls');
    await group.click();
    await rows.nth(7).click();
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    await response.getByText('The sum of 7 and 100 is 107.').waitFor();
    await timelineGroup.click();

    expect(groups.map(text => text.replace(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^get-sum × 30 1 failed, 29 done a: 0, b: 100 …/),
      expect.stringMatching(/^word-count × 20 done text: "" …/),
    ]);
    expect(focused).toContain('a: 7, b: 100');
    expect(await rows.count()).toBe(0);
  });

  it('list output items with their joined text first, and their events on demand', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    await ask('Count the words in "one two three".');
    const list = page.getByRole('region', { name: 'Events', exact: true });
    const rows = list.getByRole('listitem');
    const setSize = () => rows.first().getAttribute('aria-setsize');
    await rows.filter({ hasText: 'completed' }).waitFor();
    const [created, , reasoning, message] = await rows.allInnerTexts();
    const closed = Number(await setSize());
    expect(created).toContain('created');
    expect(reasoning).toMatch(/reasoning\n.*I answer now\.\n\d+ events/);
    expect(message).toMatch(/message\n.*3.*\n\d+ events/);

    await rows.nth(2).locator('summary').click();
    const count = Number(/(\d+) events/.exec(reasoning ?? '')?.[1]);
    await expect.poll(setSize).toBe(String(closed + count));
    await rows.filter({ hasText: '.delta' }).first().waitFor();
    await rows.nth(2).locator('summary').click();
    await expect.poll(setSize).toBe(String(closed));
    await page.getByText('Raw', { exact: true }).click();
    const all = Number(/\d+/.exec(await page.locator('.wire .count').innerText())?.[0]);
    await expect.poll(setSize).toBe(String(all));

    await chooseOption(page, 'Emulator fault', 'Dropped connection');
    await ask('Count the words in "one two three".', { end: 'failed' });
    await page.getByText('Items', { exact: true }).click();
    await rows.getByText('incomplete').waitFor();
  });

  it('let an item grow while its stream arrives', async () => {
    const endpoint = await startHeldEndpoint();
    const { page, ended } = await openPage({ mcpServers: {}, settings: { endpoint: endpoint.baseURL } });
    const text = 'one two three four five six seven eight nine ten';
    await page.getByRole('textbox', { name: 'Message' }).fill(`Repeat: ${text}`);
    await page.keyboard.press('Enter');
    const list = page.getByRole('region', { name: 'Events', exact: true });
    const row = list.locator('summary', { hasText: /message/ }).filter({ has: page.locator('.event-count') });
    const read = async () => ({
      text: await row.locator('.event-text').innerText(),
      events: Number(/\d+/.exec(await row.locator('.event-count').innerText())?.[0]),
    });
    await row.getByText('in progress').waitFor();
    await row.click();
    const before = await read();
    const size = () => list.getByRole('listitem').first().getAttribute('aria-setsize');
    const rowsBefore = Number(await size());
    endpoint.release();
    await ended();
    await expect.poll(() => row.getByText('in progress').count()).toBe(0);
    const after = await read();

    const grown = after.text.replace(/\s+/g, ' ').trim();
    const first = before.text.replace('in progress', '').replace(/\s+/g, ' ').trim();
    expect(first).not.toBe('');
    expect(grown.startsWith(first.slice(0, 20))).toBe(true);
    expect(after.events).toBeGreaterThan(before.events);
    // Its events are listed while it is open, and the end of the response follows it.
    expect(Number(await size()) - rowsBefore).toBeGreaterThanOrEqual(after.events - before.events);
  });

  it('keep hostile text of an item in its place', async () => {
    const emulator = await startEmulator();
    const { page, ask, shoot } = await openPage({
      mcpServers: {},
      settings: { endpoint: emulator.baseURL },
    });
    const text = `\u202e\u2067<b onclick="x()">sdrawkcab</b>${'x'.repeat(5000)}`;
    emulator.enqueue({
      output: [{ text }],
      events: events =>
        events.map(event => (event.type === 'response.in_progress' ? { ...event, type: text } : event)),
    });
    await ask('Hello');
    const rows = page.getByRole('region', { name: 'Events', exact: true }).locator('summary');
    const hostile = rows.filter({ hasText: 'sdrawkcab' });
    await expect.poll(() => hostile.count()).toBeGreaterThanOrEqual(2);
    for (const row of await hostile.all()) {
      const { lefts, height, isInside } = await row.evaluate(summary => {
        const frame = summary.closest('.events')?.getBoundingClientRect();
        const boxes = [...summary.children].map(child => child.getBoundingClientRect());
        return {
          lefts: boxes.map(({ left }) => left),
          height: summary.getBoundingClientRect().height,
          isInside: boxes.every(({ right }) => right <= (frame?.right ?? 0) + 1),
        };
      });
      expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
      expect(isInside).toBe(true);
      expect(height).toBeLessThan(160);
    }
    await shoot('hostile-items');
    expect(await page.locator('.events b').count()).toBe(0);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });

  it('say that a recording was deleted, and can be loaded again after a failure', async () => {
    const { page, ask, errors, callApi, folder, shoot } = await openPage({ mcpServers: {} });
    await ask('The old question');
    const database = openDatabase(folder);
    database.prepare('UPDATE recordings SET at = ?').run('2020-01-01');
    database.close();
    await ask('The new question');
    const old = page.getByRole('article', { name: 'Response' }).first();
    await old.getByRole('button', { name: /recording deleted/ }).click();
    const note = page.getByText('The requests, responses and events of this turn were deleted');
    await note.waitFor();
    await page.getByRole('link', { name: 'Traces' }).click();
    const rows = page.getByRole('table', { name: 'Traces' }).locator('tbody tr');
    await rows.getByText('recording deleted').waitFor();
    for (const box of await rows.getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('The items cannot be compared: the recording of').waitFor();

    let isFailing = true;
    await page.route('**/api/traces/*', route =>
      isFailing ? route.fulfill({ status: 500, json: { error: 'No memory.' } }) : route.continue(),
    );
    await page.reload();
    await page.getByText('The traces were not loaded: No memory.').waitFor();
    isFailing = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The items cannot be compared: the recording of').waitFor();
    isFailing = true;
    await page
      .getByRole('link', { name: /The old question|The new question/ })
      .first()
      .click();
    await page.getByText('The trace was not loaded: No memory.').waitFor();
    isFailing = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'OpenTelemetry' }).waitFor();
    const { id } = (
      (await (await callApi('/traces')).json()) as { messageId: string; isRecordingDeleted?: true }[]
    )
      .filter(({ isRecordingDeleted }) => isRecordingDeleted)
      .map(({ messageId }) => ({ id: messageId }))[0] ?? { id: '' };
    await page.goto(new URL(`/traces/${id}`, page.url()).href);
    await note.waitFor();
    await shoot('recording-deleted');
    expect(await page.getByRole('button', { name: 'Replay' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save as test' }).isDisabled()).toBe(true);
    const isExpected = (text: string) => text.includes('500 (Internal Server Error)');
    errors.splice(0, errors.length, ...errors.filter(text => !isExpected(text)));
  });

  it('mark the first token where its event is on the wire', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    await ask('Hello there');
    const durationIn = (text: string | null, before: string): string =>
      new RegExp(`${before}([\\d.]+ m?s)`).exec(text ?? '')?.[1] ?? 'no duration';
    const toMilliseconds = (duration: string): number =>
      Number.parseFloat(duration) * (duration.endsWith(' ms') ? 1 : 1000);
    const bar = page.getByRole('button', { name: /^Request 1, done/ });
    const startAt = toMilliseconds(durationIn(await bar.getAttribute('aria-label'), 'started at '));
    await page.getByText('Raw', { exact: true }).click();
    const delta = page.locator('.events summary', { hasText: '.delta' }).first();
    const arrived = toMilliseconds(durationIn(await delta.innerText(), '\\+'));
    const named = durationIn(await page.locator('.legend').innerText(), 'first token ');
    const firstToken = toMilliseconds(named);
    const fact = await page.locator('.turn-facts dd').first().innerText();
    const [begins = 0, share = 0] = await page
      .locator('.first-token')
      .evaluate((mark: HTMLElement) => [mark.style.left, mark.style.width].map(Number.parseFloat));
    const [total = ''] = await page.locator('.turn-facts dd').nth(1).allInnerTexts();
    const span = toMilliseconds(total);
    // Each of the displayed times is rounded: to a millisecond below a second, to ten above it, and to a hundred above ten seconds.
    const rounding = span < 1000 ? 10 : span < 10_000 ? 30 : 300;

    expect(Math.abs(arrived - firstToken)).toBeLessThanOrEqual(firstToken < 1000 ? 2 : rounding);
    expect(Math.abs((begins / 100) * span - startAt)).toBeLessThanOrEqual(rounding);
    expect(Math.abs((share / 100) * span - firstToken)).toBeLessThanOrEqual(rounding);
    expect(fact).toBe(named);
  });

  it('have readable labels on stripes, on progress and on a bar that fills its lane', async () => {
    const { page, ended } = await openPage({
      mcpServers: { everything: { ...everythingOverStdio(), trustAnnotations: true } },
    });
    const label = page.locator('.bar-label', { hasText: 'trigger-long-running-operation' });
    const found: string[] = [];
    const check = async (state: string): Promise<void> => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const { contrast, isOpaque, place } = await label.evaluate(readLabel);
        if (place !== 'inside') found.push(`${state}: expected a label inside, got ${place}`);
        if (!isOpaque) found.push(`${state} ${colorScheme}: the bar is visible behind the label`);
        if (contrast < 4.5) found.push(`${state} ${colorScheme}: contrast ${contrast}`);
      }
    };
    await page
      .getByRole('textbox', { name: 'Message' })
      .fill('Call trigger-long-running-operation with its defaults.');
    await page.keyboard.press('Enter');
    await page.locator('.bar.tool[data-state="running"] .bar-progress').waitFor();
    await page.locator('.bar-label[data-place="inside"]', { hasText: 'trigger' }).waitFor();
    await check('running');
    await page.getByRole('button', { name: 'Stop' }).click();
    await ended('stopped');
    await page.locator('.bar.tool[data-state="stopped"]').waitFor();
    await check('stopped');

    expect(found).toEqual([]);
  });
});

/** Reads the place of a label and the contrast of its text, by the formula of WCAG. */
function readLabel(element: Element) {
  const { color, backgroundColor } = getComputedStyle(element);
  const toNumbers = (text: string): number[] => (text.match(/[\d.]+/g) ?? []).map(Number);
  const toLuminance = (text: string): number => {
    const [red = 0, green = 0, blue = 0] = toNumbers(text).map(value =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [toLuminance(color), toLuminance(backgroundColor)].toSorted((a, b) => a - b);
  return {
    contrast: (light + 0.05) / (dark + 0.05),
    isOpaque: (toNumbers(backgroundColor)[3] ?? 1) === 1,
    place: element.getAttribute('data-place'),
  };
}
