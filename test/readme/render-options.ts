import {
  type Comment,
  type CommentDisplayPart,
  type DeclarationReflection,
  type ProjectReflection,
  ReflectionKind,
  ReflectionType,
} from 'typedoc';
import { entries } from '../package/manifest.js';
import { toSource } from './read-api.js';

/** The last words of the names of interfaces that someone who uses the package fills in, once and not with each call. */
export const SETTINGS =
  /(?<!Call|ResponsesProvider)(?:Options|Settings|Config|Entry|Choice|Override|Profile|Callbacks)$/;

/** All options of all entries as Markdown: a heading for each entry, a table for each interface. */
export function renderOptions(project: ProjectReflection): string {
  const seen = new Set<string>();
  const sections: string[] = [];
  for (const { specifier, file } of entries) {
    const module = project.children?.find(child => child.sources?.[0]?.fileName === toSource(file));
    const interfaces = (module?.children ?? [])
      .filter(child => child.kindOf(ReflectionKind.Interface) && SETTINGS.test(child.name))
      .filter(({ name }) => !seen.has(name) && seen.add(name))
      .sort((a, b) => Number(isMain(b)) - Number(isMain(a)));
    if (interfaces.length === 0) continue;
    sections.push(`### \`${specifier}\``, ...interfaces.map(renderInterface));
  }
  return sections.join('\n\n');
}

/** What is asked for first stands first. */
const isMain = ({ name }: DeclarationReflection): boolean => name === 'KelivoResponsesSettings';

function renderInterface(declaration: DeclarationReflection): string {
  const rows = toRows(declaration.children ?? [], '');
  return [
    `#### \`${declaration.name}\``,
    toMarkdown(declaration.comment?.summary),
    ['| option | type | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** An object that is written where it is used has a row for each of its own options. */
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
  // TypeDoc takes a bare value for code.
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
