import type * as FileSystem from 'node:fs';
import type * as Path from 'node:path';
import { KelivoError, messageOf } from '../../core/shared/errors.js';
import { importModule } from '../../core/shared/import-module.js';
import { VanishedStoreError } from './records.js';

/* Opens the file of the SQLite store with the driver that is installed, and notices when it is no longer at its path. */

/** A SQLite database whose calls block: that of `node:sqlite`, `better-sqlite3` or `libsql`, or one with these methods. */
export interface SqliteDatabase {
  /** Runs statements without parameters, and ignores their rows. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Closes the file. */
  close(): unknown;
}

/** A prepared statement, whose parameters are given by position. */
export interface SqliteStatement {
  /** Runs the statement, and returns the number of rows that it changed. */
  run(...values: (string | number)[]): { changes: number | bigint };
  /** Returns the rows as objects. */
  all(...values: (string | number)[]): unknown[];
}

export type OpenDatabase = (path: string) => SqliteDatabase;

type DatabaseClass = new (path: string) => SqliteDatabase;

/** Drivers by the names of their modules, in the order in which they are tried. */
const DRIVERS: Readonly<Record<string, (module: object) => unknown>> = {
  'node:sqlite': module => (module as { DatabaseSync?: unknown }).DatabaseSync,
  'better-sqlite3': module => (module as { default?: unknown }).default,
  libsql: module => (module as { default?: unknown }).default,
};

async function loadDriver(): Promise<OpenDatabase> {
  const reasons: string[] = [];
  for (const [name, select] of Object.entries(DRIVERS)) {
    try {
      const Database = select(await importModule<object>(name)) as DatabaseClass;
      // A package whose binary is missing fails when it opens a database.
      new Database(':memory:').close();
      return path => new Database(path);
    } catch (error) {
      reasons.push(`${name}: ${messageOf(error).split('\n', 1).join()}`);
    }
  }
  throw new KelivoError({
    code: 'missing-package',
    message:
      'Expected `node:sqlite`, `better-sqlite3` or `libsql` for the SQLite journal, got none of them. Use Node 22.13 or ' +
      `later, install \`libsql\`, or pass \`open\` to \`createSqliteStore\`. (${reasons.join('; ')})`,
  });
}

/**
 * Creates the file for its owner alone, whose mode SQLite also gives to its log, and opens it. An existing file keeps its
 * mode. `findFiles` is called when the tables exist, and returns a function that throws if a file has vanished.
 */
export async function openFile(
  path: string,
  open: OpenDatabase | undefined,
): Promise<{ readonly database: SqliteDatabase; findFiles(): () => void }> {
  const openDatabase = open ?? (await loadDriver());
  if (path === '' || path.startsWith(':')) return { database: openDatabase(path), findFiles: () => () => {} };
  const [fs, { dirname }] = await Promise.all([
    importModule<typeof FileSystem>('node:fs'),
    importModule<typeof Path>('node:path'),
  ]);
  const isUrl = path.startsWith('file:');
  if (!isUrl) {
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      fs.closeSync(fs.openSync(path, 'wx', 0o600));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    }
  }
  const database = openDatabase(path);
  return {
    database,
    findFiles() {
      const [main] = database.prepare("select file from pragma_database_list where name = 'main'").all();
      // SQLite names the file to which a link leads, beside which its log lies.
      const { file } = main as { readonly file: string | null };
      if (file === null || file === '') return () => {};
      return watchFiles(fs, [isUrl ? file : path, `${file}-wal`, `${file}-shm`]);
    },
  };
}

/**
 * Returns a function that throws if one of the open files is no longer the file at its path. SQLite goes on with a file
 * that was deleted, moved or replaced, and nobody else can read what it writes.
 */
function watchFiles(fs: typeof FileSystem, paths: readonly string[]): () => void {
  const identify = (path: string): string | undefined => {
    const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev} ${stats.ino}`;
  };
  // A file system without shared memory has no log.
  const opened = paths
    .map((path, index) => ({ path, identity: identify(path), isMain: index === 0 }))
    .filter(entry => entry.isMain || entry.identity !== undefined);
  return () => {
    for (const { path, identity } of opened) {
      if (identity !== undefined && identify(path) === identity) continue;
      throw new VanishedStoreError(
        `Expected the file that the SQLite journal has opened at ${path}, but it was deleted, moved or replaced. ` +
          'What was recorded is lost, so calls that have run would run again. Put the file back, or check what has run ' +
          'and restart the process, which begins an empty journal',
      );
    }
  };
}
