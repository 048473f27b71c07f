import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ComparedProvider, createRun, OPEN_PROVIDERS } from './_open-responses-providers.js';
import { COMPARED_ROWS, type ComparedRow } from './_open-responses-rows.js';

const guide = new URL('README.md', import.meta.url);
const BEGIN = '<!-- compared with open-responses: UPDATE_TABLE=1 writes it -->';
const END = '<!-- end of the comparison -->';

/** Measures a row in both modes. A mode in which it differs is named. */
async function measure(provider: ComparedProvider, { modes = ['stream', 'generate'], measure }: ComparedRow) {
  const results = new Map<string, string>();
  for (const mode of modes) {
    const result = await measure(createRun(provider, mode)).catch((error: unknown) => {
      if (error instanceof TypeError) throw error;
      return false;
    });
    results.set(mode, typeof result === 'string' ? result : result ? '✓' : '–');
  }
  const [first = '–', ...others] = new Set(results.values());
  if (others.length === 0) return first;
  return results.get('stream') === '✓' ? '✓ streamed only' : '✓ not streamed only';
}

/** The cells of a row, which are measured once, whichever test needs them first. */
const measured = new Map<string, Promise<string[]>>();
const cellsOf = (row: ComparedRow): Promise<string[]> => {
  const cells =
    measured.get(row.title) ?? Promise.all(OPEN_PROVIDERS.map(provider => measure(provider, row)));
  measured.set(row.title, cells);
  return cells;
};

describe('compared with `@ai-sdk/open-responses`', () => {
  it.each(COMPARED_ROWS)('$title', async row => {
    const [ours] = await cellsOf(row);
    expect(ours).toMatch(/^(?:✓|\d+)$/);
  });

  it('the table in the guide is up to date', async () => {
    const rows: string[] = [];
    for (const row of COMPARED_ROWS) rows.push(`| ${row.title} | ${(await cellsOf(row)).join(' | ')} |`);
    const lines = [
      `| | ${OPEN_PROVIDERS.map(({ name }) => name).join(' | ')} |`,
      `| --- |${' --- |'.repeat(OPEN_PROVIDERS.length)}`,
      ...rows,
    ];
    const table = `${BEGIN}\n\n${lines.join('\n')}\n\n${END}`;
    const text = readFileSync(guide, 'utf8');
    const written = text.slice(text.indexOf(BEGIN), text.indexOf(END) + END.length);
    if (process.env.UPDATE_TABLE === '1') writeFileSync(guide, text.replace(written, table));
    else expect(written).toBe(table);
  });
});
