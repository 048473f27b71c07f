import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { JournalSettings } from '../../../src/tool-loop/durable/index.js';
import { callRound, call, exchangeOf, finishOf, textRound, user } from '../_scripted-model.js';
import { createApplication, dyingAt, openStore, outputsOf, payRound } from './_application.js';

const withSystem = (content: string): LanguageModelV2Prompt => [{ role: 'system', content }, ...user('Pay.')];
const rounds = () => [payRound('a', 1), textRound('Done.')];

describe('a turn with the time in its system text', () => {
  const now = (time: string): LanguageModelV2Prompt => withSystem(`Be kind. It is ${time}.`);
  const isVolatile: LanguageModelV2Prompt = [
    { role: 'system', content: 'It is 12:01.', providerOptions: { kelivo: { volatile: true } } },
    ...user('Pay.'),
  ];

  it('is refused after a crash: it does not pay again, and says why', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const dying = dyingAt(store, 'round 2');
    attempt({ store: dying.store, rounds: rounds(), prompt: now('12:00') });
    await dying.died;
    const { model, running } = attempt({ store, rounds: rounds(), prompt: now('12:01') });
    await expect(running).rejects.toMatchObject({
      code: 'turn-changed',
      message: expect.stringContaining('at message 0 (system)'),
    });
    await expect(running).rejects.not.toThrow('12:0');
    expect(model.requests).toEqual([]);
    expect(paid).toEqual([1]);
  });

  it.each<{
    name: string;
    volatile?: JournalSettings['volatile'];
    first: LanguageModelV2Prompt;
    second: LanguageModelV2Prompt;
  }>([
    { name: 'a pattern', volatile: /It is .*/, first: now('12:00'), second: now('12:01') },
    {
      name: 'a function',
      volatile: text => text.split(' It is')[0] ?? '',
      first: now('12:00'),
      second: now('12:01'),
    },
    { name: 'a mark', first: user('Pay.'), second: isVolatile },
  ])('continues with $name, and sends the present text', async ({ volatile, first, second }) => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const settings = volatile === undefined ? {} : { volatile };
    const dying = dyingAt(store, 'round 2');
    attempt({ store: dying.store, settings, rounds: rounds(), prompt: first });
    await dying.died;
    const { model, running } = attempt({ store, settings, rounds: [textRound('Done.')], prompt: second });
    expect(outputsOf(await running)).toEqual(['paid 1']);
    expect(paid).toEqual([1]);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]?.prompt)).toContain('12:01');
    const third = attempt({ store, settings, rounds: [], prompt: first });
    expect(outputsOf(await third.running)).toEqual(['paid 1']);
  });

  it('restarts once by policy, with a warning', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const settings = { onChangedTurn: 'restart' } as const;
    await attempt({ store, settings, rounds: rounds(), prompt: now('12:00') }).running;
    const parts = await attempt({ store, settings, rounds: rounds(), prompt: now('12:01') }).running;
    expect(finishOf(parts).providerMetadata?.kelivo?.warnings).toEqual([
      expect.stringContaining('was restarted'),
    ]);
    expect(paid).toEqual([1, 1]);
    const again = attempt({ store, settings, rounds: [], prompt: now('12:01') });
    expect(outputsOf(await again.running)).toEqual(['paid 1']);
    expect(paid).toEqual([1, 1]);
  });
});

describe('a turn id', () => {
  it('of another conversation is refused, also after the turn has ended', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    await attempt({ store, rounds: rounds(), prompt: 'Pay Ada.' }).running;
    const { model, running } = attempt({ store, rounds: rounds(), prompt: 'Pay Bob.' });
    await expect(running).rejects.toMatchObject({ code: 'turn-changed' });
    expect(model.requests).toEqual([]);
    expect(paid).toEqual([1]);
  });

  it('that two attempts begin at once with different conversations runs one of them', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const attempts = ['Pay Ada.', 'Pay Bob.'].map(prompt => attempt({ store, rounds: rounds(), prompt }));
    const results = await Promise.allSettled(attempts.map(({ running }) => running));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(paid).toEqual([1]);
  });

  it('continues with another model', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const dying = dyingAt(store, 'round 2');
    attempt({ store: dying.store, rounds: rounds() });
    await dying.died;
    const { model, running } = attempt({ store, rounds: [textRound('Done.')], modelId: 'other' });
    expect(outputsOf(await running)).toEqual(['paid 1']);
    expect(exchangeOf(model.requests[0]).outputs).toHaveLength(1);
    expect(paid).toEqual([1]);
  });
});

describe('a scope', () => {
  it('separates turns with equal ids and texts, whatever characters they contain', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const names = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['', 'abc'],
      ['a\u0000', 'b'],
      ['a', '\u0000b'],
      ['a/b', 'c'],
      ['a', 'b/c'],
      ['a|b', 'c'],
      ['a","b', 'c'],
      ['a', 'b","c'],
      ['\uD800', 'a'],
      ['\uFFFD', 'a'],
    ] as const;
    for (const [index, [scope, turnId]] of names.entries()) {
      const { running } = attempt({ store, rounds: rounds(), turnId, own: { scope } });
      await running;
      expect(paid).toHaveLength(index + 1);
    }
    for (const [scope, turnId] of names) {
      const { model, running } = attempt({ store, rounds: [], turnId, own: { scope } });
      await running;
      expect(model.requests).toEqual([]);
    }
    expect(paid).toHaveLength(names.length);
  });

  it('gives the calls of equal turns different idempotency keys', async () => {
    const store = await openStore();
    const { attempt } = createApplication();
    const keys: unknown[] = [];
    const tools = {
      send: (_: object, { idempotencyKey }: { idempotencyKey?: string }) => keys.push(idempotencyKey),
    };
    for (const scope of ['a', 'b'])
      await attempt({
        store,
        own: { scope },
        tools: tools as never,
        rounds: [callRound(call('a', 'send')), textRound('Done.')],
      }).running;
    expect(new Set(keys).size).toBe(2);
  });

  it('comes from a function of the context, which refuses calls without an owner', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const settings = {
      scope: (context: unknown) => (context as { user: string }).user,
    };
    for (const user of ['ada', 'bob'])
      await attempt({ store, settings, rounds: rounds(), own: { context: { user } } }).running;
    expect(paid).toEqual([1, 1]);
    for (const own of [
      {},
      { context: {} },
      { context: { user: '' } },
      { context: { user: 7 } },
      { context: { user: 'ada' }, scope: 'bob' },
    ]) {
      const { model, running } = attempt({ store, settings, rounds: rounds(), own });
      await expect(running).rejects.toThrow('The call was refused');
      expect(model.requests).toEqual([]);
    }
    const { running } = attempt({
      store,
      settings,
      rounds: [],
      own: { context: { user: 'ada' }, scope: 'ada' },
    });
    await running;
    expect(paid).toEqual([1, 1]);
  });
});
