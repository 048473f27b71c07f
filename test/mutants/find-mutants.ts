import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** One change of a source file that should make a test fail. */
export interface Mutant {
  /** Relative to the root: `src/core/http/retry.ts`. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly changed: string;
}

const OPERATORS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
]);

/** Returns all changes of a file: exchanged operators, negated conditions, flipped booleans and left out statements. */
function listMutants(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (node: ts.Node, changed: string): void => {
    const [start, end] = [node.getStart(source), node.end];
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({ file, line, start, end, original: text.slice(start, end), changed });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isBinaryExpression(node)) {
      const changed = OPERATORS.get(node.operatorToken.kind);
      if (changed !== undefined) add(node.operatorToken, changed);
    }
    if (ts.isIfStatement(node)) add(node.expression, `!(${node.expression.getText(source)})`);
    if (ts.isConditionalExpression(node)) add(node.condition, `!(${node.condition.getText(source)})`);
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true');
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) add(node, ';');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/** A number that depends on nothing but the text. */
const rank = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Chooses changes, the same for the same sources and seed, as many from each folder with tests as possible and at most one from
 * each file.
 */
export function chooseMutants(root: string, { count, seed }: { count: number; seed: string }): Mutant[] {
  const folders = new Map<string, Mutant[]>();
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map(file => `src/${file.replaceAll('\\', '/')}`)
    .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  for (const file of files.sort()) {
    const mutants = listMutants(file, readFileSync(path.join(root, file), 'utf8'));
    const toRank = ({ line, start, changed }: Mutant) => rank(`${seed} ${file} ${line} ${start} ${changed}`);
    const [first] = mutants.sort((one, other) => toRank(one).localeCompare(toRank(other)));
    const folder = folderOf(root, file);
    if (first !== undefined) folders.set(folder, [...(folders.get(folder) ?? []), first]);
  }
  const rows = [...folders.values()].map(mutants =>
    mutants.sort((one, other) => rank(`${seed} ${one.file}`).localeCompare(rank(`${seed} ${other.file}`))),
  );
  const chosen: Mutant[] = [];
  for (let index = 0; chosen.length < count && rows.some(row => row.length > index); index++)
    chosen.push(...rows.flatMap(row => row[index] ?? []));
  return chosen.slice(0, count);
}

/** Returns the folder below `test` with the tests of a source file. An empty string for an entry beside the folders. */
export function folderOf(root: string, file: string): string {
  let folder = path.dirname(file).replace(/^src\/?/, '');
  while (folder.includes('/') && !existsSync(path.join(root, 'test', folder))) folder = path.dirname(folder);
  return folder;
}
