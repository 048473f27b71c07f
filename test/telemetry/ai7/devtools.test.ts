import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launchChromium, missingChromium } from '../../_chromium.js';
import { installPackages } from '../../_install-packages.js';
import { startWorker } from '../../durable-turns/_worker.js';
import { findNode } from '../../nodes/nodes.js';

/* What the page of `@ai-sdk/devtools` shows of a turn in each form. SCREENSHOTS=1 saves it in `test-results/`. */

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const results = fileURLToPath(new URL('../../../test-results', import.meta.url));
const viewer = path.join(folder, 'node_modules/@ai-sdk/devtools/bin/cli.js');
const execute = promisify(execFile);

const { program: node = '', ...node22 } = await findNode('22');
const missing = missingChromium ?? node22.missing ?? (await installPackages('test/telemetry/ai7'));
if (missing !== undefined) console.warn(`The page of DevTools is not tested: ${missing}`);

/** What a turn did. */
interface Turn {
  /** Tokens of each request, as the server counted them. */
  readonly requests: readonly { readonly input: number; readonly output: number }[];
  /** Number of times that the tool ran. */
  readonly runs: number;
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe.skipIf(missing !== undefined)('the page of DevTools', () => {
  it.each([
    ['continuous', 'generate'],
    ['continuous', 'stream'],
    ['provider', 'generate'],
    ['provider', 'stream'],
    ['host', 'generate'],
    ['host', 'stream'],
  ])('shows what the server received and the tools did (%s, %s)', async (form, mode) => {
    const cwd = await mkdtemp(path.join(tmpdir(), 'devtools-'));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const port = await findPort();
    const env = { AI_SDK_DEVTOOLS_PORT: String(port) };
    const { stdout } = await execute(node, [path.join(folder, 'devtools.mjs'), dist, form, mode], {
      cwd,
      env: { ...process.env, ...env },
    });
    const { requests, runs }: Turn = JSON.parse(stdout);
    expect([requests.length, runs]).toEqual([3, 3]);

    const worker = startWorker(node, [viewer], { cwd, env });
    await worker.untilPrinted('running at');
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`http://localhost:${port}/`);
    await page.getByText('Where does it rain?').click();
    await page.getByText('input:').waitFor();
    const text = await page.locator('body').innerText();
    const lines = text.split('\n').flatMap(line => line.trim() || []);
    if (process.env.SCREENSHOTS === '1') {
      await mkdir(results, { recursive: true });
      await page.screenshot({ path: path.join(results, `devtools-${form}-${mode}.png`) });
    }

    const toTokens = (part: Turn['requests'], [input, output] = ['', '']): string =>
      `${input}${sum(part.map(one => one.input))} → ${output}${sum(part.map(one => one.output))}`;
    const steps = form === 'continuous' ? [requests] : requests.map(request => [request]);
    expect(lines).toContain(`${steps.length} steps`);
    expect(lines.join(' ')).toContain(toTokens(requests, ['input: ', 'output: ']));
    expect(lines.filter(line => /^\d+ → \d+$/.test(line))).toEqual(steps.map(part => toTokens(part)));
    // A continuous turn is one response to the page, which shows its calls in the details.
    const answers = lines.slice(lines.indexOf('1')).filter((_, index, all) => all[index - 1] === '→');
    expect(answers).toEqual(
      form === 'continuous' ? ['Response'] : ['get_weather (x2)', 'get_weather', 'Response'],
    );
  });
});
