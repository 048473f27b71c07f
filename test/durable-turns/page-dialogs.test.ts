import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launchChromium, missingChromium } from '../_chromium.js';
import { findFreePort } from '../_free-port.js';
import { startEmulator } from '../testing/_emulator.js';
import { hasRedis, type RedisServer, startRedis } from '../tool-loop/durable/_redis-server.js';
import { installPackages } from '../_install-packages.js';
import { checkTypes, recipes } from './_recipes.js';
import { startWorker } from './_worker.js';

/* Runs the recipe of dialogs in a page, in a real browser. One process asks, and another one receives the answers. */

const missing =
  missingChromium ??
  (hasRedis ? await installPackages('playground/recipes/page-dialogs') : 'no redis-server: install it');
if (missing !== undefined) process.stderr.write(`Skipping the tests of dialogs in a page: ${missing}\n`);

/** Waits until a page shows a text. */
async function untilShown(page: Page, shown: string): Promise<void> {
  await page
    .getByText(shown)
    .waitFor()
    .catch(async (error: unknown) => {
      throw new Error(`${String(error)}\nThe page shows: ${await page.locator('body').innerText()}`);
    });
}

/** Starts a train API, which keeps the calls that it received. */
async function startTrains() {
  const calls: { action: string; body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.method === 'POST')
      calls.push({ action: String(request.url), body: JSON.parse(body) as Record<string, unknown> });
    response.end(`done ${request.url}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls, actions: () => calls.map(({ action }) => action) };
}

describe.skipIf(missing !== undefined)('dialogs in a page', () => {
  let redis: RedisServer;
  let browser: Browser;
  beforeAll(async () => {
    [redis, browser] = await Promise.all([startRedis(), launchChromium()]);
  });
  afterAll(() => Promise.all([redis?.stop(), browser?.close()]));

  /** Starts two processes. The page is that of the first one, and its answers reach the second one. */
  async function openChat(tool: string, { expiry = 300_000 } = {}) {
    const trains = await startTrains();
    const emulator = await startEmulator({});
    emulator.enqueue([{ call: tool, arguments: { trip: 'Rome to Milan' } }], [{ text: 'That is all.' }]);
    const start = async () => {
      const port = await findFreePort();
      const worker = startWorker(
        process.execPath,
        ['--import', 'tsx', path.join(recipes.pageDialogs, 'server.ts')],
        {
          cwd: recipes.pageDialogs,
          env: {
            ...{ PORT: String(port), REDIS_URL: redis.url, TRAIN_API: trains.url, LEASE: '6000' },
            ...{ OPENAI_BASE_URL: emulator.baseURL, OPENAI_API_KEY: 'none', NODE_NO_WARNINGS: '1' },
            QUESTION_EXPIRY: String(expiry),
          },
        },
      );
      await worker.untilPrinted('Ready');
      return { ...worker, origin: `http://127.0.0.1:${port}` };
    };
    const [asking, answering] = await Promise.all([start(), start()]);
    const chat = crypto.randomUUID();

    /** Opens the chat in a process, in the browser of a user. */
    async function open(context?: BrowserContext) {
      const user = context ?? (await browser.newContext());
      if (context === undefined) onTestFinished(() => user.close());
      const page = await user.newPage();
      page.setDefaultTimeout(60_000);
      const answers: { id: string; status: number }[] = [];
      await page.route('**/api/questions/*', async route => {
        const { pathname } = new URL(route.request().url());
        await route.continue({ url: answering.origin + pathname });
      });
      page.on('response', response => {
        const id = /\/api\/questions\/(.*)/.exec(response.url())?.[1];
        if (id !== undefined) answers.push({ id, status: response.status() });
      });
      const show = ({ origin }: { origin: string }) => page.goto(`${origin}/?chat=${chat}`);
      const answer = (id: string, data: unknown, { origin } = answering) =>
        // A server may end an idle connection as a request arrives.
        user.request
          .post(`${origin}/api/questions/${id}`, { data, maxRetries: 3 })
          .then(response => response.status());
      return { user, page, answers, show, answer };
    }

    const owner = await open();
    await owner.show(asking);
    await owner.page.getByRole('textbox', { name: 'Message' }).fill('Please.');
    await owner.page.keyboard.press('Enter');
    await owner.page.getByRole('dialog').waitFor();
    /** What the model has read about its call. */
    const output = () => JSON.stringify(emulator.requests[1]?.body);
    return { ...{ trains, emulator, asking, answering, start, open, owner, chat, output }, ...owner };
  }

  /** The id of the open question. */
  const idOf = async (page: Page): Promise<string> =>
    (await page.getByRole('dialog').getAttribute('id')) ?? 'none';

  const fill = async (page: Page, { seats = '2' } = {}) => {
    await page.getByLabel('Passenger').fill('Ada');
    await page.getByLabel('Seats').fill(seats);
    await page.getByLabel('Class').selectOption('Second class');
    await page.getByLabel('Quiet coach').check();
  };
  const content = { passenger: 'Ada', seats: 2, class: 'second', quiet: true };

  it('compiles', () => checkTypes(recipes.pageDialogs));

  it('asks with a form, checks the answer, and passes it on from another process', async () => {
    const { page, trains, emulator, answers, asking, answering } = await openChat('book_seat');
    expect(await page.getByRole('dialog').innerText()).toContain('trains asks: Who travels?');
    expect(await page.getByLabel('Seats').inputValue()).toBe('1');
    await fill(page, { seats: '12' });
    await page.getByRole('button', { name: 'Send' }).click();
    await untilShown(page, 'seats: 12 is greater than 9');
    expect(trains.actions()).toEqual(['/hold']);

    await page.getByLabel('Seats').fill('2');
    await page.getByRole('button', { name: 'Send' }).click();
    await untilShown(page, 'That is all.');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(trains.actions()).toEqual(['/hold', '/book']);
    expect(trains.calls[1]?.body).toEqual({ trip: 'Rome to Milan', held: 'done /hold', ...content });
    expect(answers.map(({ status }) => status)).toEqual([422, 204]);

    // The message is kept with its question, and without the answer.
    await page.reload();
    await untilShown(page, 'Who travels? accept');
    await untilShown(page, 'That is all.');
    expect(await page.content()).not.toContain('Ada');
    expect(emulator.requests).toHaveLength(2);
    await Promise.all([asking.stop(), answering.stop()]);
  });

  it.each([
    { button: 'Decline', action: 'decline' },
    { button: 'Dismiss', action: 'cancel' },
  ])('tells the server that the user chose $action', async ({ button, action }) => {
    const { page, trains, output } = await openChat('book_seat');
    await page.getByRole('button', { name: button }).click();
    await untilShown(page, 'That is all.');
    expect(trains.actions()).toEqual(['/hold', '/release']);
    expect(output()).toContain(`the user chose ${action}`);
    await untilShown(page, `Who travels? ${action}`);
  });

  it('opens a page only when the user agrees', async () => {
    const { page, user, trains } = await openChat('pay_seat');
    const url = `${trains.url}/pay?trip=Rome%20to%20Milan`;
    expect(await page.getByRole('dialog').innerText()).toContain(url);
    expect([user.pages().length, trains.actions()]).toEqual([1, []]);
    const opened = user.waitForEvent('page');
    await page.getByRole('button', { name: 'Open the page' }).click();
    expect((await opened).url()).toBe(url);
    await untilShown(page, 'That is all.');
    expect(trains.actions()).toEqual(['/confirm']);
  });

  it.each([
    { button: 'Approve', actions: ['/cancel'], read: 'done /cancel' },
    { button: 'Decline', actions: [], read: 'The call was not approved' },
  ])('asks before a tool runs: $button', async ({ button, actions, read }) => {
    const { page, trains, output } = await openChat('cancel_trip');
    expect(await page.getByRole('dialog').innerText()).toContain('"trip": "Rome to Milan"');
    expect(trains.actions()).toEqual([]);
    await page.getByRole('button', { name: button }).click();
    await untilShown(page, 'That is all.');
    expect(trains.actions()).toEqual(actions);
    expect(output()).toContain(read);
  });

  it('shows the open question again after a reload, also in the other process', async () => {
    const { page, trains, emulator, show, answering } = await openChat('book_seat');
    await page.reload();
    await page.getByRole('dialog').waitFor();
    await show(answering);
    await fill(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await untilShown(page, 'That is all.');
    expect(trains.actions()).toEqual(['/hold', '/book']);
    expect(emulator.requests).toHaveLength(2);
  });

  it('accepts one answer, of the user who was asked', async () => {
    const chat = await openChat('book_seat');
    const { page, trains, answer, asking, answering, open } = chat;
    const id = await idOf(chat.page);
    const accept = { action: 'accept', content };

    // Another user, who has the address of the chat and the id of the question.
    const other = await open();
    await other.show(asking);
    await other.page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await other.page.getByRole('article').count()).toBe(0);
    const without = { method: 'POST', body: JSON.stringify(accept) };
    const refused = [
      await other.answer(id, accept),
      await other.answer(id, { action: 'cancel' }),
      await other.answer(id, accept, asking),
      (await fetch(`${answering.origin}/api/questions/${id}`, without)).status,
      await answer(crypto.randomUUID(), accept),
      await answer(`${id}*`, accept),
      await answer(id, { action: 'approve', content }),
      await answer(id, { action: 'accept' }),
      await answer(id, { action: 'accept', content: { ...content, class: 'third' } }),
      await answer(id, { action: 'accept', content: { ...content, role: 'admin' } }),
      await answer(id, { action: 'accept', content: { ...content, passenger: { $ne: '' } } }),
    ];
    expect(refused).toEqual([422, 422, 422, 401, ...Array.from({ length: 7 }, () => 422)]);
    expect(trains.actions()).toEqual(['/hold']);
    await page.getByRole('dialog').waitFor();

    const seats = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const statuses = await Promise.all(
      seats.map(seats =>
        answer(id, { ...accept, content: { ...content, seats } }, seats % 2 === 0 ? asking : answering),
      ),
    );
    expect(statuses.filter(status => status === 204)).toHaveLength(1);
    await untilShown(page, 'That is all.');
    expect(trains.actions()).toEqual(['/hold', '/book']);
    expect(trains.calls[1]?.body.seats).toBe(seats[statuses.indexOf(204)]);
    expect([await answer(id, accept), await answer(id, accept, asking)]).toEqual([422, 422]);
    expect(trains.actions()).toEqual(['/hold', '/book']);
  });

  it('cancels the question of a user who has left', async () => {
    const chat = await openChat('book_seat', { expiry: 5000 });
    const id = await idOf(chat.page);
    await chat.page.close();
    await expect.poll(chat.trains.actions).toEqual(['/hold', '/release']);
    expect(await chat.answer(id, { action: 'accept', content })).toBe(422);
    const { page, show } = await chat.open(chat.user);
    await show(chat.asking);
    await untilShown(page, 'Who travels? cancel');
    await untilShown(page, 'That is all.');
    expect(chat.output()).toContain('the user chose cancel');
    expect(chat.trains.actions()).toEqual(['/hold', '/release']);
  });

  it('ends the question of a process that was killed, and runs the call once', async () => {
    const chat = await openChat('book_seat');
    const { page, trains, emulator, answer, show, asking, answering } = chat;
    const id = await idOf(chat.page);
    await asking.kill();
    // The question ends with the process that waits for its answer, so an invalid answer is no longer read.
    const invalid = () =>
      chat.user.request
        .post(`${answering.origin}/api/questions/${id}`, { data: { action: 'accept' }, maxRetries: 3 })
        .then(response => response.text());
    await expect.poll(invalid).toContain('This question is over.');
    await show(answering);
    await untilShown(page, 'That is all.');
    expect(await answer(id, { action: 'accept', content })).toBe(422);
    expect(chat.output()).toContain('outcome of this call is unknown');
    expect(trains.actions()).toEqual(['/hold']);
    expect(emulator.requests).toHaveLength(2);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('asks again before a tool runs, if the process that asked was killed', async () => {
    const chat = await openChat('cancel_trip');
    const { page, trains, answer, show, asking, answering } = chat;
    const id = await idOf(chat.page);
    await asking.kill();
    await show(answering);
    await page.getByRole('dialog').waitFor();
    const next = await idOf(page);
    expect(next).not.toBe(id);
    await answer(id, { action: 'accept' });
    expect(trains.actions()).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await untilShown(page, 'That is all.');
    expect(trains.actions()).toEqual(['/cancel']);
  });

  it('ends a question whose call has ended', async () => {
    const script = `
      import { createClient } from 'redis';
      import { createQuestions } from './questions.ts';
      const redis = await createClient({ url: process.env.REDIS_URL }).connect();
      const call = new AbortController();
      const request = { user: 'ada', question: { server: 'trains', message: 'Why?' }, signal: call.signal };
      const { ask, answer } = createQuestions(redis);
      const shown = [];
      const outcome = await ask(request, (id, { state }) => {
        shown.push(id, state);
        call.abort();
      });
      const late = await answer(shown[0], 'ada', { action: 'accept' });
      console.log(JSON.stringify([outcome, shown[1], shown[3], late, await redis.exists('question:' + shown[0])]));
      redis.destroy();`;
    const options = { cwd: recipes.pageDialogs, env: { REDIS_URL: redis.url } };
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const worker = startWorker(process.execPath, args, options);
    await worker.untilPrinted(
      JSON.stringify([{ action: 'cancel' }, 'open', 'cancel', ['This question is over.'], 0]),
    );
    await worker.untilEnd();
  });
});
