import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../_free-port.js';
import { createKillTable, judge, leavesUnknown, listKillPoints, type Policy } from './_kill-points.js';
import { missingPostgres, type Postgres, startPostgres } from './_postgres.js';
import { killTurns, PARTS } from '../tool-loop/durable/_kill-turns.js';
import { temporaryFolder } from '../tools/mcp/_fixture-server.js';
import { installPackages } from '../_install-packages.js';
import { findNode, NODES } from '../nodes/nodes.js';
import { checkTypes, recipes } from './_recipes.js';
import { type RestateServer, startRestateServer } from './_restate-server.js';
import { APPROVAL, startTurnServices, type TurnServices } from './_services.js';
import { createTurnClient, type TurnClient } from './_turn-client.js';
import { startWorker, type Worker } from './_worker.js';

/*
 * Runs the recipes of the workflow engines. A turn for each point at which a process may end streams to a client and asks
 * it for an approval. The processes are killed with SIGKILL when all turns have reached their points, and others continue
 * the turns. Writes the table of the recipe.
 */

const node22 = await findNode('22');
const [noDbos, noRestate] = await Promise.all([
  missingPostgres ?? installPackages('playground/recipes/dbos'),
  node22.missing ?? installPackages('playground/recipes/restate'),
]);
for (const [name, reason] of Object.entries({ DBOS: noDbos, Restate: noRestate }))
  if (reason !== undefined) process.stderr.write(`Skipping the tests of ${name}: ${reason}\n`);

const points = listKillPoints({ first: ['tools'] });
const table = createKillTable(
  'kills under engines: written by test/durable-turns/engines.test.ts',
  new URL('../../playground/recipes/dbos/README.md', import.meta.url),
);
const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Milliseconds. On a machine that does nothing else, each engine takes less than a minute. */
const timeout = 300_000;

interface EngineWorker extends TurnClient {
  readonly process: Worker;
}

/** Starts the worker of a recipe and waits until it is ready. */
async function startRecipe(
  folder: string,
  services: TurnServices,
  { node = process.execPath, pauses, env }: { node?: string; pauses: string; env: Record<string, string> },
): Promise<EngineWorker> {
  const port = await findFreePort();
  const args = ['--import', 'tsx', '--import', fileOf(pauses), path.join(folder, 'worker.ts')];
  const worker = startWorker(node, args, {
    cwd: folder,
    env: {
      ...{ PORT: String(port), SERVICES_URL: services.url, TRAIN_API: `${services.url}/trains` },
      ...{ OPENAI_BASE_URL: `${services.url}/v1`, OPENAI_API_KEY: 'none', NODE_NO_WARNINGS: '1' },
      ...env,
    },
  });
  await worker.untilPrinted('Ready');
  return { ...createTurnClient(`http://127.0.0.1:${port}`), process: worker };
}

/** Follows a turn in a process: answers its questions, and keeps its text. Resolves at its end. */
const follow = (turn: string, { worker, services }: { worker: EngineWorker; services: TurnServices }) =>
  worker.follow(turn, async ({ type, questionId = '', text }) => {
    const log = services.logOf(turn);
    if (type === 'end') log.text = text;
    if (type !== 'question') return;
    log.questions++;
    if (services.pass(turn, APPROVAL)) await worker.answer(turn, questionId);
  });

const turns = points.map((point, index) => ({ id: `turn-${index}`, point }));
/** Turns that no one kills: more at once than an engine has connections to its database. */
const many = Array.from({ length: 30 }, (_, index) => `many-${index}`);

/** Turns that are killed while the outcome of a booking is unknown. */
const unknownTurns = (policy: Policy) =>
  points
    .filter(({ name }) => name.endsWith('2.1 book_seat'))
    .map((point, index) => ({ id: `${policy}-${index}`, point }));

/** Kills turns whose outcome is unknown, under another policy than the one of the tables, and continues them. */
async function killUnknown(
  policy: Policy,
  services: TurnServices,
  start: () => Promise<EngineWorker>,
): Promise<void> {
  const turns = unknownTurns(policy);
  turns.forEach(({ id, point }) => services.hold(id, point.name));
  const first = await start();
  for (const { id } of turns) {
    void follow(id, { worker: first, services });
    await first.start(id);
  }
  await services.untilReached();
  await first.process.kill();
  services.releaseAll();
  const second = await start();
  await Promise.all(turns.map(({ id }) => follow(id, { worker: second, services })));
  expect(turns.flatMap(({ id, point }) => judge(point, services.logOf(id), policy))).toEqual([]);
  // The second attempt sends the answered question again.
  for (const { id, point } of turns) {
    const questions = policy === 'ask' && leavesUnknown(point) ? 3 : 2;
    expect.soft(services.logOf(id).questions, `questions of a turn killed ${point.name}`).toBe(questions);
  }
  await second.process.stop();
}

function expectComplete(ids: readonly string[], services: TurnServices): void {
  for (const id of ids) {
    const { requests, effects, text } = services.logOf(id);
    expect([id, requests, effects.length, text]).toEqual([id, [1, 2, 3], 5, 'Done in request 3.']);
  }
}

describe('the recipe of DBOS', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    if (noDbos === undefined) postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it.skipIf(noDbos !== undefined)('compiles', () => checkTypes(recipes.dbos));

  it.skipIf(noDbos !== undefined)('continues turns after SIGKILL at every point', { timeout }, async () => {
    const services = await startTurnServices();
    const start = (EXECUTOR: string) =>
      startRecipe(recipes.dbos, services, {
        pauses: '_pauses-dbos.mjs',
        env: { DATABASE_URL: postgres.url, EXECUTOR },
      });
    turns.forEach(({ id, point }) => services.hold(id, point.name));
    const first = await start('executor-1');
    const second = await start('executor-2');
    // Both executors receive the same turn. One runs it.
    const shared = follow('shared', { worker: first, services });
    const other = follow('shared', { worker: second, services });
    await Promise.all([first.start('shared'), second.start('shared')]);
    const workerOf = (index: number): EngineWorker => (index % 2 === 0 ? first : second);
    for (const [index, { id }] of turns.entries()) {
      const worker = workerOf(index);
      void follow(id, { worker, services });
      await worker.start(id);
    }
    await Promise.race([shared, other]);
    await services.untilReached();
    await Promise.all([first.process.kill(), second.process.kill()]);
    services.releaseAll();

    // A new process of the same executor recovers its turns. Those of the other one are handed over to it.
    const third = await start('executor-1');
    const ends = turns.map(({ id }) => follow(id, { worker: third, services }));
    await Promise.all(turns.filter((_, index) => index % 2 === 1).map(({ id }) => third.resume(id)));
    await Promise.all(ends);
    expect(turns.flatMap(({ id, point }) => judge(point, services.logOf(id)))).toEqual([]);
    expectComplete(['shared'], services);
    for (const { id, point } of turns) table.add(point, services.logOf(id));

    const allEnds = many.map(id => follow(id, { worker: third, services }));
    await Promise.all(many.map(id => third.start(id)));
    await Promise.all(allEnds);
    expectComplete(many, services);
    await third.process.stop();
  });

  it.skipIf(noDbos !== undefined).each(['ask', 'run'] as const)(
    'continues calls with an unknown outcome after SIGKILL under %s',
    { timeout },
    async policy => {
      const services = await startTurnServices();
      await killUnknown(policy, services, () =>
        startRecipe(recipes.dbos, services, {
          pauses: '_pauses-dbos.mjs',
          env: { DATABASE_URL: postgres.url, EXECUTOR: policy, ON_UNKNOWN_OUTCOME: policy },
        }),
      );
    },
  );
});

describe('the recipe of Restate', () => {
  let restate: RestateServer;
  beforeAll(async () => {
    if (noRestate === undefined) restate = await startRestateServer();
  });
  afterAll(() => restate?.stop());

  const startRestate = (services: TurnServices, port: number, env: Record<string, string> = {}) =>
    startRecipe(recipes.restate, services, {
      node: node22.program ?? '',
      pauses: '_pauses-restate.mjs',
      env: {
        SERVICE_PORT: String(port),
        RESTATE_INGRESS: restate.ingress,
        RESTATE_LOGGING: 'ERROR',
        PATH: `${path.join(recipes.restate, 'node_modules/.bin')}:${process.env.PATH}`,
        ...env,
      },
    });

  it.skipIf(noRestate !== undefined)('compiles', () => checkTypes(recipes.restate));

  it.skipIf(noRestate !== undefined)(
    'continues turns after SIGKILL at every point',
    { timeout },
    async () => {
      const services = await startTurnServices();
      const port = await findFreePort();
      const start = () => startRestate(services, port);
      // Says what the server waits for, before the test ends at its limit.
      let stage = 'the start';
      const timer = setTimeout(async () => {
        const [unfinished, open] = [await restate.unfinished(), services.describe()];
        process.stderr.write(`Still waiting for ${stage}. Unfinished: ${unfinished}. ${open}\n`);
      }, timeout * 0.9);
      onTestFinished(() => clearTimeout(timer));
      turns.forEach(({ id, point }) => services.hold(id, point.name));
      const first = await start();
      stage = 'turns of the first process';
      await restate.register(`http://127.0.0.1:${port}`);
      const shared = follow('shared', { worker: first, services });
      await Promise.all([first.start('shared'), first.start('shared')]);
      for (const { id } of turns) {
        void follow(id, { worker: first, services });
        await first.start(id);
      }
      await shared;
      stage = 'the points at which turns are held';
      await services.untilReached();
      await first.process.kill();
      services.releaseAll();

      // The server calls the process that answers at the same address.
      stage = 'turns that the second process continues';
      const second = await start();
      await Promise.all(turns.map(({ id }) => follow(id, { worker: second, services })));
      expect(turns.flatMap(({ id, point }) => judge(point, services.logOf(id)))).toEqual([]);
      expectComplete(['shared'], services);
      for (const { id, point } of turns) table.add(point, services.logOf(id));

      stage = 'turns that no one kills';
      const ends = many.map(id => follow(id, { worker: second, services }));
      await Promise.all(many.map(id => second.start(id)));
      await Promise.all(ends);
      expectComplete(many, services);
      await second.process.stop();
    },
  );

  it.skipIf(noRestate !== undefined).each(['ask', 'run'] as const)(
    'continues calls with an unknown outcome after SIGKILL under %s',
    { timeout },
    async policy => {
      const services = await startTurnServices();
      const port = await findFreePort();
      let isRegistered = false;
      await killUnknown(policy, services, async () => {
        const worker = await startRestate(services, port, { ON_UNKNOWN_OUTCOME: policy });
        if (!isRegistered) await restate.register(`http://127.0.0.1:${port}`);
        isRegistered = true;
        return worker;
      });
    },
  );
});

it.skipIf(noDbos !== undefined || noRestate !== undefined)('stays within the table in the guide', () =>
  table.check(),
);

// Node 20 has no SQLite, so that the store opens `libsql` there, and `node:sqlite` in the others. Each runs a share of the
// turns. The shares of those with `node:sqlite` have every point. KILL_POINTS=all runs all turns.
it.each(NODES.map((major, part) => ({ major, part })))(
  'turns of `ai` 7 with a journal over SQLite continue after SIGKILL in Node $major',
  { timeout },
  async ({ major, part }) => {
    const { program, missing } = await findNode(major);
    if (program === undefined) return void process.stderr.write(`Skipping Node ${major}: ${missing}.\n`);
    const killsAll = process.env.KILL_POINTS === 'all';
    const { issues, kills } = await killTurns(
      {
        location: path.join(await temporaryFolder(), 'turns.db'),
        ...{ client: 'sqlite', host: 'ai7', node: program },
      },
      killsAll ? undefined : part,
    );
    expect(issues).toEqual([]);
    expect(kills).toBeGreaterThan(killsAll ? 50 : 50 / PARTS);
  },
);
