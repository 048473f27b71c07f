import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { type ScriptedResponse, startResponsesEmulator } from '../../src/testing/index.js';
import { temporaryFolder, until } from '../tools/mcp/_fixture-server.js';
import { storeKinds } from './_stores.js';

/*
 * Kills the process of a durable turn with SIGKILL at every point, continues the turn in another process, and writes the
 * table of the guide. The model answers each request with other ids and other arguments.
 */

const script = fileURLToPath(new URL('_durable-turn.mjs', import.meta.url));
const guide = new URL('../../src/journal/README.md', import.meta.url);

/** Calls by round. Only `pay` must not be repeated. */
const CALLS = [['1.1 read', '1.2 note'], ['2.1 pay', '2.2 read', '2.3 note'], []];

interface KillPoint {
  readonly name: string;
  /** Row of the table. */
  readonly row: string;
  /** Rounds that were recorded before. */
  readonly recorded: number;
  /** Round whose response never ends, and the number of its parts that the host had received. @default none */
  readonly hanging?: { readonly round: number; readonly parts: number };
}

function listKillPoints(): KillPoint[] {
  const points: KillPoint[] = [];
  const addRecord = (step: string, recorded: number, [before, after]: readonly [string, string]): void => {
    points.push({ name: `before the record of ${step}`, row: before, recorded });
    points.push({
      name: `after the record of ${step}`,
      row: after,
      recorded: recorded + (step.startsWith('round') ? 1 : 0),
    });
  };
  const idle = 'while no round and no call was in flight';
  for (const step of ['turn', 'tools']) addRecord(step, 0, [idle, idle]);
  for (const [index, calls] of CALLS.entries()) {
    const round = index + 1;
    const parts = CALLS.slice(0, index).flat().length;
    const row = 'while a round was requested or streamed';
    points.push({ name: `round ${round} requested`, row, recorded: index, hanging: { round, parts } });
    points.push({
      name: `round ${round} streaming`,
      row,
      recorded: index,
      hanging: { round, parts: parts + 1 },
    });
    addRecord(`round ${round}`, index, [
      row,
      calls.length === 0 ? 'after the last round was recorded, before its end reached the host' : idle,
    ]);
    for (const call of calls) {
      const isPay = call.endsWith('pay');
      const running = isPay ? 'while the tool ran, before its effect' : 'while a repeatable tool ran';
      const finished = isPay ? 'after the effect, before its record' : running;
      if (isPay)
        addRecord(`start ${call}`, round, [idle, 'after the start was recorded, before the tool ran']);
      points.push({ name: `before the effect of ${call}`, row: running, recorded: round });
      points.push({ name: `after the effect of ${call}`, row: finished, recorded: round });
      addRecord(`call ${call}`, round, [finished, 'after the output of a call was recorded']);
    }
  }
  return points;
}

/** The rounds of the script with fresh arguments, from the round after `recorded`. */
const scriptFrom = (recorded: number, attempt: number): ScriptedResponse[] =>
  CALLS.slice(recorded).map(calls =>
    calls.length === 0
      ? [{ text: `Done in attempt ${attempt}.` }]
      : calls.map(call => {
          const [position = '', name = ''] = call.split(' ');
          return { call: name, arguments: { n: `attempt ${attempt} ${position}` } };
        }),
  );

interface Effect {
  readonly name: string;
  readonly call: string;
  readonly idempotencyKey: string;
}

interface Result {
  readonly requests: number;
  readonly effects: readonly Effect[];
  readonly isUnknown: boolean;
  readonly text: string;
  readonly errors: string;
}

async function killAt(
  { name, recorded, hanging }: KillPoint,
  {
    location,
    log,
    turnId,
    onUnknownOutcome,
  }: Record<'location' | 'log' | 'turnId' | 'onUnknownOutcome', string>,
): Promise<Result> {
  const lines = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []);
  const start = async (attempt: number, scripts: ScriptedResponse[]) => {
    const emulator = await startResponsesEmulator();
    onTestFinished(() => emulator.close());
    emulator.enqueue(...scripts);
    const options = { baseURL: emulator.baseURL, location, log, turnId, onUnknownOutcome };
    const argument = JSON.stringify({ ...options, ...(attempt === 1 && { pauseAt: name }) });
    const child = spawn(process.execPath, [script, argument], { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return {
      emulator,
      child,
      exit: once(child, 'exit'),
      output: text(child.stdout),
      errors: text(child.stderr),
    };
  };

  const scripts = scriptFrom(0, 1).map((output, index): ScriptedResponse => {
    if (hanging?.round !== index + 1) return output;
    const isStreaming = hanging.parts > CALLS.slice(0, index).flat().length;
    return isStreaming ? { fault: 'stall', output: output as [] } : { fault: 'headers-never' };
  });
  const first = await start(1, scripts);
  const isReached = (): boolean => {
    if (hanging === undefined) return lines().includes(`at ${name}`);
    const parts = lines().filter(line => line.startsWith('part ')).length;
    return first.emulator.requests.length === hanging.round && parts >= hanging.parts;
  };
  await Promise.race([until(isReached, { within: 60_000 }), first.exit]);
  first.child.kill('SIGKILL');
  const [, signal] = (await first.exit) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`${name} was not reached: ${await first.errors}`);

  const second = await start(2, scriptFrom(recorded, 2));
  const [code] = (await second.exit) as [number | null];
  const requests = first.emulator.requests.length + second.emulator.requests.length;
  const last = JSON.stringify([...first.emulator.requests, ...second.emulator.requests].at(-1)?.body);
  await Promise.all([first.emulator.close(), second.emulator.close()]);
  return {
    requests,
    effects: lines()
      .filter(line => line.startsWith('effect '))
      .map(line => JSON.parse(line.slice('effect '.length)) as Effect),
    isUnknown: last.includes('outcome of this call is unknown'),
    text: code === 0 ? await second.output : `exit code ${code}`,
    errors: await second.errors,
  };
}

interface Row {
  requests: number[];
  paid: number[];
  repeated: number[];
  unknown: number[];
}

const rows = new Map<string, Row>();

function judge(
  point: KillPoint,
  result: Result,
  { onUnknownOutcome }: { onUnknownOutcome: string },
): string[] {
  const { name, recorded } = point;
  const runsOf = (call: string): Effect[] => result.effects.filter(effect => effect.call === call);
  const paid = runsOf('2.1 pay').length;
  const repeated = CALLS.flat().filter(call => runsOf(call).length > 1);
  const extra = result.requests - CALLS.length;
  const row = rows.get(point.row) ?? { requests: [], paid: [], repeated: [], unknown: [] };
  rows.set(point.row, row);
  if (onUnknownOutcome === 'refuse') {
    row.requests.push(extra);
    row.paid.push(paid);
    row.repeated.push(repeated.length);
    row.unknown.push(result.isUnknown ? 1 : 0);
  }

  const isInFlight = point.hanging !== undefined || name.startsWith('before the record of round');
  const isStarted =
    /^(after the record of start|before the effect of 2.1|after the effect of 2.1|before the record of call 2.1)/.test(
      name,
    );
  const hadEffect = !/^(after the record of start|before the effect of 2.1)/.test(name);
  // The read runs in parallel with the payment, which may be in flight.
  const isParallel = name.endsWith('2.2 read');
  const isRun = onUnknownOutcome === 'run';
  const expectedPaid = !isStarted ? 1 : isRun ? (hadEffect ? 2 : 1) : hadEffect ? 1 : 0;
  // A round that is requested again may have started reads, which are then other calls.
  const sharesKey = (call: string): boolean =>
    isInFlight || new Set(runsOf(call).map(({ idempotencyKey }) => idempotencyKey)).size <= 1;
  const finished = /^after the record of call (.*)$/.exec(name)?.[1];
  return [
    ...(extra === (isInFlight ? 1 : 0) ? [] : [`${extra} further requests`]),
    ...(paid === expectedPaid || (isParallel && paid <= 1)
      ? []
      : [`paid ${paid} times, expected ${expectedPaid}`]),
    ...(CALLS.flat().every(call => call === '2.1 pay' || runsOf(call).length > 0)
      ? []
      : ['a call never ran']),
    ...(CALLS.flat().every(sharesKey) ? [] : ['another idempotency key']),
    ...(finished === undefined || runsOf(finished).length === 1 ? [] : ['a finished call ran again']),
    ...(isParallel || result.isUnknown === (isStarted && !isRun)
      ? []
      : ['a wrong report of an unknown outcome']),
    ...(recorded === CALLS.length || result.text === 'Done in attempt 2.\n' ? [] : [`text: ${result.text}`]),
    ...(result.errors === '' ? [] : [result.errors]),
  ].map(issue => `${name}: ${issue}`);
}

it.each(
  storeKinds.flatMap(kind => ['refuse', 'run'].map(onUnknownOutcome => ({ ...kind, onUnknownOutcome }))),
)(
  'a turn over $name with "$onUnknownOutcome" continues after SIGKILL at every point',
  { timeout: 1_200_000 },
  async ({ isAvailable, locate, onUnknownOutcome }) => {
    if (!isAvailable) return;
    const folder = await temporaryFolder();
    const location = await locate();
    const issues: string[] = [];
    // Under `run` only the points differ at which an outcome is unknown.
    const points = listKillPoints().filter(
      ({ name }) => onUnknownOutcome === 'refuse' || name.endsWith('2.1 pay'),
    );
    const waiting = points.entries();
    const work = async (): Promise<void> => {
      for (const [index, point] of waiting) {
        const log = path.join(folder, `${index}.log`);
        const result = await killAt(point, { location, log, turnId: `turn ${index}`, onUnknownOutcome });
        issues.push(...judge(point, result, { onUnknownOutcome }));
      }
    };
    await Promise.all([work(), work()]);
    expect(issues).toEqual([]);
    expect(points.length).toBeGreaterThan(onUnknownOutcome === 'refuse' ? 35 : 5);
  },
);

/** The rows of the table in the guide. What runs in parallel at a kill varies, and so do the values of some columns. */
it('stays within the table in the guide', () => {
  const [start, end] = [
    '<!-- kill points: written by test/journal/kill-points.test.ts with UPDATE_TABLE=1 -->',
    '<!-- end of kill points -->',
  ];
  const document = readFileSync(guide, 'utf8');
  const [before = '', rest = ''] = document.split(start);
  const [table = '', after = ''] = rest.split(end);
  const names = [...new Set(listKillPoints().map(({ row }) => row))];
  if (process.env.UPDATE_TABLE === '1')
    return writeFileSync(guide, `${before}${start}\n\n${writeTable(names)}\n\n${end}${after}`);

  const documented = table
    .trim()
    .split('\n')
    .slice(2)
    .map(line => line.split('|').map(cell => cell.trim()));
  expect(documented.map(([, name]) => name)).toEqual(names);
  for (const [, name = '', , requests = '', paid = ''] of documented) {
    const row = rows.get(name);
    expect.soft(isWithin(row?.requests ?? [], requests), `further requests ${name}`).toBe(true);
    expect.soft(isWithin(row?.paid ?? [], paid), `runs ${name}`).toBe(true);
  }
});

function isWithin(values: readonly number[], range: string): boolean {
  const [low = Number.NaN, high = low] = range.split('–').map(Number);
  return values.length > 0 && values.every(value => value >= low && value <= high);
}

function writeTable(names: readonly string[]): string {
  const range = (values: readonly number[] = []): string => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low === high ? String(low) : `${low}–${high}`;
  };
  return [
    '| killed | kills | further requests | runs of the call that must not be repeated | repeatable calls that ran again | reported as unknown |',
    '| --- | --- | --- | --- | --- | --- |',
    ...names.map(name => {
      const { requests, paid, repeated, unknown } = rows.get(name) ?? {};
      const cells = [name, requests?.length, range(requests), range(paid), range(repeated), range(unknown)];
      return `| ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}
