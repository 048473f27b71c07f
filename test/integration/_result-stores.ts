import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import KeyvRedis from '@keyv/redis';
import Keyv from 'keyv';
import type { ToolResultStore } from '../../src/index.js';
import { findFreePort } from '../_free-port.js';

/** Opens the store at a location: a `redis://…` URL or a folder. Every process of a test opens its own. */
export function openStore(location: string): ToolResultStore & { close(): Promise<void> } {
  if (!location.startsWith('redis:')) return openFolder(location);
  const keyv = new Keyv(new KeyvRedis(location), { namespace: 'tool-results', ttl: 60_000 });
  // A store is any object with `get` and `set`, such as a Keyv.
  return Object.assign(keyv satisfies ToolResultStore, { close: () => keyv.disconnect() });
}

/** A minimal store: one file per key. */
function openFolder(folder: string): ToolResultStore & { close(): Promise<void> } {
  const fileOf = (key: string): string => path.join(folder, `${encodeURIComponent(key)}.json`);
  return {
    get(key) {
      try {
        return JSON.parse(readFileSync(fileOf(key), 'utf8'));
      } catch {
        return undefined;
      }
    },
    set: (key, value) => writeFileSync(fileOf(key), JSON.stringify(value)),
    close: async () => {},
  };
}

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
