import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import MiniSearch from 'minisearch';
import { QUESTIONS } from './questions.js';
import { loadIndex } from './search.js';

/** Topics that readers look for, each with the page of its section. It is at most two clicks from the start page. */
const SOUGHT: Readonly<Record<string, string>> = {
  'MCP with OAuth': 'mcp/signing-in.html',
  'persist and resume a chat': 'tool-loop/chats.html',
  costs: 'tool-loop/limits.html#costs-and-budgets',
  'the emulator in tests': 'testing.html#testing-an-application',
  'a new model family': 'adapters/adding-a-family.html',
  vLLM: 'provider.html#compatible-servers',
};

interface Link {
  readonly text: string;
  /** The file, with the anchor: `mcp.html#signing-in`. */
  readonly target: string;
}

/** Checks the built site, and describes it. Every problem is one line. */
export function checkSite(folder: string): {
  readonly problems: readonly string[];
  readonly summary: readonly string[];
} {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(file =>
    file.replaceAll(path.sep, '/'),
  );
  const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
  const pages = new Map(files.filter(file => file.endsWith('.html')).map(file => [file, read(file)]));
  const links = new Map([...pages].map(([page, html]) => [page, findLinks(page, html)]));

  const ids = new Map(
    [...pages].map(([page, html]) => [
      page,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const isMissing = (target: string): boolean => {
    const [file = '', anchor] = target.split('#');
    return (
      !existsSync(path.join(folder, file)) || (anchor !== undefined && ids.get(file)?.has(anchor) !== true)
    );
  };
  const all = [...links].flatMap(([page, found]) => found.map(link => ({ page, ...link })));
  const dead = all.filter(({ page, target }) => page !== '404.html' && isMissing(target));

  const named = [...read('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file);
  const markdown = files.filter(file => file.endsWith('.md'));
  const index = files.find(file => /localSearchIndex\w*\.[\w-]+\.js$/.test(file));

  const ranked = index === undefined ? [] : rankAnswers(read(index));
  const counts = Array.from(
    { length: SEEN },
    (_, place) => ranked.filter(({ rank }) => rank === place + 1).length,
  );

  const clicks = Object.entries(SOUGHT).map(([sought, target]) => ({
    sought,
    path: findClicks('index.html', target, links),
  }));

  return {
    problems: [
      ...dead.map(({ page, target }) => `${page}: expected ${target} to exist, got a dead link.`),
      ...named.filter(file => isMissing(file)).map(file => `llms.txt: expected ${file} to exist.`),
      ...markdown.filter(file => !named.includes(file)).map(file => `llms.txt: expected a link to ${file}.`),
      ...[...pages.keys()]
        .filter(page => page !== '404.html' && !markdown.includes(page.replace(/html$/, 'md')))
        .map(page => `${page}: expected its Markdown beside it, got none.`),
      ...files
        .filter(file => /\.(?:html|css)$/.test(file))
        .flatMap(file => findForeign(read(file)).map(url => `${file}: expected no ${url} of another host.`)),
      ...(index === undefined ? ['Expected a search index, got none.'] : []),
      ...ranked
        .filter(({ rank = Infinity }) => rank > SEEN)
        .map(
          ({ question, answers, found }) =>
            `Search "${question}": expected ${answers.join(' or ')} among the first three, got ${found.slice(0, SEEN).join(', ') || 'nothing'}.`,
        ),
      ...clicks
        .filter(({ path }) => path === undefined || path.length > 2)
        .map(({ sought }) => `Expected at most two clicks to ${sought} from the start page, got more.`),
    ],
    summary: [
      `${pages.size} pages, ${all.length} internal links, ${named.length} links in llms.txt, search index ${index}`,
      `${QUESTIONS.length} questions have ${counts.join(', ')} answers in the first, second and third place of the results`,
      ...clicks.map(
        ({ sought, path }) => `${sought}: ${path?.map(text => `"${text}"`).join(' → ') ?? 'not found'}`,
      ),
    ],
  };
}

interface Ranked {
  readonly question: string;
  readonly answers: readonly string[];
  /** The sections that the search finds, best first. */
  readonly found: readonly string[];
  /** The place of the first answer, from 1. Undefined if the search finds none. */
  readonly rank: number | undefined;
}

/** Searches the index as the page does. */
function rankAnswers(script: string): readonly Ranked[] {
  const json: unknown = runInNewContext(
    `${script.replace(/export\s*\{\s*(\w+) as default\s*\};?\s*$/, '$1')}`,
  );
  const search = loadIndex(MiniSearch, String(json));
  return QUESTIONS.map(([question, ...answers]) => {
    const found = search.search(question).map(({ id }) =>
      String(id)
        .slice(1)
        .replace(/^(?=#|$)/, 'index.html'),
    );
    const index = found.findIndex(id => answers.includes(id) || answers.includes(id.split('#')[0] ?? ''));
    return { question, answers, found, rank: index < 0 ? undefined : index + 1 };
  });
}

/** The number of results among which an answer is expected. */
const SEEN = 3;

/** Returns the links of a page to the site itself, except those to its own top. */
function findLinks(page: string, html: string): readonly Link[] {
  return [...html.matchAll(/<a\b[^>]*? href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].flatMap(
    ([, href = '', inner = '']) => {
      const url = new URL(href.replaceAll('&amp;', '&'), `http://site/${page}`);
      if (url.host !== 'site') return [];
      const file = decodeURIComponent(url.pathname.slice(1)).replace(/(^|\/)$/, '$1index.html');
      const text = inner.replace(/<[^>]*>/g, '').trim();
      return { text, target: file + decodeURIComponent(url.hash) };
    },
  );
}

/** Returns scripts, styles, fonts and images of other hosts. */
function findForeign(text: string): readonly string[] {
  const tags = text.matchAll(/<(?:script|img|iframe|source)\b[^>]*? src="(?:https?:)?\/\/[^"]*"/g);
  const linked = text.matchAll(/<link\b[^>]*? href="(?:https?:)?\/\/[^"]*"/g);
  const styles = text.matchAll(/(?:@import\s*|url\()["']?(?:https?:)?\/\/[^"')]*/g);
  return [...tags, ...linked, ...styles].map(([found]) => found);
}

/** Returns the texts of the links on the shortest way to a section. */
function findClicks(
  start: string,
  target: string,
  links: ReadonlyMap<string, readonly Link[]>,
): readonly string[] | undefined {
  const seen = new Set([start]);
  let ways: readonly { readonly page: string; readonly texts: readonly string[] }[] = [
    { page: start, texts: [] },
  ];
  while (ways.length > 0) {
    const next: { page: string; texts: string[] }[] = [];
    for (const { page, texts } of ways) {
      for (const link of links.get(page) ?? []) {
        if (link.target === target) return [...texts, link.text];
        const [file = ''] = link.target.split('#');
        if (seen.has(file)) continue;
        seen.add(file);
        next.push({ page: file, texts: [...texts, link.text] });
      }
    }
    ways = next;
  }
  return undefined;
}
