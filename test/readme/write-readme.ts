// Writes what the README has from elsewhere: its contents, and all options as the comments in the sources have them. With
// `--check` it writes nothing and ends with 1 where the README is behind, and where an export has no comment.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../package/manifest.js';
import { findUndocumented } from './find-undocumented.js';
import { readApi } from './read-api.js';
import { renderContents } from './render-contents.js';
import { renderOptions } from './render-options.js';

const readme = path.join(root, 'README.md');
const { project, hasFaults } = await readApi();

if (hasFaults) fail('Expected comments without a fault, got those above.');
for (const name of findUndocumented(project)) fail(`Expected a comment that says what ${name} is, got none.`);

const text = readFileSync(readme, 'utf8');
const withOptions = write(text, 'options', renderOptions(project));
const written = write(withOptions, 'contents', renderContents(withOptions));
if (!process.argv.includes('--check')) writeFileSync(readme, written);
else if (written !== text) fail('Expected the README to have what the sources say. Run: npm run docs');

/** Replaces what stands between the two comments of a name. */
function write(markdown: string, name: string, section: string): string {
  const begin = `<!-- ${name}: npm run docs writes them -->`;
  const end = `<!-- end of the ${name} -->`;
  const [from, to] = [markdown.indexOf(begin), markdown.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`Expected "${begin}" and "${end}" in the README.`);
  return `${markdown.slice(0, from)}${begin}\n\n${section}\n\n${markdown.slice(to)}`;
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
