import type { JournalStore, StoredTurn, TurnEntry, WriteOptions } from '../tool-loop/durable/store.js';

/* The checks of stores that list, change and delete turns, and what all checks of stores share. */

export const LEASE = 60_000;
/** A short time in milliseconds, and one in which everything short has expired by any clock. */
export const SHORT = 50;
export const LATER = 400;

const later = (): number => Date.now() + LEASE;
export const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds));

/** A store in a check, with turns that no other check uses. */
export function createScene(store: JournalStore) {
  // A store may keep what an earlier check has written.
  const turn = `turn ${crypto.randomUUID()}`;
  return {
    store,
    turn,
    claim: (owner: string, lease = LEASE, of = turn) => store.claim(of, owner, { lease }),
    write: (step: string, record: string, options: Partial<WriteOptions> = {}, of = turn) =>
      store.write(of, step, record, { owner: 'a', expiresAt: later(), ...options }),
    read: async (step: string, of = turn) => (await store.read(of, step)) ?? undefined,
  };
}

export type Scene = ReturnType<typeof createScene>;

export function expectThat(actual: unknown, expected: unknown, what: string): void {
  if (Object.is(actual, expected)) return;
  throw new Error(`Expected ${what} to be ${show(expected)}, got ${show(actual)}.`);
}

export function show(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length <= 60 ? text : `${text.slice(0, 40)}… (${text.length} characters)`;
}

export const TURN_CHECKS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'lists have the turns of a scope, the newest first, in pages'({ turn, ...scene }) {
    const { turns } = scene.store;
    if (turns === undefined) return;
    const scopes = [`${turn} "a","bc"`, `${turn} "ab","c"`];
    const begun: string[] = [];
    for (let number = 0; number < 10; number++) {
      const of = `${turn} ${number}`;
      await begin(scene, of, { scope: scopes[number % 2], state: number < 6 ? 'open' : 'finished' });
      if (number % 2 === 0) begun.unshift(of);
      await pause(2);
    }
    const [scope] = scopes;
    const pages: StoredTurn[] = [];
    for (let after: StoredTurn | undefined; ; after = pages.at(-1)) {
      const page = await turns.list({ scope, after, limit: 2 });
      pages.push(...page);
      if (page.length < 2) break;
      // A turn that begins or ends does not move the others.
      await begin(scene, `${turn} new ${pages.length}`, { scope });
    }
    expectThat(pages.map(listed => listed.turn).join(), begun.join(), 'the listed turns');
    const finished = await turns.list({ scope, states: ['finished'], limit: 10 });
    expectThat(finished.map(listed => listed.turn).join(), begun.slice(0, 2).join(), 'the finished turns');
    await scene.store.release(begun[4] ?? '', 'a');
    const free = await turns.list({ scope, isClaimed: false, limit: 10 });
    expectThat(free.map(listed => listed.turn).join(), begun[4], 'the turns without a claim');
  },

  async 'an entry is written with a record, and kept with its claim'({ turn, ...scene }) {
    const { turns } = scene.store;
    if (turns === undefined) return;
    expectThat(await turns.get(turn), undefined, 'the entry of a new turn');
    await begin(scene, turn, { turnId: 'id \0', scope: 'ä', details: '{"rounds":1}' });
    const known = await turns.get(turn);
    expectThat(known?.turnId, 'id \0', 'the turn id');
    expectThat(known?.scope, 'ä', 'the scope');
    expectThat(known?.details, '{"rounds":1}', 'the details');
    expectThat(known?.claim?.owner, 'a', 'the owner of the claim');
    const records = await turns.records(turn);
    expectThat(records.map(record => record.step).join(), 'first', 'the steps of the turn');
    await scene.store.release(turn, 'a', {
      entry: entryOf({ state: 'finished' }),
      expiresAt: Date.now() + SHORT,
    });
    expectThat((await turns.get(turn))?.claim, undefined, 'the claim after the release');
    await pause(LATER);
    expectThat(await turns.get(turn), undefined, 'the entry after its time');
    expectThat(await scene.read('first', turn), undefined, 'a record after the time of its turn');
  },

  async 'a cancelled turn accepts no record'({ turn, ...scene }) {
    const { turns } = scene.store;
    if (turns === undefined) return;
    await begin(scene, turn);
    expectThat(
      await turns.change(turn, { from: ['open'], to: 'cancelled' }),
      false,
      'a change under a claim',
    );
    expectThat(
      await turns.change(turn, { from: ['open'], to: 'cancelled', claim: 'break' }),
      true,
      'the change that breaks the claim',
    );
    expectThat(
      await turns.change(turn, { from: ['open'], to: 'failed' }),
      false,
      'a change from another state',
    );
    const renewal = await scene.store.claim(turn, 'a', { lease: LEASE, renews: true });
    expectThat(renewal, false, 'the renewal of a broken claim');
    expectThat(await scene.claim('a', LEASE, turn), true, 'a new claim');
    const late = await scene.write('late', 'record', { entry: entryOf({}) }, turn);
    expectThat(late, 'lost', 'the answer for a cancelled turn');
  },

  async 'delete leaves nothing of a turn'({ turn, ...scene }) {
    const { turns } = scene.store;
    if (turns === undefined) return;
    await begin(scene, turn);
    expectThat(await turns.delete(turn, { breaksClaim: false }), false, 'the deletion under a claim');
    const writes = Array.from({ length: 20 }, (_, number) =>
      scene.write(`step ${number}`, 'record', { entry: entryOf({}) }, turn),
    );
    const [isDeleted] = await Promise.all([turns.delete(turn, { breaksClaim: true }), ...writes]);
    expectThat(isDeleted, true, 'the deletion that breaks the claim');
    await scene.claim('a', LEASE, turn);
    const late = await scene.write('late', 'record', { entry: entryOf({}) }, turn);
    expectThat(late, 'lost', 'the answer for a deleted turn');
    expectThat((await turns.records(turn)).length, 0, 'the number of records after the deletion');
    expectThat(await turns.get(turn), undefined, 'the entry after the deletion');
    expectThat(await scene.read('first', turn), undefined, 'a record after the deletion');
  },

  async 'prune deletes what has expired, and nothing else'({ turn, ...scene }) {
    const { turns } = scene.store;
    if (turns === undefined) return;
    await begin(scene, turn);
    const expired = Array.from({ length: 5 }, (_, number) => `${turn} ${number}`);
    for (const of of expired) await begin(scene, of, {}, Date.now() + SHORT);
    await pause(LATER);
    // Every store may have deleted them already.
    for (let pruned = 1; pruned > 0;) pruned = await turns.prune({ limit: 2 });
    for (const of of expired)
      expectThat((await turns.records(of)).length, 0, 'the records of an expired turn');
    expectThat((await turns.get(turn))?.state, 'open', 'the state of another turn');
    expectThat(await scene.read('first', turn), 'record', 'the record of another turn');
  },
};
const entryOf = (entry: Partial<TurnEntry>): TurnEntry => ({
  turnId: 'id',
  scope: '',
  state: 'open',
  details: '',
  ...entry,
});

/** Begins a turn with an entry and a record. */
async function begin(
  scene: Pick<Scene, 'claim' | 'write'>,
  turn: string,
  entry: Partial<TurnEntry> = {},
  expiresAt = later(),
): Promise<void> {
  await scene.claim('a', LEASE, turn);
  const options = { entry: entryOf(entry), begins: true, expiresAt };
  expectThat(await scene.write('first', 'record', options, turn), 'written', 'the answer for a new turn');
}
