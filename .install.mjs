/**
 * Installs the packages of folders with a lock file of their own, unless these packages are installed: the playground's,
 * the documentation site's, and those of checks, releases and suites. `npm install` at the root installs none of them.
 *
 *     node .install.mjs playground .ci
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withLock } from './.lock.mjs';

/** Minutes for one attempt. A registry can stop to answer within a download, and npm then waits without a limit. */
const LIMIT = Number(process.env.INSTALL_MINUTES ?? 6);

/**
 * No package needs its script: a test of the lock files checks it, and that none is deprecated. What remains of the warnings
 * concerns packages that ask for a later Node, on which they are run in spite of that.
 */
const ARGUMENTS = [
  'ci',
  '--ignore-scripts',
  '--loglevel=error',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
];

for (const folder of process.argv.slice(2)) {
  const reason = isInstalled(folder) ? undefined : await withLock(lockOf(folder), () => install(folder));
  if (reason === undefined) {
    if (folder === 'test') linkMajors();
    continue;
  }
  const command = `npm ${ARGUMENTS.join(' ')} --prefix ${folder}`;
  console.error(`Expected the packages of ${folder}/, got ${reason}. Run \`${command}\` with a network.`);
  process.exit(1);
}

/**
 * Returns true if the locked packages of a folder are installed. Each is looked for, because `npm install` at the root follows
 * the links of `linkMajors()`, and removes what it does not know.
 */
function isInstalled(folder) {
  const stamp = stampOf(folder);
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hashLock(folder)) return false;
  const { packages } = JSON.parse(readLock(folder));
  return Object.entries(packages).every(
    ([location, { optional = false, extraneous = false }]) =>
      optional || extraneous || existsSync(path.join(import.meta.dirname, folder, location, 'package.json')),
  );
}

/**
 * Installs the locked packages of a folder, unless another process has done it in the meantime. The second attempt continues
 * with what the first one has downloaded. Returns the reason if both fail.
 */
async function install(folder) {
  if (isInstalled(folder)) return undefined;
  console.error(`Installing the packages of ${folder}/ …`);
  rmSync(stampOf(folder), { force: true });
  const isFailed = (await runNpm(folder)) !== undefined;
  const reason = isFailed ? await runNpm(folder) : undefined;
  if (reason === undefined) writeFileSync(stampOf(folder), hashLock(folder));
  return reason;
}

function stampOf(folder) {
  return path.join(import.meta.dirname, folder, 'node_modules/.installed');
}

/** The installation removes all files of `node_modules`, so the lock lies elsewhere. */
function lockOf(folder) {
  const target = path.join(import.meta.dirname, folder);
  return path.join(
    tmpdir(),
    `install-${createHash('sha256').update(target).digest('hex').slice(0, 16)}.lock`,
  );
}

/**
 * Links the newest major of `ai` and its packages beside the other majors, so that programs outside of `test` find it: an
 * acceptance test of the built package, or a snippet.
 */
function linkMajors() {
  const own = path.join(import.meta.dirname, 'node_modules');
  const { devDependencies } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, 'test/package.json'), 'utf8'),
  );
  for (const name of Object.keys(devDependencies)) {
    const link = path.join(own, name);
    if (!existsSync(own) || name.includes('/') || readdirSync(own).includes(name)) continue;
    try {
      symlinkSync(path.join('..', 'test/node_modules', name), link, 'junction');
    } catch (error) {
      if (error.code !== 'EEXIST') throw error; // another process was faster
    }
  }
}

/** Identifies the locked packages, and the machine that they are installed for. */
function hashLock(folder) {
  const machine = `${process.platform} ${process.arch}`;
  return createHash('sha256').update(machine).update(readLock(folder)).digest('hex');
}

function readLock(folder) {
  return readFileSync(path.join(import.meta.dirname, folder, 'package-lock.json'), 'utf8');
}

/** Returns the reason if npm fails or exceeds the limit. */
function runNpm(folder) {
  return new Promise(resolve => {
    // A process group of its own, because npm and its shell ignore a signal while they wait for the registry.
    const isGroup = process.platform !== 'win32';
    const child = spawn('npm', ARGUMENTS, {
      cwd: path.join(import.meta.dirname, folder),
      shell: !isGroup,
      detached: isGroup,
      stdio: ['ignore', 2, 2],
    });
    let isStalled = false;
    const timer = setTimeout(() => {
      isStalled = true;
      console.error(`npm did not install the packages of ${folder}/ in ${LIMIT} minutes, so it is ended.`);
      if (isGroup) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    }, LIMIT * 60_000);
    child.once('error', error => finish(String(error)));
    child.once('exit', (code, signal) => {
      const failure = `npm with ${signal === null ? `code ${code}` : signal}`;
      finish(code === 0 ? undefined : isStalled ? `no answer of the registry in ${LIMIT} minutes` : failure);
    });
    function finish(reason) {
      clearTimeout(timer);
      resolve(reason);
    }
  });
}
