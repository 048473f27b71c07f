import { KelivoError } from '../../shared/errors.js';
import type { JournalStore } from './store.js';

/** Options of a SQLite store. */
export interface SqliteStoreOptions {
  /** Path of the database file. It is created if it does not exist. All processes of the turns must be on one machine. */
  path: string;
}

/** A journal store in a SQLite file. */
export interface SqliteStore extends JournalStore {
  /** Closes the file. */
  close(): Promise<void>;
}

/** The part that `node:sqlite` and `better-sqlite3` have in common. */
interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

interface Statement {
  run(...values: (string | number)[]): { changes: number | bigint };
  get(...values: (string | number)[]): unknown;
}

/**
 * Creates a journal store in a SQLite file, for processes on one machine. It uses `node:sqlite`, which Node has from 22.13
 * on, or else the package `better-sqlite3`. Records are durable when a write returns, also after a loss of power. The file
 * is opened on first use.
 *
 * @throws KelivoError with code `missing-package` on first use, if neither is available.
 */
export function createSqliteStore({ path }: SqliteStoreOptions): SqliteStore {
  let opening: Promise<ReturnType<typeof openTables>> | undefined;
  const tables = async (): Promise<ReturnType<typeof openTables>> => {
    opening ??= openDatabase(path).then(openTables);
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  return {
    read: async (turn, step) => (await tables()).read(turn, step),
    write: async (turn, step, record, options) => (await tables()).write(turn, step, record, options),
    claim: async (turn, owner, options) => (await tables()).claim(turn, owner, options),
    release: async (turn, owner) => (await tables()).release(turn, owner),
    async close() {
      const closing = opening;
      opening = undefined;
      (await closing)?.close();
    },
  };
}

/** A `WAL` file lets readers and one writer work together. `FULL` syncs it to the disk at each write. */
const SCHEMA = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma busy_timeout = 5000;
  create table if not exists kelivo_claims (turn text primary key, owner text not null, until integer not null);
  create table if not exists kelivo_records (
    turn text not null, step text not null, record text not null, expires_at integer not null,
    primary key (turn, step)
  ) without rowid;
  create index if not exists kelivo_records_by_time on kelivo_records (expires_at);
`;

function openTables(database: Database) {
  database.exec(SCHEMA);
  const statements = {
    read: database.prepare(
      'select record from kelivo_records where turn = ? and step = ? and expires_at > ?',
    ),
    owned: database.prepare('select 1 from kelivo_claims where turn = ? and owner = ? and until > ?'),
    expire: database.prepare('delete from kelivo_records where expires_at <= ?'),
    write: database.prepare(
      'insert into kelivo_records (turn, step, record, expires_at) values (?, ?, ?, ?) on conflict do nothing',
    ),
    claim: database.prepare(
      'insert into kelivo_claims (turn, owner, until) values (?, ?, ?) on conflict (turn) do update ' +
        'set owner = excluded.owner, until = excluded.until ' +
        'where kelivo_claims.owner = excluded.owner or kelivo_claims.until <= ?',
    ),
    release: database.prepare('delete from kelivo_claims where turn = ? and owner = ?'),
    expireClaims: database.prepare('delete from kelivo_claims where until <= ?'),
  };

  /** Takes the lock for writing at once, so that nothing changes between a check and a write. */
  function inTransaction<Result>(run: () => Result): Result {
    database.exec('begin immediate');
    try {
      const result = run();
      database.exec('commit');
      return result;
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  }

  return {
    read(turn: string, step: string): string | undefined {
      const row = statements.read.get(turn, step, Date.now()) as { record: string } | undefined;
      return row?.record;
    },
    write(
      ...[turn, step, record, { owner, expiresAt }]: Parameters<JournalStore['write']>
    ): 'written' | 'exists' | 'lost' {
      return inTransaction(() => {
        const now = Date.now();
        if (statements.owned.get(turn, owner, now) === undefined) return 'lost';
        statements.expire.run(now);
        const { changes } = statements.write.run(turn, step, record, expiresAt);
        return Number(changes) === 1 ? 'written' : 'exists';
      });
    },
    claim(turn: string, owner: string, { lease }: { lease: number }): boolean {
      return inTransaction(() => {
        const now = Date.now();
        const { changes } = statements.claim.run(turn, owner, now + lease, now);
        statements.expireClaims.run(now);
        return Number(changes) === 1;
      });
    },
    release: (turn: string, owner: string): void => void statements.release.run(turn, owner),
    close: () => database.close(),
  };
}

async function openDatabase(path: string): Promise<Database> {
  for (const prepare of [openBuiltIn, openBetterSqlite]) {
    const open = await prepare().catch(() => undefined);
    if (open !== undefined) return open(path);
  }
  throw new KelivoError({
    code: 'missing-package',
    message:
      'Expected `node:sqlite` or the package `better-sqlite3` for the SQLite journal, got neither. ' +
      'Use Node 22.13 or later, or install `better-sqlite3`.',
  });
}

type OpenDatabase = (path: string) => Database;

async function openBuiltIn(): Promise<OpenDatabase> {
  const { DatabaseSync } = await load<{ DatabaseSync: new (path: string) => Database }>('node:sqlite');
  return path => new DatabaseSync(path);
}

async function openBetterSqlite(): Promise<OpenDatabase> {
  const { default: Constructor } = await load<{ default: new (path: string) => Database }>('better-sqlite3');
  return path => new Constructor(path);
}

/** Imports a module that may be missing. The name is a parameter, so that bundlers do not resolve it. */
const load = async <Module>(name: string): Promise<Module> =>
  (await import(/* @vite-ignore */ name)) as Module;
