import { expect, it } from 'vitest';
import { runSteps } from '../../../playground/server/steps.js';

const node = (script: string) => [process.execPath, '-e', script] as const;

/** Replaces times, which differ. */
const withoutTimes = (lines: readonly string[]): string[] =>
  lines.map(line => line.replace(/[\d.]+ s$/, 'N s'));

it('prints each step before it runs, and its time after it', async () => {
  const lines: string[] = [];
  const steps = [
    { title: 'One', command: node('') },
    { title: 'Two', command: node('') },
  ];
  const code = await runSteps(steps, { print: line => lines.push(line) });

  expect(code).toBe(0);
  expect(withoutTimes(lines)).toEqual([
    '[1/2] One …',
    '[1/2] One: done after N s',
    '[2/2] Two …',
    '[2/2] Two: done after N s',
  ]);
});

it('ends with the code of a step that fails, and runs no other', async () => {
  const lines: string[] = [];
  const steps = [
    { title: 'One', command: node('process.exit(3)') },
    { title: 'Two', command: node('') },
  ];
  const code = await runSteps(steps, { print: line => lines.push(line) });

  expect(code).toBe(3);
  expect(withoutTimes(lines)).toEqual(['[1/2] One …', '[1/2] One: failed after N s']);
});

it('says that a long step still runs', async () => {
  const lines: string[] = [];
  // The step ends when this process has heard of it.
  const steps = [{ title: 'One', command: node('setInterval(() => {}, 1000)') }] as const;
  const controller = new AbortController();
  const running = runSteps(steps, {
    interval: 5,
    signal: controller.signal,
    print(line) {
      lines.push(line);
      if (/ … [\d.]+ s$/.test(line)) controller.abort();
    },
  });
  await running;

  expect(withoutTimes(lines).slice(0, 2)).toEqual(['[1/1] One …', '[1/1] One … N s']);
});
