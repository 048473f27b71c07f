import type { JournalStore } from '../tool-loop/durable/store.js';
import {
  createScene,
  expectThat,
  LATER,
  LEASE,
  pause,
  type Scene,
  SHORT,
  show,
  TURN_CHECKS,
} from './turn-checks.js';
import { messageOf } from '../core/shared/errors.js';

/* The contract of journal stores as a suite that needs no test framework. */

/** Options of the suite. */
export interface JournalStoreTestOptions {
  /**
   * Time in milliseconds after which an operation counts as one that hangs.
   * @default 10000
   */
  timeout?: number;
}

/** The result of the suite. */
export interface JournalStoreReport {
  /** Names of all checks that ran. */
  readonly checks: readonly string[];
  /** Checks that have failed. Empty for a store that keeps its contract. */
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

/** A store that the suite closes if it has `close`. */
export type TestedStore = JournalStore & {
  /** Closes the store after its check. */
  close?(): unknown;
};

/**
 * Tests a journal store: atomic operations, expiry, clocks, answers, concurrency, keys and records of any text, and, if the
 * store has `turns`, lists and deletion. Each check opens an empty store, or one in which nobody uses the same turns.
 *
 * @example
 * ```ts
 * const { failures } = await testJournalStore(() => createMyStore());
 * if (failures.length > 0) throw new Error(JSON.stringify(failures, null, 2));
 * ```
 *
 * @param createStore opens a store. It is called once per check, and twice for stores that two processes share.
 */
export async function testJournalStore(
  createStore: () => TestedStore | Promise<TestedStore>,
  { timeout = 10_000 }: JournalStoreTestOptions = {},
): Promise<JournalStoreReport> {
  const failures: { name: string; message: string }[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    let store: TestedStore | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, timeout, new Error(`The check did not end within ${timeout} ms.`));
    });
    limit.catch(() => {});
    try {
      store = await Promise.race([createStore(), limit]);
      await Promise.race([check(createScene(store)), limit]);
    } catch (error) {
      failures.push({ name, message: messageOf(error) });
    } finally {
      clearTimeout(timer);
      await Promise.race([Promise.resolve(store?.close?.()).catch(() => {}), pause(1000)]);
    }
  }
  return { checks: Object.keys(CHECKS), failures };
}

/** Texts that stores cut, fold or change. */
const TEXTS: Readonly<Record<string, string>> = {
  NUL: 'a\0b',
  'an unpaired surrogate': 'a\ud800b',
  Unicode: 'ä😀\u2028\u00e9e\u0301',
  quotes: '"\'\\`{}|/:%_',
  JSON: '"text"',
  'white space': ' a\r\n\t',
  'an empty text': '',
};

/** Keys that differ a little. */
const KEYS: readonly string[] = [
  ...Object.values(TEXTS).filter(text => text !== ''),
  ...['Key', 'key', 'key ', 'k\u00e9y', 'ke\u0301y', 'a/b', 'a|b', 'a:b'],
  ...[`${'long '.repeat(1000)}1`, `${'long '.repeat(1000)}2`],
];

async function expectRecord(scene: Scene, record: string, what: string): Promise<void> {
  await scene.claim('a');
  expectThat(await scene.write(what, record), 'written', `the answer for ${what}`);
  expectThat(await scene.read(what), record, what);
}

const CHECKS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'read returns a record, and undefined for a step without one'({ claim, write, read }) {
    expectThat(await read('s'), undefined, 'the record of a turn without a claim');
    await claim('a');
    expectThat(await read('s'), undefined, 'a missing record');
    await write('s', 'record');
    expectThat(await read('s'), 'record', 'the record');
    expectThat(await read('s', 'other turn'), undefined, 'the record of another turn');
    expectThat(await read('t'), undefined, 'the record of another step');
  },

  async 'write answers "written", "exists" or "lost"'(scene) {
    expectThat(await scene.write('s', 'record'), 'lost', 'the answer without a claim');
    await scene.claim('a');
    expectThat(await scene.write('s', 'record'), 'written', 'the first answer');
    expectThat(await scene.write('s', 'record'), 'exists', 'the second answer');
    expectThat(
      await scene.write('t', 'record', { owner: 'b' }),
      'lost',
      "the answer without the owner's claim",
    );
  },

  async 'claim answers true or false'(scene) {
    expectThat(await scene.claim('a'), true, 'the first answer');
    expectThat(await scene.claim('b'), false, 'the answer for another owner');
  },

  async 'a claim excludes other owners'(scene) {
    const owners = Array.from({ length: 50 }, (_, number) => `owner ${number}`);
    const answers = await Promise.all(owners.map(owner => scene.claim(owner)));
    expectThat(answers.filter(answer => answer === true).length, 1, 'the number of owners among 50');
    const winner = owners[answers.indexOf(true)] ?? '';
    const other = owners.find(owner => owner !== winner) ?? '';
    await scene.store.release(winner === '' ? '' : `other ${winner}`, other);
    expectThat(await scene.claim(other), false, 'the claim while another owner has it');
  },

  async 'an owner can renew its claim'(scene) {
    expectThat(await scene.claim('a', SHORT), true, 'the claim');
    for (let number = 0; number < 3; number++) expectThat(await scene.claim('a', LEASE), true, 'the renewal');
    // The lease of the first claim has ended then, that of the renewals has not, however slow the store is.
    await pause(LATER);
    expectThat(await scene.claim('b'), false, "another owner's claim after the renewals");
    expectThat(await scene.write('s', 'record'), 'written', 'the answer of a write after the renewals');
  },

  async 'a claim expires'(scene) {
    await scene.claim('a', SHORT);
    await pause(LATER);
    expectThat(await scene.write('s', 'record'), 'lost', 'the answer after the claim has expired');
    expectThat(await scene.claim('b'), true, "another owner's claim after the lease");
    expectThat(await scene.claim('a'), false, 'the claim of the former owner');
    expectThat(await scene.write('s', 'record'), 'lost', 'the answer for the former owner');
    expectThat(await scene.read('s'), undefined, 'the record of the former owner');
  },

  async 'release ends the claim of its owner alone'(scene) {
    await scene.claim('a');
    await scene.store.release(scene.turn, 'b');
    expectThat(await scene.claim('b'), false, 'the claim after a release by a stranger');
    expectThat(await scene.write('s', 'record'), 'written', 'the answer after a release by a stranger');
    await scene.store.release(scene.turn, 'a');
    expectThat(await scene.claim('b'), true, 'the claim after the release');
    expectThat(await scene.write('t', 'record'), 'lost', 'the answer after the release');
  },

  async 'a record is not replaced'(scene) {
    await scene.claim('a');
    await scene.write('s', 'first');
    expectThat(await scene.write('s', 'second'), 'exists', 'the answer of a second write');
    expectThat(await scene.read('s'), 'first', 'the record');
  },

  async 'a write needs the claim'(scene) {
    await scene.claim('b');
    expectThat(await scene.write('s', 'record'), 'lost', 'the answer without the claim');
    expectThat(await scene.read('s'), undefined, 'the record without the claim');
  },

  async 'records stay'(scene) {
    await scene.claim('a');
    const steps = Array.from({ length: 200 }, (_, number) => `step ${number}`);
    for (const step of steps) await scene.write(step, `record of ${step}`);
    await scene.store.release(scene.turn, 'a');
    await scene.claim('b');
    for (const step of steps)
      expectThat(await scene.read(step), `record of ${step}`, `the record of ${step}`);
  },

  async 'a record expires'(scene) {
    await scene.claim('a');
    await scene.write('s', 'record', { expiresAt: Date.now() + SHORT });
    await pause(LATER);
    expectThat(await scene.read('s'), undefined, 'the expired record');
    expectThat(await scene.write('s', 'next'), 'written', 'the answer after the record has expired');
    expectThat(await scene.read('s'), 'next', 'the next record');
  },

  async 'times follow the clock of the store'(scene) {
    const now = Date.now;
    try {
      // The clock of this process is a day behind, that of a server is not.
      Date.now = () => now() - 86_400_000;
      expectThat(await scene.claim('a'), true, 'the claim of a process whose clock is a day behind');
      expectThat(await scene.write('s', 'record'), 'written', 'its answer');
      expectThat(await scene.read('s'), 'record', 'its record');
    } finally {
      Date.now = now;
    }
  },

  async 'one of 50 writes succeeds'(scene) {
    await scene.claim('a');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, number) => scene.write('s', `record ${number}`)),
    );
    expectThat(answers.filter(answer => answer === 'written').length, 1, 'the number of written records');
    expectThat(answers.filter(answer => answer === 'exists').length, 49, 'the number of existing records');
    expectThat(await scene.read('s'), `record ${answers.indexOf('written')}`, 'the record');
  },

  async '50 turns at once keep their records'(scene) {
    await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        const of = `${scene.turn} ${number}`;
        expectThat(await scene.claim('a', LEASE, of), true, 'the claim of a turn');
        expectThat(await scene.write('s', `record ${number}`, {}, of), 'written', 'the answer');
        expectThat(await scene.read('s', of), `record ${number}`, 'the record of a turn');
      }),
    );
  },

  async 'a claim that is taken over and a write do not overlap'(scene) {
    for (let number = 0; number < 20; number++) {
      const of = `${scene.turn} ${number}`;
      await scene.claim('a', LEASE, of);
      const [, taken, answer] = await Promise.all([
        scene.store.release(of, 'a'),
        scene.claim('b', LEASE, of),
        scene.write('s', 'record', {}, of),
      ]);
      const record = await scene.read('s', of);
      expectThat(record, answer === 'written' ? 'record' : undefined, 'the record');
      if (taken === true)
        expectThat(await scene.write('t', 'record', {}, of), 'lost', 'the answer for the former owner');
    }
  },

  ...Object.fromEntries(
    Object.entries(TEXTS).map(([name, text]) => [
      `a record with ${name} is not changed`,
      (scene: Scene) => expectRecord(scene, text, `a record with ${name}`),
    ]),
  ),
  'a record of 1 MB is not changed': scene =>
    expectRecord(scene, 'ä"\\x'.repeat(200_000), 'a record of 1 MB'),
  'a record of 10 MB is not changed': scene =>
    expectRecord(scene, 'x'.repeat(10_000_000), 'a record of 10 MB'),

  async 'keys are neither cut nor folded'(scene) {
    const turns = KEYS.map(key => `${scene.turn} ${key}`);
    for (const of of turns) {
      expectThat(await scene.claim('a', LEASE, of), true, `the claim of ${show(of)}`);
      expectThat(await scene.write('s', of, {}, of), 'written', `the answer for ${show(of)}`);
    }
    await scene.claim('a');
    for (const step of KEYS)
      expectThat(await scene.write(step, `of ${step}`), 'written', `the answer for step ${show(step)}`);
    for (const of of turns) expectThat(await scene.read('s', of), of, `the record of ${show(of)}`);
    for (const step of KEYS)
      expectThat(await scene.read(step), `of ${step}`, `the record of step ${show(step)}`);
  },

  async 'owners are neither cut nor folded'(scene) {
    for (const [number, owner] of KEYS.entries()) {
      const of = `${scene.turn} ${number}`;
      expectThat(await scene.claim(owner, LEASE, of), true, 'the claim');
      const others = KEYS.filter(key => key !== owner);
      const answers = await Promise.all(others.map(other => scene.claim(other, LEASE, of)));
      expectThat(answers.filter(answer => answer !== false).length, 0, `other owners than ${show(owner)}`);
    }
  },

  ...TURN_CHECKS,
};
