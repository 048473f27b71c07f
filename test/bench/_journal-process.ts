// Runs turns at once, with a journal in the given file if there is one. Prints the largest delay of its event loop, and its
// turns in a second, as JSON.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createJournal, createSqliteStore } from 'kelivo-responses/journal';
import { createTurns } from './sections/durable.js';

export interface JournalProcess {
  /** @default no journal */
  readonly path?: string;
  readonly turns: number;
  readonly atOnce: number;
}

export interface JournalProcessReport {
  /** In milliseconds. */
  readonly delay: number;
  readonly perSecond: number;
}

const { path, turns, atOnce } = JSON.parse(process.argv[2] ?? '{}') as JournalProcess;
const store = path === undefined ? undefined : createSqliteStore({ path });
const run = createTurns(store && { journal: createJournal({ store }) });

async function runAll(count: number): Promise<void> {
  let rest = count;
  const work = async (): Promise<void> => {
    while (rest-- > 0) await run({ kelivo: { turnId: crypto.randomUUID() } });
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

await runAll(atOnce);
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const start = performance.now();
await runAll(turns);
const perSecond = (turns * 1000) / (performance.now() - start);
console.log(JSON.stringify({ delay: delay.max / 1e6, perSecond } satisfies JournalProcessReport));
await store?.close();
