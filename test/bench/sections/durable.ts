import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { LanguageModelV2, SharedV2ProviderOptions } from '@ai-sdk/provider';
import type * as kelivoResponses from 'kelivo-responses';
import { createJournal, createSqliteStore, type JournalStore } from 'kelivo-responses/journal';
import { toolLoopCallOptions, type ToolLoopStep } from 'kelivo-responses/tool-loop';
import { z } from 'zod';
import { bundleScript } from '../../_bundled-script.js';
import { missingPostgres, startPostgres } from '../../durable-turns/_postgres.js';
import { isInstalled, recipes } from '../../durable-turns/_recipes.js';
import type { JournalProcess, JournalProcessReport } from '../_journal-process.js';
import { createLoopModel, OPTIONS } from '../_models.js';
import { toResponseBody } from '../_responses.js';
import { drain, respondWith } from '../_transport.js';
import { compare, median } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';
import { createServer } from './turn.js';

/** Measures the cost of the hook for workflow engines, and of the records of a turn. */
export async function measureDurable(scale: Scale): Promise<Figure[]> {
  return [...(await measureHook(scale)), ...(await measureJournal(scale)), ...(await measureDbos(scale))];
}

const passThrough: ToolLoopStep = (_name, run) => run();

/** Measures long streams: without an engine, with a step function that records nothing, and those of another checkout. */
async function measureHook(scale: Scale): Promise<Figure[]> {
  const fetch = respondWith(toResponseBody('text', scale.deltas), { size: 16 * 1024 });
  const read = (model: LanguageModelV2, step?: ToolLoopStep) => async () =>
    drain((await model.doStream({ ...OPTIONS, providerOptions: withStep(step) })).stream);
  const model = createLoopModel(fetch);
  // A difference of one percent needs more samples than a factor.
  const options = { samples: scale.samples * 5, warmUp: scale.warmUp, time: 'processor' } as const;
  const { plain, step } = await compare({ plain: read(model), step: read(model, passThrough) }, options);
  const figures = [
    toShare({
      ...{ name: 'stream with a pass-through step', rival: 'without an engine' },
      ...{ ours: step, theirs: plain },
    }),
  ];
  const folder = process.env.PACKAGE;
  if (folder === undefined) return figures;
  const createProvider = await importProvider(folder);
  const pairs = {
    'stream without an engine': [
      read(model),
      read(createLoopModel(fetch, undefined, undefined, undefined, createProvider)),
    ],
    'turns of four rounds with tools': [
      repeated(createTurns(), scale.turns * 4),
      repeated(createTurns({}, createProvider), scale.turns * 4),
    ],
  } as const;
  for (const [name, [own, other]] of Object.entries(pairs)) {
    const costs = await compare({ own, other }, options);
    figures.push(toShare({ name, rival: 'the other checkout', ours: costs.own, theirs: costs.other }, 1.02));
  }
  return figures;
}

const repeated = (run: () => Promise<void>, times: number) => async () => {
  for (let time = 0; time < times; time++) await run();
};

const withStep = (step: ToolLoopStep | undefined): SharedV2ProviderOptions =>
  step === undefined ? {} : { kelivo: toolLoopCallOptions({ step }) };

/** Imports the build of another checkout. */
async function importProvider(folder: string) {
  const file = pathToFileURL(path.resolve(folder, 'dist/index.js')).href;
  return ((await import(file)) as typeof kelivoResponses).createKelivoResponsesProvider;
}

/** Creates a function that runs a turn of four rounds with twelve calls, with tools that return at once. */
export function createTurns(
  toolLoop?: Parameters<typeof createLoopModel>[2],
  createProvider?: Parameters<typeof createLoopModel>[4],
) {
  let lookUps = 0;
  const tools = {
    look_up: {
      inputSchema: z.object({ milliseconds: z.number() }),
      execute: () => `found ${++lookUps}`,
      readOnly: true,
    },
  };
  return async (providerOptions = {}): Promise<void> => {
    const fetch = createServer({ toolTimes: [0, 0, 0, 0], callTime: 0 });
    const settings = { ...toolLoop, startEarly: false } as const;
    const model = createLoopModel(fetch, tools, settings, undefined, createProvider);
    await drain((await model.doStream({ ...OPTIONS, providerOptions })).stream);
  };
}

/** Returns the additional milliseconds of a durable turn for each of its records. */
async function measureRecords(
  { name, rival }: Pick<Figure, 'name' | 'rival'>,
  { plain, durable, recordsOf, samples }: RecordOptions,
): Promise<Figure> {
  const costs = await compare({ plain, durable }, { samples, warmUp: 2 });
  const records = recordsOf() / (samples + 2);
  const [ours, theirs] = [median(costs.durable), median(costs.plain)];
  const measured = `${ours.toFixed(1)} ms / ${theirs.toFixed(1)} ms, ${records} records`;
  return { name, rival, value: Math.max(0, ours - theirs) / records, unit: 'ms', measured };
}

interface RecordOptions {
  readonly plain: () => Promise<void>;
  readonly durable: () => Promise<void>;
  /** Returns the number of records of all turns so far. */
  readonly recordsOf: () => number;
  readonly samples: number;
}

async function measureJournal({ durableTurns: samples }: Scale): Promise<Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-bench-'));
  const store = createSqliteStore({ path: path.join(folder, 'turns.db') });
  let records = 0;
  const counting: JournalStore = { ...store, write: (...record) => (records++, store.write(...record)) };
  const runDurable = createTurns({ journal: createJournal({ store: counting }) });
  const figure = await measureRecords(
    { name: 'record of a SQLite journal', rival: 'the same turns without records' },
    {
      plain: createTurns(),
      durable: () => runDurable({ kelivo: { turnId: crypto.randomUUID() } }),
      recordsOf: () => records,
      samples,
    },
  );
  await store.close();
  await rm(folder, { recursive: true });
  return [figure];
}

const PROCESSES = 4;
const execute = promisify(execFile);

/** Compares processes that share the SQLite file of a journal with processes without a journal. */
export async function measureProcesses({ durableTurns: turns, samples }: Scale): Promise<Figure[]> {
  const script = await bundleScript(new URL('../_journal-process.ts', import.meta.url));
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-bench-'));
  const runAll = async (file?: string) => {
    const options: JournalProcess = { turns, atOnce: 4, ...(file !== undefined && { path: file }) };
    const args = [script, JSON.stringify(options)];
    const env = { ...process.env, NODE_NO_WARNINGS: '1' };
    const outputs = await Promise.all(
      Array.from({ length: PROCESSES }, () => execute(process.execPath, args, { env })),
    );
    const reports = outputs.map(({ stdout }) => JSON.parse(stdout) as JournalProcessReport);
    return {
      delay: Math.max(...reports.map(({ delay }) => delay)),
      time: 1000 / reports.reduce((sum, { perSecond }) => sum + perSecond, 0),
    };
  };
  const journal: { delay: number; time: number }[] = [];
  const none: typeof journal = [];
  for (let sample = 0; sample < samples; sample++) {
    none.push(await runAll());
    journal.push(await runAll(path.join(folder, `turns-${sample}.db`)));
  }
  await rm(folder, { recursive: true });
  const sides = (of: 'delay' | 'time') => ({
    rival: 'the same processes without a journal',
    ours: journal.map(sample => sample[of]),
    theirs: none.map(sample => sample[of]),
  });
  return [
    toShare({ name: 'largest event loop delay, four processes on a SQLite journal', ...sides('delay') }, 1.5),
    toShare({ name: 'time per turn, four processes on a SQLite journal', ...sides('time') }),
  ];
}

/** The functions of DBOS that the benchmark uses. Its packages are those of the recipe. */
interface Dbos {
  setConfig(config: object): void;
  registerWorkflow<Result>(run: () => Promise<Result>, options: object): () => Promise<Result>;
  runStep<Result>(run: () => Promise<Result>, options: { name: string }): Promise<Result>;
  launch(): Promise<void>;
  shutdown(): Promise<void>;
}

async function measureDbos({ durableTurns: samples }: Scale): Promise<Figure[]> {
  const reason = missingPostgres ?? (isInstalled(recipes.dbos) ? undefined : 'its recipe is not installed');
  if (reason !== undefined) {
    process.stderr.write(`Not measuring DBOS: ${reason}\n`);
    return [];
  }
  const { DBOS } = createRequire(path.join(recipes.dbos, 'worker.ts'))('@dbos-inc/dbos-sdk') as {
    DBOS: Dbos;
  };
  const postgres = await startPostgres({ sync: true });
  let records = 0;
  const run = createTurns();
  const step: ToolLoopStep = (name, body) => (records++, DBOS.runStep(body, { name }));
  const turn = DBOS.registerWorkflow(() => run(withStep(step)), { name: 'turn' });
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: postgres.url, logLevel: 'error' });
  try {
    await DBOS.launch();
    const names = { name: 'step of DBOS', rival: 'the same turns without steps' };
    return [
      await measureRecords(names, { plain: createTurns(), durable: turn, recordsOf: () => records, samples }),
    ];
  } finally {
    await DBOS.shutdown();
    await postgres.stop();
  }
}
