import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createClient } from '@redis/client';
import { findFreePort } from '../../_free-port.js';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

export interface RedisServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Attempts at a start. Another process may take a free port before the server listens on it. */
const ATTEMPTS = 3;

/** Starts Redis on a free local port, without writing to disk, and resolves when it answers a command. */
export async function startRedis(): Promise<RedisServer> {
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    const url = `redis://127.0.0.1:${port}`;
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] });
    const exit = once(server, 'exit');
    try {
      await untilReady(server);
      const client = createClient({ url });
      await client.connect();
      await client.ping();
      client.destroy();
    } catch (error) {
      server.kill();
      await exit;
      if (attempt < ATTEMPTS) continue;
      throw error;
    }
    return {
      url,
      async stop() {
        server.kill();
        await exit;
      },
    };
  }
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
