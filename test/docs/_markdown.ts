/** A block of code in a Markdown file. */
export interface Snippet {
  /** Where it stands: the last heading, and the line. */
  readonly name: string;
  readonly language: 'ts' | 'tsx';
  readonly code: string;
  /** Why it cannot run here, of a comment `<!-- not run: … -->` above it. */
  readonly notRun?: string;
  /** The release of `ai` that it is for, 6 or 7, of a comment `<!-- with: ai 6 -->`. @default 5 */
  readonly major?: string;
  /** What it prints, in this order, of comments `<!-- prints: … -->` above it. */
  readonly prints: readonly string[];
}

const FENCE = /^```(\w*)$/;
const COMMENT = /^<!-- (not run|prints|with): (.+) -->$/;

/** The blocks of a Markdown text that are TypeScript. What is said of a block stands in the comments right above it. */
export function findSnippets(markdown: string): Snippet[] {
  const lines = markdown.split('\n');
  const snippets: Snippet[] = [];
  let heading = '';
  let remarks: RegExpExecArray[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, language] = FENCE.exec(line) ?? [];
    const remark = COMMENT.exec(line);
    if (language !== undefined) {
      const end = lines.indexOf('```', at + 1);
      if (end < 0) throw new Error(`Expected an end of the block in line ${at + 1}, got none.`);
      if (language === 'ts' || language === 'tsx') {
        const code = lines.slice(at + 1, end).join('\n');
        snippets.push({ name: `${heading} (line ${at + 1})`, language, code, ...toRemarks(remarks) });
      }
      at = end;
    } else if (line.startsWith('#')) heading = line.replace(/^#+ /, '').replaceAll('`', '');
    if (remark !== null) remarks.push(remark);
    else if (line !== '') remarks = [];
  }
  return snippets;
}

function toRemarks(remarks: readonly RegExpExecArray[]): Pick<Snippet, 'notRun' | 'major' | 'prints'> {
  const textsOf = (kind: string) =>
    remarks.filter(remark => remark[1] === kind).map(remark => remark[2] ?? '');
  return {
    notRun: textsOf('not run')[0],
    major: textsOf('with')[0]?.replace(/^ai /, ''),
    prints: textsOf('prints'),
  };
}

/** A file that a Markdown text shows: the block below a comment `<!-- file: … -->`. */
export interface ShownFile {
  readonly name: string;
  readonly content: string;
}

/** The files that snippets of a Markdown text read. */
export const findFiles = (markdown: string): ShownFile[] =>
  [...markdown.matchAll(/^<!-- file: (\S+) -->\n\n```\w*\n(.*?)^```$/gms)].map(
    ([, name = '', content = '']) => ({ name, content }),
  );

/** The documents of the package. Their snippets are compiled and run, and their links are checked. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'src/README.md',
  'src/adapters/README.md',
  'src/embeddings/README.md',
  'src/host/README.md',
  'src/provider/README.md',
  'src/testing/README.md',
  'src/tool-calls/README.md',
  'src/tool-loop/README.md',
  'src/tools/mcp/README.md',
  'test/bench/README.md',
  'test/differential/README.md',
  'playground/README.md',
] as const;

/** The generated reference of all options. */
export const REFERENCE = 'src/REFERENCE.md';

/** The name under which a page of Markdown on GitHub and npm has a heading. */
export const toAnchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
