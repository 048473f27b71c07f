import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { openPage } from './_page.js';
import { expectLittleWork, expectShortTasks } from './_tasks.js';

/** A server with 150 tools. */
const restaurant = {
  command: process.execPath,
  args: [fileURLToPath(new URL('_inspected-server.mjs', import.meta.url))],
  env: { TOOLS: '150' },
};

describe.skipIf(missing)(`the speed of the page${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('streams 20,000 words without a long task and with fewer than 8,000 nodes, and accepts typing meanwhile', async () => {
    const emulator = await startEmulator();
    const { page, ended } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    const field = page.getByRole('textbox', { name: 'Message' });
    await expectShortTasks(page, async run => {
      if (run > 0) await page.getByRole('button', { name: 'New chat' }).click();
      emulator.enqueue([{ text: twentyThousandWords() }]);
      await field.fill('Write much.');
      await field.press('Enter');
      await field.pressSequentially('typed');
      await ended();
      await page.getByRole('article', { name: 'Response' }).getByText('the last of it').waitFor();
    });
    const count = await page.locator('*').count();
    console.log(`Nodes of the page: ${count}`);

    expect(count).toBeLessThan(8000);
    expect(
      (await page.getByRole('article', { name: 'Response' }).innerText()).split(/\s+/).length,
    ).toBeGreaterThan(20_000);
    expect(await field.inputValue()).toBe('typed');
  });

  it('is ready for a question after its first visit, and says how long that took', async () => {
    const { page, playground } = await openPage({ mcpServers: {} });
    // A new context has an empty cache.
    const context = await page.context().browser()?.newContext();
    if (context === undefined) throw new Error('Expected a browser that creates contexts.');
    onTestFinished(() => context.close());
    const visit = await context.newPage();
    const html = (await (await visit.goto(playground.signInUrl))?.text()) ?? '';
    const field = visit.getByRole('textbox', { name: 'Message' });
    await field.pressSequentially('Hello');
    const milliseconds = await visit.evaluate(() => Math.round(performance.now()));
    // Counts the files that the document names. The others load when they are needed, and are added to the document then.
    const bytes = await visit.evaluate(text => {
      const sent = new DOMParser().parseFromString(text, 'text/html');
      const named = new Set(
        [...sent.querySelectorAll<HTMLElement>('script[src], link[href]')].map(
          element => element.getAttribute('src') ?? element.getAttribute('href'),
        ),
      );
      const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      return entries
        .filter(({ name }) => named.has(new URL(name).pathname))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    }, html);
    console.log(`The page accepts text ${milliseconds} milliseconds after the start of its first visit`);
    console.log(`It has received ${bytes} bytes of scripts and styles by then`);

    expect(await field.inputValue()).toBe('Hello');
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(170_000);
  });

  it('lists 150 tools of a server with fewer than 3,000 nodes, and finds one of them', async () => {
    const { page } = await openPage({ mcpServers: { restaurant } });
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.locator('.server-card[data-state="ready"]').waitFor();
    const tools = page.getByRole('list', { name: 'Tools of restaurant' }).getByRole('listitem');
    const search = page.getByRole('searchbox', { name: 'Search tools' });
    await expectShortTasks(page, async run => {
      if (run > 0) await page.getByRole('link', { name: 'MCP servers' }).click();
      await page.getByRole('link', { name: 'Inspect restaurant' }).click();
      await tools.nth(149).waitFor();
    });
    const count = await page.locator('*').count();
    await expectShortTasks(page, async () => {
      await search.fill('');
      await tools.nth(149).waitFor();
      await search.pressSequentially('extra-77');
      await page.getByText('1 of 150 tools').waitFor();
    });

    console.log(`Nodes of the page: ${count}`);
    expect(count).toBeLessThan(3000);
    expect(await tools.locator('code').allInnerTexts()).toEqual(['extra-77']);
  });

  it('opens 300 messages without much more work than a table needs', async () => {
    const emulator = await startEmulator();
    const { page, callApi } = await openPage({ mcpServers: {}, settings: { endpoint: emulator.baseURL } });
    const conversationId = randomUUID();
    let parentId: string | null = null;
    for (let turn = 1; turn <= 150; turn++) {
      const responseId = randomUUID();
      const parts = [{ type: 'text', text: `Message ${turn}` }];
      const message = { id: randomUUID(), role: 'user', parts };
      emulator.enqueue([{ text: `**Response** ${turn}` }]);
      const body = { conversationId, thread: 'main', responseId, parentId, message };
      const accepted = await callApi('/turns', { method: 'POST', body });
      expect(accepted.status).toBe(202);
      const path = `/conversations/${conversationId}`;
      await expect
        .poll(async () => (await (await callApi(path)).text()).includes(`"id":"${responseId}"`), {
          interval: 20,
        })
        .toBe(true);
      parentId = responseId;
    }
    const open = async (run: number): Promise<void> => {
      if (run > 0) await page.getByRole('button', { name: 'New chat' }).click();
      await page.evaluate(id => {
        history.pushState(null, '', `/chats/${id}`);
      }, conversationId);
      await page.getByRole('article', { name: 'Response' }).getByText('Response 150').waitFor();
    };
    await expectLittleWork(page, open, 10);

    expect(await page.getByRole('article').count()).toBe(300);
  });
});

/** Headings, emphasis, lists, a table, code and one long paragraph. */
function twentyThousandWords(): string {
  const section = (number: number): string =>
    [
      `## Section ${number}`,
      `${'plain text and **bold ones** with `code` '.repeat(8)}`,
      ...['one', 'two', 'three'].map(item => `- item ${item} with some *emphasis* in it`),
    ].join('\n');
  return [
    ...Array.from({ length: 120 }, (_, index) => section(index)),
    `| name | value |\n| --- | --- |\n${'| a row | of a table |\n'.repeat(120)}`,
    `\`\`\`ts\n${'const value = compute(first, second);\n'.repeat(200)}\`\`\``,
    'a long paragraph of prose '.repeat(1800),
    'and the last of it',
  ].join('\n\n');
}
