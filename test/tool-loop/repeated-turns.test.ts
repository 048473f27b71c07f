import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  call,
  callRound,
  exchangeOf,
  finish,
  ofType,
  type ScriptedRound,
  scriptedModel,
  start,
  stream,
  text,
  textRound,
  user,
} from './_scripted-model.js';
import { serverError } from './_server-error.js';
import { scriptedTools } from './_tools.js';

const broken: ScriptedRound = async function* () {
  yield* [start, ...text('So')];
  throw serverError();
};
const off = { streamRetries: false, maxRetries: false } as const;

/** Creates a model that pays, fails in its second request, and answers in the third one. */
function createModel() {
  const inner = scriptedModel(callRound(call('c1', 'pay')), broken, textRound('Paid.'), textRound('New.'));
  const tools = scriptedTools({ pay: () => 'paid' });
  return { inner, tools, model: withToolLoop(inner, { tools, retry: off }) };
}

describe('a turn that a host repeats after a failure', () => {
  it.each(['signal', 'headers', 'turn id'])('replays its calls, recognized by its %s', async kind => {
    const { inner, tools, model } = createModel();
    const options = {
      signal: { abortSignal: new AbortController().signal },
      headers: { headers: { a: 'b' } },
      'turn id': { providerOptions: { kelivo: { turnId: 'turn-1' } } },
    }[kind];
    expect(ofType(await stream(model, options), 'error')).toHaveLength(1);
    const parts = await stream(model, options);
    expect(ofType(parts, 'error')).toEqual([]);
    expect(tools.calls).toHaveLength(1);
    expect(exchangeOf(inner.requests[2]).outputs).toEqual([['c1', 'paid']]);
    expect(ofType(parts, 'tool-result')).toHaveLength(1);
  });

  it.each([
    ['another prompt', { prompt: user('Another.') }],
    ['another signal', { abortSignal: new AbortController().signal }],
  ])('is a new turn with %s', async (_, changed) => {
    const { inner, model } = createModel();
    const options = { abortSignal: new AbortController().signal };
    await stream(model, options);
    await stream(model, { ...options, ...changed });
    expect(exchangeOf(inner.requests[2]).outputs).toEqual([]);
  });

  it('is a new turn after a success, even with the same signal', async () => {
    const { inner, model } = createModel();
    const options = { abortSignal: new AbortController().signal };
    for (let turn = 0; turn < 3; turn++) await stream(model, options);
    expect(exchangeOf(inner.requests[3]).outputs).toEqual([]);
  });
});

it('runs the calls of 200 turns with one signal, whose responses are cut, once each and in their own turns', async () => {
  const ran: string[] = [];
  const { signal } = new AbortController();
  const tools = scriptedTools({ pay: ({ of }) => (ran.push(String(of)), `paid ${String(of)}`) });
  const requests = new Map<string, number>();
  const inner = {
    ...scriptedModel(),
    doStream: async (options: Parameters<ReturnType<typeof scriptedModel>['doStream']>[0]) => {
      const name = String(options.headers?.turn);
      const number = (requests.get(name) ?? 0) + 1;
      requests.set(name, number);
      const hasPaid = exchangeOf(options).outputs.length > 0;
      const round = hasPaid ? textRound(`Done ${name}.`) : callRound(call('c1', 'pay', { of: name }));
      // The first attempt at each round breaks.
      const isBroken = number % 2 === 1;
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of isBroken ? round.slice(0, -1) : round) controller.enqueue(part);
            if (isBroken) controller.error(serverError());
            else controller.close();
          },
        }),
      };
    },
  };
  const model = withToolLoop(inner, { tools, retry: { initialDelay: 0 } });
  const names = Array.from({ length: 200 }, (_, index) => String(index));
  const turns = await Promise.all(
    names.map(name => stream(model, { abortSignal: signal, headers: { turn: name } })),
  );
  expect(ran.toSorted()).toEqual(names.toSorted());
  for (const [index, parts] of turns.entries()) {
    expect(ofType(parts, 'error')).toEqual([]);
    expect(ofType(parts, 'tool-result').at(-1)).toMatchObject({ result: `paid ${index}` });
    expect(ofType(parts, 'text-delta').at(-1)?.delta).toBe(`Done ${index}.`);
  }
});

it('polls a read-only tool until `maxRounds`, and has no limit of repeated calls with false', async () => {
  for (const readOnly of [true, false]) {
    const tools = scriptedTools({ poll: { execute: () => 'same', readOnly } });
    const rounds = Array.from({ length: 12 }, (_, index) => callRound(call(`c${index}`, 'poll')));
    const model = scriptedModel(...rounds, [start, ...text('Ready.'), finish()]);
    const options = readOnly ? {} : { maxRepeatedCalls: false as const, maxRounds: false as const };
    await stream(withToolLoop(model, { tools, ...options }));
    expect(tools.calls).toHaveLength(12);
  }
});
