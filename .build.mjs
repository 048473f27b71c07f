/**
 * Builds `dist`: one bundle per entry of `exports` with shared chunks, and rolled-up declarations.
 *
 *     npm run build               does nothing if `dist` is up to date
 *     npm run build -- --force    always builds
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './.lock.mjs';

const root = import.meta.dirname;
const outputFolder = path.join(root, 'dist');
/** Records the inputs and the outputs of the last build. The package does not contain it. */
const recordFile = path.join(outputFolder, '.build.json');
const lockFile = path.join(root, 'node_modules/.build.lock');
const tsconfig = path.join(root, 'src/tsconfig.json');
const outputOptions = { dir: outputFolder, format: 'esm', chunkFileNames: 'chunks/[name].js' };
/** The compiler takes nearly all the time, which is no problem to report. */
const checks = { pluginTimings: false };
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** A thread is started with its file. */
const WORKER = './dist/tool-loop/durable/sqlite-worker.js';

/** They get files of their own. A bundler leaves out a file that is not used, but not all of one that is. */
const FAMILIES = ['./dist/adapters/families/qwen.js', './dist/adapters/families/mistral.js'];

const inputHash = hashInputs();
const isForced = process.argv.includes('--force');
if (isForced || !isUpToDate(inputHash)) await withLock(lockFile, build);

async function build() {
  // Another process may have built it in the meantime.
  if (!isForced && isUpToDate(inputHash)) return;
  // Loaded here because most runs find `dist` up to date.
  const { rolldown } = await import('rolldown');
  const { dts } = await import('rolldown-plugin-dts');
  const { default: ts } = await import('typescript');
  const outputs = await Promise.all([
    bundleCode(rolldown),
    bundleForWorkflows(rolldown),
    bundleDeclarations(rolldown, dts, ts),
  ]);
  writeOutputs(new Map(outputs.flat()));
}

/** Bundles the JavaScript. Modules that the main entry always loads share one chunk, so importing it reads two files. */
async function bundleCode(rolldown) {
  // Bundlers for browsers replace a file by its path, so both files keep their own paths.
  const replaceable = Object.entries(manifest.browser).flat();
  const bundle = await rolldown({
    ...toInputOptions([
      ...listEntryFiles(),
      ...replaceable,
      ...Object.values(manifest.bin),
      WORKER,
      ...FAMILIES,
    ]),
    // No module of the package has side effects, as `sideEffects` in package.json promises.
    treeshake: { moduleSideEffects: false },
    // A host entry is imported both ways: its schema asks for a function that imports, and its extension needs it at once.
    checks: { ...checks, ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.generate({
    ...outputOptions,
    // Source maps are larger than the code, so the archive has none, and no file refers to one. They stand beside the files
    // for tools that count what runs. The code is not minified, so a debugger shows functions under their names.
    sourcemap: 'hidden',
    // Editors show the comments of the declarations.
    comments: { jsdoc: false },
    codeSplitting: { groups: createChunkGroups() },
  });
  await bundle.close();
  return toFiles(output);
}

/**
 * Bundles the entries with a `workflow` condition. Vercel Workflow bundles them, with all dynamic imports, into a sandbox
 * that creates models and does not call them, and whose build fails for Node built-ins. So they have no dynamic imports.
 */
async function bundleForWorkflows(rolldown) {
  const files = Object.values(manifest.exports).flatMap(target => target.workflow ?? []);
  const bundle = await rolldown({
    ...toInputOptions(files.map(file => file.replace('/workflow/', '/'))),
    plugins: [createSandboxPlugin()],
    treeshake: { moduleSideEffects: false },
    checks,
  });
  const { output } = await bundle.generate({
    ...outputOptions,
    dir: path.join(outputFolder, 'workflow'),
    comments: { jsdoc: false },
  });
  await bundle.close();
  return toFiles(output).map(([name, content]) => [path.join('workflow', name), content]);
}

/** Replaces dynamic imports by an error. */
function createSandboxPlugin() {
  const id = '\0sandbox';
  const message = 'Expected a call in a workflow step, got one in a workflow function. Move it into a step.';
  return {
    name: 'workflow-sandbox',
    resolveDynamicImport: () => ({ id }),
    load: loaded =>
      loaded === id
        ? { code: `throw new Error(${JSON.stringify(message)});`, moduleSideEffects: true }
        : null,
  };
}

/** Rolls up the declarations of each entry. The compiler keeps comments and drops what is `@internal`. */
async function bundleDeclarations(rolldown, dts, ts) {
  const bundle = await rolldown({
    ...toInputOptions(listEntryFiles()),
    checks,
    plugins: [dts({ emitDtsOnly: true, tsconfig })],
  });
  const { output } = await bundle.generate(outputOptions);
  await bundle.close();
  return toFiles(output).map(([name, code]) => [name, separateComments(name, code, ts)]);
}

/**
 * Moves comments of members to their own lines. The bundler prints a short comment after the previous member, where the
 * compiler ignores it (https://github.com/sxzz/rolldown-plugin-dts/issues/182).
 */
function separateComments(name, code, ts) {
  const source = ts.createSourceFile(name, code, ts.ScriptTarget.Latest);
  const comments = new Map();
  const visit = node => {
    if (ts.isTypeElement(node) || ts.isClassElement(node) || ts.isStatement(node)) {
      const { character } = source.getLineAndCharacterOfPosition(node.getStart(source));
      for (const { pos } of ts.getTrailingCommentRanges(code, node.pos) ?? []) comments.set(pos, character);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  let separated = code;
  for (const [position, indentation] of [...comments].sort(([a], [b]) => b - a))
    separated = `${separated.slice(0, position).trimEnd()}\n${' '.repeat(indentation)}${separated.slice(position)}`;
  return separated;
}

/** @param {string[]} files built files, relative to the package: `./dist/tools/mcp/index.js` */
function toInputOptions(files) {
  const names = files.map(file => file.replace(/^\.\/dist\//, '').replace(/\.js$/, ''));
  // The command imports the entries by their names.
  const packages = [
    manifest.name,
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  ];
  return {
    cwd: root,
    input: Object.fromEntries(names.map(name => [name, `src/${name}.ts`])),
    platform: 'neutral',
    tsconfig,
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    external: id => id.startsWith('node:') || packages.some(name => id === name || id.startsWith(`${name}/`)),
  };
}

function listEntryFiles() {
  return Object.values(manifest.exports).flatMap(target =>
    typeof target === 'string' ? [] : [target.default],
  );
}

/**
 * Puts the modules of the main entry into few chunks, because each file takes a millisecond to load. Modules that other
 * entries need too are in the chunks of these entries, so that an entry loads nothing that it does not use.
 */
function createChunkGroups() {
  let chunks;
  // A chunk takes the imports of its modules along, so those with fewer imports come first.
  const names = ['common', 'errors', 'calls', 'models', 'servers', 'loop', 'core'];
  return names.map((name, index) => ({
    priority: names.length - index,
    name(id, context) {
      chunks ??= assignChunks(context);
      return chunks.get(id) === name ? name : null;
    },
    debugName: name,
  }));
}

function assignChunks(context) {
  const listImports = file => listStaticImports(path.join(root, file), context);
  const entries = [
    'tool-loop',
    'adapters',
    'core/tool-calls',
    'telemetry',
    'tools/mcp',
    'models/embeddings',
    'tool-loop/durable',
    'models',
    // Not the suites of `testing`, which reach most modules: applications do not load them.
  ];
  const reached = entries.map(entry => [entry, listImports(`src/${entry}/index.ts`)]);
  return new Map(
    [...listImports('src/index.ts')].map(id => {
      const users = reached.filter(([, modules]) => modules.has(id)).map(([entry]) => entry);
      return [id, toChunk(users)];
    }),
  );
}

/** Returns the chunk of a module of the main entry, which these other entries need too. */
function toChunk(users) {
  const isAmong = (...entries) => users.every(user => entries.includes(user));
  if (isAmong()) return 'core';
  if (isAmong('models')) return 'errors';
  if (isAmong('tool-loop', 'models')) return 'loop';
  if (isAmong('tools/mcp')) return 'servers';
  if (isAmong('tool-loop', 'adapters', 'models')) return 'models';
  return users.includes('core/tool-calls') && !users.includes('telemetry') && !users.includes('tools/mcp')
    ? 'calls'
    : 'common';
}

function listStaticImports(from, context) {
  const reached = new Set();
  const visit = id => {
    const info = context.getModuleInfo(id);
    if (reached.has(id) || !id.startsWith(root) || info === null) return;
    reached.add(id);
    info.importedIds.forEach(visit);
  };
  visit(from);
  return reached;
}

function toFiles(output) {
  return output.map(file => [file.fileName, file.type === 'chunk' ? file.code : file.source]);
}

/** Replaces the contents of `dist`. Files that stay the same are not written. */
function writeOutputs(files) {
  rmSync(recordFile, { force: true });
  for (const name of listOutputs()) if (!files.has(name)) rmSync(path.join(outputFolder, name));
  for (const [name, content] of files) {
    const file = path.join(outputFolder, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  writeFileSync(recordFile, JSON.stringify({ inputHash, outputHash: hashOutputs() }));
}

function isUpToDate(hash) {
  if (!existsSync(recordFile)) return false;
  const record = JSON.parse(readFileSync(recordFile, 'utf8'));
  return record.inputHash === hash && record.outputHash === hashOutputs();
}

function hashInputs() {
  const sources = listFiles(path.join(root, 'src')).filter(file => /\.(?:ts|json)$/.test(file));
  const configs = ['.build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'];
  return hashFiles(root, [...configs, ...sources.map(file => path.join('src', file))]);
}

function hashOutputs() {
  return hashFiles(outputFolder, listOutputs());
}

function listOutputs() {
  if (!existsSync(outputFolder)) return [];
  return listFiles(outputFolder).filter(name => name !== path.basename(recordFile));
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

function hashFiles(folder, files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(folder, file)))
      .update('\0');
  return hash.digest('hex');
}
