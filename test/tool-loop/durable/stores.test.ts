import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '@redis/client';
import Database from 'libsql';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testJournalStore } from '../../../src/testing/index.js';
import {
  createPostgresStore,
  createRedisStore,
  createSqliteStore,
  type JournalStore,
  migratePostgresStore,
  type TurnIndex,
} from '../../../src/tool-loop/durable/index.js';
import { once } from '../../../src/core/shared/once.js';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';
import { listStores, openStore } from './_stores.js';

const lease = 60_000;
/** Suites that run at once on a busy machine take their time. */
const patient = { timeout: 300_000 };
const soon = () => Date.now() + 60_000;
const storeKinds = listStores();
const kindOf = (name: string) => storeKinds.find(kind => kind.name === name);

describe.each(storeKinds)('a $name store', ({ isAvailable, locate }) => {
  async function open(location?: string): Promise<JournalStore> {
    const { store, close } = await openStore(location ?? (await locate()));
    onTestFinished(close);
    return store;
  }

  it.runIf(isAvailable)('passes the suite of stores', async () => {
    const location = await locate();
    const { checks, failures } = await testJournalStore(async () => {
      const { store, close } = await openStore(location);
      return { ...store, close };
    }, patient);
    expect(failures).toEqual([]);
    expect(checks.length).toBeGreaterThan(25);
  });

  it.runIf(isAvailable)('keeps scopes apart that differ only in where they are joined', async () => {
    const store = await open();
    const turns = store.turns as TurnIndex;
    const scopes = ['a', 'a|b', 'a/b', 'a\0b', '', '"a","bc"'];
    for (const [index, scope] of scopes.entries()) {
      await store.claim(`t${index}`, 'a', { lease });
      const entry = { turnId: 'job', scope, state: 'open', details: '' } as const;
      await store.write(`t${index}`, 's', 'r', { owner: 'a', expiresAt: soon(), entry, begins: true });
    }
    for (const [index, scope] of scopes.entries()) {
      const listed = await turns.list({ scope, limit: 10 });
      expect(listed.map(({ turn }) => turn)).toEqual([`t${index}`]);
    }
    expect(await turns.list({ limit: 10 })).toHaveLength(scopes.length);
  });

  it.runIf(isAvailable)(
    'lets one of twelve processes claim a turn, and the next one after its release',
    async () => {
      const location = await locate();
      const stores = await Promise.all(Array.from({ length: 12 }, () => open(location)));
      const claims = await Promise.all(
        stores.map((store, index) => store.claim('t', `owner ${index}`, { lease })),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      const winner = claims.indexOf(true);
      const other = (winner + 1) % 12;
      await stores[winner]?.release('t', `owner ${winner}`);
      expect(await stores[other]?.claim('t', `owner ${other}`, { lease })).toBe(true);
    },
  );

  it.runIf(isAvailable)('returns the same records in another process', async () => {
    const location = await locate();
    const store = await open(location);
    await store.claim('t', 'a', { lease });
    await store.write('t', 's', 'record', { owner: 'a', expiresAt: soon() });
    expect(await (await open(location)).read('t', 's')).toBe('record');
  });
});

describe('a store that breaks its contract', () => {
  const turnsOf = ({ turns }: JournalStore): TurnIndex => turns as TurnIndex;

  /** Broken stores, by the checks that must reject them. */
  const broken: Record<string, (store: JournalStore) => Partial<JournalStore>> = {
    'write answers "written", "exists" or "lost"': store => ({
      write: async (...parameters) => ((await store.write(...parameters)) === 'written') as never,
    }),
    'claim answers true or false': store => ({
      claim: async (...parameters) => ((await store.claim(...parameters)) ? 'OK' : null) as never,
    }),
    'a claim excludes other owners': store => ({
      claim: async (...parameters) => (await store.claim(...parameters), true),
    }),
    'records stay': store => {
      let reads = 0;
      return { read: async (...key) => (reads++ > 100 ? undefined : store.read(...key)) };
    },
    'a write needs the claim': store => {
      const records = new Map<string, string>();
      return {
        read: async (turn, step) => records.get(`${turn} ${step}`),
        write: async (turn, step, record, options) => {
          const answer = await store.write(turn, step, record, options);
          records.set(`${turn} ${step}`, records.get(`${turn} ${step}`) ?? record);
          return answer;
        },
      };
    },
    'a record is not replaced': store => {
      const records = new Map<string, string>();
      return {
        read: async (turn, step) => records.get(`${turn} ${step}`),
        write: async (turn, step, record, options) => {
          const answer = await store.write(turn, step, record, options);
          if (answer !== 'lost') records.set(`${turn} ${step}`, record);
          return answer;
        },
      };
    },
    'a claim expires': store => ({
      claim: (turn, owner, options) => store.claim(turn, owner, { ...options, lease: 1e9 }),
    }),
    'an owner can renew its claim': store => {
      const claimed = new Set<string>();
      return {
        claim: async (turn, owner, options) =>
          !claimed.has(turn + owner) && (claimed.add(turn + owner), store.claim(turn, owner, options)),
      };
    },
    'release ends the claim of its owner alone': store => {
      const owners = new Map<string, string>();
      return {
        claim: async (turn, owner, options) => {
          const isClaimed = await store.claim(turn, owner, options);
          if (isClaimed) owners.set(turn, owner);
          return isClaimed;
        },
        release: turn => store.release(turn, owners.get(turn) ?? ''),
      };
    },
    'keys are neither cut nor folded': store => ({
      read: (turn, step) => store.read(turn, step.slice(0, 255).toLowerCase()),
      write: (turn, step, ...rest) => store.write(turn, step.slice(0, 255).toLowerCase(), ...rest),
    }),
    'a record with NUL is not changed': store => ({
      write: (turn, step, record, options) => store.write(turn, step, record.replaceAll('\0', ''), options),
    }),
    'a record with an unpaired surrogate is not changed': store => ({
      write: (turn, step, record, options) =>
        store.write(turn, step, Buffer.from(record).toString(), options),
    }),
    'one of 50 writes succeeds': store => ({
      write: async (turn, step, record, options) => {
        const known = await store.read(turn, step);
        const answer = await store.write(turn, step, record, options);
        return answer === 'exists' && known === undefined ? 'written' : answer;
      },
    }),
    'lists have the turns of a scope, the newest first, in pages': store => ({
      turns: {
        ...turnsOf(store),
        list: async query => (await turnsOf(store).list(query)).filter(({ state }) => state === 'open'),
      },
    }),
    'delete leaves nothing of a turn': store => ({
      turns: { ...turnsOf(store), delete: async (turn, { breaksClaim }) => breaksClaim || turn === '' },
    }),
  };

  // Each suite waits for claims to expire, so all run at once.
  const reports = once(() =>
    Object.fromEntries(
      Object.entries(broken).map(([name, toBroken]) => [
        name,
        testJournalStore(() => {
          const store = createSqliteStore({ path: ':memory:' });
          return { ...store, ...toBroken(store), close: () => store.close() };
        }, patient),
      ]),
    ),
  );

  it.each(Object.keys(broken))('is rejected by the suite: %s', async name => {
    const { failures = [] } = (await reports()[name]) ?? {};
    expect(failures.map(failure => failure.name)).toContain(name);
    expect(failures.every(({ message }) => message.startsWith('Expected '))).toBe(true);
  });

  it('is rejected if it hangs or throws', async () => {
    const store = createSqliteStore({ path: ':memory:' });
    onTestFinished(() => store.close());
    const hanging = () => ({ ...store, read: () => new Promise<never>(() => {}) });
    const { failures, checks } = await testJournalStore(hanging, { timeout: 100 });
    expect(failures.length).toBeGreaterThan(checks.length / 2);
    const throwing = await testJournalStore(() => Promise.reject(new Error('no connection')));
    expect(throwing.failures).toHaveLength(checks.length);
  });
});

const redis = kindOf('Redis');

describe('a Redis store', () => {
  it.runIf(redis?.isAvailable === true)('accepts clients with the method of `ioredis`', async () => {
    const client = createClient({ url: (await redis?.locate()) ?? '' });
    await client.connect();
    onTestFinished(async () => void (await client.close()));
    const call = async (command: string, ...values: string[]): Promise<unknown> =>
      client.sendCommand([command, ...values]);
    const store = createRedisStore({ client: { call }, prefix: 'app:' });
    expect(await store.claim('t', 'a', { lease })).toBe(true);
    expect(await store.write('t', 's', 'record', { owner: 'a', expiresAt: soon() })).toBe('written');
    expect(await store.read('t', 's')).toBe('record');
    expect(await client.hGet('app:{t}/records', 's')).toBe('record');
  });

  it.runIf(redis?.isAvailable === true).each([2, 3] as const)('lists turns over RESP%i', async RESP => {
    const client = createClient({ url: (await redis?.locate()) ?? '', RESP });
    await client.connect();
    onTestFinished(async () => void (await client.close()));
    const store = createRedisStore({ client });
    const entry = { turnId: 'job', scope: 'a', state: 'open', details: '' } as const;
    await store.claim('t', 'a', { lease });
    await store.write('t', 's', 'r', { owner: 'a', expiresAt: soon(), entry, begins: true });
    expect(await store.turns.list({ scope: 'a', limit: 10 })).toMatchObject([{ turn: 't', turnId: 'job' }]);
  });
});

describe('a SQLite store', () => {
  it('creates its folder and its files for their owner alone, and keeps the mode of a file', async () => {
    const folder = await temporaryFolder();
    const modeOf = async (name: string) => ((await stat(path.join(folder, name))).mode & 0o777).toString(8);
    const store = createSqliteStore({ path: path.join(folder, 'new', 'journal.db') });
    await store.claim('t', 'a', { lease });
    const names = await readdir(path.join(folder, 'new'));
    expect(names.sort()).toEqual(['journal.db', 'journal.db-shm', 'journal.db-wal']);
    for (const name of names) expect(await modeOf(`new/${name}`)).toBe('600');
    expect(await modeOf('new')).toBe('700');
    await store.close();
    await mkdir(path.join(folder, 'given'), { mode: 0o755 });
    await writeFile(path.join(folder, 'given/journal.db'), '', { mode: 0o640 });
    const given = createSqliteStore({ path: path.join(folder, 'given/journal.db') });
    await given.claim('t', 'a', { lease });
    expect(await modeOf('given/journal.db')).toBe('640');
    expect(await modeOf('given')).toBe('755');
    await given.close();
  });

  it('leaves no text of a deleted turn in its files', async () => {
    const folder = await temporaryFolder();
    const store = createSqliteStore({ path: path.join(folder, 'journal.db') });
    onTestFinished(() => store.close());
    await store.claim('t', 'a', { lease });
    for (let step = 0; step < 20; step++)
      await store.write('t', `s${step}`, `secret-text ${'x'.repeat(5000)}`, {
        owner: 'a',
        expiresAt: soon(),
      });
    const contents = async () => {
      const names = await readdir(folder);
      return (await Promise.all(names.map(name => readFile(path.join(folder, name), 'latin1')))).join('');
    };
    expect(await contents()).toContain('secret-text');
    expect(await store.turns.delete('t', { breaksClaim: true })).toBe(true);
    expect(await contents()).not.toContain('secret-text');
  });

  it('lists the turns of a version without entries', async () => {
    const file = path.join(await temporaryFolder(), 'journal.db');
    const database = new Database(file);
    database.exec(`create table kelivo_records (
      turn text not null, step text not null, record text not null, expires_at integer not null,
      primary key (turn, step)) without rowid`);
    const record = JSON.stringify({ format: 1, writer: 'w', value: { turnId: 'job-1' } });
    const insert = database.prepare('insert into kelivo_records values (?, ?, ?, ?)');
    insert.run('key', 'turn', record, soon());
    insert.run('other', 'turn', '{"format":1,', soon());
    database.close();
    const store = createSqliteStore({ path: file });
    onTestFinished(() => store.close());
    expect(await store.turns.list({ limit: 10 })).toMatchObject([
      { turn: 'key', turnId: 'job-1', scope: '', state: 'open' },
    ]);
  });
});

const postgres = kindOf('PostgreSQL');

describe('a PostgreSQL store', () => {
  it.runIf(postgres?.isAvailable === true)(
    'creates its tables once when ten processes begin together, or beforehand',
    async () => {
      const location = (await postgres?.locate()) ?? '';
      const pools = Array.from({ length: 10 }, () => new Pool({ connectionString: location }));
      onTestFinished(async () => void (await Promise.all(pools.map(pool => pool.end()))));
      const claims = await Promise.all(
        pools.map((pool, index) => createPostgresStore({ pool }).claim(`t${index}`, 'a', { lease })),
      );
      expect(claims).toEqual(Array.from({ length: 10 }, () => true));
      const other = new Pool({ connectionString: (await postgres?.locate()) ?? '' });
      onTestFinished(() => other.end());
      const store = createPostgresStore({ pool: other, migrates: false });
      await expect(store.claim('t', 'a', { lease })).rejects.toThrow('kelivo_claims');
      await migratePostgresStore({ pool: other });
      expect(await store.claim('t', 'a', { lease })).toBe(true);
    },
  );

  it.runIf(postgres?.isAvailable === true)(
    'uses one unnamed statement per operation, so that a pooler may change the connection',
    async () => {
      const pool = new Pool({ connectionString: (await postgres?.locate()) ?? '' });
      onTestFinished(() => pool.end());
      const statements: unknown[][] = [];
      const store = createPostgresStore({
        pool: {
          query: (...statement) => {
            statements.push(statement);
            return pool.query(...statement);
          },
        },
      });
      await store.claim('t', 'a', { lease });
      statements.length = 0;
      const entry = { turnId: 'id', scope: '', state: 'open', details: '' } as const;
      await store.write('t', 's', 'r', { owner: 'a', expiresAt: soon(), entry, begins: true });
      await store.read('t', 's');
      await store.claim('t', 'a', { lease, renews: true });
      await store.release('t', 'a');
      expect(statements).toHaveLength(4);
      for (const [sql] of statements)
        expect(sql).not.toMatch(/\b(?:begin|listen|prepare|set)\b(?! record| until| turn_id)/);
    },
  );
});
