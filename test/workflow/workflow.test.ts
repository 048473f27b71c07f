import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { pack } from '../package/pack.js';

const execute = promisify(execFile);
const app = fileURLToPath(new URL('_app', import.meta.url));

/** Installed for this test only, because they take 700 MB. `@ai-sdk/workflow` requires Node 22. */
const packages = [
  '@ai-sdk/workflow@2.0.43',
  '@workflow/vitest@5.0.0-beta.52',
  'ai@7',
  'node@22',
  'vitest@3',
  'workflow@5.0.0-beta.55',
  'zod@4',
];

it('models pass through the runtime of Vercel Workflow', { timeout: 600_000 }, async () => {
  const key = 'sk-workflow-0123456789';
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-workflow-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const emulator = await startResponsesEmulator({ apiKey: key });
  onTestFinished(() => emulator.close());

  await cp(app, folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const options = ['--no-audit', '--no-fund', '--no-package-lock'];
  await execute('npm', ['install', ...options, await pack(folder), ...packages], { cwd: folder });

  const { baseURL } = emulator;
  const variables = {
    EMULATOR_URL: baseURL,
    EMULATOR_KEY: key,
    OPENAI_BASE_URL: baseURL,
    OPENAI_API_KEY: key,
  };
  const report = path.join(folder, 'report.json');
  const modules = path.join(folder, 'node_modules');
  // A failing run rejects with its output.
  await execute(
    path.join(modules, 'node/bin/node'),
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
  expect(numPassedTests).toBe(9);
});
