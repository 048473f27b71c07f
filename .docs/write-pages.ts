// Writes the pages of the site to `.docs/.pages`: the documents of the repository, with their links rewritten. Nothing in this
// folder is edited or kept.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ENTRIES, findSnippets, MAJORS, PAGES, toAnchor, toMajor } from '../test/docs/_markdown.js';
import { manifest, root } from '../test/package/manifest.js';
import { GROUPS, type Page, REFERENCE, TASKS } from './pages.js';
import { SEARCH_WORDS } from './search-words.js';

export const folder = path.join(root, '.docs/.pages');

/** A page with its text. Its links name other pages by their Markdown files. */
export interface WrittenPage {
  readonly path: string;
  readonly title: string;
  /** The first sentence, or the names of the types of a page of the reference. */
  readonly summary: string;
  readonly markdown: string;
}

export interface WrittenGroup {
  readonly title: string;
  readonly pages: readonly WrittenPage[];
}

/** The files that the pages are made from. */
export const sources: readonly string[] = [
  ...new Set([...GROUPS.flatMap(({ pages }) => pages.map(({ source }) => source)), REFERENCE]),
];

/** The address of the repository. Undefined until somebody owns one. */
const repository = /^git\+(.+)\.git$/.exec(manifest.repository?.url ?? '')?.[1];

/** A line of a document. Headings have the anchor that they have in the repository. */
interface Line {
  readonly text: string;
  readonly isCode: boolean;
  readonly heading?: { readonly level: number; readonly title: string; readonly anchor: string };
}

/** Writes all pages, and the navigation for the configuration of VitePress. */
export function writePages(): readonly WrittenGroup[] {
  const missing = PAGES.filter(file => !sources.includes(file));
  if (missing.length > 0)
    throw new Error(`Expected a page for each document, got none for ${missing.join(', ')}.`);

  const documents = new Map(sources.map(file => [file, readLines(file)]));
  const linesOf = (file: string): readonly Line[] => documents.get(file) ?? [];
  const groups = [...GROUPS, { title: 'Reference', pages: referencePages(linesOf(REFERENCE)) }];
  const pages = groups.flatMap(group => group.pages);
  const places = placeAnchors(pages, linesOf);

  const written = groups.map(({ title, pages: members }) => ({
    title,
    pages: members.map(page => write(page)),
  }));
  rmSync(folder, { recursive: true, force: true });
  for (const { path: page, markdown } of written.flatMap(group => group.pages)) {
    const file = path.join(folder, `${page}.md`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, markdown);
  }
  for (const image of images) {
    mkdirSync(path.join(folder, 'public'), { recursive: true });
    cpSync(path.join(root, image), path.join(folder, 'public', path.basename(image)));
  }
  const navigation = {
    repository,
    tasks: TASKS.map(([text, section]) => ({ text, link: `/${placeOf(section).replace('#', '.html#')}` })),
    searchWords: Object.entries(SEARCH_WORDS).map(([section, words]) => {
      const [page = '', anchor] = placeOf(section).split('#');
      return { page: `${page}.md`, anchor, words };
    }),
    groups: written.map(group => ({
      title: group.title,
      pages: group.pages.map(page => ({ text: page.title, link: `/${page.path.replace(/\bindex$/, '')}` })),
    })),
  };
  writeFileSync(path.join(folder, 'navigation.json'), JSON.stringify(navigation));
  return written;

  function placeOf(section: string): string {
    const place = places.get(section);
    if (place === undefined) throw new Error(`Expected a heading at ${section}, got none.`);
    return place;
  }

  function write(page: Page): WrittenPage {
    const lines = linesIn(page, pages, linesOf(page.source));
    const promoted = page.section === undefined ? 0 : 1;
    const body = lines.map(line => {
      if (line.isCode) return line.text;
      if (line.heading === undefined) return withLinks(line.text, page) + codeOf(line.text, page);
      const { level, title, anchor } = line.heading;
      return `${'#'.repeat(level - promoted)} ${withLinks(title, page)} {#${anchor}}`;
    });
    if (page.source === REFERENCE && page.section === undefined) body.push(...referenceIndex(pages));
    const text = withTabs(body.join('\n')).replace(/^<!-- .*? -->\n\n?/gms, '');
    const headings = lines.flatMap(({ heading }) => heading ?? []);
    const title = page.title ?? plain(headings[0]?.title ?? '');
    const isReference = page.source === REFERENCE && page.section !== undefined;
    const names = headings.flatMap(heading => (heading.level === 3 ? plain(heading.title) : []));
    return {
      path: page.path,
      title,
      summary: isReference ? `${names.join(', ')}.` : firstSentence(text),
      markdown: `${(isReference ? withOptions(text) : text).trim()}\n`,
    };
  }

  /** Returns the code of a file beside the document, if the line is nothing but its path. */
  function codeOf(line: string, { source }: Page): string {
    const [, target = ''] = /^`([^`]+\.(?:tsx?|json))`$/.exec(line) ?? [];
    if (target === '') return '';
    const code = readFileSync(path.join(root, path.dirname(source), target), 'utf8');
    return `\n\n\`\`\`${path.extname(target).slice(1)}\n${code.trim()}\n\`\`\``;
  }

  /** Rewrites the links of a line: to pages, to images, and to other files of the repository. */
  function withLinks(text: string, page: Page): string {
    return text.replace(
      /(`+)[\s\S]*?\1(?![^[]*\]\()|(!?\[)((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
      (match, _code, begin: string | undefined, shown: string, target: string) => {
        if (begin === undefined) return match;
        const link = toLink(target, page);
        return link === undefined ? shown : `${begin}${shown}](${link})`;
      },
    );
  }

  /** Returns undefined for a file that is on no page, until there is a repository that has it. */
  function toLink(target: string, page: Page): string | undefined {
    if (/^[a-z]+:/.test(target)) return target;
    const [file = '', anchor] = target.split('#');
    const source = file === '' ? page.source : path.posix.join(path.posix.dirname(page.source), file);
    const place = places.get(anchor === undefined ? source : `${source}#${anchor}`);
    if (place !== undefined) {
      const [to = '', id] = place.split('#');
      const relative = path.posix.relative(path.posix.dirname(page.path), to);
      return `${relative.startsWith('.') ? relative : `./${relative}`}.md${id === undefined ? '' : `#${id}`}`;
    }
    const local = path.join(root, decodeURI(source));
    if (!existsSync(local) || documents.has(source))
      throw new Error(`Expected ${target} in ${page.source} to exist, got neither a file nor a heading.`);
    if (/\.(?:png|svg)$/.test(source)) {
      images.add(source);
      return `/${path.posix.basename(source)}`;
    }
    if (repository === undefined) return undefined;
    const kind = statSync(local).isDirectory() ? 'tree' : 'blob';
    return `${repository}/${kind}/main/${source.replace(/\/$/, '')}${anchor === undefined ? '' : `#${anchor}`}`;
  }
}

/**
 * Shows code that imports the provider in a tab for each major of `ai`, the newest first. The tests compile it in each of them.
 * Code for one major only stays as it is.
 */
function withTabs(markdown: string): string {
  let text = markdown;
  for (const { code, language, major } of findSnippets(markdown)) {
    if (major !== undefined || !code.includes(`'${ENTRIES[MAJORS[0]]}'`)) continue;
    const tabs = MAJORS.map(one => `\`\`\`${language} [ai ${one}]\n${toMajor(code, one)}\n\`\`\``);
    text = text.replace(
      `\`\`\`${language}\n${code}\n\`\`\``,
      () => `::: code-group\n\n${tabs.join('\n\n')}\n\n:::`,
    );
  }
  return text;
}

/** The images that the pages show. */
const images = new Set<string>();

/** Reads a document, and the anchor of each heading as GitHub makes it. */
function readLines(file: string): readonly Line[] {
  const seen = new Map<string, number>();
  let fence: string | undefined;
  return readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .map(text => {
      const [, mark] = /^(`{3,})/.exec(text) ?? [];
      if (mark !== undefined && (fence === undefined || mark === fence)) {
        fence = fence === undefined ? mark : undefined;
        return { text, isCode: true };
      }
      const [, marks, title] = /^(#+) (.+)$/.exec(text) ?? [];
      if (fence !== undefined || marks === undefined || title === undefined)
        return { text, isCode: fence !== undefined };
      const anchor = toAnchor(title);
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      const id = count === 0 ? anchor : `${anchor}-${count}`;
      return { text, isCode: false, heading: { level: marks.length, title, anchor: id } };
    });
}

/** Returns the lines of a page: its section, or the document without the sections that are pages. */
function linesIn(page: Page, pages: readonly Page[], lines: readonly Line[]): readonly Line[] {
  const moved = pages.flatMap(({ source, section }) => (source === page.source ? (section ?? []) : []));
  let section: string | undefined;
  return lines.filter(({ heading }) => {
    if (heading !== undefined && heading.level <= 2) section = heading.title;
    return page.section === undefined
      ? section === undefined || !moved.includes(section)
      : section === page.section;
  });
}

/** Maps `file` and `file#anchor` of the repository to the page that has them. */
function placeAnchors(
  pages: readonly Page[],
  linesOf: (file: string) => readonly Line[],
): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const page of pages) {
    if (page.section === undefined) places.set(page.source, page.path);
    const headings = linesIn(page, pages, linesOf(page.source)).flatMap(({ heading }) => heading ?? []);
    if (page.section !== undefined && headings.length === 0)
      throw new Error(`Expected the section "${page.section}" in ${page.source}, got none.`);
    for (const { anchor } of headings) places.set(`${page.source}#${anchor}`, `${page.path}#${anchor}`);
  }
  return places;
}

/** Returns the index of the reference, and a page for each entry of the package. */
function referencePages(lines: readonly Line[]): readonly Page[] {
  const sections = lines.flatMap(({ heading }) => (heading?.level === 2 ? heading.title : []));
  return [
    { path: 'reference/index', source: REFERENCE, title: 'All entries' },
    ...sections.map(section => ({
      path: `reference/${plain(section).replace(/^[^/]*\/?/, '') || 'provider'}`,
      source: REFERENCE,
      section,
    })),
  ];
}

const referenceIndex = (pages: readonly Page[]): string[] =>
  pages.flatMap(({ path: page, source, section }) =>
    source === REFERENCE && section !== undefined ? `- [${section}](./${path.posix.basename(page)}.md)` : [],
  );

/** Converts the tables of the reference to a heading per option, which links and the search can name. */
function withOptions(markdown: string): string {
  let type = '';
  const seen = new Set<string>();
  return markdown
    .split('\n')
    .flatMap(line => {
      type = /^## `(\w+)`/.exec(line)?.[1] ?? type;
      if (!line.startsWith('|')) return line;
      const [name = '', kind = '', fallback = '', meaning = ''] = line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map(cell => cell.trim().replaceAll('\\|', '|'));
      if (!name.startsWith('`')) return [];
      const anchor = `${type}-${plain(name)}`.toLowerCase().replace(/[^\w-]+/g, '-');
      if (seen.has(anchor)) throw new Error(`Expected one option with the anchor ${anchor}, got two.`);
      seen.add(anchor);
      const note = fallback === 'required' ? 'Required.' : fallback === '' ? '' : `Default: ${fallback}.`;
      return [
        `### ${name} {#${anchor}}`,
        '',
        ...[kind, note, meaning].filter(Boolean).flatMap(text => [text, '']),
      ];
    })
    .join('\n');
}

const plain = (markdown: string): string =>
  markdown.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** Returns the first sentence of the first paragraph. */
function firstSentence(markdown: string): string {
  const prose = markdown.replace(/^```.*?^```$/gms, '');
  const paragraph = prose.split(/\n\n+/).find(text => /^[A-Z`*[\d]/.test(text)) ?? '';
  return plain(/^.*?[.:](?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph)
    .replaceAll('**', '')
    .replace(/\s+/g, ' ')
    .replace(/:$/, '.');
}
