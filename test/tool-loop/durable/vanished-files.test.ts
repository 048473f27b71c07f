import { copyFile, mkdir, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqliteStore, type SqliteDatabase } from '../../../src/tool-loop/durable/index.js';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';
import { call, callRound, generate, textRound } from '../_scripted-model.js';
import { type Attempt, createApplication, payRound } from './_application.js';

/* The files of a SQLite journal are deleted, moved or replaced while a turn runs. */

interface BuiltIn {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
}
const builtIn = process.getBuiltinModule('node:sqlite') as BuiltIn | undefined;
if (builtIn === undefined)
  process.stderr.write('Skipping the vanished files of `node:sqlite`: this Node has no such module.\n');

const drivers = [
  { driver: 'the installed driver', open: undefined },
  { driver: 'libsql', open: (file: string): SqliteDatabase => new Database(file) },
  ...(builtIn === undefined
    ? []
    : [{ driver: 'node:sqlite', open: (file: string) => new builtIn.DatabaseSync(file) }]),
];

/** Removes files and folders, by a name. `folder` contains `journals/turns.db`, and `link` leads there. */
const losses: Readonly<Record<string, (file: string, folder: string) => Promise<unknown>>> = {
  'the file is deleted': file => unlink(file),
  'the file is moved': file => rename(file, `${file}.old`),
  'the folder is moved': (_file, folder) => rename(path.join(folder, 'journals'), path.join(folder, 'old')),
  'the folder is deleted': (_file, folder) => rm(path.join(folder, 'journals'), { recursive: true }),
  'an empty file takes its place': async (file, folder) => {
    await writeFile(path.join(folder, 'empty'), '');
    await rename(path.join(folder, 'empty'), file);
  },
  'its own copy takes its place': async (file, folder) => {
    await copyFile(file, path.join(folder, 'copy'));
    await rename(path.join(folder, 'copy'), file);
  },
  'the folder is replaced': async (file, folder) => {
    await rename(path.join(folder, 'journals'), path.join(folder, 'old'));
    await mkdir(path.join(folder, 'journals'));
    await copyFile(path.join(folder, 'old/turns.db'), file);
  },
  'the log is deleted': file => unlink(`${file}-wal`),
  'the log is moved': file => rename(`${file}-wal`, `${file}-old`),
  'the index of the log is deleted': file => unlink(`${file}-shm`),
};

/** Changes after which the file is still the same one. */
const changes: Readonly<Record<string, (file: string, folder: string) => Promise<unknown>>> = {
  'nothing happens': async () => {},
  'the file is touched': file => utimes(file, 0, 0),
  'another file appears beside it': file => writeFile(`${file}.backup`, ''),
  'the folder is moved and put back': async (_file, folder) => {
    await rename(path.join(folder, 'journals'), path.join(folder, 'old'));
    await rename(path.join(folder, 'old'), path.join(folder, 'journals'));
  },
};

async function createStore(open: ((path: string) => SqliteDatabase) | undefined) {
  const folder = await temporaryFolder();
  const file = path.join(folder, 'journals/turns.db');
  const store = createSqliteStore({ path: file, ...(open && { open }) });
  onTestFinished(() => store.close());
  return { folder, file, store };
}

/** Attempts have the type of streams. */
const run = generate as unknown as NonNullable<Attempt['run']>;

const lost = {
  code: 'journal-failed',
  isRetryable: false,
  message: expect.stringMatching(/deleted, moved or replaced.*What was recorded is lost/s),
};

describe.each(drivers)('a journal over $driver', ({ open }) => {
  it.each(Object.entries(losses))('starts no tool if %s while a round is requested', async (_name, lose) => {
    const { folder, file, store } = await createStore(open);
    const { attempt, paid } = createApplication();
    const rounds = [
      payRound('a', 1),
      async () => {
        await lose(file, folder);
        return payRound('b', 2);
      },
    ];
    await expect(attempt({ store, rounds, run }).running).rejects.toMatchObject(lost);
    expect(paid).toEqual([1]);
    // It stays a failed store, so that a repeated turn does not begin anew.
    await expect(attempt({ store, rounds, run }).running).rejects.toMatchObject(lost);
    expect(paid).toEqual([1]);
  });

  it.each(Object.entries(losses))('starts no further tool if %s while one runs', async (_name, lose) => {
    const { folder, file, store } = await createStore(open);
    const { attempt, paid } = createApplication();
    const rounds = [callRound(call('a', 'work', {}), call('b', 'pay', { n: 1 }))];
    const tools = { work: async () => (await lose(file, folder), 'done') };
    await expect(attempt({ store, rounds, tools, run }).running).rejects.toMatchObject(lost);
    expect(paid).toEqual([]);
  });

  it.each(Object.entries(changes))('continues if %s', async (_name, change) => {
    const { folder, file, store } = await createStore(open);
    const { attempt, paid } = createApplication();
    const rounds = [
      payRound('a', 1),
      async () => {
        await change(file, folder);
        return payRound('b', 2);
      },
      textRound('Paid.'),
    ];
    await attempt({ store, rounds, run }).running;
    expect(paid).toEqual([1, 2]);
  });
});

it('a journal whose path is a link notices that the link leads to another file', async () => {
  const folder = await temporaryFolder();
  for (const name of ['first.db', 'second.db']) await writeFile(path.join(folder, name), '');
  const link = path.join(folder, 'turns.db');
  await symlink('first.db', link);
  const store = createSqliteStore({ path: link });
  onTestFinished(() => store.close());
  await store.claim('t', 'a', { lease: 60_000 });
  await store.turns.list({ limit: 1 });
  await unlink(link);
  await symlink('second.db', link);
  await expect(store.turns.list({ limit: 1 })).rejects.toThrow('What was recorded is lost');
});

it('a turn that may continue without its journal reports that its records are lost', async () => {
  const { file, store } = await createStore(undefined);
  const { attempt, paid } = createApplication();
  const rounds = [
    payRound('a', 1),
    async () => {
      await unlink(file);
      return payRound('b', 2);
    },
    textRound('Paid.'),
  ];
  const { running } = attempt({ store, rounds, run, settings: { onStoreFailure: 'continue' } });
  expect(JSON.stringify(await running)).toContain('What was recorded is lost');
  expect(paid).toEqual([1, 2]);
});

it('databases in memory have no files that could vanish', async () => {
  const store = createSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  expect(await store.claim('t', 'a', { lease: 60_000 })).toBe(true);
  expect(await store.turns.list({ limit: 1 })).toEqual([]);
});
