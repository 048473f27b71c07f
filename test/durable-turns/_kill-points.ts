import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { APPROVAL, CALLS, type TurnLog } from './_services.js';

/** A point at which the process of a turn is killed. */
export interface KillPoint {
  readonly name: string;
  /** Row of the table. */
  readonly row: string;
}

const BOOKING = '2.1 book_seat';
/** May run at the same time as the booking. */
const PARALLEL = '2.2 find_trains';

const ROWS = {
  idle: 'while no round and no call was in flight',
  round: 'while a round was requested or streamed',
  repeatable: 'while a repeatable tool ran',
  output: 'after the output of a call was recorded',
  approval: 'while an approval was awaited',
  started: 'after the start was recorded, before the tool ran',
  running: 'while the tool ran, before its effect',
  effect: 'after the effect, before its record',
  end: 'after the last round was recorded, before its end reached the host',
} as const;

/** Lists the points of a turn. A journal has other records than an engine, besides those of rounds and calls. */
export function listKillPoints(records: {
  readonly first: readonly string[];
  readonly approval?: string;
  /** True if the start of a call that may be repeated is recorded, too. */
  readonly startsAll?: boolean;
}): KillPoint[] {
  const points: KillPoint[] = [];
  const addRecord = (step: string, [before, after]: readonly [string, string]): void => {
    points.push({ name: `before the record of ${step}`, row: before });
    points.push({ name: `after the record of ${step}`, row: after });
  };
  for (const step of records.first) addRecord(step, [ROWS.idle, ROWS.idle]);
  for (const [index, calls] of CALLS.entries()) {
    const round = index + 1;
    points.push({ name: `round ${round} requested`, row: ROWS.round });
    points.push({ name: `round ${round} streaming`, row: ROWS.round });
    addRecord(`round ${round}`, [ROWS.round, calls.length === 0 ? ROWS.end : ROWS.idle]);
    for (const call of calls) {
      const isBooking = call === BOOKING;
      const [running, finished] = isBooking
        ? [ROWS.running, ROWS.effect]
        : [ROWS.repeatable, ROWS.repeatable];
      if (isBooking) {
        points.push({ name: APPROVAL, row: ROWS.approval });
        if (records.approval !== undefined) addRecord(records.approval, [ROWS.approval, ROWS.idle]);
        addRecord(`start ${call}`, [ROWS.idle, ROWS.started]);
      } else if (records.startsAll === true) addRecord(`start ${call}`, [ROWS.idle, ROWS.repeatable]);
      points.push({ name: `before the effect of ${call}`, row: running });
      points.push({ name: `after the effect of ${call}`, row: finished });
      addRecord(`call ${call}`, [finished, ROWS.output]);
    }
  }
  return points;
}

/** Returns true if the outcome of the booking is unknown after a kill at this point. */
export const leavesUnknown = ({ row }: KillPoint): boolean =>
  row === ROWS.started || row === ROWS.running || row === ROWS.effect;

export type Policy = 'refuse' | 'ask' | 'run';

/** Returns the guarantees that a turn has broken, which was killed at a point and continued in another process. */
export function judge(point: KillPoint, log: TurnLog, policy: Policy = 'refuse'): string[] {
  const { name, row } = point;
  const runsOf = (call: string) => log.effects.filter(effect => effect.call === call);
  const requestsOf = (round: number): number => log.requests.filter(number => number === round).length;
  const isStarted = leavesUnknown(point);
  // The person who is asked agrees.
  const isAgain = isStarted && policy !== 'refuse';
  const expected = isAgain ? (row === ROWS.effect ? 2 : 1) : isStarted && row !== ROWS.effect ? 0 : 1;
  const issues = [...log.issues];
  const expectThat = (holds: boolean, issue: string): void => void (holds || issues.push(issue));

  const extra = log.requests.length - CALLS.length;
  expectThat(extra === (row === ROWS.round ? 1 : 0), `${extra} further requests`);
  const booked = runsOf(BOOKING).length;
  // A journal lets the read run in parallel with the booking, which may be in flight then.
  const isInFlight = name.endsWith(PARALLEL) && log.isUnknown;
  expectThat(
    booked === expected || (isInFlight && booked === 0),
    `booked ${booked} times, expected ${expected}`,
  );
  expectThat(
    log.isUnknown === (isStarted && !isAgain) || isInFlight,
    `unknown outcome reported: ${log.isUnknown}`,
  );
  for (const [index, calls] of CALLS.entries()) {
    const isRecorded = log.recorded.has(`round ${index + 1}`);
    expectThat(!isRecorded || requestsOf(index + 1) === 1, `round ${index + 1} was requested again`);
    for (const call of calls) {
      const runs = runsOf(call);
      expectThat(call === BOOKING || runs.length > 0, `${call} never ran`);
      expectThat(
        !log.recorded.has(`call ${call}`) || runs.length === 1,
        `${call} had finished and ran again`,
      );
      // A round that is requested again may have started a read, which is another call then.
      const isOther = requestsOf(index + 1) > 1;
      const keys = new Set(runs.map(({ idempotencyKey }) => idempotencyKey));
      expectThat(isOther || keys.size <= 1, `${call} has ${keys.size} idempotency keys`);
      expectThat(!keys.has(''), `${call} has no idempotency key`);
    }
  }
  expectThat(/^Done in request \d\.$/.test(log.text ?? ''), `text: ${log.text}`);
  return issues.map(issue => `${name}: ${issue}`);
}

/**
 * Returns the guarantees that a turn has broken whose tools its host ran. A booking without a recorded outcome is unknown, or
 * runs again with its idempotency key, as the other calls do.
 */
export function judgeOfHost({ name }: KillPoint, log: TurnLog, policy: Policy): string[] {
  const issues = [...log.issues];
  const again = log.requests.filter((round, index) => log.requests.indexOf(round) !== index);
  if (again.length > 1) issues.push(`requested again: ${again.join()}`);
  for (const round of again)
    if (log.recorded.has(`round ${round}`)) issues.push(`round ${round} was recorded and requested again`);
  for (const call of CALLS.flat()) {
    const runs = log.effects.filter(effect => effect.call === call);
    const keys = new Set(runs.map(({ idempotencyKey }) => idempotencyKey));
    const isRepeatable = call !== BOOKING || policy === 'run';
    if (runs.length > (isRepeatable ? 2 : 1)) issues.push(`${call} ran ${runs.length} times`);
    if (runs.length > 1 && log.recorded.has(`call ${call}`))
      issues.push(`${call} had finished and ran again`);
    if (runs.length === 0 && (isRepeatable || !log.isUnknown))
      issues.push(`${call} did not run, and was not reported`);
    if (keys.size > 1 || keys.has('')) issues.push(`${call} has the keys ${[...keys].join()}`);
  }
  if (!/^Done in request \d\.$/.test(log.text ?? '')) issues.push(`text: ${log.text}`);
  return issues.map(issue => `${name}: ${issue}`);
}

/** Returns the guarantees that a turn has broken which was refused after its process was killed. */
export function judgeRefused({ name }: KillPoint, { requests, effects, text, issues }: TurnLog): string[] {
  const booked = effects.filter(({ call }) => call === BOOKING).length;
  return [
    ...issues,
    ...(text === 'turn-changed' ? [] : [`text: ${text}`]),
    ...(booked <= 1 ? [] : [`booked ${booked} times`]),
    ...(new Set(requests).size === requests.length ? [] : [`requested ${requests.join()}`]),
  ].map(issue => `${name}: ${issue}`);
}

/** The values of a row of the table. */
interface Row {
  readonly requests: number[];
  readonly booked: number[];
  readonly repeated: number[];
  readonly unknown: number[];
}

/** Collects the results of all kills, and compares them with a table in a guide, or writes it with UPDATE_TABLE=1. */
export function createKillTable(title: string, file: URL) {
  const rows = new Map<string, Row>();
  const [start, end] = [`<!-- ${title} with UPDATE_TABLE=1 -->`, `<!-- end of ${title.split(':')[0]} -->`];

  return {
    add({ row }: KillPoint, log: TurnLog): void {
      const values = rows.get(row) ?? { requests: [], booked: [], repeated: [], unknown: [] };
      rows.set(row, values);
      const repeated = CALLS.flat().filter(
        call => log.effects.filter(effect => effect.call === call).length > 1,
      );
      values.requests.push(log.requests.length - CALLS.length);
      values.booked.push(log.effects.filter(({ call }) => call === BOOKING).length);
      values.repeated.push(repeated.filter(call => call !== BOOKING).length);
      values.unknown.push(log.isUnknown ? 1 : 0);
    },

    /** Calls that run in parallel with the one that is killed vary, and so do the values of some columns. */
    check(): void {
      const document = readFileSync(file, 'utf8');
      const [before = '', rest = ''] = document.split(start);
      const [table = '', after = ''] = rest.split(end);
      if (process.env.UPDATE_TABLE === '1')
        return writeFileSync(file, `${before}${start}\n\n${toTable()}\n\n${end}${after}`);
      const documented = table
        .trim()
        .split('\n')
        .slice(2)
        .map(line => line.split('|').map(cell => cell.trim()));
      expect(documented.map(([, name]) => name)).toEqual(Object.values(ROWS));
      for (const [, name = '', , requests = '', booked = '', , unknown = ''] of documented) {
        const row = rows.get(name);
        expect.soft(isWithin(row?.requests, requests), `further requests ${name}`).toBe(true);
        expect.soft(isWithin(row?.booked, booked), `runs ${name}`).toBe(true);
        expect.soft(isWithin(row?.unknown, unknown), `unknown outcomes ${name}`).toBe(true);
      }
    },
  };

  function toTable(): string {
    const range = (values: readonly number[] = []): string => {
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return low === high ? String(low) : `${low}–${high}`;
    };
    return [
      '| killed | kills | further requests | runs of the call that must not be repeated | repeatable calls that ran again | reported as unknown |',
      '| --- | --- | --- | --- | --- | --- |',
      ...Object.values(ROWS).map(name => {
        const { requests, booked, repeated, unknown } = rows.get(name) ?? {};
        const cells = [name, requests?.length ?? 0, ...[requests, booked, repeated, unknown].map(range)];
        return `| ${cells.join(' | ')} |`;
      }),
    ].join('\n');
  }
}

function isWithin(values: readonly number[] | undefined, range: string): boolean {
  const [low = Number.NaN, high = low] = range.split('–').map(Number);
  return values !== undefined && values.length > 0 && values.every(value => value >= low && value <= high);
}
