import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { bundleScript } from '../_bundled-script.js';
import { fixtureServer } from '../tools/mcp/_fixture-server.js';

const script = new URL('_many-calls-script.ts', import.meta.url);

it('runs many calls of 20 servers at once without a warning of the runtime, and releases the signal', async () => {
  const servers = await Promise.all(Array.from({ length: 20 }, () => fixtureServer()));
  const config = Object.fromEntries(servers.map((server, index) => [`server${index}`, server.config]));
  const host = spawn(process.execPath, [await bundleScript(script), JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 540_000,
    killSignal: 'SIGKILL',
  });
  const [output, warnings] = await Promise.all([text(host.stdout), text(host.stderr), once(host, 'exit')]);
  expect(warnings).toBe('');
  expect(JSON.parse(output)).toEqual({ counts: Array.from({ length: 12 }, () => 64), listeners: 0 });
  const starts = await Promise.all(servers.map(server => server.journal()));
  expect(starts.filter(([first]) => first?.startsWith('start'))).toHaveLength(20);
});
