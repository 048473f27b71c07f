import { readFileSync } from 'node:fs';
import { searchOptions } from '../search.ts';

/** Written with the pages. */
const { repository, tasks, groups, searchWords } = JSON.parse(
  readFileSync(new URL('../.pages/navigation.json', import.meta.url), 'utf8'),
);
const { name, description } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

export default {
  title: name,
  description,
  // The path of the site on its server.
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '.pages',
  outDir: 'dist',
  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Guides', link: '/tool-loop' },
      { text: 'Reference', link: '/reference/' },
      ...(repository === undefined ? [] : [{ text: 'Repository', link: repository }]),
    ],
    sidebar: [
      { text: 'Often needed', items: tasks },
      ...groups.map(({ title, pages }) => ({ text: title, items: pages })),
    ],
    outline: [2, 3],
    search: { provider: 'local', options: searchOptions(searchWords) },
  },
};
