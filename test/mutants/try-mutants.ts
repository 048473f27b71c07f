/**
 * Shows which changes of the sources the tests notice. Each is made in a copy of the repository, in which the tests of its
 * folder run, and then the others that reach its file, up to the first failure.
 *
 *     npm run mutants                     40 changes in all folders
 *     npm run mutants -- 10 --seed two    10 others
 *
 * Exits with 1 if a change survives. Some survive because they change nothing that anybody can observe.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chooseMutants, folderOf, type Mutant } from './find-mutants.js';

const root = path.join(import.meta.dirname, '../..');

/** Time after which tests that hang count as failed, in milliseconds. */
const LONGEST = 600_000;

interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Copies the files that tests read. Packages are shared with the repository. */
function copyRepository(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'mutants-'));
  cpSync(root, copy, {
    recursive: true,
    filter: file => !/[\\/](?:\.git|node_modules|dist|test-results)$/.test(file),
  });
  for (const folder of ['', 'test', 'playground', '.ci']) {
    const packages = path.join(root, folder, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, path.join(copy, folder, 'node_modules'));
  }
  return copy;
}

/** Runs tests and returns the title of the first failure, or undefined if all pass. */
function runTests(copy: string, args: readonly string[]): Promise<string | undefined> {
  const output = path.join(copy, 'report.json');
  rmSync(output, { force: true });
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const options = [
    '--project',
    'main',
    '--project',
    'command',
    '--bail',
    '1',
    '--passWithNoTests',
    '--reporter',
    'json',
  ];
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [vitest, ...args, ...options, '--outputFile', output],
      { cwd: copy, timeout: LONGEST, killSignal: 'SIGKILL', maxBuffer: 2 ** 28 },
      error => resolve(error === null ? undefined : readFailure(copy, output)),
    );
  });
}

function readFailure(copy: string, output: string): string {
  if (!existsSync(output)) return 'no end of the tests';
  const report: TestReport = JSON.parse(readFileSync(output, 'utf8'));
  for (const { name, message, assertionResults } of report.testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed !== undefined || message !== '')
      return `${path.relative(copy, name)}: ${failed?.fullName ?? message.slice(0, 100)}`;
  }
  return 'an error outside of the tests';
}

/** Returns the tests of the files of a folder, without those of its folders. */
const testsOf = (copy: string, folder: string): string[] =>
  readdirSync(path.join(copy, 'test', folder), { withFileTypes: true }).flatMap(entry => {
    const isOther = entry.isDirectory() && existsSync(path.join(copy, 'src', folder, entry.name));
    const isRead = entry.isDirectory() ? !isOther : entry.name.endsWith('.test.ts');
    return isRead ? [`test/${folder}/${entry.name}`] : [];
  });

async function tryMutant(copy: string, { file, start, end, changed }: Mutant): Promise<string | undefined> {
  const target = path.join(copy, file);
  const text = readFileSync(target, 'utf8');
  writeFileSync(target, text.slice(0, start) + changed + text.slice(end));
  try {
    const folder = folderOf(copy, file);
    const tests = folder === '' ? [] : testsOf(copy, folder);
    const own = tests.length === 0 ? undefined : await runTests(copy, ['run', '--passWithNoTests', ...tests]);
    return own ?? (await runTests(copy, ['related', '--run', file]));
  } finally {
    writeFileSync(target, text);
  }
}

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string', default: 'one' }, list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const mutants = chooseMutants(root, { count: Number(positionals[0] ?? 40), seed: values.seed });
const toLine = ({ file, line, original, changed }: Mutant): string =>
  `${file}:${line}  ${original.replaceAll(/\s+/g, ' ').slice(0, 60)}  →  ${changed.replaceAll(/\s+/g, ' ').slice(0, 60)}`;
if (values.list) {
  for (const mutant of mutants) console.log(toLine(mutant));
  process.exit();
}
const copy = copyRepository();
let survivors = 0;
try {
  for (const mutant of mutants) {
    const failure = await tryMutant(copy, mutant);
    survivors += failure === undefined ? 1 : 0;
    console.log(
      `${failure === undefined ? 'SURVIVED' : 'killed  '}  ${toLine(mutant)}\n          ${failure ?? ''}`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${mutants.length - survivors} of ${mutants.length} killed`);
process.exitCode = survivors > 0 ? 1 : 0;
