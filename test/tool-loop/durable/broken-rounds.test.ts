import { describe, expect, it } from 'vitest';
import type { stream } from '../_scripted-model.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import { createEngine, type StepRecord, withStep } from '../_engine.js';
import {
  finish,
  finishOf,
  generate,
  readAll,
  scriptedModel,
  type ScriptedRound,
  start,
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
