import { KelivoError } from '../../core/shared/errors.js';
import { repeat } from '../../core/shared/repeat.js';
import { VanishedStoreError } from './records.js';
import { type OpenDatabase, openFile, type SqliteDatabase } from './sqlite-driver.js';
import { createTables, SCHEMA } from './sqlite-tables.js';

/* The database of the SQLite store. It runs in a worker, or in the thread of the application. */

/** Operations of the store, without promises. */
type Tables = ReturnType<typeof createTables>;

export type OperationName = keyof Tables;

/** One operation with its parameters, which can be sent to a worker. */
export interface StoreOperation {
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

export function fromFailure({ message, code }: Failure): Error {
  if (code === 'missing-package') return new KelivoError({ code, message });
  if (code === VanishedStoreError.code) return new VanishedStoreError(message);
  return Object.assign(new Error(message), { code });
}

const READS: ReadonlySet<OperationName> = new Set(['read', 'get', 'list', 'records']);

/** Time in milliseconds for which a group of operations tries to get the lock of the file. */
const LOCK_TIMEOUT = 5000;

/** The open file. */
interface Opened {
  readonly database: SqliteDatabase;
  readonly tables: Tables;
  /** Throws if the file is no longer at its path. */
  checkFiles(): void;
}

/**
 * Runs groups of operations, each group in one transaction. An operation that fails in a group fails alone. The file is
 * opened on first use.
 *
 * @param busyTimeout Time in milliseconds for which one attempt blocks the thread while the file is locked.
 * @param open The driver of the application, instead of an installed one.
 */
export function createSqliteRunner(path: string, busyTimeout: number, open?: OpenDatabase) {
  let opened: Opened | undefined;

  async function openOnce(): Promise<Opened> {
    if (opened !== undefined) return opened;
    const { database, findFiles } = await openFile(path, open);
    try {
      // Without the timeout, the other statements fail while another process opens the file.
      database.exec(`pragma busy_timeout = ${busyTimeout}`);
      database.exec(SCHEMA);
      opened = { database, tables: createTables(database), checkFiles: findFiles() };
    } catch (error) {
      database.close();
      throw error;
    }
    return opened;
  }

  /** Takes the lock for writing at once, so that nothing changes between a check and a write. */
  function inTransaction<Result>({ database, checkFiles }: Opened, run: () => Result): Result {
    database.exec('begin immediate');
    try {
      const result = run();
      checkFiles();
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

  async function runGroup(group: readonly StoreOperation[]): Promise<Outcome[]> {
    const file = await openOnce();
    const { database, tables } = file;
    file.checkFiles();
    const runOne = (operation: StoreOperation): Outcome => ({
      value: (tables[operation.name] as (...values: readonly unknown[]) => unknown)(...operation.parameters),
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
      inTransaction(file, () => {
        for (const [index, operation] of writes) outcomes[index] = runOne(operation);
      });
    } catch (error) {
      if (isLocked(error) || error instanceof VanishedStoreError) throw error;
      // One of them fails. Nothing was written, so each of them can run alone.
      for (const [index, operation] of writes)
        outcomes[index] = await attempt(() => inTransaction(file, () => runOne(operation)));
    }
    // Deleted text is also in the log, until it is truncated.
    if (group.some(operation => operation.name === 'delete' || operation.name === 'prune'))
      database.exec('pragma wal_checkpoint(truncate)');
    return outcomes;
  }

  return {
    /** Runs operations in their order. Rejects if none of them could run. */
    run: (group: readonly StoreOperation[]): Promise<Outcome[]> => whileLocked(() => runGroup(group)),
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
function whileLocked<Result>(run: () => Promise<Result>): Promise<Result> {
  const end = Date.now() + LOCK_TIMEOUT;
  // Random, so that processes do not meet again.
  const pauseAfter = (error: unknown) =>
    isLocked(error) && Date.now() <= end ? 2 + 20 * Math.random() : undefined;
  return repeat(run, pauseAfter);
}

/** `better-sqlite3` and `libsql` name the error in `code`, `node:sqlite` numbers it in `errcode`: 5 is busy, 6 is locked. */
function isLocked(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return /^SQLITE_(?:BUSY|LOCKED)/.test(String(code)) || [5, 6].includes(Number(errcode) & 0xff);
}
