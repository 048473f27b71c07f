import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { findFreePort } from '../../_free-port.js';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

export interface RedisServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts Redis on a free local port, without writing to disk. */
export async function startRedis(): Promise<RedisServer> {
  const port = await findFreePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] });
  await untilReady(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const exit = once(server, 'exit');
      server.kill();
      await exit;
    },
  };
}

async function untilReady(server: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  let log = '';
  for await (const chunk of server.stdout.iterator({ destroyOnReturn: false })) {
    log += chunk;
    if (!log.includes('Ready to accept connections')) continue;
    server.stdout.resume();
    return;
  }
  throw new Error(`Expected redis-server to start, got: ${log}`);
}
