// Deletes each feature of a turn in memory, with the places that name what it exports, and checks that the sources compile.
//
//   npm run features [feature …]
//
// Prints what had to be touched outside of the feature's folder. Exits with 1 if a feature cannot be deleted, or if deleting
// it takes more places than its line, its options and its exports.
import { readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../..');
const folder = resolve(root, 'src/tool-loop/features');
/**
 * The only files that may name a feature: the list, the options of the application, the public types, and the list of what is
 * lost without the loop.
 */
const MAY_NAME = new Set(
  [
    'tool-loop/turn/features.ts',
    'tool-loop/options.ts',
    'tool-loop/index.ts',
    'host/switch/lost-settings.ts',
  ].map(file => resolve(root, 'src', file)),
);

/** Files that were read for an earlier feature. */
const parsed = new Map<string, ts.SourceFile>();

const { config } = ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile);
const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, root);
/** What becomes unused is no error of the deletion. */
const compilerOptions = { ...options, noUnusedLocals: false, noUnusedParameters: false };

const all = readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
  entry.isDirectory() ? [entry.name] : [],
);
const given = process.argv.slice(2);
const unknown = given.filter(name => !all.includes(name));
if (unknown.length > 0)
  throw new Error(`Expected features to be among ${all.join(', ')}, got ${unknown.join(', ')}.`);

const rows = (given.length > 0 ? given : all).map(feature => deleteFeature(feature));
console.table(
  Object.fromEntries(
    rows.map(({ feature, places, errors }) => [feature, { ...places, errors: errors.length }]),
  ),
);
for (const { feature, elsewhere, errors } of rows) {
  for (const error of errors) console.error(`Without "${feature}" the sources do not compile: ${error}`);
  for (const place of elsewhere)
    console.error(
      `Expected "${feature}" to be named in ${[...MAY_NAME].map(file => relative(root, file)).join(', ')} alone, got ${place}.`,
    );
  if (errors.length > 0 || elsewhere.length > 0) process.exitCode = 1;
}

interface Deletion {
  readonly feature: string;
  /** Number of places that were deleted outside of the folder, by file. */
  readonly places: Readonly<Record<string, number>>;
  /** Places outside of the files that may name a feature, except exports of entries. */
  readonly elsewhere: readonly string[];
  readonly errors: readonly string[];
}

/** Deletes a feature. Names that are exported further are deleted as far as they go. */
function deleteFeature(feature: string): Deletion {
  const deleted = resolve(folder, feature) + '/';
  const texts = new Map<string, string>();
  const places: Record<string, number> = {};
  const elsewhere: string[] = [];
  /** The options that were deleted, which others may name as texts. */
  const goneOptions = new Set<string>();
  const names = fileNames.filter(file => !file.startsWith(deleted));
  let errors: string[] = [];
  // An export of an export is found in the round after it. All files are checked when those that may name it are right.
  for (let [changed, isComplete] = [true, false]; changed || !isComplete;) {
    isComplete = !changed;
    changed = false;
    const current = ts.createProgram(names, compilerOptions, createHost(deleted, texts));
    const checked = current.getSourceFiles().filter(({ fileName, text }) => {
      if (!fileName.startsWith(resolve(root, 'src'))) return false;
      return isComplete || MAY_NAME.has(fileName) || text.includes(`features/${feature}/`);
    });
    const diagnostics = checked.flatMap(file => [
      ...current.getSyntacticDiagnostics(file),
      ...current.getSemanticDiagnostics(file),
    ]);
    errors = diagnostics.map(({ file, messageText }) => {
      const where = file === undefined ? '' : `${relative(root, file.fileName)}: `;
      return where + ts.flattenDiagnosticMessageText(messageText, ' ');
    });
    // A text that is the name of an option no longer has its type.
    for (const error of errors) {
      const [, option] = /Type '"(\w+)"' is not assignable to type 'keyof /.exec(error) ?? [];
      if (option !== undefined) goneOptions.add(option);
    }
    for (const file of new Set(diagnostics.flatMap(one => one.file ?? []))) {
      const missing = diagnostics.filter(one => one.file === file).map(({ start = 0 }) => start);
      const { text, count } = withoutMissing(file, missing, goneOptions);
      if (count === 0) continue;
      changed = true;
      texts.set(file.fileName, text);
      const name = relative(root, file.fileName);
      places[name] = (places[name] ?? 0) + count;
      const isEntry = /^src\/[^/]+\.ts$|\/index\.ts$/.test(name);
      if (!MAY_NAME.has(file.fileName) && !isEntry) elsewhere.push(name);
    }
  }
  return { feature, places, elsewhere, errors };
}

/** Returns a host that does not find the deleted files, and that reads changed texts. */
function createHost(deleted: string, texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost(compilerOptions);
  const read = (file: string): string | undefined =>
    file.startsWith(deleted) ? undefined : (texts.get(file) ?? ts.sys.readFile(file));
  return {
    ...host,
    fileExists: file => !file.startsWith(deleted) && ts.sys.fileExists(file),
    readFile: read,
    getSourceFile: (file, languageVersion) => {
      const text = read(file);
      const known = parsed.get(file);
      if (text === undefined || known?.text === text) return text === undefined ? undefined : known;
      const source = ts.createSourceFile(file, text, languageVersion, true);
      parsed.set(file, source);
      return source;
    },
  };
}

/** Deletes the imports and exports at these positions, and the smallest things that use what they imported. */
function withoutMissing(
  file: ts.SourceFile,
  positions: readonly number[],
  goneOptions: Set<string>,
): { text: string; count: number } {
  const spans: ts.Node[] = [];
  const gone = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    const { moduleSpecifier } = statement;
    const clause = ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : statement.exportClause;
    const specifiers =
      clause !== undefined && (ts.isNamedImports(clause) || ts.isNamedExports(clause))
        ? [...clause.elements]
        : [];
    const isMissing = (node: ts.Node): boolean => isWithin(node, positions);
    const isWhole = moduleSpecifier !== undefined && isMissing(moduleSpecifier);
    const missing = specifiers.filter(specifier => isWhole || isMissing(specifier));
    if (missing.length === 0 && !isWhole) continue;
    if (ts.isImportDeclaration(statement)) for (const { name } of missing) gone.add(name.text);
    if (missing.length === specifiers.length) spans.push(statement);
    else spans.push(...missing);
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    const isGone = ts.isStringLiteral(node)
      ? goneOptions.has(node.text) && isWithin(statementOf(node), positions)
      : ts.isIdentifier(node) && gone.has(node.text);
    if (isGone) spans.push(smallestOf(node));
    else ts.forEachChild(node, visit);
  };
  visit(file);
  for (const node of spans) if (ts.isPropertySignature(node)) goneOptions.add(node.name.getText());
  const unique = [...new Set(spans)].toSorted((one, other) => other.getFullStart() - one.getFullStart());
  let { text } = file;
  for (const node of unique) text = withoutNode(text, node);
  return { text, count: unique.length };
}

/** Returns the nearest member, element or operand that contains a name, else its statement. */
function smallestOf(name: ts.Node): ts.Node {
  for (let node = name; ; node = node.parent) {
    const { parent } = node;
    if (ts.isSourceFile(parent)) return node;
    if (ts.isPropertySignature(node) || ts.isPropertyAssignment(node)) return node;
    if (
      ts.isArrayLiteralExpression(parent) ||
      ts.isIntersectionTypeNode(parent) ||
      ts.isUnionTypeNode(parent)
    )
      return node;
  }
}

function isWithin(node: ts.Node, positions: readonly number[]): boolean {
  return positions.some(position => position >= node.getStart() && position < node.getEnd());
}

function statementOf(node: ts.Node): ts.Node {
  let statement = node;
  while (!ts.isSourceFile(statement.parent)) statement = statement.parent;
  return statement;
}

/** Deletes a node with the separator behind it, or that before it. */
function withoutNode(text: string, node: ts.Node): string {
  const [before, after] = [text.slice(0, node.getFullStart()), text.slice(node.getEnd())];
  const rest = after.replace(/^\s*[,&|]/, '');
  return (rest === after ? before.replace(/[,&|]\s*$/, '') : before) + rest;
}
