import { expect, it } from 'vitest';
import { createKillTable } from '../../durable-turns/_kill-points.js';
import { startTurnServices } from '../../durable-turns/_services.js';
import { killTurns, startTurns } from './_kill-turns.js';
import { storeKinds } from './_stores.js';

/* Kills the processes of durable turns at every point, and writes the table of the guide. */

const table = createKillTable(
  'kill points: written by test/tool-loop/durable/kill-points.test.ts',
  new URL('../../../src/tool-loop/durable/README.md', import.meta.url),
);

const kinds = storeKinds.flatMap(({ name, ...kind }) =>
  name === 'SQLite'
    ? [{ ...kind, client: 'sqlite', host: 'ai' }]
    : [
        { ...kind, client: '@redis/client', host: 'ai6' },
        { ...kind, client: 'ioredis', host: 'ai' },
      ],
);

it.each(kinds)(
  'turns of "$host" with a journal over $client continue after SIGKILL at every point',
  { timeout: 300_000 },
  async ({ isAvailable, locate, client, host }) => {
    if (!isAvailable) return;
    const { issues, turns } = await killTurns({ location: await locate(), client, host });
    expect(issues).toEqual([]);
    expect(turns.length).toBeGreaterThan(40);
    for (const { point, log } of turns) table.add(point, log);
  },
);

it('stays within the table in the guide', () => table.check());

it.each(kinds)(
  'two processes that receive the same turns run each of them once over $client',
  { timeout: 300_000 },
  async ({ isAvailable, locate, client, host }) => {
    if (!isAvailable) return;
    const services = await startTurnServices();
    const kind = { location: await locate(), client, host };
    const turns = ['a', 'b', 'c'].map(id => ({ id }));
    await Promise.all([1, 2].map(() => startTurns(turns, kind, services).untilEnd()));
    for (const { id } of turns) {
      const { requests, effects, questions } = services.logOf(id);
      expect([requests, effects.length, questions]).toEqual([[1, 2, 3], 5, 1]);
    }
  },
);
