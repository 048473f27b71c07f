import type * as FileSystem from 'node:fs/promises';
import type * as Path from 'node:path';
import { KelivoError } from '../../shared/errors.js';
import { createTables, type Database, SCHEMA } from './sqlite-tables.js';

/* The database of the SQLite store. It runs in a worker, or in the thread of the application. */

/** Operations of the store, without promises. */
type Tables = ReturnType<typeof createTables>;

export type OperationName = keyof Tables;

/** One operation with its parameters, which can be sent to a worker. */
export interface Operation {
  readonly name: OperationName;
  readonly parameters: readonly unknown[];
}

/** The result of an operation, or its error. */
export type Outcome<Failure = unknown> = { readonly value: unknown } | { readonly error: Failure };

/** An error as a message, which keeps no class. */
interface Failure {
  readonly message: string;
  readonly code: unknown;
}

/** The answer of a worker to a group of operations: their outcomes, or the error because of which none of them ran. */
export interface WorkerAnswer {
  readonly outcomes?: readonly Outcome<Failure>[];
  readonly failure?: Failure;
}

export const toFailure = (error: unknown): Failure => ({
  message: error instanceof Error ? error.message : String(error),
  code: (error as { code?: unknown } | undefined)?.code,
});

export const fromFailure = ({ message, code }: Failure): Error =>
  code === 'missing-package'
    ? new KelivoError({ code, message })
    : Object.assign(new Error(message), { code });

const READS: ReadonlySet<OperationName> = new Set(['read', 'get', 'list', 'records']);

/** Time in milliseconds for which a group of operations tries to get the lock of the file. */
const LOCK_TIMEOUT = 5000;

/**
 * Runs groups of operations, each group in one transaction. An operation that fails in a group fails alone. The file is
 * opened on first use.
 *
 * @param busyTimeout Time in milliseconds for which one attempt blocks the thread while the file is locked.
 */
export function createSqliteRunner(path: string, { busyTimeout }: { busyTimeout: number }) {
  let opened: { readonly database: Database; readonly tables: Tables } | undefined;

  const open = async () => {
    if (opened !== undefined) return opened;
    const database = await openFile(path);
    try {
      // Without the timeout, the other statements fail while another process opens the file.
      database.exec(`pragma busy_timeout = ${busyTimeout}`);
      database.exec(SCHEMA);
    } catch (error) {
      database.close();
      throw error;
    }
    opened = { database, tables: createTables(database) };
    return opened;
  };

  /** Takes the lock for writing at once, so that nothing changes between a check and a write. */
  function inTransaction<Result>(database: Database, run: () => Result): Result {
    database.exec('begin immediate');
    try {
      const result = run();
      database.exec('commit');
      return result;
    } catch (error) {
      try {
        database.exec('rollback');
      } catch {
        // A full disk has rolled the transaction back.
      }
      throw error;
    }
  }

  async function runGroup(group: readonly Operation[]): Promise<Outcome[]> {
    const { database, tables } = await open();
    const runOne = ({ name, parameters }: Operation): Outcome => ({
      value: (tables[name] as (...values: readonly unknown[]) => unknown)(...parameters),
    });
    const outcomes: Outcome[] = [];
    const changed = new Set<unknown>();
    const writes = [...group.entries()].filter(([index, operation]) => {
      const [turn] = operation.parameters;
      const isFree = READS.has(operation.name) && (changed.size === 0 || !changed.has(turn));
      if (isFree) outcomes[index] = runOne(operation);
      else changed.add(turn);
      return !isFree;
    });
    if (writes.length === 0) return outcomes;
    try {
      inTransaction(database, () => {
        for (const [index, operation] of writes) outcomes[index] = runOne(operation);
      });
    } catch (error) {
      if (isLocked(error)) throw error;
      // One of them fails. Nothing was written, so each of them can run alone.
      for (const [index, operation] of writes)
        outcomes[index] = await attempt(() => inTransaction(database, () => runOne(operation)));
    }
    // Deleted text is also in the log, until it is truncated.
    if (group.some(({ name }) => name === 'delete' || name === 'prune'))
      database.exec('pragma wal_checkpoint(truncate)');
    return outcomes;
  }

  return {
    /** Runs operations in their order. Rejects if none of them could run. */
    run: (group: readonly Operation[]): Promise<Outcome[]> => whileLocked(() => runGroup(group)),
    close(): void {
      opened?.database.close();
      opened = undefined;
    },
  };
}

async function attempt(run: () => Outcome): Promise<Outcome> {
  return whileLocked(async () => run()).catch((error: unknown) => ({ error }));
}

/** Repeats what fails because another process has locked the file. */
async function whileLocked<Result>(run: () => Promise<Result>): Promise<Result> {
  const end = Date.now() + LOCK_TIMEOUT;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || Date.now() > end) throw error;
      // Random, so that processes do not meet again.
      await new Promise(resolve => setTimeout(resolve, 2 + 20 * Math.random()));
    }
  }
}

/** `better-sqlite3` names the error in `code`, `node:sqlite` numbers it in `errcode`: 5 is busy, 6 is locked. */
function isLocked(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return /^SQLITE_(?:BUSY|LOCKED)/.test(String(code)) || [5, 6].includes(Number(errcode) & 0xff);
}

/** Creates the file for its owner alone, whose mode SQLite also gives to its log. An existing file keeps its mode. */
async function openFile(path: string): Promise<Database> {
  const open = await loadDriver();
  if (!path.startsWith(':') && !path.startsWith('file:') && path !== '') {
    const [{ mkdir, open: create }, { dirname }] = await Promise.all([
      load<typeof FileSystem>('node:fs/promises'),
      load<typeof Path>('node:path'),
    ]);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await create(path, 'wx', 0o600).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    });
    await file?.close();
  }
  return open(path);
}

async function loadDriver(): Promise<OpenDatabase> {
  for (const prepare of [openBuiltIn, openBetterSqlite]) {
    const open = await prepare().catch(() => undefined);
    if (open !== undefined) return open;
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
export const load = async <Module>(name: string): Promise<Module> =>
  (await import(/* @vite-ignore */ name)) as Module;
