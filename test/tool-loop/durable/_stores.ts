import path from 'node:path';
import { createClient } from '@redis/client';
import { onTestFinished } from 'vitest';
import {
  createRedisStore,
  createSqliteStore,
  type JournalStore,
} from '../../../src/tool-loop/durable/index.js';
import { temporaryFolder } from '../../mcp/_fixture-server.js';
import { hasRedis, startRedis } from './_redis-server.js';

/** A store at a location that several processes can open. */
export interface StoreKind {
  readonly name: string;
  readonly isAvailable: boolean;
  /** Creates an empty location, until the test ends. */
  locate(): Promise<string>;
}

export const storeKinds: readonly StoreKind[] = [
  {
    name: 'SQLite',
    isAvailable: true,
    locate: async () => path.join(await temporaryFolder(), 'journal.db'),
  },
  {
    name: 'Redis',
    isAvailable: hasRedis,
    async locate() {
      const redis = await startRedis();
      onTestFinished(() => redis.stop());
      return redis.url;
    },
  },
];

if (!hasRedis)
  process.stderr.write('Skipping the journal tests over Redis: `redis-server` is not on the PATH.\n');

/** Opens the store at a location: a `redis://…` URL or a file. Every process of a test opens its own. */
export async function openStore(location: string): Promise<{ store: JournalStore; close(): Promise<void> }> {
  if (!location.startsWith('redis:')) {
    const store = createSqliteStore({ path: location });
    return { store, close: () => store.close() };
  }
  const client = createClient({ url: location });
  await client.connect();
  return { store: createRedisStore({ client }), close: async () => void (await client.close()) };
}
