import { createClient } from '@redis/client';
import { expect, it, onTestFinished } from 'vitest';
import { createJournal, createRedisStore } from '../../../src/tool-loop/durable/index.js';
import { createKillTable } from '../../durable-turns/_kill-points.js';
import { startTurnServices } from '../../durable-turns/_services.js';
import { killThreeTimes, killTurns, PARTS, startTurns } from './_kill-turns.js';
import { listStores } from './_stores.js';

/* Kills the processes of durable turns at every point, and writes the table of the guide. */

const table = createKillTable(
  'kill points: written by test/tool-loop/durable/kill-points.test.ts',
  new URL('../../../src/tool-loop/durable/README.md', import.meta.url),
);

/** The table in the guide counts the kills of all. */
const killsAll = process.env.KILL_POINTS === 'all' || process.env.UPDATE_TABLE === '1';
if (!killsAll)
  process.stderr.write(
    `Killing one in ${PARTS} turns of each kind, and every point of each store. KILL_POINTS=all kills all.\n`,
  );

const clients: Readonly<Record<string, readonly string[]>> = {
  SQLite: ['sqlite'],
  // Both clients of Redis.
  Redis: ['@redis/client', 'ioredis'],
  PostgreSQL: ['pg'],
};

const stores = listStores();
const kinds = stores.flatMap(({ name, ...kind }, store) =>
  ['ai', 'ai6', 'ai7'].flatMap((host, part) =>
    (['stream', 'generate'] as const).map((mode, index) => {
      const names = clients[name] ?? [];
      return {
        ...kind,
        client: names[index % names.length] ?? '',
        host,
        mode,
        part,
        store,
        number: store + part + index,
      };
    }),
  ),
);

const clocks = [undefined, 'volatile', 'undeclared'] as const;
/** By default, a store has every point, one mode per host, and all clocks. */
const runs = kinds
  .filter(({ number }) => killsAll || number % 2 === 0)
  .flatMap(kind =>
    clocks.filter((_, index) => killsAll || index === kind.part).map(clock => ({ ...kind, clock })),
  );

it.each(runs)(
  'turns of $host in mode $mode with a journal over $client continue after SIGKILL at every point, clock: $clock',
  { timeout: 600_000 },
  async ({ isAvailable, locate, part, clock, ...kind }) => {
    if (!isAvailable) return;
    const { issues, turns, kills } = await killTurns(
      { location: await locate(), ...kind, ...(clock && { clock }) },
      killsAll ? undefined : part,
    );
    expect(issues).toEqual([]);
    // Eighteen runs of a store make more than 900 if all are killed.
    expect(kills).toBeGreaterThan(killsAll ? 50 : 50 / PARTS);
    if (clock === 'undeclared') return;
    for (const { point, log } of turns) table.add(point, log);
  },
);

/** By default, each store has both forms, and each form has every point, both hosts and both modes. */
const runsInSteps = (['provider', 'host'] as const).flatMap((form, ofForm) =>
  kinds
    .filter(({ host }) => host !== 'ai')
    .map(kind => ({ ...kind, form, part: kind.store }))
    .filter(
      ({ host, mode, store }) =>
        killsAll ||
        ((host === 'ai6') === ((store + ofForm) % 2 === 0) && (mode === 'stream') === (store === 2 * ofForm)),
    ),
);

it.each(runsInSteps)(
  'turns in steps of $host in mode $mode, whose tools are run by the $form, continue after SIGKILL at every point over $client',
  { timeout: 600_000 },
  async ({ isAvailable, locate, part, ...kind }) => {
    if (!isAvailable) return;
    const { issues, kills } = await killTurns(
      { location: await locate(), ...kind },
      killsAll ? undefined : part,
    );
    expect(issues).toEqual([]);
    expect(kills).toBeGreaterThan(killsAll ? 50 : 50 / PARTS);
  },
);

/** By default, enough that each point of each round is that of a turn. */
const THRICE = killsAll ? 40 : 20;

it.each(killsAll ? clocks : clocks.slice(1))(
  'turns that are killed three times book once, clock: %s',
  { timeout: 600_000 },
  async clock => {
    const location = (await stores[0]?.locate()) ?? '';
    const logs = await killThreeTimes(THRICE, {
      location,
      client: 'sqlite',
      host: 'ai7',
      ...(clock && { clock }),
    });
    const booked = logs.map(({ effects }) => effects.filter(({ call }) => call === '2.1 book_seat').length);
    expect(booked.filter(times => times > 1)).toEqual([]);
    const texts = new Set(logs.map(({ text = '' }) => text.replace(/\d/, 'n')));
    expect([...texts]).toEqual([clock === 'undeclared' ? 'turn-changed' : 'Done in request n.']);
    // A refused turn requests nothing.
    expect(logs.flatMap(({ requests }) => requests).includes(2)).toBe(clock !== 'undeclared');
  },
);

it('stays within the table in the guide', () => table.check());

it.each(kinds.filter(({ mode, host }) => mode === 'stream' && host === 'ai'))(
  'two processes that receive the same turns run each of them once over $client',
  { timeout: 600_000 },
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

/** A client whose server is busy in the middle of every second script, so that the end of a claim is read late. */
function busyClient(client: { sendCommand(command: string[]): Promise<unknown> }) {
  const busy = `
local since = redis.call('time')
repeat
  local now = redis.call('time')
until (now[1] - since[1]) * 1000000 + now[2] - since[2] > 10000
`;
  let scripts = 0;
  return {
    async sendCommand([name = '', script = '', ...values]: string[]): Promise<unknown> {
      if (name !== 'EVAL' || ++scripts % 2 === 0) return client.sendCommand([name, script, ...values]);
      return client.sendCommand([name, script.replace('local NOW', `${busy}local NOW`), ...values]);
    },
  };
}

it('resumes a turn over Redis whose process was killed long before the end of its claim', async () => {
  const redis = stores.find(({ name }) => name === 'Redis');
  if (redis?.isAvailable !== true) return;
  const services = await startTurnServices();
  const location = await redis.locate();
  const kind = { location, client: '@redis/client', host: 'ai7', lease: 60_000 };
  services.hold('a', 'round 2 requested');
  const first = startTurns([{ id: 'a' }], kind, services);
  await Promise.race([services.untilReached(), first.untilEnd()]);
  const client = createClient({ url: location });
  onTestFinished(() => client.destroy());
  await client.connect();
  const { turns } = createJournal({ store: createRedisStore({ client: busyClient(client) }) });
  await first.kill();
  services.releaseAll();
  expect(await turns.get('a')).toMatchObject({ state: 'running' });
  expect(await turns.resume('a')).toBe(true);
  await startTurns([{ id: 'a' }], kind, services).untilEnd();
  const { requests, effects } = services.logOf('a');
  expect([requests, effects.length]).toEqual([[1, 2, 2, 3], 5]);
});
