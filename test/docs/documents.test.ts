import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../package/manifest.js';
import { ENTRIES, findSnippets, MAJORS, PAGES, REFERENCE, toAnchor } from './_markdown.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The source texts. Strings that are concatenated over several lines are joined. */
const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts'))
  .map(file =>
    read(path.join('src', file))
      .replace(/['`"]\s*\+\s*['`"]/g, '')
      .replaceAll('\\`', '`'),
  );

const withoutCode = (markdown: string): string => markdown.replace(/^```.*?^```$/gms, '');

const anchorsOf = (markdown: string): Set<string> =>
  new Set([...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => toAnchor(title)));

const linksOf = (file: string): { page: string; anchor: string | undefined }[] =>
  [...withoutCode(read(file)).matchAll(/\]\((?!https?:)([^)]+)\)|\]\(\S+\/blob\/main\/([^)]+)\)/g)].flatMap(
    ([, link, absolute = '']) => {
      const [target = '', anchor] = (link ?? absolute).split('#');
      const page = link === undefined ? target : path.join(path.dirname(file), target);
      return { page: target === '' ? file : page, anchor };
    },
  );

it.each(PAGES)('%s has no dead link', file => {
  const dead = linksOf(file).filter(
    ({ page, anchor }) =>
      !existsSync(path.join(root, decodeURI(page))) ||
      (anchor !== undefined && !anchorsOf(read(page)).has(anchor)),
  );
  expect(dead).toEqual([]);
});

it.each(PAGES)('%s imports the provider for the newest major of `ai`, unless it names another one', file => {
  const imported = findSnippets(read(file)).flatMap(({ code, major = MAJORS[0] }) =>
    [...code.matchAll(/(?:from|import\() ?'(kelivo-responses(?:\/v\d)?)'/g)].map(([, entry]) => [
      entry,
      ENTRIES[major],
    ]),
  );
  expect(imported.filter(([entry, expected]) => entry !== expected)).toEqual([]);
});

it('no paragraph, list item or row of a table stands in two documents', () => {
  const places = new Map<string, string[]>();
  for (const file of PAGES) {
    for (const paragraph of withoutCode(read(file)).split(/\n\n+|\n(?=[-|]|\d+\. )/)) {
      const text = paragraph
        .replace(/\]\([^)]*\)/g, ']')
        .replace(/\s+/g, ' ')
        .trim();
      if (text.split(' ').filter(word => /\w/.test(word)).length >= 12)
        places.set(text, [...(places.get(text) ?? []), file]);
    }
  }
  // The heads of tables about the same measurement.
  const isHead = (text: string) => /^\| (?:killed|section) \|/.test(text);
  expect([...places].filter(([text, files]) => files.length > 1 && !isHead(text))).toEqual([]);
});

it('the comparison has the figures of the tables that it links to', () => {
  const countOf = (file: string, row: RegExp) => read(file).match(row)?.length;
  const comparison = read('test/differential/README.md');
  const mistakes = (verdict: string) =>
    countOf('test/differential/mistakes.md', new RegExp(`\\| ${verdict} \\|$`, 'gm')) ?? 0;
  const same = mistakes('the same facts');
  const all = same + mistakes('more');
  expect(comparison).toContain(`| ${same} of ${all} | ${all} of ${all} |`);
  const streams = comparison.match(/^\| (?!stream \||---).* \| .* \| ✓ \| .* \|$/gm) ?? [];
  const complete = streams.filter(row => row.endsWith('| ✓ |'));
  expect(comparison).toContain(`| ${complete.length} of ${streams.length} complete |`);
  const [, ours, theirs] =
    /of the request that options can set, of 22 \| (\d+) \| (\d+) \|/.exec(comparison) ?? [];
  expect(comparison).toContain(`| ${theirs} of 22 | ${ours} of 22 |`);
});

it('each room of src has its page, and no page or guide of a room has more than 1,200 words', () => {
  const rooms = readdirSync(path.join(root, 'src'), { withFileTypes: true }).filter(entry =>
    entry.isDirectory(),
  );
  expect(
    rooms.map(({ name }) => `src/${name}/README.md`).filter(file => !existsSync(path.join(root, file))),
  ).toEqual([]);
  const pages = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.md') && path.dirname(file) !== '.',
  );
  const wordsOf = (file: string) => read(path.join('src', file)).trim().split(/\s+/).length;
  expect(pages.filter(file => wordsOf(file) > 1200)).toEqual([]);
});

it('the README has at most 130 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(130);
});

it('the troubleshooting explains messages that the sources contain', () => {
  const messages = [...read('src/provider/pages/troubleshooting.md').matchAll(/^\| ``(.+?)`` +\|/gm)].map(
    ([, message = '']) => message,
  );
  const parts = messages.flatMap(message => message.split('…')).map(part => part.trim());
  expect(messages.length).toBeGreaterThanOrEqual(5);
  expect(parts.filter(part => !sources.some(source => source.includes(part)))).toEqual([]);
});

it('src/README.md names files that exist', () => {
  const table = read('src/README.md').split('## Where to change what')[1] ?? '';
  const names = [...table.matchAll(/`([a-z0-9/-]+\.ts)`/g)].map(([, name = '']) => name);
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  expect(names.length).toBeGreaterThan(20);
  const isFile = (name: string) =>
    files.some(file => file === name || file.endsWith(`/${name}`)) || existsSync(path.join(root, name));
  expect(names.filter(name => !isFile(name))).toEqual([]);
});

it('the reference explains each option', () => {
  const tables = read(REFERENCE).match(/^\| option(?: of the request)? +\|.*\n(?:\|.*\n)+/gm) ?? [];
  const rows = tables.flatMap(table => table.trimEnd().split('\n').slice(2));
  expect(rows.length).toBeGreaterThan(200);
  const unexplained = rows.flatMap(row => {
    const [, name = '', , , meaning = ''] = row.split(/(?<!\\)\|/).map(cell => cell.trim());
    // The comment of an object explains its fields.
    const isField = name.includes('.');
    return isField || meaning.split(' ').length >= 3 ? [] : [name];
  });
  expect(unexplained).toEqual([]);
});
