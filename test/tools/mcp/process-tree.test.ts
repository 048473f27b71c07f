import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { bundleScript } from '../../_bundled-script.js';
import { fixtureServer, isAlive, openTools, startedPid, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';
import { startModernServer, toList, toText, toTool } from './_modern-server.js';

const forgetfulScript = new URL('_forgetful-script.ts', import.meta.url);
const countingScript = new URL('_counting-script.ts', import.meta.url);
const signalledScript = new URL('_signalled-script.ts', import.meta.url);

async function runScript(
  config: McpServerConfig,
  script = forgetfulScript,
): Promise<{ output: string; exitCode: number | null }> {
  const host = spawn(process.execPath, [await bundleScript(script), JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 240_000,
  });
  const [output, [exitCode]] = await Promise.all([text(host.stdout), once(host, 'exit')]);
  return { output, exitCode };
}

it.each(['plain', 'stubborn'])('lets a script without `close()` end, and a %s server with it', async mode => {
  const { config, journal } = await fixtureServer(mode);
  expect(await runScript(config)).toEqual({ output: 'echo from a script\n', exitCode: 0 });
  const pid = await startedPid(journal);
  await until(async () => !(await isAlive(pid)));
});

it('lets a script end that does not close its HTTP connection', async () => {
  const { url } = await startHttpServer();
  expect(await runScript({ url, type: 'http' })).toEqual({ output: 'echo\n', exitCode: 0 });
});

it('lets a script end that does not close its connections of revision 2026-07-28', async () => {
  const { url } = await startModernServer({
    'tools/list': () => toList([toTool('echo')], { ttlMs: 60_000 }),
    'tools/call': () => toText('echo'),
  });
  expect(await runScript({ url, type: 'http' })).toEqual({ output: 'echo\n', exitCode: 0 });
  const growing = fileURLToPath(new URL('_growing-server.mjs', import.meta.url));
  const listening = { command: process.execPath, args: [growing, 'v2'] };
  expect(await runScript(listening)).toMatchObject({ output: expect.stringContaining('echo'), exitCode: 0 });
});

describe.skipIf(process.platform === 'win32')('a script that is ended by a signal', () => {
  /** Sends the signal after the first call of the server. */
  async function runSignalled(signal: NodeJS.Signals, mode: 'plain' | 'own' | 'last', server = 'stubborn') {
    const { config, journal } = await fixtureServer(server);
    const host = spawn(
      process.execPath,
      [await bundleScript(signalledScript), JSON.stringify(config), mode],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: 240_000,
        killSignal: 'SIGKILL',
      },
    );
    const exit = once(host, 'exit');
    host.stdout.once('data', () => host.kill(signal));
    const output = await text(host.stdout);
    const [exitCode, signalCode] = await exit;
    return { output, exitCode, signalCode, pid: await startedPid(journal) };
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends its server at %s and exits with the default status',
    async signal => {
      const { output, exitCode, signalCode, pid } = await runSignalled(signal, 'plain');
      expect({ output, exitCode, signalCode }).toEqual({
        output: 'echo before the signal\n',
        exitCode: null,
        signalCode: signal,
      });
      await until(async () => !(await isAlive(pid)));
    },
  );

  it('keeps its server while its own listener runs', async () => {
    const { output, exitCode, pid } = await runSignalled('SIGTERM', 'own');
    expect(output).toBe('echo before the signal\necho after the signal\n');
    expect(exitCode).toBe(3);
    await until(async () => !(await isAlive(pid)));
  });

  it('ends even if another listener ends the process only as the last one', async () => {
    const { signalCode, pid } = await runSignalled('SIGTERM', 'last', 'plain');
    expect(signalCode).toBe('SIGTERM');
    await until(async () => !(await isAlive(pid)));
  });

  it.each([
    ['SIGTERM', 'grandchild', 'SIGTERM'],
    ['SIGINT', 'grandchild', 'SIGINT'],
    ['SIGHUP', 'grandchild', 'SIGHUP'],
    ['SIGKILL', 'grandchild', 'SIGKILL'],
    ['an uncaught exception', 'throw', 1],
    ['`process.exit`', 'exit', 7],
  ] as const)(
    'leaves no server that ignores SIGTERM and no grandchild after %s',
    async (_cause, mode, status) => {
      const { config, journal } = await fixtureServer('immortal');
      const command = [await bundleScript(signalledScript), JSON.stringify(config), mode];
      const host = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] });
      onTestFinished(() => void host.kill('SIGKILL'));
      const exit = once(host, 'exit');
      const [grandchild] = await once(host.stdout, 'data');
      if (typeof status === 'string') host.kill(status);
      const [exitCode, signalCode] = await exit;
      expect(exitCode ?? signalCode).toBe(status);
      const pids = [await startedPid(journal), Number(grandchild)];
      expect(pids).toEqual([expect.any(Number), expect.any(Number)]);
      for (const pid of pids) await until(async () => !(await isAlive(pid)));
    },
  );
});

it.skipIf(process.platform === 'win32')('leaves no process after the last server has ended', async () => {
  const { config, journal } = await fixtureServer();
  // 2: the server and its watchdog
  expect(await runScript(config, countingScript)).toEqual({ output: '2\n0\n', exitCode: 0 });
  expect(await isAlive(await startedPid(journal))).toBe(false);
});

describe.skipIf(process.platform !== 'linux')('a process in a session of its own', () => {
  const daemon = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;
  /** Starts a process in a session of its own, directly or through another one, before it answers. */
  const script = (depth: number) => `
    const { spawn } = require('node:child_process');
    const { writeFileSync } = require('node:fs');
    const [, file] = process.argv;
    const daemon = ${JSON.stringify(daemon)};
    const inner = depth => depth === 0 ? daemon : \`
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', \${JSON.stringify(inner(depth - 1))}], { detached: true, stdio: 'ignore' });
      require('node:fs').writeFileSync(\${JSON.stringify(file)}, String(child.pid));
      setInterval(() => {}, 1000);\`;
    const child = spawn(process.execPath, ['-e', inner(${depth})], { detached: true, stdio: 'ignore' });
    if (${depth} === 0) writeFileSync(file, String(child.pid));
    require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const answers = {
        initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
        'tools/list': () => ({ tools: [{ name: 'a', inputSchema: {} }] }),
      };
      const answer = answers[method]?.();
      console.log(JSON.stringify(answer ? { jsonrpc: '2.0', id, result: answer } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
    });`;

  it.each([0, 1])('ends with its server at `close()`, %i levels deep', async depth => {
    const folder = await mkdtemp(path.join(tmpdir(), 'own-session-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'pid');
    const tools = openTools({ s: { command: process.execPath, args: ['-e', script(depth), file] } });
    await tools.listTools();
    const readPid = async () => Number(await readFile(file, 'utf8').catch(() => ''));
    await until(async () => (await readPid()) > 0);
    const pid = await readPid();
    expect(await isAlive(pid)).toBe(true);
    await tools.close();
    await until(async () => !(await isAlive(pid)));
  });
});
