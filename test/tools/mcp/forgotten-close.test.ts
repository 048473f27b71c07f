import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { fixtureServer, isAlive, startedPid, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';

const script = fileURLToPath(new URL('_forgetful-script.ts', import.meta.url));

async function runScript(config: McpServerConfig): Promise<{ output: string; exitCode: number | null }> {
  const host = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 10_000,
  });
  const [output, [exitCode]] = await Promise.all([text(host.stdout), once(host, 'exit')]);
  return { output, exitCode };
}

it.each(['plain', 'stubborn'])(
  'lets a script end that does not close, and a %s server with it',
  async mode => {
    const { config, journal } = await fixtureServer(mode);
    expect(await runScript(config)).toEqual({ output: 'echo from a script\n', exitCode: 0 });
    const pid = await startedPid(journal);
    await until(async () => !(await isAlive(pid)));
  },
);

it('lets a script end that does not close its HTTP connection', async () => {
  const { url } = await startHttpServer();
  expect(await runScript({ url, type: 'http' })).toEqual({ output: 'echo\n', exitCode: 0 });
});
