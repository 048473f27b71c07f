import path from 'node:path';
import {
  Application,
  type Comment,
  type CommentDisplayPart,
  type DeclarationReflection,
  type ProjectReflection,
  ReflectionKind,
  ReflectionType,
} from 'typedoc';
import { entries, root } from '../package/manifest.js';

/** Converts the path of an entry to its source: `./dist/mcp/index.js` to `src/mcp/index.ts`. */
const toSource = (file: string): string => file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts');

export interface Api {
  readonly project: ProjectReflection;
  /** True if a comment has a dead link or another problem. The problems have been printed. */
  readonly hasProblems: boolean;
}

/** Reads the exports of all entries, with their comments. */
export async function readApi(): Promise<Api> {
  const application = await Application.bootstrap({
    entryPoints: entries.map(({ file }) => path.join(root, toSource(file))),
    tsconfig: path.join(root, 'src/tsconfig.json'),
    excludeInternal: true,
    excludeExternals: true,
    sort: ['source-order'],
    basePath: root,
    displayBasePath: root,
    disableGit: true,
    sourceLinkTemplate: '{path}',
    // `npm run typecheck` checks the types.
    skipErrorChecking: true,
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    logLevel: 'Warn',
  });
  const project = await application.convert();
  if (project === undefined)
    throw new Error('Expected TypeDoc to read the sources, got no result. See the messages above.');
  application.validate(project);
  return { project, hasProblems: application.logger.hasWarnings() || application.logger.hasErrors() };
}

/** The name endings of interfaces that a user fills in once, not per call. */
const SETTINGS = /(?<!Call|ResponsesProvider)(?:Options|Settings|Config|Entry|Choice|Override|Callbacks)$/;

/**
 * Renders the options of all entries as Markdown: a heading per entry and a table per interface. An option that several
 * interfaces share has its row in the first one; the others name it.
 */
export function renderOptions(project: ProjectReflection): string {
  const seen = new Set<string>();
  /** The interface of each row. */
  const owners = new Map<string, string>();
  const sections: string[] = [];
  for (const { specifier, file } of entries) {
    const module = project.children?.find(child => child.sources?.[0]?.fileName === toSource(file));
    const interfaces = (module?.children ?? [])
      .filter(child => child.kindOf(ReflectionKind.Interface) && SETTINGS.test(child.name))
      .filter(({ name }) => !seen.has(name) && seen.add(name))
      .sort((a, b) => Number(isMain(b)) - Number(isMain(a)));
    if (interfaces.length === 0) continue;
    sections.push(`### \`${specifier}\``, ...interfaces.map(one => renderInterface(one, owners)));
  }
  return sections.join('\n\n');
}

/** The provider settings come first. */
const isMain = ({ name }: DeclarationReflection): boolean => name === 'KelivoResponsesSettings';

function renderInterface(declaration: DeclarationReflection, owners: Map<string, string>): string {
  const rows: string[] = [];
  /** The names of shared options, by the interface with their rows. */
  const shared = new Map<string, string[]>();
  for (const option of declaration.children ?? []) {
    const own = toRows([option], '');
    const key = own.join('\n');
    const owner = option.comment === undefined ? undefined : owners.get(key);
    owners.set(key, owner ?? declaration.name);
    if (owner === undefined) rows.push(...own);
    else shared.set(owner, [...(shared.get(owner) ?? []), `\`${option.name}\``]);
  }
  const references = [...shared].map(
    ([owner, names]) => `It also has ${names.join(', ')} of [\`${owner}\`](#${owner.toLowerCase()}).`,
  );
  return [
    `#### \`${declaration.name}\``,
    [toMarkdown(declaration.comment?.summary), ...references].filter(Boolean).join(' '),
    ['| option | type | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Adds a row for each property of an inline object type. */
function toRows(options: readonly DeclarationReflection[], path: string): string[] {
  return options.flatMap(option => {
    const name = path + option.name;
    const inner = option.type instanceof ReflectionType ? option.type.declaration : undefined;
    if (inner?.children !== undefined && inner.signatures === undefined) {
      const head = `| \`${name}\` | | | ${toCell(toMeaning(option.comment))} |`;
      return [head, ...toRows(inner.children, `${name}.`)];
    }
    const type = inner?.signatures === undefined ? String(option.type ?? 'function') : 'function';
    const cells = [`\`${name}\``, `\`${type}\``, toDefault(option), toMeaning(option.comment)];
    return [`| ${cells.map(toCell).join(' | ')} |`];
  });
}

function toDefault({ comment, flags }: DeclarationReflection): string {
  const text = toMarkdown(comment?.blockTags.find(({ tag }) => tag === '@default')?.content);
  if (text === '') return flags.isOptional ? '' : 'required';
  // TypeDoc turns a plain value into a code block.
  return text
    .replace(/^```ts\s*(.*?)\s*```$/s, '$1')
    .replace(/^(?:'[^']*'|[\d_]+|true|false|\{\}|\[\])$/, '`$&`');
}

const toMeaning = (comment: Comment | undefined): string => toMarkdown(comment?.summary);

const toMarkdown = (parts: readonly CommentDisplayPart[] = []): string =>
  parts
    .map(part => (part.kind === 'inline-tag' ? `\`${part.text}\`` : part.text))
    .join('')
    .trim();

const toCell = (text: string): string => text.replace(/\s+/g, ' ').replace(/\|/g, '\\|');

const NEED_A_COMMENT =
  ReflectionKind.Function |
  ReflectionKind.Class |
  ReflectionKind.Interface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Variable |
  ReflectionKind.Method;

/**
 * Lists the exports, methods and optional settings without a comment. Required properties may do without one: their
 * names are enough.
 */
export function findUndocumented(project: ProjectReflection): string[] {
  const declarations = project.getReflectionsByKind(ReflectionKind.All) as DeclarationReflection[];
  return declarations
    .filter(declaration => needsComment(declaration) && !hasOwnComment(declaration))
    .map(
      declaration => `${declaration.getFullName()} (${declaration.sources?.[0]?.fileName ?? 'unknown file'})`,
    )
    .sort();
}

function needsComment(declaration: DeclarationReflection): boolean {
  if (declaration.kindOf(NEED_A_COMMENT)) return declaration.inheritedFrom === undefined;
  const isOption =
    declaration.kindOf(ReflectionKind.Property) &&
    declaration.flags.isOptional &&
    declaration.parent?.kindOf(ReflectionKind.Interface) &&
    SETTINGS.test(declaration.parent.name);
  return isOption === true;
}

function hasOwnComment(declaration: DeclarationReflection): boolean {
  const own = declaration.comment;
  if (own !== undefined && (own.hasVisibleComponent() || own.blockTags.length > 0)) return true;
  return declaration.signatures?.some(signature => signature.hasComment()) === true;
}
