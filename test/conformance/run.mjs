// Runs client scenarios of the official MCP conformance suite against the MCP client and prints the results. They run
// one at a time because some measure times. Exits with 1 if a scenario fails or has too few passed checks, because the
// suite reports no failure for a client that crashes immediately.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The scenarios for hosts of tools, with the number of checks that must pass. */
const scenarios = [
  { name: 'initialize', checks: 1 },
  { name: 'tools_call', checks: 1 },
  { name: 'sse-retry', checks: 3 },
  { name: 'elicitation-sep1034-client-defaults', checks: 5 },
  { name: 'auth/client-credentials-basic', checks: 8 },
  { name: 'auth/metadata-default', checks: 15 },
];

const root = fileURLToPath(new URL('../..', import.meta.url));
const loader = new URL('fs-loader.mjs', import.meta.url).href;
const suite = path.join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
// Uses `exec`, because the suite's time limit only ends the shell.
const client = `exec ${JSON.stringify(process.execPath)} --import tsx test/conformance/client.ts`;

const results = [];
for (const scenario of scenarios) results.push(await run(scenario));
console.table(
  results.map(({ name, passed, failed }) => ({ scenario: name, 'passed checks': passed, failed })),
);

const misses = results.filter(({ isGood }) => !isGood);
for (const { name, checks, exitCode, output } of misses) {
  console.error(
    `${name}: expected ${checks} passed checks and exit code 0, got exit code ${exitCode}.\n${output}`,
  );
}
process.exitCode = misses.length === 0 ? 0 : 1;

async function run({ name, checks }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-conformance-'));
  try {
    const args = ['client', '--command', client, '--scenario', name, '--timeout', '20000', '-o', folder];
    const { exitCode, output } = await execute(['--import', loader, suite, ...args]);
    const statuses = await readStatuses(folder);
    const passed = statuses.filter(status => status === 'SUCCESS').length;
    const failed = statuses.filter(status => status === 'FAILURE' || status === 'WARNING').length;
    const isGood = exitCode === 0 && failed === 0 && passed >= checks;
    return { name, checks, passed, failed, isGood, exitCode, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function execute(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
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
