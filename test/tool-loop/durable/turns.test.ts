import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createJournal,
  createSqliteStore,
  type JournalSettings,
  type JournalStore,
  type JournalTurns,
} from '../../../src/tool-loop/durable/index.js';
import { toTurnKey } from '../../../src/tool-loop/durable/turns.js';
import { isWhole } from '../../_products.js';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';
import { call, callRound, textRound, user } from '../_scripted-model.js';
import { gate } from '../_tools.js';
import { createApplication, dyingAt, errorsOf, outputsOf, payRound } from './_application.js';
import { listStores, openStore } from './_stores.js';

/** `npm test` checks the other stores with the suite of stores. */
const available = listStores().filter(({ isAvailable }, index) => isAvailable && (isWhole || index === 0));
const rounds = () => [payRound('a', 1), textRound('Done.')];

describe.each(available)('the turns of a journal over $name', ({ locate }) => {
  async function start(settings: Omit<JournalSettings, 'store'> = {}) {
    const { store, close } = await openStore(await locate());
    onTestFinished(close);
    const application = createApplication();
    return { store, turns: createJournal({ store, ...settings }).turns, ...application };
  }

  /** Starts a turn that waits in a tool. */
  async function startWaiting(
    { store, attempt }: Pick<Awaited<ReturnType<typeof start>>, 'store' | 'attempt'>,
    turnId = 'turn-1',
  ) {
    const { opened, open } = gate<string>();
    const started = gate();
    const { running } = attempt({
      store,
      turnId,
      settings: { lease: 1000 },
      tools: { wait: () => (started.open(), opened) },
      rounds: [callRound(call('a', 'wait'), call('b', 'pay', { n: 7 })), textRound('Done.')],
    });
    await started.opened;
    return { running, open };
  }

  const statesOf = async (turns: JournalTurns, filter: Parameters<JournalTurns['list']>[0] = {}) =>
    Object.fromEntries((await turns.list(filter)).map(({ turnId, state }) => [turnId, state]));

  it('have the state that they are in', async () => {
    const context = await start();
    const { store, attempt, turns } = context;
    await attempt({ store, turnId: 'finished', rounds: rounds() }).running;
    await attempt({ store, turnId: 'failed', rounds: [] }).running.catch(() => {});
    await attempt({ store, turnId: 'changed', rounds: rounds() }).running;
    await attempt({ store, turnId: 'changed', rounds: [], prompt: 'No.' }).running.catch(() => {});
    const dying = dyingAt(store, 'round 2');
    attempt({ store: dying.store, turnId: 'interrupted', rounds: rounds() });
    await dying.died;
    const running = await startWaiting(context, 'running');
    const asked = gate();
    attempt({
      store,
      turnId: 'waiting',
      rounds: rounds(),
      approve: () => (asked.open(), new Promise<never>(() => {})),
    });
    await asked.opened;
    const cancelled = await startWaiting(context, 'cancelled');
    expect(await turns.cancel('cancelled')).toBe(true);
    const states = [
      'finished',
      'failed',
      'changed',
      'interrupted',
      'running',
      'waiting',
      'cancelled',
    ] as const;
    expect(await statesOf(turns)).toEqual(Object.fromEntries(states.map(state => [state, state])));
    for (const state of states) expect(await statesOf(turns, { state })).toEqual({ [state]: state });
    running.open('');
    cancelled.open('');
    await Promise.all([running.running, cancelled.running]);
    expect(await statesOf(turns, { state: 'running' })).toEqual({});
    expect((await turns.get('running'))?.state).toBe('finished');
  });

  it('are listed by scope in pages, without content, while others begin', async () => {
    const { store, attempt, turns } = await start();
    const begin = async (turnId: string, scope: string): Promise<void> =>
      void (await attempt({ store, turnId, own: { scope }, prompt: 'SECRET', rounds: rounds() }).running);
    for (const scope of ['ada', 'bob']) for (const id of ['1', '2', '3']) await begin(id, scope);
    const first = await turns.list({ scope: 'ada', limit: 2 });
    expect(first.map(({ turnId }) => turnId)).toEqual(['3', '2']);
    await begin('4', 'ada');
    const after = first.at(-1);
    const second = await turns.list({ scope: 'ada', limit: 2, ...(after && { after }) });
    expect(second.map(({ turnId }) => turnId)).toEqual(['1']);
    expect(second[0]).toEqual({
      ...{ turnId: '1', scope: 'ada', state: 'finished', rounds: 2, calls: 1 },
      ...{ startedAt: expect.any(Number), updatedAt: expect.any(Number), expiresAt: expect.any(Number) },
    });
    expect(await turns.list({ scope: 'ada', startedBefore: Date.now() - 3_600_000 })).toEqual([]);
    expect(await turns.list()).toHaveLength(7);
    expect(JSON.stringify(await turns.list())).not.toMatch(/SECRET|Done/);
  });

  it('of two scopes with equal ids share no record, answer or operation', async () => {
    const { store, attempt, turns, paid } = await start();
    const ada = { turnId: 'turn-1', scope: 'ada' };
    const bob = { turnId: 'turn-1', scope: 'bob' };
    const own = (scope: string) => ({ store, own: { scope } });
    await attempt({ ...own('ada'), rounds: rounds() }).running;
    const second = attempt({ ...own('bob'), rounds: [payRound('a', 2), textRound('Done for Bob.')] });
    expect(JSON.stringify(await second.running)).toContain('Done for Bob.');
    expect(paid).toEqual([1, 2]);
    expect(JSON.stringify(await turns.get(ada, { content: true }))).not.toMatch(/paid 2|Bob/);
    expect(JSON.stringify(await turns.get(bob, { content: true }))).not.toContain('paid 1');
    expect(await turns.list({ scope: 'ada' })).toEqual([expect.objectContaining(ada)]);
    expect(await turns.delete(ada)).toBe(true);
    expect(await turns.get(ada)).toBeUndefined();
    expect(await turns.get(bob)).toMatchObject({ ...bob, state: 'finished' });
    const repeated = attempt({ ...own('bob'), rounds: [] });
    expect(JSON.stringify(await repeated.running)).toContain('Done for Bob.');
    expect(repeated.model.requests).toEqual([]);
    expect(paid).toEqual([1, 2]);
  });

  it('are inspected with their rounds and calls, and their content on request', async () => {
    // The start and the end of a call can be recorded in the same millisecond.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { store, attempt, turns } = await start();
    const dying = dyingAt(store, 'call 1.2');
    attempt({
      store: dying.store,
      // Side by side, the process can die before the first call is recorded.
      execution: 'sequential',
      rounds: [callRound(call('a', 'pay', { n: 1 }), call('b', 'pay', { n: 2 }))],
    });
    await dying.died;
    const turn = await turns.get('turn-1');
    expect(turn).toMatchObject({
      state: 'interrupted',
      rounds: [{ name: 'round 1', endedAt: expect.any(Number) }],
      calls: [
        { name: '1.1 pay', toolName: 'pay', state: 'done', idempotencyKey: expect.any(String) },
        { name: '1.2 pay', toolName: 'pay', state: 'unknown', startedAt: expect.any(Number) },
      ],
    });
    expect(turn?.calls[0]?.idempotencyKey).not.toBe(turn?.calls[1]?.idempotencyKey);
    expect(JSON.stringify(turn)).not.toContain('paid 1');
    expect(JSON.stringify(await turns.get('turn-1', { content: true }))).toContain('paid 1');
    expect(await turns.get('turn-2')).toBeUndefined();
    expect(await turns.get({ turnId: 'turn-1', scope: 'ada' })).toBeUndefined();
  });

  it('are cancelled during a call, and refused until they are resumed; the call is unknown then', async () => {
    const context = await start();
    const { store, attempt, turns, paid } = context;
    const { running } = await startWaiting(context);
    // Two operators at once.
    expect(await Promise.all([turns.cancel('turn-1'), turns.cancel('turn-1')])).toEqual([true, true]);
    expect(errorsOf(await running)).toEqual([expect.stringContaining('was cancelled')]);
    expect(paid).toEqual([]);
    const refused = attempt({ store, rounds: [] }).running;
    await expect(refused).rejects.toMatchObject({ code: 'turn-cancelled', isRetryable: false });
    expect(await turns.resume('turn-1')).toBe(true);
    const tools = { wait: () => 'again' };
    const parts = await attempt({ store, tools, rounds: [textRound('Done.')] }).running;
    expect(outputsOf(parts)).toEqual([expect.stringContaining('outcome of this call is unknown'), 'paid 7']);
    expect(await turns.cancel('turn-1')).toBe(false);
    expect(await turns.cancel('turn-2')).toBe(false);
    expect(await turns.resume('turn-2')).toBe(false);
  });

  it('are resumed at once if their process is dead, and not taken from a live one', async () => {
    const context = await start({ lease: 60_000 });
    const { store, attempt, turns } = context;
    await attempt({ store, rounds: rounds() }).running;
    const key = await toTurnKey('', 'turn-1');
    expect(await turns.resume('turn-1')).toBe(false);
    const live = await startWaiting(context, 'live');
    await expect(turns.resume('live')).rejects.toMatchObject({ code: 'turn-running' });
    live.open('');
    await live.running;
    const dying = dyingAt({ ...store, release: async () => {} }, 'round 2');
    attempt({ store: dying.store, turnId: 'dead', settings: { lease: 3000 }, rounds: rounds() });
    await dying.died;
    // The claim of the dead process, which nobody renews.
    const deadKey = await toTurnKey('', 'dead');
    const claim = (await store.turns?.get(deadKey))?.claim;
    expect(claim).toBeDefined();
    expect(key).not.toBe(deadKey);
    await store.release(deadKey, claim?.owner ?? '');
    expect(await store.claim(deadKey, 'killed', { lease: 60_000 })).toBe(true);
    expect(await turns.resume('dead')).toBe(true);
    const { model, running } = attempt({
      store,
      turnId: 'dead',
      settings: { onRunningTurn: 'refuse' },
      rounds: [textRound('Done.')],
    });
    expect(outputsOf(await running)).toEqual(['paid 1']);
    expect(model.requests).toHaveLength(1);
  });

  it('are deleted completely, but not while a process runs them', async () => {
    const context = await start();
    const { store, attempt, turns, paid } = context;
    const { running } = await startWaiting(context);
    await expect(turns.delete('turn-1')).rejects.toMatchObject({ code: 'turn-running' });
    await turns.cancel('turn-1');
    expect(await turns.delete('turn-1')).toBe(true);
    await running;
    const key = await toTurnKey('', 'turn-1');
    expect(await store.turns?.records(key)).toEqual([]);
    expect(await turns.get('turn-1')).toBeUndefined();
    expect(await turns.delete('turn-1')).toBe(false);
    // A deleted turn begins anew, also with another conversation.
    await attempt({ store, rounds: rounds(), prompt: 'Other.' }).running;
    expect(paid).toEqual([1]);
  });

  it('leave no orphan if they are deleted in the middle of a write', async () => {
    const { store, attempt, turns } = await start();
    const key = await toTurnKey('', 'turn-1');
    const deleting: JournalStore = {
      ...store,
      async write(turn, step, record, options) {
        if (step.startsWith('call 1.1')) await store.turns?.delete(turn, { breaksClaim: true });
        return store.write(turn, step, record, options);
      },
    };
    const parts = await attempt({ store: deleting, rounds: rounds() }).running;
    expect(errorsOf(parts)).toEqual([expect.stringContaining('was deleted')]);
    expect(await store.turns?.records(key)).toEqual([]);
    expect(await turns.list()).toEqual([]);
  });

  it('expire from their end if they have finished, and are then neither listed nor continued', async () => {
    const { store, attempt, turns, paid } = await start();
    const settings = { expiresAfter: { finished: 2000, open: 3_600_000 } };
    const dying = dyingAt(store, 'round 2');
    attempt({ store: dying.store, settings, turnId: 'open', rounds: rounds() });
    await dying.died;
    await attempt({ store, settings, rounds: rounds() }).running;
    expect(Object.keys(await statesOf(turns)).toSorted()).toEqual(['open', 'turn-1']);
    await expect.poll(async () => Object.keys(await statesOf(turns))).toEqual(['open']);
    expect(await turns.prune()).toBeLessThanOrEqual(1);
    expect(await store.turns?.records(await toTurnKey('', 'turn-1'))).toEqual([]);
    await attempt({ store, settings, rounds: rounds(), prompt: user('Another conversation.') }).running;
    expect(paid).toEqual([1, 1, 1]);
  });
});

it('leave no text in the files of SQLite after their deletion', async () => {
  const folder = await temporaryFolder();
  const store = createSqliteStore({ path: path.join(folder, 'journal.db') });
  const { attempt } = createApplication();
  const settings = { store, prompt: 'A canary sings.', rounds: [payRound('a', 1), textRound('canary done')] };
  await attempt(settings).running;
  const read = async () => {
    const files = await readdir(folder);
    return Buffer.concat(await Promise.all(files.map(file => readFile(path.join(folder, file)))));
  };
  expect((await read()).includes('canary')).toBe(true);
  expect(await createJournal({ store }).turns.delete('turn-1')).toBe(true);
  // The last connection writes the log into the file.
  await store.close();
  expect((await read()).includes('canary')).toBe(false);
});

it('of a store without `turns` are not listed, with an error that says so', async () => {
  const store: JournalStore = {
    read: async () => undefined,
    write: async () => 'written',
    claim: async () => true,
    release: async () => {},
  };
  await expect(createJournal({ store }).turns.list()).rejects.toMatchObject({
    code: 'invalid-settings',
    message: expect.stringContaining('`turns`'),
  });
});
