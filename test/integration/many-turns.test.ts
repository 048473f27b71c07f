import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleScript } from '../_bundled-script.js';
import { temporaryFolder } from '../tools/mcp/_fixture-server.js';
import { CALLS, startConversations, toEffect, toFinalText } from './_many-turns-model.js';
import type { ManyTurns, ManyTurnsReport } from './_many-turns.js';

const script = new URL('_many-turns.ts', import.meta.url);
const heapLimit = 10 * 2 ** 20;

async function run(options: ManyTurns): Promise<ManyTurnsReport> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', await bundleScript(script), JSON.stringify(options)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(errors).toBe('');
  return JSON.parse(output) as ManyTurnsReport;
}

/** Returns how many calls ran how often: those that the conversations should make and all others that ran. */
async function countRuns(folder: string, keys: readonly string[]): Promise<Record<string, number>> {
  const effects = (await readFile(path.join(folder, 'effects.txt'), 'utf8')).trim().split('\n');
  const runs = new Map(keys.flatMap(key => CALLS.map(call => [toEffect(key, call), 0])));
  for (const effect of effects) if (!isWarmUp(effect)) runs.set(effect, (runs.get(effect) ?? 0) + 1);
  const counts: Record<string, number> = {};
  for (const count of runs.values()) {
    const name = `run ${count} times`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Each process begins with some conversations that fill caches. */
const isWarmUp = (effect: string): boolean => effect.includes(' conversation-9');

const undeclared = { declared: false } as const;
/**
 * Each host runs once, and each mode with and without declared tools. Hosts share the code of the first and of the last row,
 * so the others run fewer conversations. KILL_POINTS=all runs a hundred of each.
 */
const [few, most] = process.env.KILL_POINTS === 'all' ? [100, 100] : [10, 100];
const rows = [
  { host: 'ai 5 · V2', mode: 'generate', ...undeclared, count: most },
  { host: 'ai 5 · V2', mode: 'stream', declared: true, count: few },
  { host: 'ai 6 · V2', mode: 'stream', ...undeclared, count: few },
  { host: 'ai 7 · V2', mode: 'generate', ...undeclared, count: few },
  { host: 'ai 6 · V3', mode: 'generate', declared: true, count: few },
  { host: 'ai 7 · V3', mode: 'stream', ...undeclared, count: most },
] as const;

describe('many conversations of one provider', () => {
  it.each(rows)(
    'run each call once, $count at the same time, with a new process between two steps: $host, $mode, declared tools: $declared',
    async row => {
      const { baseURL, violations } = await startConversations();
      const folder = await temporaryFolder();
      const options = { ...row, baseURL, folder, atOnce: row.count, imageBytes: 100_000 };
      const first = await run({ ...options, step: 'first' });
      const next = await run({ ...options, step: 'next' });

      const keys = Object.keys(next.texts);
      expect(keys).toHaveLength(row.count);
      expect([...first.errors, ...next.errors]).toEqual([]);
      expect(await countRuns(folder, keys)).toEqual({ 'run 1 times': row.count * CALLS.length });
      expect(violations).toEqual([]);
      expect([...first.leaks, ...next.leaks]).toEqual([]);
      for (const key of keys) expect(next.texts[key]).toBe(toFinalText(key));
      expect(first.heapGrowth).toBeLessThan(heapLimit);
      expect(next.heapGrowth).toBeLessThan(heapLimit);
    },
  );

  it.each([
    { host: 'ai 5 · V2', mode: 'generate' as const },
    { host: 'ai 7 · V3', mode: 'stream' as const },
  ])('keep no large images in memory: $host, $mode', async row => {
    const { baseURL, violations } = await startConversations();
    const folder = await temporaryFolder();
    const options = { ...row, ...undeclared, baseURL, folder, count: 6, atOnce: 3, imageBytes: 4_000_000 };
    const { texts, errors, heapGrowth } = await run({ ...options, step: 'all' });
    expect({ errors, violations }).toEqual({ errors: [], violations: [] });
    expect(Object.keys(texts)).toHaveLength(6);
    expect(heapGrowth).toBeLessThan(heapLimit);
  });
});
