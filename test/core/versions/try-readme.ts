// Runs the first example of the README and "Wrapping any model" of the tutorial like a new user: with the packed archive, each major of
// `ai`, and the majors of the providers' packages that npm installs next to it. Needs an npm registry. Exits with 1 if
// an example does not compile, does not print what it should, or prints a warning.
//
// `npx tsx test/core/versions/try-readme.ts [part of a project's name]`
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { startMultiApiEmulator } from '../../_emulators/start-emulator.js';
import { findSnippets, type Snippet } from '../../docs/_markdown.js';
import { manifest, root } from '../../package/manifest.js';
import { pack } from '../../package/pack.js';

/** The majors of one project. */
interface Project {
  readonly ai: 5 | 6 | 7;
  /** Majors of `@ai-sdk/openai-compatible` and `@ai-sdk/openai`. Undefined for a project without them. */
  readonly providers?: { readonly compatible: 1 | 2 | 3; readonly openai: 2 | 3 | 4 };
}

/** The providers' majors for `ai` 5, 6 and 7. A host accepts its own and the earlier ones. */
const MAJORS = [
  { ai: 5, compatible: 1, openai: 2 },
  { ai: 6, compatible: 2, openai: 3 },
  { ai: 7, compatible: 3, openai: 4 },
] as const;

const projects: readonly Project[] = [
  ...MAJORS.flatMap(({ ai }) =>
    MAJORS.filter(providers => providers.ai <= ai)
      .reverse()
      .map(({ compatible, openai }) => ({ ai, providers: { compatible, openai } })),
  ),
  { ai: 7 },
];

/** The entry of the package for a major of `ai`. */
const ENTRIES = { 5: manifest.name, 6: `${manifest.name}/v3`, 7: `${manifest.name}/v4` } as const;

const nameOf = ({ ai, providers }: Project): string =>
  providers === undefined
    ? `ai@${ai} alone`
    : `ai@${ai}, openai-compatible@${providers.compatible}, openai@${providers.openai}`;

const seconds = 1000;
const run = promisify(execFile);
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const snippetsOf = async (file: string): Promise<Snippet[]> =>
  findSnippets(await readFile(path.join(root, file), 'utf8'));
const [first] = await snippetsOf('README.md');
const wrapping = (await snippetsOf('src/getting-started.md')).find(({ name }) =>
  name.startsWith('Wrapping any model'),
);
if (first === undefined || wrapping === undefined) {
  throw new Error('Expected the README to have an example, and the tutorial "Wrapping any model".');
}

/** Shows what the host reports of a wrapped model. */
const withReport = (snippet: Snippet): Snippet => ({
  ...snippet,
  code: `${snippet.code}
const { finishReason, usage } = await generateText({ model, prompt: 'Add 20 and 22.' });
console.log(\`finished with \${finishReason}, \${typeof usage.totalTokens} \${Number(usage.totalTokens) > 0}\`);`,
  prints: [...snippet.prints, 'finished with stop, number true'],
});

/** The model of "Wrapping any model" from `@ai-sdk/openai`. */
const overOpenAI: Snippet = {
  ...wrapping,
  name: `${wrapping.name} with @ai-sdk/openai`,
  code: wrapping.code
    .replace('createOpenAICompatible', 'createOpenAI')
    .replace('@ai-sdk/openai-compatible', '@ai-sdk/openai')
    .replace(/createOpenAICompatible\(\{ name: '\w+', /, "createOpenAI({ apiKey: 'a key', ")
    .replace(/server\('/g, "server.chat('"),
};

const examples = [first, withReport(wrapping), withReport(overOpenAI)];

const emulator = await startMultiApiEmulator();
const workshop = await mkdtemp(path.join(tmpdir(), 'kelivo-readme-'));
try {
  const archive = await pack(workshop);
  const [wanted = ''] = process.argv.slice(2);
  for (const project of projects.filter(one => nameOf(one).includes(wanted)))
    await tryProject(project, archive);
} finally {
  await rm(workshop, { recursive: true, force: true });
  await emulator.close();
}

async function tryProject(project: Project, archive: string): Promise<void> {
  const { ai, providers } = project;
  const folder = await mkdtemp(path.join(workshop, 'project-'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const packages = [
    ...[archive, `ai@${ai}`, 'zod@4'],
    ...(providers === undefined
      ? []
      : [
          `@ai-sdk/openai-compatible@${providers.compatible}`,
          `@ai-sdk/openai@${providers.openai}`,
          ...['@modelcontextprotocol/server-filesystem', '@types/node@20'],
        ]),
  ];
  const isInstalled = await step(project, 'installs', async () => {
    const options = ['--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', ['install', ...options, ...packages], { cwd: folder });
  });
  if (!isInstalled) return;
  if (providers === undefined) {
    // `@ai-sdk/provider-utils` 3 brings version 5, which has known vulnerabilities.
    await step(project, 'installs no `undici`', async () => {
      const found = await stat(path.join(folder, 'node_modules/undici')).catch(() => undefined);
      if (found !== undefined) throw new Error('Expected no `undici` next to a clean application, got one.');
    });
    return;
  }
  await prepare(folder);
  const files = examples.map((snippet, index) => ({
    snippet,
    file: `example-${index + 1}`,
    code: toCode(snippet, ai),
  }));
  for (const { file, code } of files)
    await writeFile(path.join(folder, `${file}.ts`), `${code}\nexport {};\n`);
  await step(project, 'the examples compile', () =>
    checkTypes(
      folder,
      files.map(({ file }) => file),
    ),
  );
  for (const { snippet, file, code } of files)
    await step(project, `${snippet.name} runs`, () => runExample(folder, { file, code, snippet, project }));
}

/** Imports the entry of the major, and sends requests to the emulator. */
function toCode({ code }: Snippet, ai: Project['ai']): string {
  return code
    .replace(/'kelivo-responses(?:\/v[34])?'/g, `'${ENTRIES[ai]}'`)
    .replace(/http:\/\/localhost:8000\/v1/g, emulator.baseURL);
}

/** Writes the file that the first example lists, and a program that starts its MCP server without the registry. */
async function prepare(folder: string): Promise<void> {
  await writeFile(path.join(folder, 'notes.txt'), 'Water the plants.\n');
  await mkdir(path.join(folder, 'bin'));
  const npx = '#!/bin/sh\nserver="$2"; shift 2; exec node "node_modules/$server/dist/index.js" "$@"\n';
  await writeFile(path.join(folder, 'bin/npx'), npx, { mode: 0o755 });
}

async function checkTypes(folder: string, files: readonly string[]): Promise<void> {
  const compilerOptions = {
    ...{ module: 'nodenext', moduleResolution: 'nodenext', target: 'es2022' },
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: ['node'] },
  };
  const config = JSON.stringify({ compilerOptions, files: files.map(file => `${file}.ts`) });
  await writeFile(path.join(folder, 'tsconfig.json'), config);
  await run(process.execPath, [tsc], { cwd: folder });
}

/** Runs an example and checks what it prints. */
async function runExample(
  folder: string,
  { file, code, snippet, project }: { file: string; code: string; snippet: Snippet; project: Project },
): Promise<void> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  await writeFile(path.join(folder, `${file}.js`), outputText);
  const { stdout, stderr } = await run(process.execPath, [`${file}.js`], {
    cwd: folder,
    env: {
      PATH: [path.join(folder, 'bin'), process.env.PATH ?? ''].join(path.delimiter),
      ...{ HOME: folder, OPENAI_API_KEY: 'a key', OPENAI_BASE_URL: emulator.baseURL },
    },
    timeout: 300 * seconds,
  });
  const printed = stdout.replace(/\s+/g, ' ');
  let from = 0;
  for (const text of snippet.prints) {
    const at = printed.indexOf(text, from);
    if (at < 0)
      throw new Error(`Expected it to print ${JSON.stringify(text)}, got ${JSON.stringify(printed)}.`);
    from = at + text.length;
  }
  // `ai` 6 and 7 warn of models of `ai` 5, whoever wraps them.
  const isOld = project.ai > 5 && project.providers?.compatible === 1 && snippet !== first;
  if (stderr !== '' && !isOld) throw new Error(`Expected no warning, got:\n${stderr}`);
}

async function step(project: Project, title: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    console.log(`✓ ${nameOf(project)}: ${title}`);
    return true;
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message = '',
    } = error as Partial<Record<'stdout' | 'stderr' | 'message', string>>;
    console.error(`✗ ${nameOf(project)}: ${title}\n${[message, stdout, stderr].filter(Boolean).join('\n')}`);
    process.exitCode = 1;
    return false;
  }
}
