import { describe, expect, it } from 'vitest';
import * as z from 'zod/v4';
import { createJournal } from '../../../src/tool-loop/durable/index.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../../src/tools/local-tools.js';
import { createEngine, type StepRecord, withStep } from '../_engine.js';
import {
  call,
  finish,
  finishOf,
  generate,
  readAll,
  scriptedModel,
  type ScriptedRound,
  start,
  stream,
  text,
  textRound,
  user,
} from '../_scripted-model.js';
import { serverError } from '../_server-error.js';
import { createApplication, dyingAt, openStore, payRound } from './_application.js';

const broken: ScriptedRound = async function* () {
  yield start;
  yield* text('Pay').slice(0, 2);
  throw serverError();
};

describe.each(['stream', 'generate'] as const)(
  'the usage of a broken response in a turn of a journal',
  mode => {
    const read = async (model: Parameters<typeof stream>[0], options: Parameters<typeof stream>[1]) =>
      mode === 'stream'
        ? finishOf(await readAll((await model.doStream({ prompt: user('Go.'), ...options })).stream))
        : generate(model, options);
    const run = read as unknown as typeof stream;
    const retry = { initialDelay: 0 };
    /** Returns for each round how often it was requested, and if the usage of a request is not known. */
    const marksOf = (result: unknown): unknown => {
      const { rounds } = (result as Awaited<ReturnType<typeof read>>).providerMetadata?.kelivo ?? {};
      return (rounds as object[] | undefined)?.map(round => ({
        attempts: 1,
        isUsagePartial: false,
        ...round,
      }));
    };
    const whole = { attempts: 1, isUsagePartial: false };
    const partial = { attempts: 2, isUsagePartial: true };

    it(`is marked as unknown (${mode})`, async () => {
      const { attempt } = createApplication();
      const rounds = [payRound('a', 1), broken, textRound('Done.')];
      const result = await attempt({ store: await openStore(), rounds, run, retry }).running;
      expect(marksOf(result)).toMatchObject([whole, partial]);
    });

    it(`is marked as unknown when another process goes on (${mode})`, async () => {
      const { attempt, paid } = createApplication();
      const store = await openStore();
      const dying = dyingAt(store, 'round 3');
      const rounds = [payRound('a', 1), broken, payRound('b', 2), textRound('Lost.')];
      attempt({ store: dying.store, rounds, run, retry });
      await dying.died;
      const result = await attempt({ store, rounds: [textRound('Done.')], run, retry }).running;
      expect(marksOf(result)).toMatchObject([whole, partial, whole]);
      expect(paid).toEqual([1, 2]);
    });
  },
);

it('the usage of a broken response is known again when an engine replays the turn', async () => {
  const failed = [start, ...text('Pay'), { type: 'error' as const, error: serverError() }, finish('error')];
  const records: (StepRecord | undefined)[] = [];
  const runWith = async (...rounds: ScriptedRound[]) => {
    const looped = withToolLoop(scriptedModel(...rounds), { tools: [], retry: { initialDelay: 0 } });
    const result = await looped.doStream({ prompt: user('Go.'), ...withStep(createEngine(records).step) });
    const { usage, providerMetadata } = finishOf(await readAll(result.stream));
    return { usage, rounds: providerMetadata?.kelivo?.rounds };
  };
  const live = await runWith(failed, textRound('Done.'));
  expect(live.rounds).toMatchObject([{ attempts: 2 }]);
  expect(JSON.stringify(live.rounds)).not.toContain('isUsagePartial');
  const replayed = await runWith();
  expect(replayed.usage).toEqual(live.usage);
  expect(replayed.rounds).toMatchObject([{ attempts: 2 }]);
  expect(JSON.stringify(replayed.rounds)).not.toContain('isUsagePartial');
});

it('the usage of a broken response counts again when a journal replays the turn, so that its limits decide the same', async () => {
  const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 });
  const failed = [start, { type: 'error' as const, error: serverError() }, finish('error', usage(60))];
  const paying = [start, ...call('c1', 'pay', { n: 1 }), finish('tool-calls', usage(40))];
  const { attempt, paid } = createApplication();
  const store = await openStore();
  const options = { store, maxTokens: 100, retry: { initialDelay: 0 } };
  const live = attempt({ ...options, rounds: [failed, paying, textRound('Done.')] });
  const { usage: total, providerMetadata } = finishOf(await live.running);
  expect(total.totalTokens).toBe(70 + 50 + 15);
  // Each round has what all its requests have used.
  expect(providerMetadata?.kelivo?.rounds).toMatchObject([
    { attempts: 2, usage: { totalTokens: 120 } },
    { usage: { totalTokens: 15 } },
  ]);
  expect(live.model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([
    undefined,
    undefined,
    'none',
  ]);
  const again = attempt({ ...options, rounds: [] });
  expect(finishOf(await again.running).usage).toEqual(total);
  expect(again.model.requests).toEqual([]);
  expect(paid).toEqual([1]);
});

describe('a compaction that failed', () => {
  const usage = { inputTokens: 600, outputTokens: 10, totalTokens: 610 };
  const long = (n: number): ScriptedRound => [
    start,
    ...call(`c${n}`, 'pay', { n }),
    finish('tool-calls', usage),
  ];
  const down: ScriptedRound = () => Promise.reject(new Error('The server is down.'));
  const breaking: ScriptedRound = [start, { type: 'error', error: new Error('It broke.') }, finish('error')];
  const prompt = [
    ...user('Old question.'),
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Old answer.' }] },
    ...user('Pay twice.'),
  ];

  it.each([
    { by: 'model' as const, how: 'without a response', compacting: down },
    { by: 'server' as const, how: 'without a response', compacting: down },
    { by: 'server' as const, how: 'in its response', compacting: breaking },
  ])(
    'fails in a later attempt as well, so that recorded rounds fit: by the $by, $how',
    async ({ by, compacting }) => {
      const { attempt, paid } = createApplication();
      const options = {
        store: await openStore(),
        prompt,
        compactThreshold: 500,
        compaction: by,
        retry: { initialDelay: 0, maxRetries: 0 },
      };
      const first = attempt({ ...options, rounds: [long(1), compacting, long(2), down] });
      expect(finishOf(await first.running).finishReason).toBe('error');
      const { model, running } = attempt({ ...options, rounds: [textRound('Done.')] });
      expect(finishOf(await running).finishReason).toBe('stop');
      expect(model.requests).toHaveLength(1);
      expect(paid).toEqual([1, 2]);
    },
  );

  it('is requested again, and each of its attempts is recorded', async () => {
    const { attempt } = createApplication();
    const options = {
      store: await openStore(),
      prompt,
      compactThreshold: 500,
      retry: { initialDelay: 0, streamRetries: 1 },
    };
    const kelivo = { item: { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' } };
    const compaction: ScriptedRound = [
      start,
      { type: 'reasoning-start', id: 'c', providerMetadata: { kelivo } },
      { type: 'reasoning-end', id: 'c' },
      finish(),
    ];
    const failed = [start, { type: 'error' as const, error: serverError() }, finish('error')];
    const live = attempt({ ...options, rounds: [long(1), failed, compaction, textRound('Done.')] });
    const { finishReason, usage: total } = finishOf(await live.running);
    expect(finishReason).toBe('stop');
    expect(live.model.requests).toHaveLength(4);
    const again = attempt({ ...options, rounds: [] });
    expect(finishOf(await again.running)).toMatchObject({ finishReason, usage: total });
  });

  it.each(['model', 'server'] as const)(
    'is asked for again if the tools were closed meanwhile: by the %s',
    async by => {
      const journal = createJournal({ store: await openStore() });
      const paid: number[] = [];
      const run = async (...rounds: (ScriptedRound | 'close')[]) => {
        const tools = createLocalTools({
          pay: { inputSchema: z.object({ n: z.number() }), execute: ({ n }) => void paid.push(n) },
        });
        const closing: ScriptedRound = () => {
          void tools.close();
          return new Promise(() => {});
        };
        const model = scriptedModel(...rounds.map(round => (round === 'close' ? closing : round)));
        const looped = withToolLoop(model, {
          ...{ tools, journal, compaction: by, compactThreshold: 500 },
          retry: { initialDelay: 0, maxRetries: 0 },
        });
        const providerOptions = { kelivo: { turnId: 'turn-1' } };
        const { finishReason } = finishOf(await stream(looped, { prompt, providerOptions }));
        return { finishReason, requests: model.requests.length };
      };
      expect(await run(long(1), 'close')).toEqual({ finishReason: 'error', requests: 2 });
      expect(await run(down, textRound('Done.'))).toEqual({ finishReason: 'stop', requests: 2 });
      expect(paid).toEqual([1]);
    },
  );
});
