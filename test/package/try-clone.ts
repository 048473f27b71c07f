// Runs the two commands of the README as on a fresh machine: a clone, an empty home and npm cache, no compiler and no Python
// in `PATH`, and the given majors of Node. Prints a transcript with times. Exits with 1 if a command fails or npm warns.
//
// `npx tsx test/package/try-clone.ts [--install] [20] [22] [24] [26]`
//
// `--install` leaves out `npm test`. A dirty working tree is not cloned: commit before.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findNode, NODES, type NodeMajor } from '../nodes/nodes.js';
import { root } from './manifest.js';
import { network } from './_network.js';

/** Programs that compile, or that build tools run. */
const COMPILERS =
  /^(?:.*-)?(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+|c89|c99|cpp|ld|make|gmake|cmake|python)(?:[-.\d]*)$/;
const OTHER_NODES = /^(?:node|npm|npx|corepack)$/;

const parameters = process.argv.slice(2);
const majors = NODES.filter(major => parameters.includes(major));
const commands = parameters.includes('--install') ? [['install']] : [['install'], ['test']];

let isFailed = false;
for (const major of majors.length === 0 ? (['20'] as const) : majors) await tryClone(major);
process.exitCode = isFailed ? 1 : 0;

async function tryClone(major: NodeMajor): Promise<void> {
  const { program, missing } = await findNode(major);
  if (program === undefined) throw new Error(`Expected Node ${major}, got none: ${missing ?? ''}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'kelivo-clone-'));
  try {
    const [bin, home, clone] = ['bin', 'home', 'clone'].map(name => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(home);
    fillBin(bin, program);
    const env = {
      PATH: bin,
      HOME: home,
      LANG: 'C.UTF-8',
      TMPDIR: tmpdir(),
      ...network,
      npm_config_update_notifier: 'false',
    };
    execFileSync('git', ['clone', '--quiet', root, clone]);
    const run = (name: string, values: readonly string[]) =>
      execFileSync(path.join(bin, name), values, { env, encoding: 'utf8' }).trim();
    console.log(`\nNode ${run('node', ['--version'])}, npm ${run('npm', ['--version'])}, an empty home\n`);
    for (const values of commands) {
      console.log(`$ npm ${values.join(' ')}`);
      const begun = Date.now();
      const { output, code } = await runNpm(bin, values, { cwd: clone, env });
      console.log(shorten(output));
      console.log(`exit code ${code}, ${((Date.now() - begun) / 1000).toFixed(0)} s\n`);
      if (code !== 0 || (values[0] === 'install' && /\bnpm (?:warn|error)\b/i.test(output))) isFailed = true;
      if (code !== 0) return;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills a folder with the programs of this machine, except compilers and its own Node. */
function fillBin(bin: string, node: string): void {
  mkdirSync(bin);
  for (const source of ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']) {
    for (const name of existsSync(source) ? readdirSync(source) : []) {
      if (COMPILERS.test(name) || OTHER_NODES.test(name) || existsSync(path.join(bin, name))) continue;
      symlinkSync(path.join(source, name), path.join(bin, name));
    }
  }
  symlinkSync(node, path.join(bin, 'node'));
  const npm = path.join(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim(), 'npm/bin');
  for (const name of ['npm', 'npx']) symlinkSync(path.join(npm, `${name}-cli.js`), path.join(bin, name));
}

async function runNpm(bin: string, values: readonly string[], options: { cwd: string; env: object }) {
  const child = spawn(path.join(bin, 'npm'), values, {
    cwd: options.cwd,
    env: options.env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { output, code };
}

/** Leaves out the files that have passed. */
function shorten(output: string): string {
  const lines = output.split('\n').filter(line => !/^\s*\S*✓|^\s*$/u.test(line));
  return lines.slice(-60).join('\n');
}
