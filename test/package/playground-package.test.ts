import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../_free-port.js';
import { manifest, root } from './manifest.js';
import { npmInstall } from './npm-install.js';
import { pack } from './pack.js';

const run = promisify(execFile);
const sources = path.join(root, 'playground');

/** Installs the archives of the playground and of the package into an empty folder, with what a saved test imports. */
async function installPlayground(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-playground-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await run('npm', ['run', 'prepack'], { cwd: sources });
  const archives = [await pack(folder), await pack(folder, sources)];
  // A saved test imports the entry for the newest major of `ai`.
  const tools = ['ai@7', `vitest@${manifest.devDependencies.vitest}`];
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true }));
  await npmInstall(folder, ['--ignore-scripts', ...archives, ...tools]);
  return folder;
}

it('starts the playground from its archive and that of the package, in an empty folder, where a saved test passes', async () => {
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
  const call = async (where: string, body?: unknown): Promise<Response> => {
    const sent = { ...headers, origin, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return fetch(`${origin}/api${where}`, { ...init, headers: sent });
  };
  const message = {
    ...{ id: 'saved-question', role: 'user' },
    parts: [{ type: 'text', text: 'Count the words in "one two".' }],
  };
  const turn = {
    conversationId: 'saved-chat',
    thread: 'main',
    responseId: 'saved-response',
    parentId: null,
    message,
  };
  expect((await call('/turns', turn)).status).toBe(202);
  const readTurns = async () => (await call('/traces')).json();
  await expect.poll(readTurns).toMatchObject([{ end: 'finished' }]);
  const saved = await (await call('/traces/saved-response/test')).text();
  await writeFile(path.join(folder, 'saved.test.ts'), saved);
  const options = ['--reporter=json', '--testTimeout=300000'];
  const { stdout } = await run('node_modules/.bin/vitest', ['run', ...options], { cwd: folder });
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numTotalTests: 1 });
  // Without `--data`, data lies in the folder of the user.
  const database = path.join(folder, 'data/kelivo-responses-playground/conversations.sqlite');
  expect((await stat(database)).isFile()).toBe(true);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  // Longer than both attempts of an installation, and the build of the page.
}, 1_200_000);
