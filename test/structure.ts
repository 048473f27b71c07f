import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

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
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourceFiles(file);
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}

export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

export function importsOf(file: string): Import[] {
  const text = read(file);
  const found: Import[] = [];
  const add = (specifier: string, isType: boolean, isDynamic: boolean) => {
    const target = specifier.startsWith('.')
      ? relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts')
      : specifier;
    found.push({ file, target, isType, isDynamic });
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

/** Files that name a version of the model interface, outside of `versions/` and the entries. */
export const filesWithVersions = (): string[] =>
  files.filter(
    file =>
      !file.startsWith('src/versions/') &&
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const print = (name: string, items: readonly string[]) =>
    console.log([`${items.length} ${name}`, ...new Set(items)].join('\n  '));
  console.log(`${files.length} source files, ${lineCount()} lines`);
  for (const { folder, files: own, lines, floors } of folders())
    console.log(`${folder}: ${own.length} files, ${lines} lines, ${floors} floors`);
  print('files that name a version outside of versions/ and the entries', filesWithVersions());
  print('weak maps and sets', weakMaps());
  print('dynamic imports of own modules', dynamicImports());
}
