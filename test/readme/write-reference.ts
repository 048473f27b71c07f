// Writes the reference of all options, made of the comments in the sources, into the README. With `--check` it writes
// nothing and ends with 1 where the README is behind, and where an export has no comment.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../package/manifest.js';
import { findUndocumented } from './find-undocumented.js';
import { readApi } from './read-api.js';
import { renderOptions } from './render-options.js';

const BEGIN = '<!-- options: npm run docs writes them -->';
const END = '<!-- end of the options -->';

const readme = path.join(root, 'README.md');
const project = await readApi();

for (const name of findUndocumented(project)) fail(`Expected a comment that says what ${name} is, got none.`);

const text = readFileSync(readme, 'utf8');
const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
if (before < 0 || after < before) throw new Error(`Expected "${BEGIN}" and "${END}" in the README.`);
const written = `${text.slice(0, before)}${BEGIN}\n\n${renderOptions(project)}\n\n${text.slice(after)}`;
if (!process.argv.includes('--check')) writeFileSync(readme, written);
else if (written !== text)
  fail('Expected the options in the README as the sources have them. Run: npm run docs');

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
