import { readFileSync, writeFileSync } from 'node:fs';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { toBody } from '../_chunking.js';
import { FEATURE_ROWS, type FeatureRow } from './_feature-rows.js';
import { normalizeParts, type NormalizedPart } from './_normalize-parts.js';

const guide = new URL('README.md', import.meta.url);
const BEGIN = '<!-- feature table: UPDATE_README=1 writes it -->';
const END = '<!-- end of the feature table -->';

async function read(model: LanguageModelV2): Promise<NormalizedPart[]> {
  try {
    const tools = [{ type: 'function' as const, name: 'add', inputSchema: { type: 'object' as const } }];
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
    const { stream } = await model.doStream({ prompt, tools });
    const parts: LanguageModelV2StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    return normalizeParts(parts);
  } catch (error) {
    return [{ kind: 'rejected', error: error instanceof Error ? error.name : 'unknown' }];
  }
}

async function readBoth({ body }: FeatureRow) {
  const settings = {
    apiKey: 'test',
    baseURL: 'http://server.test/v1',
    fetch: async () => new Response(toBody([new TextEncoder().encode(body)])),
  };
  const ours = await read(createKelivoResponsesProvider(settings).responses('gpt-5'));
  const official = await read(createOpenAI(settings).responses('gpt-5'));
  return { ours, official };
}

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
  const { ours } = await readBoth(row);
  expect(row.isComplete(ours), JSON.stringify(ours, null, 1)).toBe(true);
});

it('the table in the guide is up to date', async () => {
  const lines = ['| stream | sent by | kelivo-responses | `@ai-sdk/openai` 2 |', '| --- | --- | --- | --- |'];
  for (const row of FEATURE_ROWS) {
    const { ours, official } = await readBoth(row);
    const cell = (parts: readonly NormalizedPart[]) => (row.isComplete(parts) ? '✓' : describe(parts));
    lines.push(`| ${row.title} | ${row.senders} | ${cell(ours)} | ${cell(official)} |`);
  }
  const table = `${BEGIN}\n\n${lines.join('\n')}\n\n${END}`;
  const text = readFileSync(guide, 'utf8');
  const written = text.slice(text.indexOf(BEGIN), text.indexOf(END) + END.length);
  if (process.env.UPDATE_README === '1') writeFileSync(guide, text.replace(written, table));
  else expect(written).toBe(table);
});
