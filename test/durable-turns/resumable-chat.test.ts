import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launchChromium, missingChromium } from '../_chromium.js';
import { findFreePort } from '../_free-port.js';
import { startEmulator } from '../testing/_emulator.js';
import { hasRedis, type RedisServer, startRedis } from '../tool-loop/durable/_redis-server.js';
import { installPackages } from '../_install-packages.js';
import { checkTypes, recipes } from './_recipes.js';
import { startWorker } from './_worker.js';

/* Runs the recipe of a chat whose page reloads, in a real browser. */

const missing =
  missingChromium ??
  (hasRedis ? await installPackages('playground/recipes/resumable-chat') : 'no redis-server: install it');
if (missing !== undefined) process.stderr.write(`Skipping the tests of the resumable chat: ${missing}\n`);

/** Starts a train API that answers when it is told to. */
async function startTrains() {
  const calls: string[] = [];
  let answer = (): void => {};
  const answered = new Promise<void>(resolve => (answer = resolve));
  const server = createServer(async (request, response) => {
    calls.push(String(request.url));
    await answered;
    response.end('seat 12');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, answer };
}

describe.skipIf(missing !== undefined)('a chat whose page reloads', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  async function startChat(tool: string) {
    const trains = await startTrains();
    const emulator = await startEmulator({});
    onTestFinished(() => emulator.close());
    emulator.enqueue(
      [{ text: 'One moment. ' }, { call: tool, arguments: { trip: 'Rome to Milan' } }],
      [{ text: 'Your seat is 12.' }],
    );
    const port = await findFreePort();
    const start = async () => {
      const worker = startWorker(
        process.execPath,
        ['--import', 'tsx', path.join(recipes.resumableChat, 'server.ts')],
        {
          cwd: recipes.resumableChat,
          env: {
            ...{ PORT: String(port), REDIS_URL: redis.url, TRAIN_API: trains.url, LEASE: '6000' },
            ...{ OPENAI_BASE_URL: emulator.baseURL, OPENAI_API_KEY: 'none', NODE_NO_WARNINGS: '1' },
          },
        },
      );
      await worker.untilPrinted('Ready');
      return worker;
    };
    const worker = await start();
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`http://127.0.0.1:${port}/?chat=${crypto.randomUUID()}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Book a seat.');
    await page.keyboard.press('Enter');
    await page.getByText(`${tool}: input-available`).waitFor();
    await expect.poll(() => trains.calls).toEqual([`/${tool}`]);
    return { page, worker, start, emulator, trains };
  }

  const answersOf = (page: Page) => page.getByRole('article', { name: 'assistant' }).allInnerTexts();
  const complete = (tool: string, state: string) => [
    expect.stringMatching(new RegExp(`^One moment\\.\\s+${tool}: ${state}\\s+Your seat is 12\\.$`)),
  ];

  it('compiles', () => checkTypes(recipes.resumableChat));

  it('continues while a tool runs, without a second request', async () => {
    const { page, worker, emulator, trains } = await startChat('book_seat');
    await page.reload();
    await page.getByText('book_seat: input-available').waitFor();
    trains.answer();
    await page.getByText('Your seat is 12.').waitFor();
    expect(await answersOf(page)).toEqual(complete('book_seat', 'output-available'));

    // A finished chat is read from the application, not from a stream.
    await page.reload();
    await page.getByText('Your seat is 12.').waitFor();
    expect(await answersOf(page)).toEqual(complete('book_seat', 'output-available'));
    expect([emulator.requests.length, trains.calls]).toEqual([2, ['/book_seat']]);
    await worker.stop();
  });

  it.each([
    { tool: 'find_trains', runs: 2, told: 'seat 12' },
    { tool: 'book_seat', runs: 1, told: 'outcome of this call is unknown' },
  ])(
    'continues after its server was killed while $tool ran, without a repeated round',
    async ({ tool, runs, told }) => {
      const { page, worker, start, emulator, trains } = await startChat(tool);
      await worker.kill();
      trains.answer();
      const next = await start();
      await page.reload();
      await page.getByText('Your seat is 12.').waitFor();
      expect(await answersOf(page)).toEqual(complete(tool, 'output-(available|error)'));
      expect(trains.calls).toHaveLength(runs);
      expect(emulator.requests).toHaveLength(2);
      expect(JSON.stringify(emulator.requests[1]?.body)).toContain(told);
      await next.stop();
    },
  );
});
