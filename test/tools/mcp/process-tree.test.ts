import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { fixtureServer, isAlive, startedPid, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';

const script = fileURLToPath(new URL('_forgetful-script.ts', import.meta.url));
const signalledScript = fileURLToPath(new URL('_signalled-script.ts', import.meta.url));

async function runScript(config: McpServerConfig): Promise<{ output: string; exitCode: number | null }> {
  const host = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
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

describe.skipIf(process.platform === 'win32')('a script that is ended by a signal', () => {
  /** Sends the signal after the first call of the server. */
  async function runSignalled(signal: NodeJS.Signals, mode: 'plain' | 'own' | 'last', server = 'stubborn') {
    const { config, journal } = await fixtureServer(server);
    const host = spawn(process.execPath, ['--import', 'tsx', signalledScript, JSON.stringify(config), mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
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
});
