import path from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, it } from 'vitest';
import { type Entry, entries, root } from './manifest.js';

/** An export, or a member of an exported type, as editors show it. */
interface Member {
  /** The entry and the path of the member: `kelivo-responses/mcp McpConnectionPoolOptions.timeouts.connect`. */
  readonly path: string;
  /** The comments of the member. Members of several alternatives of a union have one path and can have several. */
  readonly comments: ReadonlySet<string>;
  /** True for the members of types that a user fills in. */
  readonly isOption: boolean;
}

const OPTIONS = /(?:Settings|Options|Config|Override|Entry)$/;

let built: readonly Member[];
beforeAll(() => {
  built = readMembers(entry => entry.types);
});

it('shows a comment for each option', () => {
  const isDocumented = new Map<string, boolean>();
  for (const { path, comments, isOption } of built)
    if (isOption) isDocumented.set(path.replace(/^\S+ /, ''), comments.size > 0);
  expect(isDocumented.size).toBeGreaterThan(300);
  expect([...isDocumented].filter(([, value]) => !value).map(([option]) => option)).toEqual([]);
});

it('shows the comments of the sources for each export and each member', () => {
  const shown = new Map(built.map(({ path, comments }) => [path, comments]));
  const lost = readMembers(toSource).flatMap(({ path, comments }) =>
    [...comments]
      .filter(comment => !shown.get(path)?.has(comment))
      .map(comment => `${path}: ${comment.replace(/\s+/g, ' ').slice(0, 100)}`),
  );
  expect(lost).toEqual([]);
});

const toSource = ({ file }: Entry): string => file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts');

/** Reads the exports of one file per entry, and their members. */
function readMembers(toFile: (entry: Entry) => string): readonly Member[] {
  const folder = path.join(root, 'src');
  const { config } = ts.readConfigFile(path.join(folder, 'tsconfig.json'), ts.sys.readFile) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram(
    entries.map(entry => path.join(root, toFile(entry))),
    options,
  );
  const checker = program.getTypeChecker();
  const members = new Map<string, Member & { readonly comments: Set<string> }>();

  for (const entry of entries) {
    const file = program.getSourceFile(path.join(root, toFile(entry)));
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`Expected ${toFile(entry)} to be a module, got none.`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const path = `${entry.specifier} ${exported.name}`;
      add(symbol, path, false);
      if (symbol.flags & ts.SymbolFlags.Type)
        addMembers(checker.getDeclaredTypeOfSymbol(symbol), path, OPTIONS.test(exported.name));
      if (symbol.flags & ts.SymbolFlags.Variable) addMembers(checker.getTypeOfSymbol(symbol), path, false);
    }
  }
  return [...members.values()];

  function add(symbol: ts.Symbol, path: string, isOption: boolean): void {
    const member = members.get(path) ?? { path, comments: new Set(), isOption };
    const tags = symbol.getJsDocTags(checker).map(({ name, text }) => [`@${name}`, text] as const);
    const lines = [['', symbol.getDocumentationComment(checker)] as const, ...tags].map(([tag, parts]) =>
      `${tag} ${ts.displayPartsToString(parts)}`.trim(),
    );
    const comment = lines.filter(Boolean).join('\n');
    members.set(path, member);
    if (comment !== '') member.comments.add(comment);
  }

  function addMembers(
    type: ts.Type,
    path: string,
    isOption: boolean,
    parents: readonly ts.Type[] = [],
  ): void {
    if (parents.includes(type)) return;
    const within = [...parents, type];
    if (type.isUnion()) return type.types.forEach(option => addMembers(option, path, isOption, within));
    if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return;
    for (const member of checker.getPropertiesOfType(type).filter(isPublic)) {
      const memberPath = `${path}.${checker.symbolToString(member)}`;
      add(member, memberPath, isOption);
      const inner = checker.getNonNullableType(checker.getTypeOfSymbol(member));
      // The members of a type with a name are read where it is exported.
      if (inner.symbol?.name === '__type') addMembers(inner, memberPath, false, within);
    }
  }

  /** Returns true for members that this package declares and whose declaration is part of the build. */
  function isPublic(member: ts.Symbol): boolean {
    const { declarations = [] } = member;
    return (
      declarations.length > 0 &&
      declarations.every(declaration => !declaration.getSourceFile().fileName.includes('/node_modules/')) &&
      !member.getJsDocTags(checker).some(({ name }) => name === 'internal') &&
      !checker.symbolToString(member).startsWith('#')
    );
  }
}
