import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Controls that a task of the page may take. One is about 70 milliseconds of a processor that does nothing else. On a busy machine
 * a task takes up to twice as many controls.
 */
const LONGEST_TASK = 3;

/** Runs that a busy machine may disturb, of which one has to keep the limit. */
const RUNS = 3;

interface TracedTask {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. Unlike a duration, it excludes the time that other processes have used. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Measures the tasks of the page's main thread during an action, by their processor time. The unit is the time of a control,
 * which parses a table without the application, because a processor that others use too is slower for both.
 */
async function measureTasks(
  page: Page,
  act: () => Promise<void>,
): Promise<{ longest: number; total: number }> {
  const controls = await traceTasks(page, async () => {
    for (let run = 0; run < 5; run++) await page.evaluate(parseControl);
  });
  // The longest five are the controls, of which the first compile their code.
  const control = controls.sort((a, b) => b - a)[2] ?? 0;
  const tasks = await traceTasks(page, act);
  const sum = tasks.reduce((total, time) => total + time, 0);
  console.log(
    `Processor time: longest task ${Math.round(Math.max(...tasks))} ms, all ${Math.round(sum)} ms, control ${Math.round(control)} ms`,
  );
  return { longest: Math.max(...tasks) / control, total: sum / control };
}

/**
 * Expects an action whose longest task keeps a limit. It is repeated if it does not, because a busy machine can delay a task
 * in a way that no control shows.
 *
 * @param act Receives the number of runs before.
 */
export const expectShortTasks = (page: Page, act: (run: number) => Promise<void>): Promise<void> =>
  expectTasks(page, { act, limit: LONGEST_TASK, of: 'longest' });

/** Expects an action whose tasks together keep a limit, in controls. */
export const expectLittleWork = (
  page: Page,
  act: (run: number) => Promise<void>,
  limit: number,
): Promise<void> => expectTasks(page, { act, limit, of: 'total' });

async function expectTasks(
  page: Page,
  { act, limit, of }: { act: (run: number) => Promise<void>; limit: number; of: 'longest' | 'total' },
): Promise<void> {
  const runs: number[] = [];
  while (!runs.some(controls => controls <= limit) && runs.length < RUNS)
    runs.push((await measureTasks(page, () => act(runs.length)))[of]);
  expect(Math.min(...runs)).toBeLessThanOrEqual(limit);
}

/** Parses a document of 20,000 rows, which no style of the page changes, and reads its text. */
function parseControl(): void {
  const rows = Array.from(
    { length: 20_000 },
    (_, row) => `<tr><td>Row ${row}<td>some words<td><b>${row * 7}</b>`,
  );
  const { body } = new DOMParser().parseFromString(`<table>${rows.join('')}`, 'text/html');
  if (!body.textContent.includes('Row 19999')) throw new Error('Expected a parsed document.');
}

async function traceTasks(page: Page, act: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser() as Browser;
  await browser.startTracing(page, { categories: ['toplevel'] });
  let recorded: Buffer | undefined;
  try {
    await act();
  } finally {
    recorded = await browser.stopTracing();
  }
  const trace = JSON.parse(String(recorded)) as { traceEvents: TracedTask[] };
  const threads = trace.traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`);
  const tasks = trace.traceEvents.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && threads.includes(`${pid} ${tid}`),
  );
  expect(tasks.length, 'traced tasks').toBeGreaterThan(10);
  return tasks.map(({ tdur = 0 }) => tdur / 1000);
}
