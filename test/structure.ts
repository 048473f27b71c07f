import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { REFERENCE } from './docs/_markdown.js';
import { entries } from './package/manifest.js';

/*
 * Measures the structure of the sources. `npm run structure` prints the figures, and `architecture.test.ts` guards them.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Import {
  readonly file: string;
  /** A file of the project, or the name of a package. */
  readonly target: string;
  readonly isType: boolean;
  readonly isDynamic: boolean;
}

export function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const file = join(folder, entry.name);
    // Recipes install the package as a link to this folder.
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourceFiles(file);
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}

export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

export function importsOf(file: string): Import[] {
  const text = read(file);
  const found: Import[] = [];
  const add = (specifier: string, isType: boolean, isDynamic: boolean) => {
    const own = relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts');
    const source = existsSync(join(root, own)) ? own : own.replace(/\.ts$/, '.tsx');
    found.push({ file, target: specifier.startsWith('.') ? source : specifier, isType, isDynamic });
  };
  for (const [, clause = '', specifier = ''] of text.matchAll(
    /^(?:import|export)\s([^'"]*?)from\s*'([^']+)'/gms,
  )) {
    const names = clause.replace(/[{}\s]+/g, ' ').trim();
    add(
      specifier,
      /^type\b/.test(clause) ||
        names
          .split(',')
          .filter(Boolean)
          .every(name => /^ ?type\b/.test(name)),
      false,
    );
  }
  for (const [, specifier = ''] of text.matchAll(/\bimport\('([^']+)'\)/g)) add(specifier, false, true);
  return found;
}

const files = sourceFiles('src');

/** The public surfaces of the entries that belong to a version of the model interface. */
const VERSION_ENTRIES = ['src/index.ts', 'src/v3.ts', 'src/v4.ts'];

/** Files that name a version of the model interface, outside of `core/versions/` and the entries. */
export const filesWithVersions = (): string[] =>
  files.filter(
    file =>
      !file.startsWith('src/core/versions/') &&
      !VERSION_ENTRIES.includes(file) &&
      /\b(?:LanguageModel|EmbeddingModel|ImageModel|Provider|Shared)V\d/.test(read(file)),
  );

/** Files that create weak maps or sets, once for each of them. */
export const weakMaps = (): string[] =>
  files.flatMap(file => [...read(file).matchAll(/new Weak(?:Map|Set)\b/g)].map(() => file));

/** Dynamic imports of own modules. */
export const dynamicImports = (): string[] =>
  files
    .flatMap(importsOf)
    .filter(({ target, isDynamic }) => isDynamic && target.startsWith('src/'))
    .map(({ file, target }) => `${file} → ${target}`);

/** The folders of the sources, with their files, the lines of these, and the longest chain of imports among them. */
export function folders(): { folder: string; files: string[]; lines: number; floors: number }[] {
  const byFolder = new Map<string, string[]>();
  for (const file of files) byFolder.set(dirname(file), [...(byFolder.get(dirname(file)) ?? []), file]);
  return [...byFolder].map(([folder, own]) => {
    const next = new Map(
      own.map(file => [
        file,
        importsOf(file).flatMap(({ target }) => (target !== file && own.includes(target) ? [target] : [])),
      ]),
    );
    const depths = new Map<string, number>();
    const depthOf = (file: string): number => {
      const known = depths.get(file);
      if (known !== undefined) return known;
      depths.set(file, 1);
      const depth = 1 + Math.max(0, ...(next.get(file) ?? []).map(depthOf));
      depths.set(file, depth);
      return depth;
    };
    const floors = Math.max(...own.map(depthOf));
    const lines = own.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);
    return { folder, files: own, lines, floors };
  });
}

/** Returns the number of lines of all sources. */
export const lineCount = (): number =>
  files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);

/** Returns the number of lines of a file. */
export const linesOf = (file: string): number => read(file).split('\n').length - 1;

/** Returns the number of lines of a file that have code: neither blank lines nor comments. */
export function codeLinesOf(file: string): number {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    const children = node
      .getChildren(source)
      .filter(({ kind }) => kind < ts.SyntaxKind.FirstJSDocNode || kind > ts.SyntaxKind.LastJSDocNode);
    if (children.length > 0) return children.forEach(visit);
    const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
    if (node.end > node.getStart(source))
      for (let line = lineAt(node.getStart(source)); line <= lineAt(node.end); line++) lines.add(line);
  };
  visit(source);
  return lines.size;
}

/** Circles of imports between files. */
export function importCycles(folder: string): string[] {
  const next = new Map(sourceFiles(folder).map(file => [file, importsOf(file).map(({ target }) => target)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}

/** Functions and methods of the sources with more lines than a minimum. A constructor function contains its closures. */
export function longFunctions(minimum: number): { name: string; lines: number }[] {
  // Parsing takes most of the time.
  const candidates = files.filter(file => linesOf(file) > minimum);
  return candidates.flatMap(file => {
    const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
    const found: { name: string; lines: number }[] = [];
    const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        const lines = lineAt(node.end) - lineAt(node.getStart(source)) + 1;
        if (lines > minimum) found.push({ name: `${file} ${nameOf(node)}`, lines });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

/** Names of the callbacks whose documentation promises that their errors are ignored. */
export const observers = (): string[] => {
  const found = new Set<string>();
  for (const file of files) {
    for (const [, comment = '', name = ''] of read(file).matchAll(
      /\/\*\*((?:(?!\*\/).)*)\*\/\s+(?:export type )?(\w+)\??(?::| = \()/gs,
    )) {
      if (/errors[^.]*\sare[\s*]+ignored/i.test(comment)) found.add(name);
    }
  }
  return [...found].sort();
};

/** Returns the name of a function, or of the constant or property that it is assigned to. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const parent = ts.isCallExpression(node.parent) ? node.parent.parent : node.parent;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  return `line ${line + 1}`;
}

/** Counts the rows of the reference: options of this package, those of a request as in `@ai-sdk/openai`, or received fields. */
export function optionCount(kind: 'option' | 'option of the request' | 'field' = 'option'): number {
  const tables = read(REFERENCE).match(/^\| [^`\n]*\n(?:\|.*\n)+/gm) ?? [];
  return tables
    .filter(
      table =>
        table.startsWith(`| ${kind} `) &&
        table
          .slice(2 + kind.length)
          .trimStart()
          .startsWith('|'),
    )
    .reduce((sum, table) => sum + (table.match(/^\| `/gm)?.length ?? 0), 0);
}

/** Names that the entries of the package export. */
export function exportedNames(): { entry: string; names: string[] }[] {
  return entries.map(({ specifier, file }) => ({
    entry: specifier,
    names: namesOf(file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts')),
  }));
}

function namesOf(file: string): string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest);
  return source.statements.flatMap(statement => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause: clause, moduleSpecifier: from } = statement;
      if (clause !== undefined && ts.isNamedExports(clause))
        return clause.elements.map(({ name }) => name.text);
      if (clause !== undefined) return [clause.name.text];
      const specifier = from !== undefined && ts.isStringLiteral(from) ? from.text : '';
      return namesOf(join(dirname(file), specifier).replace(/\.js$/, '.ts'));
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (isExported !== true) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [name.text] : [],
      );
    }
    return 'name' in statement ? [(statement as ts.DeclarationStatement).name?.text ?? 'default'] : [];
  });
}

/** Different names that the entries of the package export. */
export const exportCount = (): number => new Set(exportedNames().flatMap(({ names }) => names)).size;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const print = (name: string, items: readonly string[]) =>
    console.log([`${items.length} ${name}`, ...new Set(items)].join('\n  '));
  console.log(`${files.length} source files, ${lineCount()} lines`);
  for (const { folder, files: own, lines, floors } of folders())
    console.log(`${folder}: ${own.length} files, ${lines} lines, ${floors} floors`);
  for (const room of new Set(files.flatMap(file => /^src\/([^/]+)\//.exec(file)?.[1] ?? []))) {
    const own = files.filter(file => file.startsWith(`src/${room}/`));
    console.log(`${room}: ${own.reduce((sum, file) => sum + codeLinesOf(file), 0)} lines of code`);
  }
  print(
    'functions over 120 lines',
    longFunctions(120)
      .sort((a, b) => b.lines - a.lines)
      .map(({ name, lines }) => `${name}: ${lines} lines`),
  );
  console.log(
    `${optionCount()} options, ${optionCount('option of the request')} of requests, ${optionCount('field')} received fields`,
  );
  console.log(`${exportCount()} different exported names`);
  for (const { entry, names } of exportedNames()) console.log(`  ${entry}: ${names.length}`);
  print('files that name a version outside of core/versions/ and the entries', filesWithVersions());
  print('weak maps and sets', weakMaps());
  print('dynamic imports of own modules', dynamicImports());
}
