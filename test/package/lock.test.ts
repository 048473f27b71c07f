import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../mcp/_fixture-server.js';
import { root } from './manifest.js';

/* Suites in several workers install the same packages, and several commands build at the same time. */

type WithLock = <Result>(file: string, work: () => Promise<Result>) => Promise<Result>;
const { withLock } = (await import(path.join(root, '.lock.mjs'))) as { withLock: WithLock };

it('lets one work run at a time, also after one that failed', async () => {
  const file = path.join(await temporaryFolder(), 'lock');
  let running = 0;
  const results = await Promise.allSettled(
    [1, 2, 3, 4].map(number =>
      withLock(file, async () => {
        expect(++running).toBe(1);
        await new Promise(setImmediate);
        running--;
        if (number === 1) throw new Error('failed');
        return number;
      }),
    ),
  );
  expect(results.map(({ status }) => status).sort()).toEqual([
    ...['fulfilled', 'fulfilled', 'fulfilled'],
    'rejected',
  ]);
  expect(existsSync(file)).toBe(false);
});

it('does not wait for a process that has ended', async () => {
  const file = path.join(await temporaryFolder(), 'lock');
  const ended = execFileSync(process.execPath, ['--print', 'process.pid'], { encoding: 'utf8' });
  writeFileSync(file, ended.trim());
  expect(await withLock(file, async () => 'done')).toBe('done');
});
