import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { createSqliteStore } from 'kelivo-responses/journal';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';

/* The SQLite store of the built package, which runs in a worker thread, in several processes. */

const execute = promisify(execFile);
const entry = fileURLToPath(new URL('../../../dist/tool-loop/durable/index.js', import.meta.url));
const lease = 60_000;
const soon = () => Date.now() + 60_000;
/** Files that ten processes open. KILL_POINTS=all opens fifty. */
const FILES = process.env.KILL_POINTS === 'all' ? 50 : 10;

const toArguments = (code: string): string[] => [
  '--input-type=module',
  '--eval',
  `import { createSqliteStore } from ${JSON.stringify(entry)};\n${code}`,
];
const env = { ...process.env, NODE_NO_WARNINGS: '1' };

const run = async (code: string): Promise<string> =>
  (await execute(process.execPath, toArguments(code), { env })).stdout;

it(`opens a new file in ten processes at once, ${FILES} times`, async () => {
  const folder = await temporaryFolder();
  // Each process opens the files in the same order, when all are ready.
  const code = `
    import { createInterface } from 'node:readline';
    for await (const path of createInterface({ input: process.stdin })) {
      const store = createSqliteStore({ path });
      console.log(await store.claim('t' + process.pid, 'a', { lease: 60000 }).catch(error => error.message));
      await store.close();
      console.log('ready');
    }`;
  const processes = Array.from({ length: 10 }, () => {
    const child = spawn(process.execPath, toArguments(`console.log('ready');${code}`), {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    return {
      child,
      ended: once(child, 'exit'),
      lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    };
  });
  const nextLines = async (): Promise<unknown[]> =>
    (await Promise.all(processes.map(({ lines }) => lines.next()))).map(({ value }) => value as unknown);
  const all = (line: string): string[] => processes.map(() => line);
  for (let file = 0; file < FILES; file++) {
    expect(await nextLines()).toEqual(all('ready'));
    for (const { child } of processes) child.stdin.write(`${path.join(folder, `journal-${file}.db`)}\n`);
    expect(await nextLines()).toEqual(all('true'));
  }
  for (const { child } of processes) child.stdin.end();
  await Promise.all(processes.map(({ ended }) => ended));
});

it('keeps the process alive for a pending write, and no longer', async () => {
  const file = path.join(await temporaryFolder(), 'journal.db');
  const output = await run(`
    const store = createSqliteStore({ path: ${JSON.stringify(file)} });
    store.claim('t', 'a', { lease: 60000 }).then(() =>
      store.write('t', 's', 'record', { owner: 'a', expiresAt: Date.now() + 60000 }).then(console.log));`);
  expect(output).toBe('written\n');
  const store = createSqliteStore({ path: file });
  expect(await store.read('t', 's')).toBe('record');
  await store.close();
});

it('waits with close() for what was promised, and one failing operation of a group fails alone', async () => {
  const file = path.join(await temporaryFolder(), 'journal.db');
  const store = createSqliteStore({ path: file });
  const other = createSqliteStore({ path: file });
  await store.claim('t', 'a', { lease });
  const options = { owner: 'a', expiresAt: soon() };
  const results = Promise.allSettled([
    store.write('t', 'first', 'record', options),
    // An entry without fields violates a constraint.
    store.write('t', 'second', 'record', { ...options, entry: {} as never, begins: true }),
    other.write('t', 'third', 'record', options),
  ]);
  await store.close();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await other.read('t', 'first')).toBe('record');
  expect(await other.read('t', 'third')).toBe('record');
  await other.close();
});

it('does not block the event loop while another process holds the lock of the file', async () => {
  const file = path.join(await temporaryFolder(), 'journal.db');
  const store = createSqliteStore({ path: file });
  await store.claim('t', 'a', { lease });
  const holder = spawn(
    process.execPath,
    [
      '--input-type=commonjs',
      '--eval',
      `const db = new (require('libsql'))(${JSON.stringify(file)});
      db.exec('begin immediate'); console.log('locked'); process.stdin.on('data', () => { db.exec('commit'); process.exit(); });`,
    ],
    { cwd: fileURLToPath(new URL('../../..', import.meta.url)), stdio: ['pipe', 'pipe', 'inherit'] },
  );
  await once(holder.stdout, 'data');
  let isWritten = false;
  const write = store
    .write('t', 's', 'record', { owner: 'a', expiresAt: soon() })
    .then(result => ((isWritten = true), result));
  // The loop runs on while the write waits, for as long as the other process likes.
  for (let turn = 0; turn < 200; turn++) await new Promise(resolve => setTimeout(resolve, 1));
  expect(isWritten).toBe(false);
  holder.stdin.write('release');
  expect(await write).toBe('written');
  await store.close();
});
