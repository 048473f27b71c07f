import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../../_free-port.js';
import { makeFolder } from './_playground.js';

const tsx = createRequire(import.meta.url).resolve('tsx');
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs what `npm start -- …` runs, until it says something. */
async function start(args: readonly string[]) {
  const folder = await makeFolder();
  const child = spawn(
    process.execPath,
    ['--import', tsx, 'playground/server/main.ts', '--data', folder, ...args],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let output = '';
  const said = new Promise<string>(resolve => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output += piece;
        if (/^(The playground|error|Serves).*\n/m.test(output)) resolve(output);
      });
    }
  });
  return { child, said: await said, exited };
}

it('says where the playground is, answers there, and ends with a signal', async () => {
  const port = await findFreePort();
  const { child, said, exited } = await start(['--port', String(port)]);
  const { status } = await fetch(`http://127.0.0.1:${port}/api/state`);
  child.kill('SIGTERM');

  expect(said).toContain(`The playground is at http://127.0.0.1:${port}`);
  expect(status).toBe(200);
  expect(await exited).toEqual([0, null]);
});

it('says in one line that a port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    const { said, exited } = await start(['--port', String(port)]);

    expect(said).toMatch(new RegExp(`^error: Port ${port} is taken\\. Choose another with --port.*$`, 'm'));
    expect(await exited).toEqual([1, null]);
  } finally {
    other.close();
  }
});

it.each(['0', '70000', 'abc'])('refuses %s as a port', async port => {
  const { said } = await start(['--port', port]);

  expect(said).toContain(`error: Expected --port to be a number from 1 to 65535, got "${port}".`);
});
