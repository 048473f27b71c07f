import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isWhole } from '../../_products.js';
import fc from '../../_property.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createApprovalClaim,
  createJournal,
  createSqliteStore,
  type JournalSettings,
  type JournalStore,
  type RecordEncoding,
} from '../../../src/tool-loop/durable/index.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';
import { call, callRound, generate, scriptedModel, textRound, user } from '../_scripted-model.js';
import { flushCallbacks, gate, scriptedTools } from '../_tools.js';

/* Answers and records of stores: a wrong one ends the turn before a tool runs. */

/** A store in memory. */
function createMemory() {
  const records = new Map<string, string>();
  const store: JournalStore = {
    read: async (turn, step) => records.get(`${turn} ${step}`),
    async write(turn, step, record) {
      if (records.has(`${turn} ${step}`)) return 'exists';
      records.set(`${turn} ${step}`, record);
      return 'written';
    },
    claim: async () => true,
    release: async () => {},
  };
  return { records, store };
}

/** Runs a turn that pays once. */
function createTurns() {
  const paid: unknown[] = [];
  const run = (
    settings: JournalSettings,
    { turnId = 'turn-1', text = 'Paid.' } = {},
  ): Promise<{ requests: number; text: string }> => {
    const model = scriptedModel(callRound(call('a', 'pay', { card: 'secret-argument' })), textRound(text));
    const tools = scriptedTools({ pay: input => (paid.push(input), 'secret-output') });
    const looped = withToolLoop(model, { tools, journal: createJournal(settings) });
    return generate(looped, {
      prompt: user('secret-prompt'),
      providerOptions: { kelivo: { turnId } },
    }).then(({ content }) => ({
      requests: model.requests.length,
      text: content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(''),
    }));
  };
  return { paid, run };
}

describe('an answer that is not documented', () => {
  const broken: [method: keyof JournalStore, answer: unknown, shown: string][] = [
    ...[true, false, null, undefined, 1, 'OK', {}, []].map(
      (answer): [keyof JournalStore, unknown, string] => ['write', answer, '"written", "exists" or "lost"'],
    ),
    ...[null, undefined, 1, 0, 'OK', 'true', {}].map((answer): [keyof JournalStore, unknown, string] => [
      'claim',
      answer,
      'true or false',
    ]),
    ...[true, 1, {}, [], Buffer.from('x')].map((answer): [keyof JournalStore, unknown, string] => [
      'read',
      answer,
      'a record or undefined',
    ]),
  ];

  it.each(broken)('of %s (%o) is refused before a tool runs', async (method, answer, expected) => {
    const { paid, run } = createTurns();
    const { store } = createMemory();
    let calls = 0;
    const answers = async (): Promise<never> => (calls++, answer as never);
    for (const onStoreFailure of ['stop', 'continue'] as const) {
      await expect(run({ store: { ...store, [method]: answers }, onStoreFailure })).rejects.toMatchObject({
        code: 'journal-failed',
        isRetryable: true,
        message: expect.stringMatching(new RegExp(`\`${method}\` of the store to return ${expected}, got `)),
      });
    }
    expect(calls).toBe(2);
    expect(paid).toEqual([]);
  });

  it('is refused if only the start of a call gets it', async () => {
    const { paid, run } = createTurns();
    const { store } = createMemory();
    const common: JournalStore = {
      ...store,
      write: async (turn, step, ...rest) =>
        step.startsWith('start') ? (true as never) : store.write(turn, step, ...rest),
    };
    await expect(run({ store: common })).rejects.toMatchObject({ code: 'journal-failed' });
    expect(paid).toEqual([]);
  });

  it('counts once if it comes twice, and not at all if it comes late', async () => {
    const { paid, run } = createTurns();
    const { store } = createMemory();
    const twice: JournalStore = {
      ...store,
      claim: () =>
        ({
          then(resolve: (answer: unknown) => void) {
            resolve(true);
            resolve(false);
          },
        }) as Promise<boolean>,
    };
    expect((await run({ store: twice })).text).toBe('Paid.');
    const { opened, open } = gate<boolean>();
    const late: JournalStore = { ...store, claim: () => opened };
    await expect(run({ store: late, timeout: 50 })).rejects.toMatchObject({
      code: 'journal-failed',
      message: expect.stringContaining('did not respond within 50 ms'),
    });
    open(true);
    await flushCallbacks();
    expect(paid).toHaveLength(1);
  });

  it('of a claim refuses an approval, and a failing claim is repeated with the same owner', async () => {
    const { store } = createMemory();
    const claim = createApprovalClaim({ ...store, claim: async () => 'OK' as never });
    await expect(claim?.('a', { expiresAt: Date.now() + 1000 })).rejects.toThrow('got "OK"');
    const owners: string[] = [];
    const failing = createApprovalClaim({
      ...store,
      async claim(_turn, owner) {
        owners.push(owner);
        if (owners.length < 3) throw new Error('database is locked');
        return true;
      },
    });
    await expect(failing?.('a', { expiresAt: Date.now() + 1000 })).resolves.toBe(true);
    expect(owners).toHaveLength(3);
    expect(new Set(owners).size).toBe(1);
  });
});

describe('a damaged record', () => {
  it('is the recorded answer or refused, for every change of its text', async () => {
    const { paid, run } = createTurns();
    const { records, store } = createMemory();
    await run({ store });
    const texts = [...records];
    expect(texts.length).toBeGreaterThan(4);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.constant('{"format":1,"value":{"parts":5}}'),
          fc.tuple(fc.nat(), fc.string({ maxLength: 2 }), fc.nat(3)),
          fc.constantFrom(...texts.map(([, text]) => text)),
        ),
        async ([key, text], change) => {
          const at = Array.isArray(change) ? change[0] % text.length : 0;
          const damaged = Array.isArray(change)
            ? text.slice(0, at) + change[1] + text.slice(at + change[2])
            : change;
          records.set(key, damaged);
          const result = await run({ store }).catch((error: unknown) => error);
          records.set(key, text);
          // The start of a call whose output is recorded is not read.
          if (damaged === text || key.includes(' start '))
            expect(result).toMatchObject({ requests: 0, text: 'Paid.' });
          else expect(result).toMatchObject({ code: 'journal-failed', isRetryable: true });
          expect(paid).toHaveLength(1);
        },
      ),
      { numRuns: isWhole ? 100 : 40 },
    );
  });
});

/** An encoding with AES-GCM, whose additional data is the place of the record. */
function createEncryption(key: CryptoKey): Required<Pick<RecordEncoding, 'encode' | 'decode'>> {
  const cipherOf = (iv: Uint8Array<ArrayBuffer>, context: object) => ({
    name: 'AES-GCM',
    iv,
    additionalData: new TextEncoder().encode(JSON.stringify(context)),
  });
  return {
    async encode(text, context) {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const data = await crypto.subtle.encrypt(cipherOf(iv, context), key, new TextEncoder().encode(text));
      return Buffer.concat([iv, Buffer.from(data)]).toString('base64');
    },
    async decode(text, context) {
      const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
      const data = await crypto.subtle.decrypt(cipherOf(bytes.slice(0, 12), context), key, bytes.slice(12));
      return new TextDecoder().decode(data);
    },
  };
}

const createKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);

describe('encoded records', () => {
  it('have no plain text in any file of SQLite, and continue a turn', async () => {
    const folder = await temporaryFolder();
    const store = createSqliteStore({ path: path.join(folder, 'journal.db') });
    onTestFinished(() => store.close());
    const { run, paid } = createTurns();
    const encryption = createEncryption(await createKey());
    await run({ store, ...encryption }, { text: 'secret-answer' });
    expect(await run({ store, ...encryption })).toEqual({ requests: 0, text: 'secret-answer' });
    expect(paid).toHaveLength(1);
    const files = readdirSync(folder).map(name => readFileSync(path.join(folder, name), 'latin1'));
    expect(files.join('')).toMatch(/kelivo-2e /);
    expect(files.join('')).not.toMatch(/secret-/);
    const plain = createTurns();
    await plain.run({ store }, { turnId: 'plain' });
    expect(readFileSync(path.join(folder, 'journal.db-wal'), 'latin1')).toMatch(/secret-output/);
  });

  it('are refused with another key, in another turn or step, in plain text, and without a decoder', async () => {
    const { records, store } = createMemory();
    const { run, paid } = createTurns();
    const encryption = createEncryption(await createKey());
    await run({ store, ...encryption });
    const refused = { code: 'journal-failed', isRetryable: true };
    await expect(run({ store, ...createEncryption(await createKey()) })).rejects.toMatchObject(refused);
    await expect(run({ store })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('is encoded: set `encode` and `decode`'),
    });
    const own = new Map(records);
    records.clear();
    await run({ store });
    await expect(run({ store, ...encryption })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('is not encoded'),
    });
    expect(await run({ store, ...encryption, readsPlainRecords: true })).toMatchObject({ requests: 0 });
    // Even an encoding that is not bound to its context notices a copy, by the checksum.
    const lax: RecordEncoding = { encode: text => text, decode: text => text };
    records.clear();
    await run({ store, ...lax });
    const [round, other] = [...records].filter(([key]) => key.includes(' round '));
    records.set(round?.[0] ?? '', other?.[1] ?? '');
    await expect(run({ store, ...lax })).rejects.toMatchObject(refused);
    expect(own.size).toBe(records.size);
    expect(paid).toHaveLength(3);
  });

  it('receive their scope, turn and step, once per record', async () => {
    const { records, store } = createMemory();
    const contexts: string[] = [];
    const encode: RecordEncoding['encode'] = (text, { turnId, scope, step }) => {
      contexts.push(JSON.stringify([scope, turnId, step]));
      return text;
    };
    let writes = 0;
    const slow: JournalStore = {
      ...store,
      async write(...parameters) {
        if (++writes === 2) throw new Error('busy');
        return store.write(...parameters);
      },
    };
    await createTurns().run({ store: slow, encode, decode: text => text });
    expect(contexts).toHaveLength(records.size);
    expect(new Set(contexts).size).toBe(records.size);
    expect(contexts.every(context => context.startsWith('["","turn-1","'))).toBe(true);
  });

  it.each(['encode', 'decode'] as const)('need both functions, not `%s` alone', async name => {
    expect(() => createJournal({ store: createMemory().store, [name]: (text: string) => text })).toThrow(
      'expected `encode` and `decode` together',
    );
  });

  it('that cannot be encoded stop the turn like a failing store', async () => {
    const { run, paid } = createTurns();
    const encoding = { encode: () => Promise.reject(new Error('no key')), decode: (text: string) => text };
    await expect(run({ store: createMemory().store, ...encoding })).rejects.toMatchObject({
      code: 'journal-failed',
      message: expect.stringContaining('no key'),
    });
    expect(paid).toEqual([]);
  });
});
