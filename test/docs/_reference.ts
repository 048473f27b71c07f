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

/** Converts the path of an entry to its source: `./dist/tools/mcp/index.js` to `src/tools/mcp/index.ts`. */
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

/** Interfaces with such a name that the application receives, and does not fill in. */
const RECEIVED = ['RequestLogEntry', 'TurnEntry', 'WriteOptions'];

/** The options of a request, which have the names of the official provider. */
const OF_THE_REQUEST = ['src/responses/request/options.ts', 'src/responses/request/setting-options.ts'];

/** The settings of a call that the AI SDK documents. */
const OF_THE_AI_SDK = 'src/core/prompt.ts';

/**
 * Renders the options of all entries as Markdown: a heading per entry and a table per interface. An option that several
 * interfaces share has its row once; the others name it.
 */
export function renderOptions(project: ProjectReflection): string {
  const seen = new Set<string>();
  const listed = entries.map(({ specifier, file }) => {
    const module = project.children?.find(child => child.sources?.[0]?.fileName === toSource(file));
    const interfaces = (module?.children ?? [])
      .filter(child => child.kindOf(ReflectionKind.Interface) && SETTINGS.test(child.name))
      .filter(({ name }) => !seen.has(name) && seen.add(name))
      .sort((a, b) => Number(isMain(b)) - Number(isMain(a)));
    return { specifier, interfaces };
  });
  const owners = findOwners(listed.flatMap(({ interfaces }) => interfaces));
  return listed
    .filter(({ interfaces }) => interfaces.length > 0)
    .flatMap(({ specifier, interfaces }) => [
      `### \`${specifier}\``,
      ...interfaces.map(one => renderInterface(one, owners)),
    ])
    .join('\n\n');
}

/** The provider settings come first. */
const isMain = ({ name }: DeclarationReflection): boolean => name === 'KelivoResponsesSettings';

const sourceOf = ({ sources }: DeclarationReflection): string =>
  sources?.[0] === undefined ? '' : `${sources[0].fileName}:${sources[0].line}`;

/** The interface with the row of an option, and the name in its row. */
interface Owner {
  readonly name: string;
  readonly path: string;
}

/**
 * Finds the interface with the row of each option, by the place of its declaration: the provider settings, else the interface
 * that declares it, else the first one that has it.
 */
function findOwners(interfaces: readonly DeclarationReflection[]): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  const declares = (one: DeclarationReflection, option: DeclarationReflection): boolean =>
    option.sources?.[0]?.fileName === one.sources?.[0]?.fileName;
  for (const mayOwn of [isMain, declares, () => true])
    for (const one of interfaces)
      for (const { option, path } of withInner(one.children ?? [], ''))
        if (mayOwn(one, option) && !owners.has(sourceOf(option)))
          owners.set(sourceOf(option), { name: one.name, path });
  return owners;
}

/** Lists options with those of inline object types, each with its path. */
const withInner = (
  options: readonly DeclarationReflection[],
  path: string,
): { option: DeclarationReflection; path: string }[] =>
  options.flatMap(option => [
    { option, path: path + option.name },
    ...withInner(innerOf(option) ?? [], `${path}${option.name}.`),
  ]);

function renderInterface(declaration: DeclarationReflection, owners: ReadonlyMap<string, Owner>): string {
  const own: DeclarationReflection[] = [];
  const ofTheRequest: DeclarationReflection[] = [];
  /** The names of other options, by the place with their documentation. */
  const others = new Map<string, string[]>();
  const isOwn = ({ sources }: DeclarationReflection): boolean =>
    sources?.[0]?.fileName === declaration.sources?.[0]?.fileName;
  const options = [...(declaration.children ?? [])].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  for (const option of options) {
    const owner = owners.get(sourceOf(option)) ?? { name: declaration.name, path: option.name };
    const file = option.sources?.[0]?.fileName;
    const place =
      file === OF_THE_AI_SDK
        ? 'the settings of the AI SDK'
        : `[\`${owner.name}\`](#${owner.name.toLowerCase()})`;
    if (file === OF_THE_AI_SDK || owner.name !== declaration.name)
      others.set(place, [...(others.get(place) ?? []), `\`${owner.path}\``]);
    else if (OF_THE_REQUEST.includes(file ?? '') && !isMain(declaration)) ofTheRequest.push(option);
    else own.push(option);
  }
  const references = [...others].map(([place, names]) => `${names.join(', ')} of ${place}`);
  const also = references.length > 0 && `It also has ${references.join('; ')}.`;
  const intro = [toMarkdown(declaration.comment?.summary), also].filter(Boolean).join(' ');
  const kind = RECEIVED.includes(declaration.name) ? 'field' : 'option';
  return [
    `#### \`${declaration.name}\``,
    intro,
    toTable(kind, own),
    ofTheRequest.length > 0 && 'Options of the request, with the names of `@ai-sdk/openai`:',
    toTable('option of the request', ofTheRequest),
  ]
    .filter(Boolean)
    .join('\n\n');
}

const toTable = (kind: string, options: readonly DeclarationReflection[]): string =>
  options.length === 0
    ? ''
    : [`| ${kind} | type | default | meaning |`, '| --- | --- | --- | --- |', ...toRows(options, '')].join(
        '\n',
      );

/** The properties of an inline object type. */
function innerOf({ type }: DeclarationReflection): readonly DeclarationReflection[] | undefined {
  const inner = type instanceof ReflectionType ? type.declaration : undefined;
  return inner?.signatures === undefined ? inner?.children : undefined;
}

/** Adds a row for each property of an inline object type. */
function toRows(options: readonly DeclarationReflection[], path: string): string[] {
  return options.flatMap(option => {
    const name = path + option.name;
    const inner = innerOf(option);
    if (inner !== undefined) {
      const head = `| \`${name}\` | | | ${toCell(toMeaning(option.comment))} |`;
      return [head, ...toRows(inner, `${name}.`)];
    }
    const isFunction =
      option.type instanceof ReflectionType && option.type.declaration.signatures !== undefined;
    const type = isFunction ? 'function' : String(option.type ?? 'function');
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
