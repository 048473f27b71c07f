import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateText, streamText } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../../src/index.js';
import { createMcpTools, type McpServerConfig, type McpStateChange } from '../../../src/tools/mcp/index.js';
import { startResponsesEmulator } from '../../../src/testing/index.js';
import { bundleScript } from '../../_bundled-script.js';
import { fixtureServer, isAlive, namesOf, openTools, temporaryFolder, until } from './_fixture-server.js';

const script = fileURLToPath(new URL('_installing-server.mjs', import.meta.url));

/** Creates a program that writes files for a while before it serves. If it is held, it is not installed before `release()`. */
async function installingServer({ files = 30, mode = 'plain', isHeld = false } = {}) {
  const folder = await temporaryFolder();
  const hold = path.join(folder, 'hold');
  if (isHeld) await writeFile(hold, '');
  const exists = (name: string) =>
    access(path.join(folder, name)).then(
      () => true,
      () => false,
    );
  const pid = async () => Number(await readFile(path.join(folder, 'pid'), 'utf8'));
  return {
    config: { command: process.execPath, args: [script, folder, String(files), mode] },
    hasWritten: (file: number) => exists(`package-${file}`),
    hasStarted: () => exists('package-2'),
    isInstalled: () => exists('installed'),
    release: () => rm(hold),
    isRunning: async () => isAlive(await pid()),
    end: async () => process.kill(await pid(), 'SIGKILL'),
  };
}

/** Runs a turn, generated or streamed. Returns the requests to the model and the error. */
async function runTurn(kind: 'generate' | 'stream', settings: KelivoResponsesSettings) {
  const emulator = await startResponsesEmulator();
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, apiKey: 'key', ...settings });
  onTestFinished(async () => {
    await provider.close();
    await emulator.close();
  });
  const options = { model: provider('gpt-5'), prompt: 'Say hello.', maxRetries: 0 };
  let error: unknown;
  let warnings: readonly unknown[] | undefined;
  if (kind === 'generate') {
    const result = await generateText(options).catch((thrown: unknown) => void (error = thrown));
    warnings = result?.warnings;
  } else {
    const result = streamText({ ...options, onError: event => void (error = event.error) });
    await result.consumeStream();
    warnings = error === undefined ? await result.warnings : [];
  }
  const toolsOf = (body: unknown) =>
    ((body as { tools?: { name: string }[] }).tools ?? []).map(tool => tool.name);
  return { requests: emulator.requests.map(({ body }) => toolsOf(body)), error, warnings };
}

describe.each(['generate', 'stream'] as const)('a turn (%s)', kind => {
  it('waits for a server that starts in 12 seconds, beside a fast one', async () => {
    const slow = await installingServer({ files: 240 });
    const fast = await fixtureServer();
    const { requests, warnings } = await runTurn(kind, {
      mcpServers: {
        slow: { ...slow.config, allowedTools: ['echo'] },
        fast: { ...fast.config, allowedTools: ['journal'] },
      },
    });
    expect(requests).toEqual([['echo', 'journal']]);
    expect(warnings).toEqual([]);
  });

  it('goes on without a server after its `startupTimeout`, and names it', async () => {
    const slow = await installingServer({ isHeld: true });
    const fast = await fixtureServer();
    const { requests, warnings } = await runTurn(kind, {
      mcpServers: {
        slow: { ...slow.config, startupTimeout: 1 },
        fast: { ...fast.config, allowedTools: ['journal'] },
      },
    });
    expect(requests).toEqual([['journal']]);
    expect(warnings).toMatchObject([
      { message: expect.stringContaining('MCP server "slow" is still starting') },
    ]);
  });

  it.each([
    [
      'a program that does not exist',
      { command: 'no-such-program' },
      /"needed" could not be started: .*not found/,
    ],
    [
      'a program that ends',
      { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(3)'] },
      /"needed" could not be started: .*exit code 3.*no licence/s,
    ],
    [
      'a program that is not ready in time',
      { command: process.execPath, args: ['-e', 'process.stdin.resume()'], startupTimeout: 300 },
      /"needed" was not ready within 300 ms/,
    ],
  ])('is rejected before any request if a required server is %s', async (_case, needed, message) => {
    const good = await fixtureServer();
    const mcpServers = { good: good.config, needed: { ...needed, required: true } };
    const { requests, error } = await runTurn(kind, { mcpServers });
    expect(requests).toEqual([]);
    expect(String(error)).toMatch(message);
  });

  it('uses a required server that is ready', async () => {
    const { config } = await fixtureServer();
    const needed = { ...config, required: true, allowedTools: ['echo'] };
    const { requests, error } = await runTurn(kind, { mcpServers: { needed } });
    expect({ requests, error }).toEqual({ requests: [['echo']], error: undefined });
  });
});

it('rejects the next turn after a required server has crashed for good', async () => {
  const folder = await temporaryFolder();
  const file = path.join(folder, 'server.mjs');
  const { config } = await fixtureServer();
  await writeFile(file, `import ${JSON.stringify(String(config.args?.[0]))};\n`);
  const tools = openTools({ needed: { ...config, args: [file], required: true, allowedTools: ['crash'] } });
  expect(await namesOf(tools)).toEqual(['crash']);
  await writeFile(file, 'process.exit(7);\n');
  const crash = { toolCallId: 'call_1', toolName: 'crash', input: {} };
  await tools.callTool(crash, { signal: new AbortController().signal });
  await until(async () => (await tools.listTools().catch(() => undefined)) === undefined);
  await expect(tools.listTools()).rejects.toMatchObject({ code: 'mcp-start' });
});

it('waits again for a required server, with each turn', async () => {
  const slow = await installingServer({ isHeld: true });
  const tools = openTools({ slow: { ...slow.config, required: true, startupTimeout: 1 } });
  await expect(tools.listTools()).rejects.toMatchObject({ code: 'mcp-timeout' });
  await slow.release();
  await until(() => slow.isInstalled());
  await until(async () => (await namesOf(tools).catch(() => [])).length > 0);
});

describe('a program that may be installing', () => {
  it.each(['plain', 'stubborn'])('is not killed by an abort and `close()` (%s)', async mode => {
    const { config, hasStarted, isInstalled, isRunning, release, end } = await installingServer({
      mode,
      isHeld: true,
    });
    const tools = openTools({ late: config });
    const controller = new AbortController();
    const listing = tools.listTools(controller);
    await until(hasStarted);
    controller.abort(new Error('gone'));
    await expect(listing).rejects.toThrow('gone');
    await tools.close();
    expect(await isInstalled()).toBe(false);
    await release();
    await until(isInstalled);
    if (mode === 'plain') await until(async () => !(await isRunning()));
    else await end();
  });

  it('is installed once, and intact at the next start, stopped at any moment', async () => {
    const { config, hasWritten, isInstalled, release } = await installingServer({ isHeld: true });
    for (const file of [1, 15, 29]) {
      const tools = openTools({ late: config });
      tools.listTools().catch(() => {});
      await until(() => hasWritten(file));
      await tools.close();
      expect(await isInstalled()).toBe(false);
    }
    await release();
    const last = openTools({ late: { ...config, allowedTools: ['echo'] } });
    expect(await namesOf(last)).toEqual(['echo']);
    expect(await isInstalled()).toBe(true);
  });

  it('is not killed by the end of the host, and ends after it', async () => {
    const { config, isInstalled, isRunning, release } = await installingServer({ isHeld: true });
    const host = spawn(
      process.execPath,
      [await bundleScript(new URL('_exiting-script.ts', import.meta.url)), JSON.stringify(config)],
      { stdio: 'ignore' },
    );
    const [exitCode] = await once(host, 'exit');
    expect(exitCode).toBe(7);
    expect(await isInstalled()).toBe(false);
    await release();
    await until(isInstalled);
    await until(async () => !(await isRunning()));
  });
});

describe('`onStateChange`', () => {
  it('reports that a server starts, with the lines of its installation, and its end', async () => {
    const { config } = await installingServer({ files: 3 });
    const seen: string[] = [];
    const tools = createMcpTools(
      { late: config },
      {
        onStateChange: ({ server, state }) => void seen.push(`${server} ${state}`),
        onStderr: line => void seen.push(line),
      },
    );
    await tools.listTools();
    await tools.close();
    expect(seen.filter(entry => !entry.startsWith('fixture'))).toEqual([
      'late connecting',
      ...['package 1', 'package 2', 'package 3'],
      'late ready',
      'late idle',
    ]);
  });

  it('reports a failure with its reason, and goes on if it throws or rejects', async () => {
    const { config } = await fixtureServer();
    const changes: McpStateChange[] = [];
    const args = ['-e', 'console.error("no licence"); process.exit(3)'];
    const tools = openTools(
      { broken: { command: process.execPath, args }, good: { ...config, allowedTools: ['echo', 'crash'] } },
      {
        onStateChange(change) {
          changes.push(change);
          throw new Error('of the host');
        },
        async onStderr() {
          throw new Error('of the host, later');
        },
      },
    );
    expect(await namesOf(tools)).toEqual(['echo', 'crash']);
    const of = (name: string) => changes.filter(({ server }) => server === name);
    expect(of('broken')).toMatchObject([
      { state: 'connecting' },
      { state: 'failed', error: { code: 'mcp-start', message: expect.stringContaining('no licence') } },
    ]);
    const crash = { toolCallId: 'call_1', toolName: 'crash', input: {} };
    await tools.callTool(crash, { signal: new AbortController().signal });
    await until(async () => of('good').some(({ state }) => state === 'idle'));
    expect(await namesOf(tools)).toEqual(['echo', 'crash']);
    await until(async () => of('good').length === 5);
    expect(of('good').map(({ state }) => state)).toEqual([
      ...['connecting', 'ready', 'idle'],
      ...['connecting', 'ready'],
    ]);
  });
});

it('names the folder of npx that an interrupted installation has damaged', async () => {
  const folder = await temporaryFolder();
  const program = path.join(folder, 'npx');
  const damaged = '/home/user/.npm/_npx/0123abcd';
  const text = `Error: Cannot find module '${damaged}/node_modules/zod/index.js'`;
  await writeFile(program, `#!/bin/sh\necho "${text}" >&2\nexit 1\n`);
  await chmod(program, 0o755);
  const config: McpServerConfig = { command: program, args: ['-y', 'some-server'] };
  const { warnings } = await openTools({ files: config }).listTools();
  expect(warnings).toEqual([expect.stringContaining(`damaged "${damaged}": delete this folder`)]);
});
