// Tries the package like a new user: packs it, installs the archive into an empty project next to each major of `ai`,
// type-checks and runs it there, and bundles it for browsers. Needs an npm registry. Exits with 1 if a step fails.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';
import { entries, root } from './manifest.js';
import { pack } from './pack.js';

interface Project {
  /** Packages that are installed together with this one. */
  readonly packages: readonly string[];
}

/** Cover the oldest and the newest supported major of `zod`, with and without `@ai-sdk/openai` and OpenTelemetry. */
const projects: readonly Project[] = [
  { packages: ['ai@5', 'zod@3', '@ai-sdk/openai@2', '@opentelemetry/api@1.9.0'] },
  { packages: ['ai@6', 'zod@4', '@opentelemetry/api@1.10'] },
  { packages: ['ai@7', 'zod@4'] },
];

/** Entries that work in browsers. The others start a server or read files. */
const forBrowsers = [
  '.',
  './tool-loop',
  './journal',
  './telemetry',
  './mcp',
  './adapters',
  './tool-calls',
  './embeddings',
  './v3',
  './v4',
];

const run = promisify(execFile);
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const fixtures = path.join(root, 'test/package/_consumer');
const workshop = await mkdtemp(path.join(tmpdir(), 'kelivo-install-'));
try {
  const archive = await pack(workshop);
  for (const project of projects) await tryProject(project, archive);
} finally {
  await rm(workshop, { recursive: true, force: true });
}

async function tryProject({ packages }: Project, archive: string): Promise<void> {
  const name = packages.join(' ');
  const folder = await mkdtemp(path.join(workshop, 'project-'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  await cp(fixtures, folder, { recursive: true });
  await step(name, 'installs', () => npmInstall(folder, [archive, ...packages]));
  await step(name, 'type-checks with `nodenext` and `bundler` resolution', () => checkTypes(folder));
  await step(name, 'runs every entry whose peer dependencies are installed', () =>
    runProgram(folder, packages),
  );
  await step(name, 'bundles for browsers without a Node built-in', () => bundleForBrowsers(folder));
}

async function step(project: string, title: string, work: () => Promise<string | void>): Promise<void> {
  try {
    const detail = await work();
    console.log(`✓ ${project}: ${title}${detail === undefined ? '' : ` (${detail})`}`);
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message = '',
    } = error as Partial<Record<'stdout' | 'stderr' | 'message', string>>;
    console.error(`✗ ${project}: ${title}\n${[message, stdout, stderr].filter(Boolean).join('\n')}`);
    process.exitCode = 1;
  }
}

async function npmInstall(folder: string, packages: readonly string[]): Promise<void> {
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', ...packages], { cwd: folder });
}

async function checkTypes(folder: string): Promise<void> {
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      strict: true,
      noEmit: true,
      // The types of `ai` need it when the types of Node and JSON Schema are not installed.
      skipLibCheck: true,
      types: [],
    };
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['use-package.ts'] }),
    );
    await run(process.execPath, [tsc], { cwd: folder });
  }
}

async function runProgram(folder: string, packages: readonly string[]): Promise<string> {
  const source = await readFile(path.join(folder, 'use-package.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  await writeFile(path.join(folder, 'use-package.js'), outputText);
  const { PATH = '' } = process.env;
  const hasOpenTelemetry = packages.some(name => name.startsWith('@opentelemetry/'));
  const specifiers = entries
    .filter(entry => hasOpenTelemetry || entry.path !== './telemetry')
    .map(({ specifier }) => specifier);
  const { stdout } = await run(process.execPath, ['use-package.js', ...specifiers], {
    cwd: folder,
    env: { PATH },
    timeout: 60_000,
  });
  return stdout.trim();
}

/** Fails if the bundle reaches a Node built-in. */
async function bundleForBrowsers(folder: string): Promise<void> {
  const exports = entries
    .filter(entry => forBrowsers.includes(entry.path))
    .map(({ specifier }, index) => `export * as entry${index} from '${specifier}';`);
  await build({
    absWorkingDir: folder,
    stdin: { contents: exports.join('\n'), resolveDir: folder },
    bundle: true,
    splitting: true,
    outdir: 'bundle',
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
    external: ['@opentelemetry/api'],
  });
}
