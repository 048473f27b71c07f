// Runs the first commands of the README verbatim, from an empty folder with an empty home, on each Node, with the versions
// that npm picks there, in folders without a manifest, of CommonJS and of modules. Only the name of this package is replaced, by
// the packed archive. Prints a table with times and lines. Needs an npm registry. Exits with 1 if an answer is missing.
//
// `npx tsx test/package/try-start.ts [20] [22] [24] [26] [pnpm] [yarn] [ai@5]`. A named package manager runs in each folder on
// each Node that is named, and a named major of `ai` replaces the one that the package manager picks.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findNode, NODES } from '../nodes/nodes.js';
import { manifest, root } from './manifest.js';
import { pack } from './pack.js';
import { network } from './_network.js';

/** The manifest of the folder before the first command. */
const KINDS = { none: undefined, commonjs: { type: 'commonjs' }, module: { type: 'module' } } as const;
type Kind = keyof typeof KINDS;

/** What installs packages. The README prints the commands of npm; others replace the first one, and are tried on the newest Node. */
const MANAGERS = {
  npm: 'npm install',
  pnpm: 'npx -y pnpm@12 add',
  yarn: 'npx -y yarn@1 add',
  // Needs a manifest. Without a linker of `node_modules`, only programs that Yarn starts find packages.
  'yarn-4': 'YARN_NODE_LINKER=node-modules npx -y --package @yarnpkg/cli-dist@4 yarn add',
  bun: 'npx -y bun@1.4.5 add',
} as const;
type Manager = keyof typeof MANAGERS;
const managers = Object.keys(MANAGERS) as Manager[];

const ANSWER = /\b42\b/;

const [ai = 'ai'] = process.argv.filter(argument => argument.startsWith('ai@'));

const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const [, block = ''] = /^```bash\n(.*?)^```$/ms.exec(readme) ?? [];
const commands = block
  .split('\n')
  .map(line => line.replace(/\s+#.*$/, '').trim())
  .filter(Boolean);

interface Row {
  readonly node: string;
  readonly ai: string;
  readonly kind: Kind;
  readonly manager: Manager;
  readonly seconds: string;
  readonly lines: number;
  readonly answer: string;
}

const workshop = mkdtempSync(path.join(tmpdir(), 'kelivo-start-'));
try {
  const archive = await pack(workshop);
  const cache = path.join(workshop, 'cache');
  const wanted = NODES.filter(major => process.argv.includes(major));
  const named = managers.filter(manager => process.argv.includes(manager));
  const rows: Row[] = [];
  for (const major of wanted.length === 0 ? NODES : wanted) {
    const { program, missing } = await findNode(major);
    if (program === undefined) throw new Error(`Expected Node ${major}, got none: ${missing ?? ''}`);
    for (const manager of named.length > 0 ? named : (['npm'] as const))
      for (const kind of (Object.keys(KINDS) as Kind[]).filter(
        kind => manager !== 'yarn-4' || kind !== 'none',
      ))
        rows.push(tryStart({ program, kind, manager, archive, cache }));
    if (named.length > 0 || major !== NODES.at(-1)) continue;
    for (const manager of managers.filter(name => name !== 'npm'))
      rows.push(tryStart({ program, kind: 'module', manager, archive, cache }));
  }
  console.log(`\n${commands.map(command => `$ ${command}`).join('\n')}\n`);
  console.log('| Node | ai | folder | manager | seconds | lines printed | answer |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const row of rows) console.log(`| ${Object.values(row).join(' | ')} |`);
  if (rows.some(({ answer }) => !ANSWER.test(answer))) process.exitCode = 1;
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

interface Start {
  readonly program: string;
  readonly kind: Kind;
  readonly manager: Manager;
  readonly archive: string;
  readonly cache: string;
}

function tryStart({ program, kind, manager, archive, cache }: Start): Row {
  const folder = mkdtempSync(path.join(workshop, 'start-'));
  const [bin, home, project] = ['bin', 'home', 'project'].map(name => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [bin, home, project]) mkdirSync(one);
  symlinkSync(program, path.join(bin, 'node'));
  const npm = path.join(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim(), 'npm/bin');
  for (const name of ['npm', 'npx']) {
    const file = path.join(bin, name);
    writeFileSync(file, `#!/bin/sh\nexec node "${npm}/${name}-cli.js" "$@"\n`);
    chmodSync(file, 0o755);
  }
  const given = KINDS[kind];
  if (given !== undefined) writeFileSync(path.join(project, 'package.json'), JSON.stringify(given));
  const env = {
    PATH: [bin, '/usr/bin', '/bin'].join(path.delimiter),
    ...{ HOME: home, LANG: 'C.UTF-8', TMPDIR: tmpdir(), npm_config_cache: cache },
    ...network,
  };
  const node = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
  const begun = Date.now();
  const outputs = commands.map(command => {
    const text = command
      .replace(`npm install ${manifest.name}`, `npm install ${archive}`)
      .replace(' ai ', ` ${ai} `)
      .replace('npm install', MANAGERS[manager])
      // Yarn 1 takes the newest dependencies, which require Node 22, and refuses them.
      .replace(/yarn@1 add/, node.startsWith('v20.') ? '$& --ignore-engines' : '$&');
    const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', text], {
      cwd: project,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) console.error(`${text}\n${stdout}${stderr}`);
    return { all: `${stdout}${stderr}`, stdout };
  });
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  const versionOf = (name: string): string => {
    try {
      const text = readFileSync(path.join(project, 'node_modules', name, 'package.json'), 'utf8');
      return String((JSON.parse(text) as { version: string }).version);
    } catch {
      return 'none';
    }
  };
  const lines = outputs.flatMap(({ all }) => all.split('\n').filter(line => line.trim() !== '')).length;
  const answer = outputs.at(-1)?.stdout.trim().split('\n').at(-1) ?? '';
  const row = { node, ai: versionOf('ai'), kind, manager, seconds, lines, answer };
  console.log(Object.values(row).join(' '));
  return row;
}
