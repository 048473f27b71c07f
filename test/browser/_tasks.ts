import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Milliseconds that a task of the page may take while a response streams: longer ones are noticed while typing. */
export const LONGEST_TASK = 100;

/** Runs that a busy machine may disturb, of which one has to keep the limit. */
export const RUNS = 3;

interface TracedTask {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. Unlike a duration, it excludes the time that other processes have used. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Returns the milliseconds of processor time that tasks of the page's main thread use during an action. */
export async function measureTasks(
  page: Page,
  act: () => Promise<void>,
): Promise<{ longest: number; total: number }> {
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
  const times = tasks.map(({ tdur = 0 }) => tdur / 1000);
  return { longest: Math.max(...times), total: Math.round(times.reduce((sum, time) => sum + time, 0)) };
}
