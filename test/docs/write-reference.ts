// Writes the options reference from the comments in the sources. With `--check` it writes nothing and exits with 1 if the
// reference is out of date or an export has no comment.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../package/manifest.js';
import { findUndocumented } from './_reference.js';
import { REFERENCE } from './_markdown.js';
import { readApi } from './_reference.js';
import { renderOptions } from './_reference.js';

const file = path.join(root, REFERENCE);
const { project, hasProblems } = await readApi();

if (hasProblems) fail('Expected valid TSDoc comments, got the problems above.');
for (const name of findUndocumented(project)) fail(`Expected a comment on ${name}, got none.`);

const reference = await format(
  `# Options reference

Generated from the comments in the sources by \`npm run docs\`.

${renderOptions(project).replace(/^(#+) /gm, (_, marks: string) => `${marks.slice(1)} `)}
`,
  { ...(await resolveConfig(file)), parser: 'markdown' },
);
const current = existsSync(file) ? readFileSync(file, 'utf8') : '';
if (!process.argv.includes('--check')) writeFileSync(file, reference);
else if (reference !== current) fail(`Expected ${REFERENCE} to match the sources. Run: npm run docs`);

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
