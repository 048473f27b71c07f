import { fileURLToPath } from 'node:url';
import {
  type KillPoint,
  judge,
  judgeOfHost,
  judgeRefused,
  listKillPoints,
  type Policy,
} from '../../durable-turns/_kill-points.js';
import { startTurnServices, type TurnLog, type TurnServices } from '../../durable-turns/_services.js';
import { startWorker, type Worker } from '../../durable-turns/_worker.js';

const script = fileURLToPath(new URL('_durable-turns.mjs', import.meta.url));
const records = { first: ['turn', 'tools'] };
const points = listKillPoints({ ...records, approval: 'approval 2.1 book_seat' });
/** The start of each call is recorded, and the decision on it is part of the call. */
const pointsOfHost = listKillPoints({ ...records, startsAll: true });

/** The programs and packages of the processes. */
export interface JournalKind {
  /** Location of the store: a file, a `redis://…` or a `postgres://…` URL. */
  readonly location: string;
  readonly client: string;
  readonly host: string;
  /** @default 'stream' */
  readonly mode?: 'stream' | 'generate';
  /** The system text has the time of the process, which the journal ignores if it is volatile. @default no system text */
  readonly clock?: 'volatile' | 'undeclared';
  /** Each round is a step of the host: who runs its tools. @default a turn is one step */
  readonly form?: 'provider' | 'host';
  /** @default 2000 */
  readonly lease?: number;
  /** @default the Node of the test */
  readonly node?: string;
}

/** Number of parts into which the turns can be divided. Together, the parts have every point. */
export const PARTS = 3;

/** Starts a process that runs turns at the same time. It ends with them. */
export const startTurns = (
  turns: readonly { readonly id: string; readonly policy?: Policy }[],
  { node = process.execPath, ...kind }: JournalKind,
  { url }: TurnServices,
): Worker =>
  startWorker(node, [script, JSON.stringify({ ...kind, url, turns })], {
    // Node 22 prints a warning for `node:sqlite`.
    env: { NODE_NO_WARNINGS: '1' },
  });

/**
 * Runs a turn for each point at which a process may end, kills the process with SIGKILL when all turns have reached their
 * points, and continues the turns in another process. Returns the broken guarantees, the turns with `refuse`,
 * and the number of turns that were killed. With a part, runs a share of the turns.
 */
export async function killTurns(
  kind: JournalKind,
  part?: number,
): Promise<{ issues: string[]; turns: { point: KillPoint; log: TurnLog }[]; kills: number }> {
  const services = await startTurnServices();
  const isOfHost = kind.form === 'host';
  // Without a loop nobody is asked again.
  const policies: readonly Policy[] = isOfHost ? ['refuse', 'run'] : ['refuse', 'ask', 'run'];
  const turns = policies
    .flatMap(policy =>
      (isOfHost ? pointsOfHost : points)
        // Under the others, only the points differ at which an outcome is unknown.
        .filter(({ name }) => policy === 'refuse' || name.endsWith('2.1 book_seat'))
        .map((point, index) => ({ id: `${policy}-${index}`, policy, point })),
    )
    .filter((_, index) => part === undefined || index % PARTS === part % PARTS);
  turns.forEach(({ id, point }) => services.hold(id, point.name));
  const first = startTurns(turns, kind, services);
  await Promise.race([services.untilReached(), first.untilEnd()]);
  await first.kill();
  services.releaseAll();
  await startTurns(turns, kind, services).untilEnd();
  return {
    kills: turns.length,
    issues: turns.flatMap(({ id, point, policy }) => {
      if (isOfHost) return judgeOfHost(point, services.logOf(id), policy);
      return kind.clock === 'undeclared' && point !== points[0]
        ? judgeRefused(point, services.logOf(id))
        : judge(point, services.logOf(id), policy);
    }),
    turns: turns
      .filter(({ policy }) => policy === 'refuse')
      .map(({ id, point }) => ({ point, log: services.logOf(id) })),
  };
}

/**
 * Runs turns, kills their process once in each round, at a point that a seed selects, and returns what the services have
 * observed of each turn.
 */
export async function killThreeTimes(count: number, kind: JournalKind): Promise<TurnLog[]> {
  const services = await startTurnServices();
  const turns = Array.from({ length: count }, (_, index) => ({ id: `turn-${index}` }));
  const rounds = [1, 2, 3].map(round => points.filter(({ name }) => roundOf(name) === round));
  for (const [round, choices] of rounds.entries()) {
    const isRefused = kind.clock === 'undeclared' && round > 0;
    if (!isRefused)
      turns.forEach(({ id }, index) =>
        services.hold(id, choices[(index * 7 + round) % choices.length]?.name ?? ''),
      );
    const worker = startTurns(turns, kind, services);
    if (isRefused) {
      await worker.untilEnd();
      continue;
    }
    await Promise.race([services.untilReached(), worker.untilEnd()]);
    await worker.kill();
    services.releaseAll();
  }
  await startTurns(turns, kind, services).untilEnd();
  return turns.map(({ id }) => services.logOf(id));
}

/** Returns the round of a point. */
const roundOf = (point: string): number => Number(/round (\d)| (\d)\.\d /.exec(point)?.slice(1).join(''));
