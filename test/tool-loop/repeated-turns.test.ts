import type { LanguageModelV4 } from 'provider4';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { runInProvider, withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { RepeatedTurns } from '../../src/tool-loop/turn/repeated-turns.js';
import { fromLanguageModel, toLanguageModel } from '../../src/core/versions/language-model.js';
import { coreCall } from '../_core.js';
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

/** Creates a model of `ai` 7 that looks up a secret, fails in its second request, and answers in the third one. */
function createModel() {
  const inner = scriptedModel(
    callRound(call('c1', 'look')),
    broken,
    textRound('Yours.'),
    textRound('New.'),
    textRound('New.'),
  );
  let runs = 0;
  const tools = scriptedTools({ look: () => `secret ${++runs}` });
  const asV4 = toLanguageModel(fromLanguageModel(inner), 'v4');
  return { inner, tools, model: withToolLoop(asV4, { tools, retry: off }) };
}

const ask = (model: LanguageModelV4, options: object): Promise<Streamed> =>
  stream(model as never, options) as Promise<Streamed>;
type Streamed = Awaited<ReturnType<typeof stream>>;

const kelivo = (own: object): object => ({ providerOptions: { kelivo: own } });

/** Everything that identifies a call. Each value of `changed` belongs to another call. */
const context = { user: 'ada' };
const executors = runInProvider({}).providerOptions.kelivo.executors;
const abortSignal = new AbortController().signal;
const headers = { 'x-app': '1' };
const declared = [{ type: 'function', name: 'host', inputSchema: { type: 'object' } }];
const base = {
  prompt: user('What do I have?'),
  headers,
  abortSignal,
  tools: declared,
  toolChoice: { type: 'auto' },
  responseFormat: { type: 'text' },
};
const own = { scope: 'tenant', context, executors, reasoningEffort: 'low' };
const CHANGES: Readonly<Record<string, object>> = {
  prompt: { ...base, prompt: user('What do I owe?'), ...kelivo(own) },
  'the objects of the headers': { ...base, headers: { ...headers }, ...kelivo(own) },
  'a header': { ...base, headers: { 'x-app': '2' }, ...kelivo(own) },
  'no headers': { ...base, headers: undefined, ...kelivo(own) },
  signal: { ...base, abortSignal: new AbortController().signal, ...kelivo(own) },
  'no signal': { ...base, abortSignal: undefined, ...kelivo(own) },
  'declared tools': { ...base, tools: [{ ...declared[0], description: 'Other.' }], ...kelivo(own) },
  'tool choice': { ...base, toolChoice: { type: 'required' }, ...kelivo(own) },
  format: { ...base, responseFormat: { type: 'json' }, ...kelivo(own) },
  scope: { ...base, ...kelivo({ ...own, scope: 'other' }) },
  'no scope': { ...base, ...kelivo({ ...own, scope: undefined }) },
  'the object of the context': { ...base, ...kelivo({ ...own, context: { ...context } }) },
  'no context': { ...base, ...kelivo({ ...own, context: undefined }) },
  executors: {
    ...base,
    ...kelivo({ ...own, executors: runInProvider({}).providerOptions.kelivo.executors }),
  },
  'an option': { ...base, ...kelivo({ ...own, reasoningEffort: 'high' }) },
  'one more option': { ...base, ...kelivo({ ...own, maxTokens: 1e6 }) },
  'turn id': { ...base, ...kelivo({ ...own, turnId: 'turn-1' }) },
  'options of another provider': {
    ...base,
    providerOptions: { kelivo: own, openai: { user: 'ben' } },
  },
};

/** Calls of the same host, by the identity that they have. */
const REPEATED: Readonly<Record<string, () => object>> = {
  'all of them': () => ({ ...base, ...kelivo(own) }),
  'a signal of its own': () => ({ abortSignal: new AbortController().signal }),
  'headers of its own': () => ({ headers: { a: 'b' } }),
  'a shared signal and a context': () => ({ abortSignal, ...kelivo({ context }) }),
  'a shared signal and a scope': () => ({ abortSignal, ...kelivo({ scope: 'tenant' }) }),
  'a turn id and a scope': () => kelivo({ turnId: 'turn-1', scope: 'tenant' }),
  'a turn id and a context': () => kelivo({ turnId: 'turn-1', context }),
};

/** Identities of nobody. */
const ANONYMOUS: Readonly<Record<string, object>> = {
  nothing: {},
  'a turn id alone': kelivo({ turnId: 'turn-1' }),
  'a shared signal': { abortSignal },
  'shared headers': { headers },
  'a shared signal and shared headers': { abortSignal, headers },
  'a context alone': kelivo({ context }),
};

describe('a turn that a host repeats after a failure', () => {
  it.each(Object.entries(REPEATED))('replays its calls, recognized by %s', async (_, createOptions) => {
    const { inner, tools, model } = createModel();
    const options = createOptions();
    expect(ofType(await ask(model, options), 'error')).toHaveLength(1);
    const parts = await ask(model, options);
    expect(ofType(parts, 'error')).toEqual([]);
    expect(tools.calls).toHaveLength(1);
    expect(exchangeOf(inner.requests[2]).outputs).toEqual([['c1', 'secret 1']]);
    expect(ofType(parts, 'tool-result')).toHaveLength(1);
  });

  it.each(Object.entries(CHANGES))('is another one with another value of: %s', async (_, changed) => {
    const { inner, model } = createModel();
    expect(ofType(await ask(model, { ...base, ...kelivo(own) }), 'error')).toHaveLength(1);
    const parts = await ask(model, changed);
    expect(JSON.stringify([parts, inner.requests.slice(2)])).not.toContain('secret 1');
    // The first call can still be repeated.
    const repeated = await ask(model, { ...base, ...kelivo(own) });
    expect(JSON.stringify(repeated)).toContain('secret 1');
  });

  it.each(Object.entries(ANONYMOUS))('is another one if its identity is %s', async (_, options) => {
    const { inner, model } = createModel();
    // Shows that the objects are shared.
    const { model: other } = createModel();
    for (const one of [other, model]) await ask(one, { ...options, prompt: user('Else.') }).catch(() => {});
    await ask(model, options);
    await ask(model, options);
    expect(JSON.stringify(inner.requests.slice(2))).not.toContain('secret');
  });

  it('is a new turn after a success, even with the same signal', async () => {
    const { inner, model } = createModel();
    const options = { abortSignal: new AbortController().signal };
    for (let turn = 0; turn < 3; turn++) await ask(model, options);
    expect(exchangeOf(inner.requests[3]).outputs).toEqual([]);
  });

  it('is not repeated by a person, who takes longer than a host', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { inner, model } = createModel();
      const options = { abortSignal: new AbortController().signal, ...kelivo({ context }) };
      await ask(model, options);
      vi.setSystemTime(Date.now() + 15_000);
      await ask(model, options);
      expect(exchangeOf(inner.requests[2]).outputs).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not kept for hosts that do not repeat streams', async () => {
    const inner = scriptedModel(callRound(call('c1', 'look')), broken, textRound('New.'));
    const model = withToolLoop(inner, { tools: scriptedTools({ look: () => 'secret' }), retry: off });
    const options = { abortSignal: new AbortController().signal, headers: { a: 'b' } };
    await stream(model, options);
    await stream(model, options);
    expect(exchangeOf(inner.requests[2]).outputs).toEqual([]);
  });
});

describe('two users of one model who ask the same', () => {
  const majors = [
    ['ai 5', ai5, 'v2'],
    ['ai 6', ai6, 'v3'],
    ['ai 7', ai7, 'v4'],
  ] as unknown as readonly (readonly [string, typeof ai5, 'v2'])[];
  const modes = ['stream', 'generate'] as const;
  const identities = ['context', 'executors', 'scope of a turn id', 'headers'] as const;
  const rows = majors.flatMap(major =>
    modes.flatMap(mode => identities.map(identity => [...major, mode, identity] as const)),
  );

  it.each(rows)('read nothing of each other in %s (%#)', async (_, ai, version, mode, identity) => {
    const shutdown = new AbortController();
    const inner = scriptedModel(
      callRound(call('c1', 'balance')),
      broken,
      callRound(call('c2', 'balance')),
      textRound('Done.'),
    );
    const balance = scriptedTools({
      balance: { execute: (_input, { callContext }) => `of ${JSON.stringify(callContext?.context)}` },
    });
    const model = withToolLoop(toLanguageModel(fromLanguageModel(inner), version), {
      tools: identity === 'executors' ? [] : balance,
      retry: off,
    });
    const askAs = async (name: string): Promise<void> => {
      const provided = runInProvider({
        balance: { description: 'B', inputSchema: z.object({}), execute: () => `of ${name}` },
      });
      const options = {
        model,
        prompt: 'What do I have?',
        abortSignal: shutdown.signal,
        maxRetries: 2,
        ...(identity === 'executors' && { tools: provided.tools }),
        ...(identity === 'headers' && { headers: { 'x-user': name } }),
        providerOptions: {
          kelivo: {
            ...(identity === 'executors' && provided.providerOptions.kelivo),
            ...(identity !== 'executors' && { context: { user: name } }),
            ...(identity === 'scope of a turn id' && { turnId: 'daily', scope: name }),
          },
        },
      };
      if (mode === 'generate') await ai.generateText(options as never).catch(() => {});
      else await ai.streamText({ ...options, onError: () => {} } as never).consumeStream();
    };
    await askAs('ada');
    await askAs('ben');
    const asked = JSON.stringify(inner.requests.slice(2).map(({ prompt }) => prompt));
    expect(asked).not.toContain('ada');
    expect(asked).toContain('ben');
  });
});

describe('the memory of failed turns', () => {
  const done = [{ content: [{ type: 'text' as const, text: 'x'.repeat(100_000) }], outcomes: [] }];
  const failingCall = (overrides: object) =>
    coreCall({ prompt: user('x'.repeat(100_000)) as never, ...overrides });

  it('compares only a call with the objects of a failed one, among 500 at once', async () => {
    const digest = vi.spyOn(crypto.subtle, 'digest');
    const turns = new RepeatedTurns();
    const { signal } = new AbortController();
    const users = Array.from({ length: 500 }, () => ({ headers: {}, abortSignal: signal }));
    const running = await Promise.all(users.map(options => turns.begin(failingCall(options))));
    for (const turn of running) turn.fail(done);
    const second = await Promise.all(
      users.map(({ abortSignal: shared }) => turns.begin(failingCall({ headers: {}, abortSignal: shared }))),
    );
    expect(second.flatMap(turn => turn.done)).toEqual([]);
    expect(digest).not.toHaveBeenCalled();
    // Their own calls: 8 MB hold 40 of them.
    const own = await Promise.all(users.map(options => turns.begin(failingCall(options))));
    expect(own.filter(turn => turn.done.length > 0).length).toBeGreaterThan(30);
    expect(own.filter(turn => turn.done.length > 0).length).toBeLessThanOrEqual(40);
    expect(digest.mock.calls.length).toBeLessThanOrEqual(80);
    digest.mockRestore();
  });

  it('gives each of 500 users at once the outputs of their own turn', async () => {
    const turns = new RepeatedTurns();
    const { signal } = new AbortController();
    let replayed = 0;
    await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        const options = { abortSignal: signal, own: { context: { index } } };
        const ofUser = [{ content: [{ type: 'text' as const, text: `of ${index}` }], outcomes: [] }];
        const first = await turns.begin(coreCall(options));
        first.fail(ofUser);
        first.end('stop');
        const again = await turns.begin(coreCall(options));
        if (again.done.length > 0) replayed++;
        expect([[], ofUser]).toContainEqual(again.done);
      }),
    );
    // At most 100 wait at the same time.
    expect(replayed).toBeGreaterThanOrEqual(100);
  });
});

it('runs the calls of 120 turns with one signal, whose responses are cut, once each and in their own turns', async () => {
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
  const names = Array.from({ length: 120 }, (_, index) => String(index));
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

it('counts a hint of a server that is not trusted for nothing', async () => {
  const tools = scriptedTools({
    pay: { execute: () => 'same', readOnly: true, ...{ server: 'shop', trustAnnotations: false } },
  });
  const rounds = Array.from({ length: 12 }, (_, index) => callRound(call(`c${index}`, 'pay')));
  const model = scriptedModel(...rounds, [start, ...text('Ready.'), finish()]);
  await stream(withToolLoop(model, { tools }));
  expect(tools.calls).toHaveLength(5);
});
