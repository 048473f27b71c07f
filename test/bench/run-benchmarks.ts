/**
 * Measures the package and other packages in turns, each pair in the same process.
 *
 *     npm run bench                          prints all sections as a table, without those that take half an hour
 *     npm run bench -- stream turn           runs the sections whose names start with one of these words
 *     npm run bench -- --json                prints JSON
 *     npm run bench -- --write               replaces the table in test/bench/README.md
 */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Figure, isMet } from './figure.js';
import { FULL, type Scale, SMOKE } from './scale.js';
import { measureConversation } from './sections/conversation.js';
import { measureDurable, measureProcesses } from './sections/durable.js';
import { measureFirstToken } from './sections/first-token.js';
import { measureFiles } from './sections/files.js';
import { measureHost } from './sections/host.js';
import { measureLogger } from './sections/logger.js';
import { measureManyTurns } from './sections/many-turns.js';
import { measureMemory } from './sections/memory.js';
import { measureStart } from './sections/start.js';
import { measureStream } from './sections/stream.js';
import { measureTelemetry } from './sections/telemetry.js';
import { measureTextFormats } from './sections/text-formats.js';
import { measureTextTools } from './sections/text-tools.js';
import { measureTransports } from './sections/transports.js';
import { measureTurn } from './sections/turn.js';
import { toTable } from './to-table.js';
import { writeTable } from './write-table.js';

/** The sections of the benchmark. Each figure is a row of the table. */
export const SECTIONS: Readonly<Record<string, (scale: Scale) => Promise<Figure[]>>> = {
  stream: measureStream,
  'first-token': measureFirstToken,
  host: measureHost,
  turn: measureTurn,
  durable: measureDurable,
  processes: measureProcesses,
  transports: measureTransports,
  conversation: measureConversation,
  memory: measureMemory,
  'many-turns': measureManyTurns,
  'text-tools': measureTextTools,
  'text-formats': measureTextFormats,
  start: measureStart,
  logger: measureLogger,
  telemetry: measureTelemetry,
  files: measureFiles,
};

/** Sections that run only by their name, because they take more than half an hour. */
const LONG: ReadonlySet<string> = new Set(['text-formats']);

export interface SectionFigures {
  readonly section: string;
  readonly figures: readonly Figure[];
}

const README = fileURLToPath(new URL('README.md', import.meta.url));

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  if (values.write && positionals.length > 0)
    throw new Error(
      `Expected --write without sections, because the table is that of one run, got ${positionals.join(', ')}.`,
    );
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const names = Object.keys(SECTIONS).filter(
    name =>
      positionals.some(wanted => name.startsWith(wanted)) || (positionals.length === 0 && !LONG.has(name)),
  );
  if (names.length === 0)
    throw new Error(
      `Expected sections among ${Object.keys(SECTIONS).join(', ')}, got ${positionals.join(', ')}.`,
    );

  const circumstances = describeCircumstances();
  const results: SectionFigures[] = [];
  for (const section of names) {
    if (!values.json) console.error(`Measuring ${section} …`);
    const figures = (await SECTIONS[section]?.(values.smoke ? SMOKE : FULL)) ?? [];
    results.push({ section, figures });
  }
  if (values.json) {
    console.log(JSON.stringify({ circumstances, results }, undefined, 2));
    return;
  }
  const table = toTable(results, circumstances);
  console.log(table);
  if (values.write) writeTable(README, table);
  const missed = results.flatMap(({ figures }) => figures).filter(figure => isMet(figure) === false);
  console.error(
    missed.length === 0 ? 'All goals are met.' : `Goals missed: ${missed.length}. See the table.`,
  );
}

/** Returns what a reader must know about a run: what was measured, when, and what else the machine did. */
function describeCircumstances(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with local changes';
  const date = new Date().toISOString().slice(0, 10);
  const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}`;
  const load = `${(loadavg()[0] ?? 0).toFixed(1)} at the start`;
  return `Commit ${git('rev-parse', '--short', 'HEAD')}${changes}, ${date}. ${machine}; load average ${load}.`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
