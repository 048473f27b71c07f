import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ResponsesEmulator, startResponsesEmulator } from '../../src/testing/index.js';
import { launchChromium } from '../_chromium.js';
import { type EverythingServer, startEverythingServer } from '../tools/mcp/_everything-server.js';
import { bundleForBrowsers } from './_bundle.js';
import type { PageTasks } from './_page.js';
import { type PageServer, servePage } from './_serve-page.js';

// Runs the package in a real browser against local servers, bundled like in an application.

let emulator: ResponsesEmulator;
let everything: EverythingServer;
let server: PageServer;
let browser: Browser;
let tab: Page;
const failures: string[] = [];

beforeAll(async () => {
  emulator = await startResponsesEmulator();
  everything = await startEverythingServer('streamableHttp');
  const bundle = await bundleForBrowsers(
    readFileSync(fileURLToPath(new URL('_page.ts', import.meta.url)), 'utf8'),
  );
  server = await servePage(bundle, {
    targets: {
      '/api': url => emulator.url + url.pathname.slice('/api'.length),
      '/mcp': () => everything.config.url,
      '/proxy': url => emulator.url + new URL(url.searchParams.get('url') ?? '').pathname,
    },
  });
  browser = await launchChromium();
  tab = await browser.newPage();
  tab.on('pageerror', error => failures.push(error.message));
  await tab.goto(server.url);
  await tab.waitForFunction(() => window.page !== undefined);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  await everything?.close();
  await emulator?.close();
  expect(failures).toEqual([]);
});

/** Runs a task in the page and returns its result. */
const run = (task: keyof PageTasks): Promise<unknown> =>
  tab.evaluate<unknown, keyof PageTasks>(name => window.page?.[name](), task);

const answer = 'The tool double returned: twice 21 is 42';

it('streams the rounds of local tools', async () => {
  expect(await run('streams')).toEqual({
    text: answer,
    types: expect.arrayContaining(['tool-call', 'tool-result', 'text-delta', 'finish']),
  });
});

it('calls tools of an MCP server over HTTP', async () => {
  expect(await run('callsMcp')).toBe('The tool get-sum returned: The sum of 2 and 3 is 5.');
});

it('warns about stdio servers and works without them', async () => {
  expect(await run('skipsStdioServers')).toEqual({
    text: answer,
    warnings: [{ type: 'other', message: expect.stringContaining('"files"') }],
  });
});

it("runs the host's own tools in one step", async () => {
  expect(await run('runsHostTools')).toEqual({ text: answer, steps: 1 });
});

it('reports its tool calls to ai@6', async () => {
  expect(await run('worksWithAi6')).toEqual({ text: answer, toolNames: ['double'] });
});

it('adapts models', async () => {
  expect(await run('adaptsModels')).toBe('You said: Hello');
});

it('sends requests through a proxy', async () => {
  expect(await run('usesProxy')).toBe('You said: Hello');
});

it('rejects with an AbortError after an abort', async () => {
  expect(await run('aborts')).toBe('AbortError');
});
