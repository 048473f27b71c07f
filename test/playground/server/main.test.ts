import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../../_free-port.js';
import type { ServersResponse } from '../../../playground/shared/playground-state.js';
import { everythingOverStdio } from '../../tools/mcp/_everything-server.js';
import { findCode, makeFolder, toAuthorization } from './_playground.js';

const tsx = createRequire(import.meta.url).resolve('tsx');
const root = fileURLToPath(new URL('../../..', import.meta.url));

// `npm start` and the browser tests build the page that the server serves.
beforeAll(() => {
  if (existsSync(`${root}playground/web/dist/index.html`)) return;
  execFileSync('npm', ['run', '--silent', 'build:page'], { cwd: root, stdio: 'inherit' });
});

/** Runs the program of `npm start -- …`, with a closed standard input, until it prints its first message. */
async function start(args: readonly string[]) {
  const folder = await makeFolder();
  const child = spawn(
    'sh',
    [
      ...['-c', 'exec "$@" <&-', 'sh'],
      ...[process.execPath, '--import', tsx, 'playground/server/main.ts', '--data', folder, ...args],
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let printed = '';
  const output = new Promise<string>(resolve => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
        if (/^(OTEL_EXPORTER_OTLP_ENDPOINT|error|Serves).*\n/m.test(printed)) resolve(printed);
      });
    }
  });
  return { child, output: await output, exited, printed: () => printed };
}

it('prints its URL, serves it, and stops on a signal', async () => {
  const port = await findFreePort();
  const { child, output, exited } = await start(['--port', String(port)]);
  const [url = ''] = /http:\S+/.exec(output) ?? [];
  const bare = await fetch(`http://127.0.0.1:${port}/api/state`);
  const headers = { authorization: toAuthorization(url) };
  const { status } = await fetch(`http://127.0.0.1:${port}/api/state`, { headers });
  child.kill('SIGTERM');

  expect(output).toContain(`The playground runs at http://127.0.0.1:${port}/#token=`);
  expect(output).toMatch(new RegExp(`^KELIVO_PLAYGROUND_URL=http://127.0.0.1:${port}/send/\\S+$`, 'm'));
  expect(bare.status).toBe(401);
  expect(status).toBe(200);
  expect(await exited).toEqual([0, null]);
});

it('adds the server of its command line, prints whether it connects, and opens it without a code', async () => {
  const { command, args = [] } = everythingOverStdio();
  const { output, printed } = await start(['--port', String(await findFreePort()), command, ...args]);
  const url = new URL(/http:\S+/.exec(output)?.[0] ?? '');
  const path = '/servers/everything-2/tools';
  const headers = { authorization: toAuthorization(url.href) };
  await expect.poll(printed).toMatch(/^MCP server "everything-2": connected in [\d.]+ s, \d+ tools$/m);
  const servers = (await (await fetch(`${url.origin}/api/servers`, { headers })).json()) as ServersResponse;

  expect(url.pathname).toBe(path);
  // The servers connect in any order.
  await expect.poll(printed).toMatch(/^MCP server "everything": connected in /m);
  expect(printed()).not.toContain('Confirmation code');
  expect(servers.servers.find(({ name }) => name === 'everything-2')).toMatchObject({ state: 'ready' });
  expect((await fetch(url.origin + path)).status).toBe(200);
});

it('says why the server of its command line does not connect', async () => {
  const { printed } = await start(['--port', String(await findFreePort()), 'http://127.0.0.1:9/mcp']);

  await expect
    .poll(printed)
    .toMatch(/^MCP server "server": not connected after [\d.]+ s\. .*could not be reached at http:/m);
});

it('prints the code that confirms a program, with a closed standard input', async () => {
  const { output, printed } = await start(['--port', String(await findFreePort())]);
  const { origin, hash } = new URL(/http:\S+/.exec(output)?.[0] ?? '');
  const headers = {
    ...{ origin, 'content-type': 'application/json' },
    authorization: toAuthorization(origin + hash),
  };
  const save = async (code?: string): Promise<unknown> => {
    const config = JSON.stringify({ mcpServers: { tool: { command: 'program', disabled: true } } });
    const body = JSON.stringify({ config, code });
    return (await fetch(`${origin}/api/servers`, { method: 'PUT', headers, body })).json();
  };

  expect(await save()).toHaveProperty('needsConfirmation');
  await expect.poll(() => findCode(printed())).not.toBe('');
  expect(await save(findCode(printed()))).toMatchObject({ servers: [{ name: 'tool' }] });
});

it('reports a port that is in use in one line', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    const { output, exited } = await start(['--port', String(port)]);

    expect(output).toMatch(
      new RegExp(`^error: Port ${port} is in use\\. Choose another port with --port.*$`, 'm'),
    );
    expect(await exited).toEqual([1, null]);
  } finally {
    other.close();
  }
});

it.each(['0', '70000', 'abc'])('rejects %s as a port', async port => {
  const { output } = await start(['--port', port]);

  expect(output).toContain(`error: Expected --port to be a number from 1 to 65535, got "${port}".`);
});
