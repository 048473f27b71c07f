// Runs the client scenarios of the official MCP conformance suite against the MCP client, for every revision that the
// suite has requirements for, and prints the results. Exits with 1 if a scenario fails, has too few passed checks, or
// is required by the suite but not listed here. The number of checks counts, because the suite exits with 0 if a client
// crashes immediately or if a scenario does not apply to the revision.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { checks, leftOut } from './scenarios.mjs';

/** Scenarios that run at the same time. Two keep a machine with two cores busy. */
const maxConcurrent = 2;

/** Scenarios that measure times. They run alone, before the others. */
const measuresTime = name => name === 'sse-retry';

const root = fileURLToPath(new URL('../..', import.meta.url));
const loader = new URL('fs-loader.mjs', import.meta.url).href;
const suite = path.join(root, '.ci/node_modules/@modelcontextprotocol/conformance/dist/index.js');
const clientFile = path.join(root, 'test/test-results/conformance/client.mjs');
// Uses `exec`, because the suite's time limit only ends the shell.
const client = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(clientFile)}`;
// Each scenario starts the client, which takes longer to compile than to run.
await build({
  entryPoints: [fileURLToPath(new URL('client.ts', import.meta.url))],
  outfile: clientFile,
  ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external' },
});

const [filter = ''] = process.argv.slice(2);
const runs = Object.entries(checks).flatMap(([revision, scenarios]) =>
  Object.entries(scenarios).map(([name, minimum]) => ({ revision, name, minimum })),
);
const selected = runs.filter(({ revision, name }) => `${revision} ${name}`.includes(filter));
const results = [];
for (const scenario of selected.filter(({ name }) => measuresTime(name))) results.push(await run(scenario));
const waiting = selected.filter(({ name }) => !measuresTime(name));
await Promise.all(Array.from({ length: maxConcurrent }, work));

async function work() {
  for (let scenario = waiting.shift(); scenario; scenario = waiting.shift())
    results.push(await run(scenario));
}

const requirements = await readRequirements(Object.keys(checks).filter(revision => revision !== 'extension'));
printTable();
for (const [name, reason] of Object.entries(leftOut)) console.log(`Left out: ${name}: ${reason}`);

const unlisted = requirements.filter(
  ({ revision, name }) =>
    checks[revision][name] === undefined &&
    checks.extension[name] === undefined &&
    leftOut[name] === undefined,
);
for (const { revision, name } of unlisted) {
  console.error(`${revision} ${name}: the suite has this scenario, but scenarios.mjs does not list it.`);
}
const misses = results.filter(({ isGood }) => !isGood);
for (const { revision, name, minimum, passed, failed, exitCode, output } of misses) {
  console.error(
    `${revision} ${name}: expected at least ${minimum} passed checks, no failed one and exit code 0, ` +
      `got ${passed}, ${failed} and exit code ${exitCode}.\n${output}`,
  );
}
const passedChecks = results.reduce((sum, { passed }) => sum + passed, 0);
console.log(
  `${results.length - misses.length} of ${results.length} scenarios passed, ${passedChecks} checks.`,
);
process.exitCode = misses.length + unlisted.length === 0 ? 0 : 1;

/** Prints one line for each scenario and one column for each revision: the number of passed checks. */
function printTable() {
  const names = [...new Set(results.map(({ name }) => name))].sort();
  const reasons = new Map(requirements.map(({ name, reason }) => [name, reason]));
  const table = names.map(name => {
    const cells = results
      .filter(result => result.name === name)
      .map(({ revision, passed, failed }) => [revision, failed > 0 ? `${passed}, ${failed} failed` : passed]);
    return [
      name,
      { ...Object.fromEntries(cells), 'rated by the suite': reasons.get(name) ?? 'other revision' },
    ];
  });
  console.table(Object.fromEntries(table), [...Object.keys(checks), 'rated by the suite']);
}

async function run({ revision, name, minimum }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-conformance-'));
  try {
    const version = revision === 'extension' ? [] : ['--spec-version', revision];
    const args = ['client', '--command', client, '--scenario', name, ...version, '--timeout', '60000'];
    const { exitCode, output } = await execute([...args, '-o', folder]);
    const statuses = await readStatuses(folder);
    const passed = statuses.filter(status => status === 'SUCCESS').length;
    const failed = statuses.filter(status => status === 'FAILURE' || status === 'WARNING').length;
    const isGood = exitCode === 0 && failed === 0 && passed >= minimum;
    return { revision, name, minimum, passed, failed, isGood, exitCode, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the suite. */
async function execute(args) {
  const child = spawn(process.execPath, ['--import', loader, suite, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += chunk;
    });
  }
  const [exitCode] = await once(child, 'close');
  return { exitCode, output };
}

/** Reads `checks.json`, which the suite writes into a directory named after the scenario and the time. */
async function readStatuses(folder) {
  const files = await readdir(folder, { recursive: true });
  const file = files.find(name => path.basename(name) === 'checks.json');
  if (file === undefined) return [];
  return JSON.parse(await readFile(path.join(folder, file), 'utf8')).map(({ status }) => status);
}

/** Returns the client scenarios of the suite's own lists, with the reason of those that it never rates. */
async function readRequirements(revisions) {
  const lists = revisions.map(async revision => {
    const { output } = await execute(['list', '--requirements', revision]);
    const [required = '', notScored = ''] = output.split('never scored:');
    const [, clientPart = ''] = required.split('Client scenarios');
    let reason = '';
    return [
      ...[...clientPart.matchAll(/^ +- (\S+)$/gm)].map(([, name]) => ({
        revision,
        name,
        reason: 'required',
      })),
      ...[...notScored.matchAll(/^ +(?:- (\S+) \[client\]|(\S+) \(\d+\):)$/gm)].flatMap(
        ([, name, heading]) => {
          reason = heading ?? reason;
          return name === undefined ? [] : [{ revision, name, reason: `no: ${reason}` }];
        },
      ),
    ];
  });
  const found = (await Promise.all(lists)).flat();
  if (found.length === 0) throw new Error('Expected the suite to list its client scenarios, got none.');
  return found;
}
