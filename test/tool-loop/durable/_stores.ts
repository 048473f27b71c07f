import path from 'node:path';
import { createClient } from '@redis/client';
import { Pool } from 'pg';
import { afterAll, onTestFinished } from 'vitest';
import {
  createPostgresStore,
  createRedisStore,
  createSqliteStore,
  type JournalStore,
} from '../../../src/tool-loop/durable/index.js';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';
import { missingPostgres, type Postgres, startPostgres } from '../../durable-turns/_postgres.js';
import { hasRedis, startRedis } from './_redis-server.js';

/** A store at a location that several processes can open. */
export interface StoreKind {
  readonly name: string;
  readonly isAvailable: boolean;
  /** Creates an empty location, until the test ends. */
  locate(): Promise<string>;
}

/**
 * Returns the stores for one test file, which share a server of PostgreSQL until the file ends. Files of a worker share this
 * module, so each file registers its own end.
 */
export function listStores(): readonly StoreKind[] {
  let postgres: Promise<Postgres> | undefined;
  afterAll(async () => (await postgres)?.stop());
  return [
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
    {
      name: 'PostgreSQL',
      isAvailable: missingPostgres === undefined,
      async locate() {
        postgres ??= startPostgres();
        const url = new URL((await postgres).url);
        url.pathname = '/postgres';
        const pool = new Pool({ connectionString: url.href });
        const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
        await pool.query(`create database ${name}`);
        await pool.end();
        url.pathname = `/${name}`;
        return url.href;
      },
    },
  ];
}

if (!hasRedis)
  process.stderr.write('Skipping the journal tests over Redis: `redis-server` is not on the PATH.\n');

if (missingPostgres !== undefined)
  process.stderr.write(`Skipping the journal tests over PostgreSQL: ${missingPostgres}.\n`);

/** Opens the store at a location: a `redis://…` or `postgres://…` URL, or a file. Every process of a test opens its own. */
export async function openStore(location: string): Promise<{ store: JournalStore; close(): Promise<void> }> {
  if (location.startsWith('postgres:')) {
    const pool = new Pool({ connectionString: location });
    return { store: createPostgresStore({ pool }), close: () => pool.end() };
  }
  if (!location.startsWith('redis:')) {
    const store = createSqliteStore({ path: location });
    return { store, close: () => store.close() };
  }
  const client = createClient({ url: location });
  await client.connect();
  return { store: createRedisStore({ client }), close: async () => void (await client.close()) };
}
