/** The documents of the package. Their snippets are compiled and run, and their links are checked. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'src/README.md',
  'src/getting-started.md',
  'src/how-to.md',
  'src/trust.md',
  'src/coming-from.md',
  'src/decisions.md',
  'src/adapters/README.md',
  'src/adapters/pages/families.md',
  'src/adapters/pages/adding-a-family.md',
  'src/models/README.md',
  'src/models/embeddings/README.md',
  'src/host/README.md',
  'src/host/pages/chat-with-a-flag.md',
  'src/host/pages/agents-and-adapters.md',
  'src/host/pages/raw-streams.md',
  'src/host/pages/stored-conversations.md',
  'src/host/pages/mcp-servers.md',
  'src/host/pages/registry.md',
  'src/host/pages/provider-schemas.md',
  'src/tools/README.md',
  'src/tool-loop/durable/README.md',
  'src/tool-loop/durable/pages/stores.md',
  'src/tool-loop/durable/pages/workflow-engines.md',
  'src/provider/README.md',
  'src/provider/pages/responses.md',
  'src/provider/pages/environments.md',
  'src/provider/pages/troubleshooting.md',
  'src/responses/README.md',
  'src/core/README.md',
  'src/core/redaction/README.md',
  'src/testing/README.md',
  'src/core/tool-calls/README.md',
  'src/tool-loop/README.md',
  'src/tool-loop/pages/calls.md',
  'src/tool-loop/pages/tools-of-a-call.md',
  'src/tool-loop/pages/limits.md',
  'src/tool-loop/pages/approvals.md',
  'src/tool-loop/pages/chats.md',
  'src/tool-loop/pages/large-requests.md',
  'src/tool-loop/pages/failures.md',
  'src/tool-loop/pages/between-rounds.md',
  'src/tool-loop/pages/rounds-as-steps.md',
  'src/tool-loop/pages/features.md',
  'src/tools/mcp/README.md',
  'src/tools/mcp/pages/servers.md',
  'src/tools/mcp/pages/calls.md',
  'src/tools/mcp/pages/host-loop.md',
  'src/tools/mcp/pages/signing-in.md',
  'src/tools/mcp/pages/resources-and-prompts.md',
  'src/tools/mcp/pages/sdk-corrections.md',
  'test/bench/README.md',
  'test/differential/README.md',
  'test/differential/mistakes.md',
  'playground/README.md',
  'playground/examples/README.md',
  'playground/recipes/dbos/README.md',
  'playground/recipes/page-dialogs/README.md',
  'playground/recipes/restate/README.md',
  'playground/recipes/resumable-chat/README.md',
] as const;

/** The generated reference of all options. */
export const REFERENCE = 'src/REFERENCE.md';

/** The majors of `ai`, the newest first. Documents are written for the newest. */
export const MAJORS = [7, 6, 5] as const;

export type Major = (typeof MAJORS)[number];

/** The entry of the provider for each major. */
export const ENTRIES: Readonly<Record<Major, string>> = {
  7: 'kelivo-responses/v4',
  6: 'kelivo-responses/v3',
  5: 'kelivo-responses',
};

/** Converts code for the newest major to another one. */
export const toMajor = (code: string, major: Major): string =>
  code.replaceAll(`'${ENTRIES[7]}'`, `'${ENTRIES[major]}'`);

/** A TypeScript block of a Markdown file. */
export interface Snippet {
  /** The last heading and the line number. */
  readonly name: string;
  readonly language: 'ts' | 'tsx';
  readonly code: string;
  /** The reason why it cannot run in a test, from a comment `<!-- not run: … -->` above it. */
  readonly notRun?: string;
  /** The only major of `ai` that it is for, from a comment `<!-- with: ai 6 -->`. @default all */
  readonly major?: Major;
  /** The name under which later snippets of the page import it, from a comment `<!-- named: … -->` above it. */
  readonly fileName?: string;
  /** The expected output, in order, from comments `<!-- prints: … -->` above it. */
  readonly prints: readonly string[];
}

const FENCE = /^```(\w*)$/;
const COMMENT = /^<!-- (not run|prints|with|named): (.+) -->$/;

/** Finds the TypeScript blocks of a Markdown text and reads the comments directly above each. */
export function findSnippets(markdown: string): Snippet[] {
  const lines = markdown.split('\n');
  const snippets: Snippet[] = [];
  let heading = '';
  let comments: RegExpExecArray[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, language] = FENCE.exec(line) ?? [];
    const comment = COMMENT.exec(line);
    if (language !== undefined) {
      const end = lines.indexOf('```', at + 1);
      if (end < 0) throw new Error(`Expected an end of the code block in line ${at + 1}, got none.`);
      if (language === 'ts' || language === 'tsx') {
        const code = lines.slice(at + 1, end).join('\n');
        snippets.push({ name: `${heading} (line ${at + 1})`, language, code, ...readComments(comments) });
      }
      at = end;
    } else if (line.startsWith('#')) heading = line.replace(/^#+ /, '').replaceAll('`', '');
    if (comment !== null) comments.push(comment);
    else if (line !== '') comments = [];
  }
  return snippets;
}

function readComments(
  comments: readonly RegExpExecArray[],
): Pick<Snippet, 'notRun' | 'major' | 'fileName' | 'prints'> {
  const textsOf = (kind: string) =>
    comments.filter(comment => comment[1] === kind).map(comment => comment[2] ?? '');
  return {
    notRun: textsOf('not run')[0],
    major: MAJORS.find(major => textsOf('with')[0] === `ai ${major}`),
    fileName: textsOf('named')[0],
    prints: textsOf('prints'),
  };
}

/** A file shown in a Markdown text: the block below a comment `<!-- file: … -->`. */
export interface ShownFile {
  readonly name: string;
  readonly content: string;
}

/** Finds the files that the snippets of a Markdown text read. */
export const findFiles = (markdown: string): ShownFile[] =>
  [...markdown.matchAll(/^<!-- file: (\S+) -->\n\n```\w*\n(.*?)^```$/gms)].map(
    ([, name = '', content = '']) => ({ name, content }),
  );

/** Converts a heading to its anchor on GitHub and npm. */
export const toAnchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
