// Tries the package like a new user: packs it, installs the archive into an empty project next to each major of `ai` with
// each package manager, type-checks and runs it there, and bundles it for browsers. Needs an npm registry. Exits with 1 if
// a step fails. Each project is checked with two pairs of a compiler and a resolution, so that each pair of majors meets,
// and the declarations with the fastest compiler; `--all` checks every combination.
//
// `npx tsx test/package/try-install.ts [--all] [part of a project's name]`
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';
import { entries, manifest, root } from './manifest.js';
import { pack } from './pack.js';

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

interface Project {
  /** @default 'npm' */
  readonly manager?: PackageManager;
  /** Packages that are installed together with this one. */
  readonly packages: readonly string[];
  /** Entries whose models `ai` accepts, in addition to the main entry. @default none */
  readonly entries?: readonly ('v3' | 'v4')[];
  /** True to install this package before the others, so that npm has chosen its dependencies. @default false */
  readonly isFirst?: boolean;
  /** True if `ai` itself depends on a release of `undici` with a known vulnerability. @default false */
  readonly hasOldUndici?: boolean;
}

/**
 * Cover the oldest and the newest supported major of `zod`, with and without `@ai-sdk/openai` and OpenTelemetry. Their
 * positions choose the compilers and resolutions.
 */
const projects: readonly Project[] = [
  { packages: ['ai@5', 'zod@3', '@opentelemetry/api@1.9.0'], hasOldUndici: true },
  { packages: ['ai@6', 'zod@4', '@opentelemetry/api@1.10'], entries: ['v3'] },
  { packages: ['ai@7', 'zod@4'], entries: ['v3', 'v4'] },
  { packages: ['ai@5.0.0', 'zod@3.25.76'] },
  { packages: ['ai@5', 'zod@4', '@ai-sdk/openai@2'], isFirst: true, hasOldUndici: true },
  // Without hoisting, so a package that is not a dependency cannot be imported.
  { manager: 'pnpm', packages: ['ai@7', 'zod@4'], entries: ['v3', 'v4'] },
  { manager: 'bun', packages: ['ai@6', 'zod@3'], entries: ['v3'] },
  { manager: 'yarn', packages: ['ai@7', 'zod@3'], entries: ['v3', 'v4'] },
];

const compilers = ['5.4', '5.9', '6', '7'] as const;
const resolutions = ['node16', 'nodenext', 'bundler'] as const;

/** A version of TypeScript and a resolution. */
type Cell = readonly [compiler: (typeof compilers)[number], resolution: (typeof resolutions)[number]];

const allCells = compilers.flatMap(compiler => resolutions.map((resolution): Cell => [compiler, resolution]));

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
const npmOptions = ['--no-audit', '--no-fund', '--no-package-lock'];
const bunVersion = '1.4.5';
const fixtures = path.join(root, 'test/package/_consumer');
const words = process.argv.slice(2);
const isComplete = words.includes('--all');
const workshop = await mkdtemp(path.join(tmpdir(), 'kelivo-install-'));
try {
  const archive = await pack(workshop);
  const programs = await installPrograms();
  const wanted = words.find(word => !word.startsWith('-')) ?? '';
  for (const [index, project] of projects.entries()) {
    const cells = isComplete ? allCells : [2 * index, 2 * index + 1].map(toCell);
    if (nameOf(project).includes(wanted)) await tryProject(project, { archive, programs, cells });
  }
} finally {
  await rm(workshop, { recursive: true, force: true });
}

/** Returns each pair of a compiler and a resolution once for twelve numbers. */
function toCell(number: number): Cell {
  return [compilers[number % 4] ?? '7', resolutions[number % 3] ?? 'bundler'];
}

function nameOf({ manager = 'npm', packages, isFirst = false }: Project): string {
  const prefix = manager === 'npm' ? '' : `${manager}: `;
  return `${prefix}${packages.join(' ')}${isFirst ? ' (installed later)' : ''}`;
}

/** The command of each program. */
type Programs = Readonly<Record<PackageManager | `typescript ${Cell[0]}`, readonly string[]>>;

/** Installs the compilers and the package managers. */
async function installPrograms(): Promise<Programs> {
  const folder = path.join(workshop, 'programs');
  await mkdir(folder);
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }');
  const versions = compilers.map(version => `typescript-${version}@npm:typescript@${version}`);
  // None of them needs its script, except the program of Bun, whose file comes with a package of its own.
  const others = ['pnpm@12', '@yarnpkg/cli-dist@4', `bun@${bunVersion}`];
  await run('npm', ['install', ...npmOptions, ...versions, ...others], { cwd: folder });
  await run(process.execPath, ['install.js'], { cwd: path.join(folder, 'node_modules/bun') });
  const script = (file: string) => [process.execPath, path.join(folder, 'node_modules', file)];
  return {
    npm: ['npm'],
    pnpm: script('pnpm/bin/pnpm.mjs'),
    yarn: script('@yarnpkg/cli-dist/bin/yarn.js'),
    bun: [path.join(folder, 'node_modules/.bin/bun')],
    ...(Object.fromEntries(
      compilers.map(version => [`typescript ${version}`, script(`typescript-${version}/bin/tsc`)]),
    ) as Record<`typescript ${Cell[0]}`, string[]>),
  };
}

interface Setup {
  readonly archive: string;
  readonly programs: Programs;
  readonly cells: readonly Cell[];
}

async function tryProject(project: Project, { archive, programs, cells }: Setup): Promise<void> {
  const {
    manager = 'npm',
    packages,
    entries: hostEntries = [],
    isFirst = false,
    hasOldUndici = false,
  } = project;
  const name = nameOf(project);
  const folder = await mkdtemp(path.join(workshop, 'project-'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  await cp(fixtures, folder, { recursive: true });
  if (isFirst) {
    await step(name, 'installs alone', () => npmInstall(folder, [archive]));
    await step(name, 'passes the cases of Open Responses, started with `npx`', () => runCases(folder));
  }
  await step(name, 'installs', () =>
    manager === 'npm'
      ? npmInstall(folder, isFirst ? packages : [archive, ...packages])
      : installWith(manager, { folder, packages, archive, program: programs[manager] }),
  );
  if (manager === 'npm' && !isFirst)
    await step(name, 'shares one copy of each package of the AI SDK', () => checkCopies(folder));
  if (manager === 'npm' && !hasOldUndici)
    await step(name, 'installs no vulnerable `undici`', () => checkUndici(folder));
  await writeModels(folder, hostEntries);
  // Yarn patches the compiler of the project, because others do not read its files of packages.
  const yarnCells = cells.map(([, resolution]): Cell => ['5.9', resolution]).slice(0, isComplete ? 3 : 1);
  for (const [compiler, resolution] of manager === 'yarn' ? yarnCells : cells) {
    const command = manager === 'yarn' ? [...programs.yarn, 'tsc'] : programs[`typescript ${compiler}`];
    await step(name, `type-checks with TypeScript ${compiler} and \`${resolution}\``, () =>
      checkTypes(folder, {
        command,
        resolution,
        checksDeclarations: compiler === '7' || (isComplete && compiler !== '5.4'),
      }),
    );
  }
  if (manager === 'yarn') console.log(`- ${name}: other versions of TypeScript do not read packages of Yarn`);
  const runtime =
    manager === 'yarn' ? [...programs.yarn, 'node'] : manager === 'bun' ? programs.bun : [process.execPath];
  await step(name, 'runs every entry whose peer dependencies are installed', () =>
    runProgram(folder, { packages, runtime }),
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
  await run('npm', ['install', ...npmOptions, ...packages], { cwd: folder });
}

interface Installation {
  readonly folder: string;
  readonly packages: readonly string[];
  readonly archive: string;
  readonly program: readonly string[];
}

/** Installs what a manifest names. The lock file of Yarn marks the folder as a project. */
async function installWith(
  manager: PackageManager,
  { folder, packages, archive, program: [file = '', ...args] }: Installation,
): Promise<void> {
  const named = packages.map(name => [
    name.slice(0, name.lastIndexOf('@')),
    name.slice(name.lastIndexOf('@') + 1),
  ]);
  const dependencies = { [manifest.name]: `file:${archive}`, ...Object.fromEntries(named) };
  const devDependencies = manager === 'yarn' ? { typescript: '5.9' } : {};
  const project = { type: 'module', private: true, dependencies, devDependencies };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(project));
  if (manager === 'yarn') await writeFile(path.join(folder, 'yarn.lock'), '');
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry']);
  await run(file, [...args, 'install'], {
    cwd: folder,
    env: {
      ...{ ...process.env, CI: '' },
      ...{ npm_config_registry: registry.trim(), YARN_NPM_REGISTRY_SERVER: registry.trim() },
      ...{ YARN_NODE_LINKER: 'pnp', YARN_ENABLE_TELEMETRY: '0', YARN_ENABLE_SCRIPTS: 'false' },
    },
  });
}

/** Runs the test of the emulator that follows the cases of Open Responses, against the emulator of an installed package. */
async function runCases(folder: string): Promise<string> {
  const file = 'test/testing/command/compliance.test.ts';
  const { stdout } = await run(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'command', file],
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

/** Writes a program that passes models of other entries to `ai`. */
async function writeModels(folder: string, hostEntries: readonly string[]): Promise<void> {
  const calls = hostEntries.flatMap(entry => [
    `import { createKelivoResponsesProvider as ${entry} } from 'kelivo-responses/${entry}';`,
    `void generateText({ model: ${entry}()('gpt-5'), prompt: '' });`,
  ]);
  await writeFile(
    path.join(folder, 'use-models.ts'),
    ["import { generateText } from 'ai';", ...calls].join('\n'),
  );
}

interface TypeCheck {
  readonly command: readonly string[];
  readonly resolution: Cell[1];
  /** True to report errors in the declarations of this package as well. */
  readonly checksDeclarations: boolean;
}

async function checkTypes(
  folder: string,
  { command: [file = '', ...args], resolution, checksDeclarations }: TypeCheck,
): Promise<void> {
  const compilerOptions = {
    module: resolution === 'bundler' ? 'esnext' : resolution,
    moduleResolution: resolution,
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: !checksDeclarations,
    types: [],
  };
  await writeFile(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['use-package.ts', 'use-models.ts'] }),
  );
  await run(file, [...args, '--pretty', 'false'], { cwd: folder }).catch((error: { stdout?: string }) => {
    // The types of `ai` have errors if the types of Node and JSON Schema are not installed.
    const lines = (error.stdout ?? '').split('\n').filter(line => /^\S/.test(line));
    const own = lines.filter(
      line => !/node_modules|\.yarn|__virtual__/.test(line) || line.includes(manifest.name),
    );
    if (own.length > 0 || lines.length === 0) throw error;
  });
}

async function runProgram(
  folder: string,
  { packages, runtime: [file = '', ...args] }: Pick<Project, 'packages'> & { runtime: readonly string[] },
): Promise<string> {
  const source = await readFile(path.join(folder, 'use-package.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  await writeFile(path.join(folder, 'use-package.js'), outputText);
  const { PATH = '', HOME = '' } = process.env;
  const hasOpenTelemetry = packages.some(name => name.startsWith('@opentelemetry/'));
  const specifiers = entries
    .filter(entry => hasOpenTelemetry || entry.path !== './telemetry')
    .map(({ specifier }) => specifier);
  const { stdout } = await run(file, [...args, 'use-package.js', ...specifiers], {
    cwd: folder,
    env: { PATH, HOME, YARN_ENABLE_TELEMETRY: '0' },
    timeout: 300_000,
  });
  // The AI SDK prints a hint about warnings before.
  return stdout.trim().split('\n').at(-1) ?? '';
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
