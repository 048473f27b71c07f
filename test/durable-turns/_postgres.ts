import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findFreePort } from '../_free-port.js';

const execute = promisify(execFile);

/** The folders of Debian's packages, newest first, and of a program on the PATH. */
const folder = ['17', '16', '15', '14'].map(major => `/usr/lib/postgresql/${major}/bin`).find(existsSync);

/** The reason why PostgreSQL cannot be started, if there is one. */
export const missingPostgres =
  folder === undefined ? 'PostgreSQL is not in /usr/lib/postgresql (apt-get install postgresql)' : undefined;

export interface Postgres {
  /** A database that DBOS creates. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Attempts at a start. Another process may take a free port before the server listens on it. */
const ATTEMPTS = 3;

/**
 * Starts PostgreSQL on a free local port, and resolves when it answers a query. It refuses to run as root, so root starts it
 * as the user `postgres`. With `sync`, records survive a loss of power.
 */
export async function startPostgres({ sync = false } = {}): Promise<Postgres> {
  const data = await mkdtemp(path.join(tmpdir(), 'kelivo-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const run = async (program: string, ...args: string[]): Promise<void> => {
    const command = [path.join(folder ?? '', program), ...args];
    const [file = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    await execute(file, rest, { cwd: data });
  };
  if (isRoot) await execute('chown', ['postgres', data]);
  await chmod(data, 0o755);
  const database = path.join(data, 'data');
  const control = (...args: string[]) =>
    run('pg_ctl', '-D', database, '-l', path.join(data, 'log'), '-w', '-t', '120', ...args);
  const stop = async (): Promise<void> => {
    await control('stop', '-m', 'immediate').catch(() => {});
    await rm(data, { recursive: true, force: true });
  };
  await run('initdb', '-D', database, '-A', 'trust', '-U', 'dbos', '--no-sync');
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c fsync=${sync ? 'on' : 'off'} -c max_connections=200 -k ${data}`;
    const url = `postgres://dbos@127.0.0.1:${port}/trains`;
    try {
      await control('-o', options, 'start');
      await query(url.replace('/trains', '/postgres'));
      return { url, stop };
    } catch (error) {
      await control('stop', '-m', 'immediate').catch(() => {});
      if (attempt < ATTEMPTS) continue;
      await stop();
      throw error;
    }
  }
}

async function query(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query('select 1');
  await client.end();
}
