import { createRequire } from 'node:module';

/** A value of a column. Bytes are read as `Uint8Array` or `ArrayBuffer`. */
type Value = string | number | null | Uint8Array;

/** Values by position, or by the names of `@name`. */
type Parameters = readonly Value[] | readonly [object];

/** What `node:sqlite` and `libsql` have in common. */
interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...parameters: readonly unknown[]): { changes: number | bigint };
    all(...parameters: readonly unknown[]): unknown[];
    iterate(...parameters: readonly unknown[]): Iterable<unknown>;
  };
  close(): unknown;
}

export interface Statement<Given extends Parameters, Row> {
  run(...parameters: Given): { readonly changes: number | bigint };
  /** Returns the first row. */
  get(...parameters: Given): Row | undefined;
  all(...parameters: Given): Row[];
  iterate(...parameters: Given): Iterable<Row>;
}

/** A SQLite database, opened with `node:sqlite`, or with `libsql` where Node has none. */
export class Connection {
  readonly #database: Driver;
  #isInTransaction = false;

  constructor(file: string) {
    this.#database = open(file);
    this.exec('PRAGMA busy_timeout = 5000');
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare<Given extends Parameters = Value[], Row = unknown>(sql: string): Statement<Given, Row> {
    const statement = this.#database.prepare(sql);
    return {
      run: (...parameters) => statement.run(...parameters),
      // `get` of libsql adds a property to the row.
      get: (...parameters) => statement.all(...parameters)[0] as Row | undefined,
      all: (...parameters) => statement.all(...parameters) as Row[],
      iterate: (...parameters) => statement.iterate(...parameters) as Iterable<Row>,
    };
  }

  /** Returns a function that runs in a transaction, or in the one that it is called in. */
  transaction<Given extends readonly unknown[], Result>(
    run: (...parameters: Given) => Result,
  ): (...parameters: Given) => Result {
    return (...parameters) => {
      if (this.#isInTransaction) return run(...parameters);
      this.exec('BEGIN');
      this.#isInTransaction = true;
      try {
        const result = run(...parameters);
        this.exec('COMMIT');
        return result;
      } catch (error) {
        this.exec('ROLLBACK');
        throw error;
      } finally {
        this.#isInTransaction = false;
      }
    };
  }

  close(): void {
    this.#database.close();
  }
}

type DatabaseClass = new (file: string) => Driver;

function open(file: string): Driver {
  const builtIn = process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined;
  const Database = builtIn?.DatabaseSync ?? (createRequire(import.meta.url)('libsql') as DatabaseClass);
  return new Database(file);
}
