import { fileURLToPath } from 'node:url';
import { type KillPoint, judge, listKillPoints, type Policy } from '../../durable-turns/_kill-points.js';
import { startTurnServices, type TurnLog, type TurnServices } from '../../durable-turns/_services.js';
import { startWorker, type Worker } from '../../durable-turns/_worker.js';

const script = fileURLToPath(new URL('_durable-turns.mjs', import.meta.url));
const points = listKillPoints({ first: ['turn', 'tools'], approval: 'approval 2.1 book_seat' });

/** The programs and packages of the processes. */
export interface JournalKind {
  /** Location of the store: a file or a `redis://…` URL. */
  readonly location: string;
  readonly client: string;
  readonly host: string;
  /** @default the Node of the test */
  readonly node?: string;
}

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
 * points, and continues the turns in another process. Returns the broken guarantees, and the turns with `refuse`.
 */
export async function killTurns(
  kind: JournalKind,
): Promise<{ issues: string[]; turns: { point: KillPoint; log: TurnLog }[] }> {
  const services = await startTurnServices();
  const policies = ['refuse', 'run'] as const;
  const turns = policies.flatMap((policy: Policy) =>
    points
      // Under `run`, only the points differ at which an outcome is unknown.
      .filter(({ name }) => policy === 'refuse' || name.endsWith('2.1 book_seat'))
      .map((point, index) => ({ id: `${policy}-${index}`, policy, point })),
  );
  turns.forEach(({ id, point }) => services.hold(id, point.name));
  const first = startTurns(turns, kind, services);
  await Promise.race([services.untilReached(), first.untilEnd()]);
  await first.kill();
  services.releaseAll();
  await startTurns(turns, kind, services).untilEnd();
  return {
    issues: turns.flatMap(({ id, point, policy }) => judge(point, services.logOf(id), policy)),
    turns: turns
      .filter(({ policy }) => policy === 'refuse')
      .map(({ id, point }) => ({ point, log: services.logOf(id) })),
  };
}
