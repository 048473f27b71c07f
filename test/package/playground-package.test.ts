import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../_free-port.js';
import { root } from './manifest.js';
import { pack } from './pack.js';

const run = promisify(execFile);
const sources = path.join(root, 'playground');
const binary = 'node_modules/better-sqlite3/build';

/** Installs the archives of the playground and of the package into an empty folder. */
async function installPlayground(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-playground-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await run('npm', ['run', 'prepack'], { cwd: sources });
  const archives = [await pack(folder), await pack(folder, sources)];
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true }));
  // Compiling SQLite takes a minute, so the program of the repository is used.
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...archives];
  await run('npm', args, { cwd: folder });
  await cp(path.join(root, binary), path.join(folder, binary), { recursive: true });
  return folder;
}

it('starts the playground from its archive and that of the package, in an empty folder', async () => {
  const folder = await installPlayground();
  const port = await findFreePort();
  const child = spawn('node_modules/.bin/kelivo-responses-playground', ['--port', String(port)], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: path.join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { origin, hash } = new URL(line.replace(/^.* at /, ''));
  const page = await (await fetch(origin)).text();
  const script = await fetch(new URL(/src="([^"]+)"/.exec(page)?.[1] ?? '', origin));
  const headers = { authorization: `Bearer ${hash.replace('#token=', '')}` };

  expect(script.headers.get('content-type')).toContain('javascript');
  expect((await fetch(`${origin}/api/state`)).status).toBe(401);
  expect((await fetch(`${origin}/api/state`, { headers })).status).toBe(200);
  // Without `--data`, data lies in the folder of the user.
  const database = path.join(folder, 'data/kelivo-responses-playground/conversations.sqlite');
  expect((await stat(database)).isFile()).toBe(true);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
