// Checks the examples of hosts: compiles each against the packed archive and runs it with the emulator. A turn has to call
// a tool, send its result and show the text. The only network access is that of `npm ci`. Stops at the first failure.
//
// `npm run test:examples [-- part of an example's name]`
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ResponsesEmulator, startResponsesEmulator } from 'kelivo-responses/testing';
import type { Browser, Page } from 'playwright-core';
import ts from 'typescript';
import { launchChromium } from '../_chromium.js';
import { findFreePort } from '../_free-port.js';
import { manifest, root } from '../package/manifest.js';
import { pack } from '../package/pack.js';
import { installRuntimes, startWorker } from '../runtimes/_runtimes.js';
import { serveSite } from './_site.js';

/** Parsed files of packages, by name and language version. */
const sources = new Map<string, ts.SourceFile>();
const folder = path.join(root, 'playground/examples');
const folderOf = (name: string): string => path.join(folder, name);
const execute = promisify(execFile);

/** Milliseconds. A program that takes longer hangs. */
const TIME_LIMIT = 300_000;

/** A variable of all processes of one example, by which those that stay behind are found. */
const MARK = 'EXAMPLE_RUN';

interface Context {
  readonly emulator: ResponsesEmulator;
  /** Starts an npm script of the example. */
  start(script: string, options?: { args?: readonly string[]; env?: Record<string, string> }): Program;
  openPage(): Promise<Page>;
  /** Runs at the end of the example. */
  defer(work: () => unknown): void;
}

/** Each checks what a user sees, and returns the outputs of tools that the model has to receive. */
const examples: Readonly<Record<string, (context: Context) => Promise<readonly string[]>>> = {
  'tool-loop-agent': async ({ start }) => {
    const output = await start('start').untilEnd();
    expectInOrder(output, ['list_directory', '→', 'index.ts', 'add {"a":20,"b":22}', '→ 42', 'returned: 42']);
    return ['index.ts', '42'];
  },
  'openai-agents': async ({ start }) => {
    const output = await start('start').untilEnd();
    expectInOrder(output, ['get_weather Oslo', 'add 20 22', 'returned: snow in Oslo', 'returned: 42']);
    return ['snow in Oslo', '42'];
  },
  mastra: async ({ start }) => {
    const output = await start('start').untilEnd();
    const call = 'get_weather {"city":"Oslo"}';
    expectInOrder(output, [call, '→ "snow in Oslo"', 'add {"a":20,"b":22}', '→ 42', 'returned: 42']);
    return ['snow in Oslo', '42'];
  },
  'provider-schema': async ({ start }) => {
    const output = await start('start').untilEnd();
    expectInOrder(output, ['list_directory', '→', 'providers.json', 'returned:', 'providers.json']);
    return ['providers.json'];
  },
  hono: async ({ start }) => {
    const port = await findFreePort();
    const program = start('start', { env: { PORT: String(port) } });
    await program.untilPrinted('Ready');
    await askForWeather(`http://127.0.0.1:${port}/api/chat`);
    await program.stop();
    return ['snow in Oslo'];
  },
  'cloudflare-workers': async ({ emulator, defer }) => {
    const missing = await installRuntimes();
    if (missing !== undefined) throw new Error(`Expected workerd. ${missing}`);
    const consumer = await mkdtemp(path.join(tmpdir(), 'kelivo-example-'));
    defer(() => rm(consumer, { recursive: true, force: true }));
    const settings = await readFile(path.join(folderOf('cloudflare-workers'), 'wrangler.jsonc'), 'utf8');
    const { config } = ts.parseConfigFileTextToJson('wrangler.jsonc', settings);
    const script = path.join(folderOf('cloudflare-workers'), config.main);
    const variables = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: emulator.baseURL };
    const worker = await startWorker({
      consumer,
      name: 'worker',
      compatibilityDate: config.compatibility_date,
      contents: `
        import worker from ${JSON.stringify(script)};
        export default { fetch: request => worker.fetch(request, ${JSON.stringify(variables)}) };`,
    });
    defer(() => worker.stop());
    await askForWeather(worker.url);
    await askForWeather(worker.url);
    return ['snow in Oslo'];
  },
  browser: async ({ emulator, start, openPage, defer }) => {
    await start('build').untilEnd();
    const site = await serveSite(emulator, path.join(folderOf('browser'), 'dist'));
    defer(site.close);
    const page = await openPage();
    await page.goto(site.url);
    await page.getByLabel('Server').fill(`${site.url}/v1`);
    await page.getByRole('button', { name: 'Send' }).click();
    const output = page.getByRole('status');
    await output.getByText('The tool read_page returned').waitFor();
    expectInOrder(await output.innerText(), ['read_page: "A page without a server"', 'returned: A page']);
    return ['A page without a server'];
  },
  'next-use-chat': async ({ emulator, start, openPage, defer }) => {
    const site = await serveSite(emulator);
    defer(site.close);
    await nextBuild;
    const port = await findFreePort();
    const args = ['--port', String(port), '--hostname', '127.0.0.1'];
    const program = start('start', { args, env: { OPENAI_BASE_URL: `${site.url}/v1` } });
    await program.untilPrinted('Ready');
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${port}/?chat=${crypto.randomUUID()}`);
    await page.getByLabel('Message').fill('Use book_seat with the trip "Rome to Milan".');
    await page.keyboard.press('Enter');
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    await page.reload();

    site.hold();
    await approve.click();
    const answer = page.getByRole('article', { name: 'assistant' });
    const [half, complete] = [/^The/, 'returned: seat 12, Rome to Milan'];
    await answer.getByText(half).waitFor();
    await page.reload();
    await answer.getByText(half).waitFor();
    await answer.getByText('output-available').waitFor();
    site.release();
    await answer.getByText(complete).waitFor();
    await page.getByText('ready').waitFor();
    await page.reload();
    await answer.getByText(complete).waitFor();
    if (emulator.requests.length !== 2)
      throw new Error(`Expected 2 requests to the model, got ${emulator.requests.length}.`);
    await program.stop();
    return ['seat 12'];
  },
};

const [wanted = ''] = process.argv.slice(2);
const names = Object.keys(examples).filter(name => name.includes(wanted));
const begun = Date.now();
await install();
const installed = Date.now();
const programs = new Set<Program>();
// The build takes longest and uses its own types, so it runs beside the other examples.
const nextBuild = names.includes('next-use-chat')
  ? startProgram('next-use-chat', ['run', 'build'], {}).untilEnd()
  : undefined;
nextBuild?.catch(() => {}); // reported by the example
let browser: Promise<Browser> | undefined;
try {
  for (const name of names) await tryExample(name);
  console.log(
    `${seconds(installed, begun)} for the installation, ${seconds(Date.now(), installed)} after it`,
  );
} catch (error) {
  console.error(`✗ ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await (await browser)?.close();
  for (const program of programs) program.kill();
}

async function tryExample(name: string): Promise<void> {
  const start = Date.now();
  const run = examples[name];
  const files = await readdir(folder, { withFileTypes: true });
  const untested = files.filter(
    file => file.isDirectory() && !/^\.|node_modules/.test(file.name) && !(file.name in examples),
  );
  if (run === undefined || untested.length > 0)
    throw new Error(
      `Expected a test for each example, got none for ${untested.map(file => file.name).join()}.`,
    );
  const deferred: (() => unknown)[] = [];
  const emulator = await startResponsesEmulator();
  deferred.push(() => emulator.close());
  const mark = crypto.randomUUID();
  const env = { OPENAI_BASE_URL: emulator.baseURL, OPENAI_API_KEY: 'none', [MARK]: mark };
  try {
    // Next.js checks its own types.
    if (name !== 'next-use-chat') checkTypes(folderOf(name));
    const outputs = await run({
      emulator,
      start: (script, { args = [], env: more } = {}) =>
        startProgram(name, ['run', script, '--', ...args], { ...env, ...more }),
      async openPage() {
        const page = await (await (browser ??= launchChromium())).newPage();
        page.setDefaultTimeout(TIME_LIMIT);
        deferred.push(() => page.close());
        return page;
      },
      defer: work => void deferred.push(work),
    });
    const sent = JSON.stringify(emulator.requests.map(({ body }) => (body as { input: unknown }).input));
    for (const output of outputs)
      if (!sent.includes('function_call_output') || !sent.includes(output))
        throw new Error(`Expected the model to receive ${JSON.stringify(output)}, got ${sent}`);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    for (const work of deferred.reverse()) await work();
  }
  const left = await findLeft(mark);
  if (left.length > 0) throw new Error(`${name}: expected no process after the end, got ${left.join(', ')}`);
  console.log(`✓ ${name} (${seconds(Date.now(), start)})`);
}

function seconds(until: number, from: number): string {
  return `${((until - from) / 1000).toFixed(1)} s`;
}

/** Packs the package, and installs the locked packages and the archive. */
async function install(): Promise<void> {
  await rename(await pack(folder), path.join(folder, 'kelivo-responses.tgz'));
  const lock = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8'));
  const { version, dependencies } = lock.packages[`node_modules/${manifest.name}`];
  const expected = JSON.stringify([manifest.version, manifest.dependencies]);
  if (JSON.stringify([version, dependencies]) !== expected)
    throw new Error(
      `Expected playground/examples/package-lock.json to contain ${expected}. Run \`npm install\` there.`,
    );
  await execute(process.execPath, ['.install.mjs', 'playground/examples'], { cwd: root });
  const target = path.join(folder, 'node_modules', manifest.name);
  await rm(path.join(target, 'dist'), { recursive: true, force: true });
  await execute('tar', ['-xzf', 'kelivo-responses.tgz', '--strip', '1', '-C', target], { cwd: folder });
}

/** Checks an example with its own settings. The programs share the files that they parse. */
function checkTypes(example: string): void {
  const { config } = ts.readConfigFile(path.join(example, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, example);
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, version, ...rest) => {
    const key = JSON.stringify([file, version]);
    const source = sources.get(key) ?? getSourceFile.call(host, file, version, ...rest);
    if (source !== undefined && file.includes('node_modules')) sources.set(key, source);
    return source;
  };
  const problems = ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options, host));
  if (problems.length === 0) return;
  const format = { getCanonicalFileName: String, getCurrentDirectory: () => folder, getNewLine: () => '\n' };
  throw new Error(ts.formatDiagnostics(problems, format));
}

function expectInOrder(text: string, parts: readonly string[]): void {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) throw new Error(`Expected ${JSON.stringify(part)} after character ${from} of:\n${text}`);
    from = at + part.length;
  }
}

/** Sends a message as `useChat` does, and checks the stream. */
async function askForWeather(url: string): Promise<void> {
  const message = {
    id: '1',
    role: 'user',
    parts: [{ type: 'text', text: 'Use get_weather with the city "Oslo".' }],
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'chat', messages: [message] }),
    signal: AbortSignal.timeout(TIME_LIMIT),
  });
  const parts = (await response.text())
    .split('\n\n')
    .filter(line => line.startsWith('data: {'))
    .map(line => JSON.parse(line.slice(6)) as { type: string; delta?: string; output?: unknown });
  const text = parts.map(({ type, delta = '' }) => (type === 'text-delta' ? delta : '')).join('');
  const outputs = parts.filter(({ type }) => type === 'tool-output-available').map(({ output }) => output);
  expectInOrder(JSON.stringify({ outputs, text }), ['["snow in Oslo"]', 'returned: snow in Oslo']);
}

interface Program {
  /** Resolves with the output. Rejects if the program fails or hangs. */
  untilEnd(): Promise<string>;
  untilPrinted(text: string): Promise<void>;
  /** Asks it to end, as a terminal does. */
  stop(): Promise<void>;
  kill(): void;
}

/** Runs npm in an example, without access to the registry. */
function startProgram(name: string, args: readonly string[], env: Record<string, string>): Program {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('npm', [...args.slice(0, 1), '--silent', ...args.slice(1)], {
    cwd: folderOf(name),
    env: {
      ...{ PATH, HOME, NO_COLOR: '1', npm_config_registry: 'http://127.0.0.1:9' },
      ...{ NEXT_TELEMETRY_DISABLED: '1', MASTRA_TELEMETRY_DISABLED: '1' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const kill = (): void => {
    try {
      process.kill(-Number(child.pid), 'SIGKILL');
    } catch {
      // The group has ended.
    }
  };
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    kill();
  }, TIME_LIMIT);
  const ended = once(child, 'close').then(([code]) => {
    clearTimeout(timer);
    programs.delete(program);
    return code as number | null;
  });
  const fail = (expected: string, code: number | null): never => {
    const reason = hangs ? `no end within ${TIME_LIMIT / 1000} s` : `exit code ${code}`;
    throw new Error(`Expected \`npm ${args.join(' ')}\` to ${expected}, got ${reason}:\n${output}`);
  };
  const program: Program = {
    async untilEnd() {
      const code = await ended;
      if (code !== 0) fail('succeed', code);
      return output;
    },
    async untilPrinted(text) {
      while (!output.includes(text)) {
        const next = once(child.stdout, 'data').then(() => undefined);
        const code = await Promise.race([next, ended]);
        if (code !== undefined) fail(`print ${JSON.stringify(text)}`, code);
      }
    },
    async stop() {
      process.kill(-Number(child.pid), 'SIGTERM');
      await ended;
      if (hangs) fail('end', null);
    },
    kill,
  };
  programs.add(program);
  return program;
}

/** Finds and ends the processes that an example has left behind, on Linux. */
async function findLeft(mark: string): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const ids = (await readdir('/proc').catch(() => [])).filter(id => /^\d+$/.test(id));
    const isMarked = (id: string) =>
      readFile(`/proc/${id}/environ`, 'utf8').then(
        text => text.includes(`${MARK}=${mark}`),
        () => false,
      );
    const marked = await Promise.all(ids.map(async id => ((await isMarked(id)) ? [id] : [])));
    const left = marked.flat();
    if (left.length === 0) return [];
    if (attempt < 50) {
      await delay(100);
      continue;
    }
    const names = left.map(id => {
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
      process.kill(Number(id), 'SIGKILL');
      return command;
    });
    return names;
  }
}
