import type * as FileSystem from 'node:fs/promises';
import type * as Path from 'node:path';
import type { Worker } from 'node:worker_threads';
import type * as WorkerThreads from 'node:worker_threads';
import {
  createSqliteRunner,
  fromFailure,
  type StoreOperation,
  type OperationName,
  type Outcome,
  type WorkerAnswer,
} from './sqlite-database.js';
import { importModule } from '../../core/shared/import-module.js';
import { type OpenDatabase, type SqliteDatabase } from './sqlite-driver.js';
import type { JournalStore, TurnIndex } from './store.js';

/** Options of a SQLite store. */
export interface SqliteStoreOptions {
  /**
   * Path of the database file. It is created if it does not exist, readable for its owner alone, and so is its folder. All
   * processes of the turns must be on one machine.
   */
  path: string;
  /**
   * Opens the file with a driver of the application. The connection belongs to the store, which sets its pragmas and closes
   * it. Its calls block the thread of the application.
   * @default `node:sqlite`, `better-sqlite3` or `libsql`, the first that works, in a worker thread
   * @example
   * ```ts
   * createSqliteStore({ path: 'turns.db', open: path => new Database(path) });
   * ```
   */
  open?: (path: string) => SqliteDatabase;
}

/** A journal store in a SQLite file. */
export interface SqliteStore extends JournalStore {
  readonly turns: TurnIndex;
  /** Closes the file when all operations have ended. */
  close(): Promise<void>;
}

/**
 * Creates a journal store in a SQLite file, for processes on one machine. It uses `node:sqlite`, which Node has from 22.13
 * on, or else one of the packages `better-sqlite3` and `libsql`. Records are durable when a write returns, also after a loss
 * of power. The file is opened on first use, in a worker thread that all stores of one path share. It commits all operations
 * together that wait. Where the worker cannot be started, for example in a bundle without its file, the operations run in
 * the thread of the application, and a locked file is tried again without blocking it.
 *
 * A file that is deleted, moved or replaced while it is open fails all operations until it is back, because what was
 * recorded is lost. Then the turn ends with a `journal-failed` error whose `isRetryable` is false.
 *
 * @throws KelivoError with code `missing-package` on first use, if none of the drivers works.
 */
export function createSqliteStore({ path, open }: SqliteStoreOptions): SqliteStore {
  let opening: Promise<OpenFile> | undefined;
  const run =
    <Result>(name: OperationName) =>
    async (...parameters: readonly unknown[]): Promise<Result> => {
      opening ??= connect(path, open);
      return (await (await opening).run({ name, parameters })) as Result;
    };
  const write = run<'written' | 'exists' | 'lost'>('write');
  const release = run<void>('release');
  return {
    read: run('read'),
    write: async (turn, step, record, options) => write(turn, step, record, toRemaining(options)),
    claim: run('claim'),
    release: async (turn, owner, end) => release(turn, owner, end && toRemaining(end)),
    turns: {
      get: run('get'),
      list: run('list'),
      records: run('records'),
      change: run('change'),
      delete: run('delete'),
      prune: run('prune'),
    },
    async close() {
      const closing = opening;
      opening = undefined;
      await (await closing)?.release();
    },
  };
}

/** Returns options with the time that is left, which does not depend on a clock. */
const toRemaining = <Options extends { readonly expiresAt: number }>({ expiresAt, ...options }: Options) => ({
  ...options,
  remaining: expiresAt - Date.now(),
});

/** The open file of all stores with the same path. */
interface OpenFile {
  run(operation: StoreOperation): Promise<unknown>;
  /** Ends the use by one store. The last one waits until all operations have ended, and closes the file. */
  release(): Promise<void>;
}

const connections = new Map<string, ReturnType<typeof createConnection>>();

async function connect(path: string, open: OpenDatabase | undefined): Promise<OpenFile> {
  // Every database in memory is another one.
  const isFile = path !== '' && !path.startsWith(':');
  const key = isFile ? (await importModule<typeof Path>('node:path')).resolve(path) : path;
  const isShared = isFile && open === undefined;
  const connection = (isShared ? connections.get(key) : undefined) ?? createConnection(key, open);
  if (isShared) connections.set(key, connection);
  connection.users++;
  return {
    run: connection.run,
    async release() {
      if (--connection.users === 0 && connections.get(key) === connection) connections.delete(key);
      await connection.untilIdle();
      if (connection.users === 0) await connection.close();
    },
  };
}

/** Runs groups of operations, one group at a time. */
interface Executor {
  /** Rejects if the operations could not run. */
  run(group: readonly StoreOperation[]): Promise<readonly Outcome[]>;
  close(): unknown;
}

interface Waiting extends StoreOperation {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits of a group, so that renewals of claims do not wait for long. */
const MAX_OPERATIONS = 64;
const MAX_LENGTH = 4_000_000;

function createConnection(path: string, open: OpenDatabase | undefined) {
  let executor: Executor | undefined;
  let queue: Waiting[] = [];
  let running: Promise<void> | undefined;

  /** Takes the renewals of claims, and the other operations in their order. */
  function takeGroup(): Waiting[] {
    const renewals = queue.filter(isRenewal);
    const others = queue.filter(operation => !isRenewal(operation));
    let length = 0;
    const end = others.findIndex((operation, index) => {
      length += lengthOf(operation);
      return index >= MAX_OPERATIONS || (index > 0 && length > MAX_LENGTH);
    });
    const count = end === -1 ? others.length : end;
    queue = others.slice(count);
    return [...renewals, ...others.slice(0, count)];
  }

  /** A function of the application cannot be sent to a worker. */
  async function startExecutor(): Promise<Executor> {
    const worker = open === undefined ? await startWorker(path) : undefined;
    return worker ?? createSqliteRunner(path, 0, open);
  }

  async function runQueue(): Promise<void> {
    // Operations of the same moment form a group.
    await Promise.resolve();
    while (queue.length > 0) {
      const group = takeGroup();
      try {
        executor ??= await startExecutor();
        const outcomes = await executor.run(
          group.map(waiting => ({ name: waiting.name, parameters: waiting.parameters })),
        );
        for (const [index, { resolve, reject }] of group.entries()) {
          const outcome = outcomes[index];
          if (outcome !== undefined && 'value' in outcome) resolve(outcome.value);
          else reject(outcome?.error);
        }
      } catch (error) {
        if (error instanceof WorkerEndedError) {
          group.push(...queue.splice(0));
          executor = undefined;
        }
        for (const { reject } of group) reject(error);
      }
    }
    running = undefined;
  }

  return {
    users: 0,
    run: (operation: StoreOperation): Promise<unknown> =>
      new Promise((resolve, reject) => {
        queue.push({ ...operation, resolve, reject });
        running ??= runQueue();
      }),
    async untilIdle(): Promise<void> {
      while (running !== undefined) await running;
    },
    async close(): Promise<void> {
      const closing = executor;
      executor = undefined;
      await closing?.close();
    },
  };
}

const isRenewal = ({ name, parameters: [, , options] }: StoreOperation): boolean =>
  name === 'claim' && (options as { renews?: boolean }).renews === true;

const lengthOf = ({ name, parameters: [, , record] }: StoreOperation): number =>
  name === 'write' ? String(record).length : 0;

/** The file of the worker. Bundlers do not follow a name that is no literal. */
const WORKER: string = './sqlite-worker.js';

/** All operations of a worker that has ended fail with this error. The next operation starts another one. */
class WorkerEndedError extends Error {}

async function createWorker(path: string): Promise<Worker> {
  const [{ access }, { Worker }] = await Promise.all([
    importModule<typeof FileSystem>('node:fs/promises'),
    importModule<typeof WorkerThreads>('node:worker_threads'),
  ]);
  const file = new URL(WORKER, import.meta.url);
  // A thread that fails to start takes longer.
  await access(file);
  // Loaders of the application would take seconds to start.
  return new Worker(file, { workerData: { path }, execArgv: [] });
}

/** Starts a worker. Returns undefined if the runtime has none, or if its file is missing. */
async function startWorker(path: string): Promise<Executor | undefined> {
  const worker = await createWorker(path).catch(() => undefined);
  if (worker === undefined) return undefined;
  let settle: ((answer: WorkerAnswer | undefined, error?: unknown) => void) | undefined;
  const answered = () =>
    new Promise<WorkerAnswer | undefined>((resolve, reject) => {
      settle = (answer, error) => (error === undefined ? resolve(answer) : reject(error));
    });
  let end: WorkerEndedError | undefined;
  const onEnd = (cause?: unknown): void => {
    const reason = cause instanceof Error ? cause.message : 'it stopped';
    end ??= new WorkerEndedError(`The worker of the SQLite store has ended: ${reason}.`, { cause });
    settle?.(undefined, end);
  };
  worker.on('message', (answer: WorkerAnswer) => settle?.(answer)).on('error', onEnd);
  worker.on('exit', () => onEnd());

  /** Sends a message and waits for the answer. The process stays alive for so long. */
  async function ask(message?: readonly StoreOperation[] | 'close'): Promise<WorkerAnswer | undefined> {
    if (end !== undefined) throw end;
    const answer = answered();
    worker?.ref();
    try {
      if (message !== undefined) worker?.postMessage(message);
      return await answer;
    } finally {
      worker?.unref();
    }
  }

  const isReady = await ask().catch(() => undefined);
  if (isReady === undefined) return undefined;
  return {
    async run(group) {
      const { outcomes = [], failure } = (await ask(group)) ?? {};
      if (failure !== undefined) throw fromFailure(failure);
      return outcomes.map(outcome => ('value' in outcome ? outcome : { error: fromFailure(outcome.error) }));
    },
    async close() {
      await ask('close').catch(() => {});
      await worker.terminate();
    },
  };
}
