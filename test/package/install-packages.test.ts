import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../tools/mcp/_fixture-server.js';
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
  await writeFile(file, ended.trim());
  expect(await withLock(file, async () => 'done')).toBe('done');
});

it('installs the packages of a folder once for two processes, and again if one was removed', async () => {
  const folder = await temporaryFolder();
  for (const name of ['.install.mjs', '.lock.mjs']) await cp(path.join(root, name), path.join(folder, name));
  const [suite, local] = [path.join(folder, 'suite'), path.join(folder, 'suite/local')];
  await mkdir(local, { recursive: true });
  await writeFile(path.join(local, 'package.json'), JSON.stringify({ name: 'local', version: '1.0.0' }));
  const dependencies = { local: 'file:local' };
  await writeFile(path.join(suite, 'package.json'), JSON.stringify({ name: 'suite', dependencies }));
  const lock = {
    name: 'suite',
    lockfileVersion: 3,
    packages: {
      '': { name: 'suite', dependencies },
      local: { version: '1.0.0' },
      'node_modules/local': { resolved: 'local', link: true },
    },
  };
  await writeFile(path.join(suite, 'package-lock.json'), JSON.stringify(lock));
  const install = async () => {
    const { stderr } = await promisify(execFile)(process.execPath, ['.install.mjs', 'suite'], {
      cwd: folder,
    });
    return stderr.includes('Installing the packages of suite/');
  };

  expect((await Promise.all([install(), install()])).sort()).toEqual([false, true]);
  expect(await install()).toBe(false);
  await rm(path.join(suite, 'node_modules/local'));
  expect(await install()).toBe(true);
  expect(existsSync(path.join(suite, 'node_modules/local/package.json'))).toBe(true);
});
