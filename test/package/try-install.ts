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
  /** Entries whose models `ai` accepts, in addition to the main entry. @default none */
  readonly entries?: readonly ('v3' | 'v4')[];
  /** True to install this package before the others, so that npm has chosen its dependencies. @default false */
  readonly isFirst?: boolean;
  /** True if `ai` itself depends on a release of `undici` with a known vulnerability. @default false */
  readonly hasOldUndici?: boolean;
}

/** Cover the oldest and the newest supported major of `zod`, with and without `@ai-sdk/openai` and OpenTelemetry. */
const projects: readonly Project[] = [
  { packages: ['ai@5', 'zod@3', '@opentelemetry/api@1.9.0'], hasOldUndici: true },
  { packages: ['ai@6', 'zod@4', '@opentelemetry/api@1.10'], entries: ['v3'] },
  { packages: ['ai@7', 'zod@4'], entries: ['v3', 'v4'] },
  { packages: ['ai@5.0.0', 'zod@3.25.76'] },
  { packages: ['ai@5', 'zod@4', '@ai-sdk/openai@2'], isFirst: true, hasOldUndici: true },
];

/** Entries that work in browsers. The others start a server or read files. */
const forBrowsers = [
  '.',
  './tool-loop',
  './models',
  './journal',
  './telemetry',
  './devtools',
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

async function tryProject(project: Project, archive: string): Promise<void> {
  const { packages, entries: hostEntries = [], isFirst = false, hasOldUndici = false } = project;
  const name = `${packages.join(' ')}${isFirst ? ' (installed later)' : ''}`;
  const folder = await mkdtemp(path.join(workshop, 'project-'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  await cp(fixtures, folder, { recursive: true });
  if (isFirst) {
    await step(name, 'installs alone', () => npmInstall(folder, [archive]));
    await step(name, 'passes the cases of Open Responses, started with `npx`', () => runCases(folder));
  }
  await step(name, 'installs', () => npmInstall(folder, isFirst ? packages : [archive, ...packages]));
  if (!isFirst) await step(name, 'shares one copy of each package of the AI SDK', () => checkCopies(folder));
  if (!hasOldUndici) await step(name, 'installs no vulnerable `undici`', () => checkUndici(folder));
  await step(name, 'type-checks with `nodenext` and `bundler` resolution', () =>
    checkTypes(folder, hostEntries),
  );
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

/** Runs the test of the emulator that follows the cases of Open Responses, against the emulator of an installed package. */
async function runCases(folder: string): Promise<string> {
  const file = 'test/command/compliance.test.ts';
  const { stdout } = await run(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project', 'main', file],
    { cwd: root, env: { ...process.env, INSTALLED_IN: folder, NO_COLOR: '1' } },
  );
  const [count] = /\d+ passed(?= \(\d+\)\s+Start)/.exec(stdout) ?? [];
  if (count === undefined) throw new Error(`Expected tests that pass, got:\n${stdout}`);
  return `${count}, ${process.env.RESPONSES_CONTRACT ? 'valid by the documents' : 'without the documents'}`;
}

/** Returns the location and the version of each installed copy of a package. */
async function listCopies(folder: string, name: string): Promise<string[]> {
  const { stdout } = await run('npm', ['query', `[name="${name}"]`], { cwd: folder });
  const copies = JSON.parse(stdout) as readonly { readonly location: string; readonly version: string }[];
  return copies.map(({ location, version }) => `${location} ${version}`);
}

async function checkCopies(folder: string): Promise<string> {
  const copies = await Promise.all(
    ['@ai-sdk/provider', '@ai-sdk/provider-utils'].map(name => listCopies(folder, name)),
  );
  if (copies.some(({ length }) => length !== 1))
    throw new Error(`Expected one copy of each package, got:\n${copies.flat().join('\n')}`);
  return copies.flat().join(', ').replaceAll('node_modules/', '');
}

/** Fails for releases of `undici` before 6.23, which have the vulnerability CVE-2026-22036. */
async function checkUndici(folder: string): Promise<string> {
  const copies = await listCopies(folder, 'undici');
  const isOld = (copy: string): boolean => {
    const [, major, minor] = /(\d+)\.(\d+)\.\d+\S*$/.exec(copy) ?? [];
    return Number(major) < 6 || (Number(major) === 6 && Number(minor) < 23);
  };
  if (copies.some(isOld)) throw new Error(`Expected \`undici\` 6.23 or later, got:\n${copies.join('\n')}`);
  return copies.length === 0 ? 'none' : copies.join(', ').replaceAll('node_modules/', '');
}

async function checkTypes(folder: string, hostEntries: readonly string[]): Promise<void> {
  const calls = hostEntries.flatMap(entry => [
    `import { createKelivoResponsesProvider as ${entry} } from 'kelivo-responses/${entry}';`,
    `void generateText({ model: ${entry}()('gpt-5'), prompt: '' });`,
  ]);
  await writeFile(
    path.join(folder, 'use-models.ts'),
    ["import { generateText } from 'ai';", ...calls].join('\n'),
  );
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
      JSON.stringify({ compilerOptions, files: ['use-package.ts', 'use-models.ts'] }),
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
