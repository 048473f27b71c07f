import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FEATURE_ROWS, type FeatureRow } from './_feature-rows.js';
import type { NormalizedPart } from './_normalize-parts.js';
import { COMPARED_MAJORS, readWithBoth } from './_providers.js';

const guide = new URL('README.md', import.meta.url);
const BEGIN = '<!-- feature table: UPDATE_README=1 writes it -->';
const END = '<!-- end of the feature table -->';

const options = {
  tools: [{ type: 'function', name: 'add', inputSchema: { type: 'object' } }],
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
};

const readRow = ({ body }: FeatureRow) =>
  Promise.all(COMPARED_MAJORS.map(compared => readWithBoth(compared, { body, options })));

/** Summarizes what a host receives. */
function describe(parts: readonly NormalizedPart[]): string {
  const rejected = parts.find(({ kind }) => kind === 'rejected');
  if (rejected !== undefined) return `throws ${rejected.error}`;
  const errors = parts.filter(({ kind }) => kind === 'error').length;
  const kinds = ['text', 'reasoning', 'call', 'result'].filter(kind =>
    parts.some(entry => entry.kind === kind && entry.text !== ''),
  );
  const finish = parts.find(({ kind }) => kind === 'finish')?.reason ?? 'nothing';
  const received = [...kinds, ...(errors > 0 ? [errors === 1 ? 'one error' : `${errors} errors`] : [])];
  return `${received.length > 0 ? received.join(' and ') : 'nothing'}, finish \`${finish}\``;
}

it.each(FEATURE_ROWS)('reads $title', async row => {
  for (const { ours } of await readRow(row))
    expect(row.isComplete(ours), JSON.stringify(ours, null, 1)).toBe(true);
});

it('the table in the guide is up to date', async () => {
  const names = ['kelivo-responses', ...COMPARED_MAJORS.map(({ major }) => `\`@ai-sdk/openai\` ${major}`)];
  const lines = [
    `| stream | sent by | ${names.join(' | ')} |`,
    `| --- | --- |${' --- |'.repeat(names.length)}`,
  ];
  for (const row of FEATURE_ROWS) {
    const read = await readRow(row);
    const cell = (parts: readonly NormalizedPart[]) => (row.isComplete(parts) ? '✓' : describe(parts));
    const ours = new Set(read.map(one => cell(one.ours)));
    const cells = [[...ours].join(', '), ...read.map(({ official }) => cell(official))];
    lines.push(`| ${row.title} | ${row.senders} | ${cells.join(' | ')} |`);
  }
  const table = `${BEGIN}\n\n${lines.join('\n')}\n\n${END}`;
  const text = readFileSync(guide, 'utf8');
  const written = text.slice(text.indexOf(BEGIN), text.indexOf(END) + END.length);
  if (process.env.UPDATE_README === '1') writeFileSync(guide, text.replace(written, table));
  else expect(written).toBe(table);
});
