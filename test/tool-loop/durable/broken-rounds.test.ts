import { describe, expect, it } from 'vitest';
import type { stream } from '../_scripted-model.js';
import {
  finishOf,
  generate,
  readAll,
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
