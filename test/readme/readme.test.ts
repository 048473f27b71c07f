import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../package/manifest.js';
import { toAnchor } from './to-anchor.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const readme = read('README.md');

/** Texts as they are when they are joined: sources break long ones over lines. */
const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts'))
  .map(file =>
    read(path.join('src', file))
      .replace(/['`"]\s*\+\s*['`"]/g, '')
      .replaceAll('\\`', '`'),
  );

const anchorsOf = (markdown: string): Set<string> =>
  new Set(
    [...markdown.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      toAnchor(title),
    ),
  );

it.each(['README.md', 'CONTRIBUTING.md'])('has no link in %s that leads nowhere', file => {
  const links = [...read(file).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link);
  const dead = links.filter(link => {
    const [target = '', anchor] = link.split('#');
    const page = target === '' ? file : target;
    return !existsSync(path.join(root, page)) || (anchor !== undefined && !anchorsOf(read(page)).has(anchor));
  });
  expect(dead).toEqual([]);
});

it('explains messages that the sources have', () => {
  const section = readme.slice(readme.indexOf('\n## Troubleshooting\n'));
  const messages = [...section.matchAll(/^\| ``(.+?)`` \|/gm)].map(([, message = '']) => message);
  const pieces = messages.flatMap(message => message.split('…')).map(piece => piece.trim());
  expect(messages.length).toBeGreaterThan(20);
  expect(pieces.filter(piece => !sources.some(source => source.includes(piece)))).toEqual([]);
});
