import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findSnippets } from '../../docs/_markdown.js';
import { root } from '../../package/manifest.js';
import { script } from './_command.js';

/** Creates a project with packages of these versions. */
async function createProject(packages: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'init-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, version] of Object.entries(packages)) {
    await mkdir(path.join(folder, 'node_modules', name), { recursive: true });
    await writeFile(
      path.join(folder, 'node_modules', name, 'package.json'),
      JSON.stringify({ name, version }),
    );
  }
  return folder;
}

function init(cwd: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'init'], { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

it.each([
  ['5.0.277', 'kelivo-responses'],
  ['6.0.326', 'kelivo-responses/v3'],
  ['7.1.0', 'kelivo-responses/v4'],
  ['8.0.0', 'kelivo-responses/v4'],
])('writes the program of the README for ai %s', async (version, entry) => {
  const folder = await createProject({ ai: version, zod: '4.6.7', 'kelivo-responses': '0.1.0' });
  expect(init(folder)).toEqual({
    status: 0,
    stdout: `Wrote hello.mjs for ai ${version}, which imports '${entry}'. Run: node hello.mjs\n`,
    stderr: '',
  });
  const [shown] = findSnippets(readFileSync(path.join(root, 'README.md'), 'utf8'));
  const written = readFileSync(path.join(folder, 'hello.mjs'), 'utf8');
  expect(written).toBe(`${shown?.code.replace("'kelivo-responses/v4'", `'${entry}'`)}\n`);
});

it('keeps a file that exists', async () => {
  const folder = await createProject({ ai: '7.1.0', zod: '4.6.7', 'kelivo-responses': '0.1.0' });
  await writeFile(path.join(folder, 'hello.mjs'), 'mine');
  expect(init(folder)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('hello.mjs exists already'),
  });
  expect(readFileSync(path.join(folder, 'hello.mjs'), 'utf8')).toBe('mine');
});

it.each([
  [{}, 'Expected the package ai in this folder, found none. Run npm install kelivo-responses ai zod.'],
  [
    { ai: '7.1.0' },
    'Expected the package zod in this folder, found none. Run npm install kelivo-responses ai zod.',
  ],
  [
    { ai: '7.1.0', zod: '4.6.7' },
    'Expected the package kelivo-responses in this folder, found none. Run npm install kelivo-responses ai zod.',
  ],
  [
    { ai: '4.3.0', zod: '4.6.7', 'kelivo-responses': '0.1.0' },
    'Expected `ai` 5, 6 or 7, found 4.3.0. Run npm install ai.',
  ],
])('names what is missing in %j', async (packages, message) => {
  const folder = await createProject(packages as Record<string, string>);
  expect(init(folder)).toEqual({ status: 2, stdout: '', stderr: `kelivo-responses: ${message}\n` });
});
