import { mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Settings, TurnRequest } from '../../playground/shared/playground-state.js';
import type { TurnEnd } from '../../playground/shared/trace-event.js';
import { type Playground, startPlayground } from '../../playground/server/playground.js';
import { launchChromium } from '../_chromium.js';
import { toAuthorization } from '../playground/server/_playground.js';

const results = fileURLToPath(new URL('../../test-results', import.meta.url));

let browser: Promise<Browser> | undefined;

/** Returns the browser of all files of a worker. It ends with its process. Each test has a context of its own. */
const openBrowser = (): Promise<Browser> => (browser ??= launchChromium());

export interface TestPage {
  readonly page: Page;
  readonly playground: Playground;
  readonly folder: string;
  /** Returns what the terminal shows. */
  readonly printed: () => string;
  /** Errors and warnings that the page has logged. A test that causes some removes them. */
  readonly errors: string[];
  /** Sends a request with the token to a path below `/api`, and rejects if it fails. */
  callApi(path: string, options?: { method?: string; body?: unknown }): Promise<Response>;
  /** Sends a message and waits until its turn has this end. */
  ask(text: string, options?: { end?: TurnEnd }): Promise<void>;
  /** Waits until the inspector shows a turn with this end: the first turn of a conversation, or one that ends otherwise. */
  ended(end?: TurnEnd): Promise<void>;
  /** Saves a screenshot in `test-results/` if `SCREENSHOTS=1` is set: each takes a third of a second of processor time. */
  shoot(name: string): Promise<void>;
}

export interface OpenPageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colours?: 'light' | 'dark';
  /** A phone or tablet without a mouse. @default false */
  readonly isTouch?: boolean;
  /** @default the servers of the first start */
  readonly mcpServers?: unknown;
  /** Settings that differ from those of the first start. */
  readonly settings?: Partial<Settings>;
}

/** Starts a playground and opens it in a new browser context. An error that the page logs or throws fails the test. */
export async function openPage({
  width = 1440,
  height = 900,
  colours = 'light',
  isTouch = false,
  mcpServers,
  settings,
}: OpenPageOptions = {}): Promise<TestPage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'playground-'));
  if (mcpServers !== undefined) {
    await writeFile(path.join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
  }
  let printed = '';
  const print = (text: string): void => void (printed += text);
  const playground = await startPlayground({ folder, environment: {}, print });
  const context = await (
    await openBrowser()
  ).newContext({
    viewport: { width, height },
    colorScheme: colours,
    reducedMotion: 'reduce',
    isMobile: isTouch,
    hasTouch: isTouch,
    acceptDownloads: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  page.on('pageerror', error => errors.push(error.message));
  onTestFinished(async () => {
    await context.close();
    await playground.close();
    await rm(folder, { recursive: true, force: true });
    expect(errors, 'errors and warnings logged by the page').toEqual([]);
  });
  await page.goto(playground.signInUrl);
  const authorization = toAuthorization(playground.signInUrl);
  const callApi: TestPage['callApi'] = async (path, { method = 'GET', body } = {}) => {
    const response = await fetch(`${playground.url}/api${path}`, {
      method,
      headers: { origin: playground.url, authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  if (settings !== undefined) await callApi('/state', { method: 'PATCH', body: settings });
  await page.getByRole('textbox', { name: 'Message' }).waitFor();

  const ended: TestPage['ended'] = (end = 'finished') =>
    page.locator(`.inspector-head .state-badge[data-state="${end}"]`).waitFor();
  return {
    page,
    playground,
    folder,
    printed: () => printed,
    errors,
    callApi,
    ended,
    async ask(text, { end = 'finished' } = {}) {
      const sending = page.waitForRequest(`${playground.url}/api/turns`);
      await page.getByRole('textbox', { name: 'Message' }).fill(text);
      await page.keyboard.press('Enter');
      const { responseId } = (await sending).postDataJSON() as TurnRequest;
      // A long text is drawn over several frames, and its parser is loaded with the first one.
      const isDrawn = ':not(:has([aria-busy="true"]))';
      await page.locator(`.message[data-id="${responseId}"][data-end="${end}"]${isDrawn}`).waitFor();
      await ended(end);
    },
    async shoot(name) {
      if (process.env.SCREENSHOTS !== '1') return;
      mkdirSync(results, { recursive: true });
      await page.screenshot({ path: path.join(results, `${name}.png`) });
    },
  };
}

/** Selects one of many choices by its title, in the list with a search. */
export async function chooseOption(page: Page, label: string, title: string): Promise<void> {
  await page
    .locator('input')
    .and(page.getByRole('combobox', { name: label, exact: true }))
    .fill(title);
  await page.getByRole('listbox').getByRole('option', { name: title, exact: true }).click();
}
