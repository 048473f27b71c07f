import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { root } from '../package/manifest.js';
import { npmInstall } from '../package/npm-install.js';
import { pack } from '../package/pack.js';

const execute = promisify(execFile);
const app = fileURLToPath(new URL('_app', import.meta.url));

/**
 * Installed for this test only, because they take 200 MB. Integrations of the runtime into frameworks, which no test uses,
 * would triple that.
 */
const dependencies = {
  '@ai-sdk/workflow': '2.0.43',
  '@workflow/vitest': '5.0.0-beta.52',
  ai: '7',
  // For the journal on Node 20.
  libsql: '0.5',
  vitest: '3',
  workflow: '5.0.0-beta.55',
  zod: '4',
};
const integrations = 'astro cli nest next nitro nuxt sveltekit typescript-plugin'.split(' ');

const serverScript = (name: string) =>
  path.join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

it('models pass through the runtime of Vercel Workflow', { timeout: 600_000 }, async () => {
  const key = 'sk-workflow-0123456789';
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-workflow-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const emulator = await startResponsesEmulator({ apiKey: key });
  onTestFinished(() => emulator.close());

  await cp(app, folder, { recursive: true });
  await mkdir(path.join(folder, 'empty'));
  await writeFile(path.join(folder, 'empty/package.json'), '{ "name": "empty", "version": "1.0.0" }');
  const manifest = {
    type: 'module',
    private: true,
    dependencies: { ...dependencies, 'kelivo-responses': `file:${await pack(folder)}` },
    overrides: Object.fromEntries(integrations.map(name => [`@workflow/${name}`, 'file:./empty'])),
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await npmInstall(folder, ['--ignore-scripts', '--no-package-lock']);
  const modules = path.join(folder, 'node_modules');

  const { baseURL } = emulator;
  const pids = path.join(folder, 'pids.txt');
  const file = path.join(folder, 'note.txt');
  await writeFile(file, 'Hello.');
  const everything = `echo $$ >> '${pids}'; exec '${process.execPath}' '${serverScript('everything')}'`;
  const servers = {
    everything: { command: 'sh', args: ['-c', everything], trustAnnotations: true },
    files: {
      command: process.execPath,
      args: [serverScript('filesystem'), folder],
      trustAnnotations: true,
    },
  };
  const variables = {
    EMULATOR_URL: baseURL,
    EMULATOR_KEY: key,
    OPENAI_BASE_URL: baseURL,
    OPENAI_API_KEY: key,
    MCP_SERVERS: JSON.stringify(servers),
    MCP_PIDS: pids,
    MCP_FILE: file,
  };
  const report = path.join(folder, 'report.json');
  // A failing run rejects with its output.
  await execute(
    process.execPath,
    [
      path.join(modules, 'vitest/vitest.mjs'),
      'run',
      '--reporter',
      'default',
      '--reporter',
      'json',
      '--outputFile',
      report,
    ],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...variables } },
  );
  const { numPassedTests } = (await import(report, { with: { type: 'json' } })).default;
  expect(numPassedTests).toBe(14);
});
