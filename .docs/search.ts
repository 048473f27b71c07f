import type MiniSearch from 'minisearch';

/**
 * Options of the site's search. VitePress writes the functions of `miniSearch` into the page as text, so they use nothing from
 * outside.
 */
const miniSearch = {
  options: {
    /** Leaves out words that are in every question. */
    processTerm: (term: string) => {
      const word = term.toLowerCase();
      const isFrequent =
        /^(?:a|an|and|any|are|as|at|be|by|can|do|does|for|from|get|how|i|in|is|it|its|my|not|of|on|or|the|to|use|using|what|when|why|with|you)$/;
      return isFrequent.test(word) ? null : word;
    },
  },
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
    /** Guides answer questions. The reference and the pages about the project are for readers who know the name. */
    boostDocument: (id: string) =>
      /^\/(?:changelog|decisions|architecture|contributing|benchmarks|comparison|mistakes|security)\b/.test(
        id,
      )
        ? 0.2
        : /^\/reference\//.test(id)
          ? 0.4
          : 1,
  },
};

/** Additional words of a section. A section without an anchor is the beginning of its page. */
export interface SearchWords {
  readonly page: string;
  readonly anchor?: string;
  readonly words: string;
}

interface Renderer {
  render(markdown: string, env: { readonly relativePath: string }): string;
}

/** How often the words of a section are indexed, so that they count in a long text. */
const WEIGHT = 4;

/** Returns the options for VitePress. */
export function searchOptions(searchWords: readonly SearchWords[]) {
  return {
    miniSearch,
    _render(markdown: string, env: { readonly relativePath: string }, renderer: Renderer): string {
      const own = searchWords.filter(({ page }) => page === env.relativePath);
      return renderer
        .render(markdown, env)
        .replace(/<h([1-6]) id="([^"]+)"[^>]*>.*?<\/h\1>/gs, (heading: string, level: string, id: string) => {
          const found = own.filter(({ anchor }) => (anchor === undefined ? level === '1' : anchor === id));
          return heading + found.map(({ words }) => `<p>${`${words} `.repeat(WEIGHT)}</p>`).join('');
        });
    },
  };
}

/** Loads a built index with the options that the page uses. */
export const loadIndex = (Search: typeof MiniSearch, json: string): MiniSearch =>
  Search.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    ...miniSearch.options,
    searchOptions: miniSearch.searchOptions,
  });
