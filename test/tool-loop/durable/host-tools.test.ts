import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyValue } from '../../_products.js';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { startResponsesEmulator } from '../../../src/testing/index.js';
import {
  createJournal,
  type JournalSettings,
  type JournalStore,
} from '../../../src/tool-loop/durable/index.js';
import { createKelivoResponsesProvider as createV3 } from '../../../src/v3.js';
import { createKelivoResponsesProvider as createV4 } from '../../../src/v4.js';
import { gate } from '../_tools.js';
import { dyingAt, openStore } from './_application.js';

type Ai = Pick<typeof ai5, 'generateText' | 'streamText' | 'stepCountIs'>;
const hosts = [
  { host: 'ai 5', ai: ai5 as Ai, create: createKelivoResponsesProvider },
  {
    host: 'ai 6',
    ai: ai6 as unknown as Ai,
    create: createV3 as unknown as typeof createKelivoResponsesProvider,
  },
  {
    host: 'ai 7',
    ai: ai7 as unknown as Ai,
    create: createV4 as unknown as typeof createKelivoResponsesProvider,
  },
];

type Script = readonly object[];
type Run = (input: object, options: object) => unknown;

/** Returns a run of an agent with two tools of the host and one of the loop, which answers differently every time. */
async function createAgent(
  { ai, create }: (typeof hosts)[number],
  { isStream, scripts }: { isStream: boolean; scripts: Script[] },
) {
  const emulator = await startResponsesEmulator();
  onTestFinished(() => emulator.close());
  emulator.enqueue(...(scripts as never[]));
  const effects: string[] = [];
  const keys: unknown[] = [];
  const inputSchema = z.object({ n: z.number() });
  const run = async (
    store: JournalStore,
    { wraps = true, timeout = 5000 }: { wraps?: boolean; timeout?: number } = {},
  ) => {
    const journal = createJournal({ store, timeout });
    const provider = create({
      baseURL: emulator.baseURL,
      tools: { pay: { inputSchema, execute: ({ n }: { n: number }) => void effects.push(`pay ${n}`) } },
      toolLoop: { journal },
    });
    onTestFinished(() => provider.close());
    const tools = {
      book: {
        inputSchema,
        execute({ n }: { n: number }, { idempotencyKey }: { idempotencyKey?: string }) {
          keys.push(idempotencyKey);
          return { seat: `${n} of attempt ${effects.push(`book ${n}`)}` };
        },
      },
    };
    const options = {
      model: provider('gpt-5'),
      prompt: 'Book and pay.',
      tools: (wraps ? journal.tools(tools, { turnId: 'run-1' }) : tools) as never,
      stopWhen: ai.stepCountIs(6) as never,
      maxRetries: 0,
      providerOptions: { kelivo: { turnId: 'run-1' } },
    };
    if (!isStream) return (await ai.generateText(options)).text;
    const result = ai.streamText({ ...options, onError: () => {} });
    await result.consumeStream();
    return result.text;
  };
  return { emulator, run, effects, keys };
}

const steps = ['call host.2', 'round 1', 'start 1.1', 'call host.3'];

const scripts = (): Script[] => [
  [
    { call: 'book', arguments: { n: 1 } },
    { call: 'book', arguments: { n: 1 } },
  ],
  [{ call: 'pay', arguments: { n: 2 } }],
  [{ call: 'book', arguments: { n: 1 } }],
  [{ text: 'Done.' }],
];

const rows = hosts.flatMap(row => [true, false].map(isStream => ({ ...row, isStream })));

describe('a run with recorded tools of the host', () => {
  it.each(everyValue(rows))(
    'is once-only as a whole: its repetition makes no request and runs nothing: $host (stream: $isStream)',
    async row => {
      const { emulator, run, effects, keys } = await createAgent(row, { ...row, scripts: scripts() });
      const store = await openStore();
      expect(await run(store)).toBe('Done.');
      expect(effects).toEqual(['book 1', 'book 1', 'pay 2', 'book 1']);
      expect(new Set(keys).size).toBe(3);
      expect(await run(store)).toBe('Done.');
      expect(effects).toHaveLength(4);
      expect(emulator.requests).toHaveLength(4);
    },
  );

  it.each(everyValue(rows.flatMap(row => steps.map(step => ({ ...row, step })))))(
    'continues after a crash at the record of "$step", and books nothing twice: $host (stream: $isStream)',
    async ({ step, ...row }) => {
      const { run, effects } = await createAgent(row, {
        ...row,
        // A round that was not recorded is requested again.
        scripts: step === 'round 1' ? [...scripts().slice(0, 1), ...scripts()] : scripts(),
      });
      const store = await openStore();
      const dying = dyingAt(store, step);
      const first = run(dying.store);
      first.catch(() => {});
      await dying.died;
      expect(await run(store)).toBe('Done.');
      // A call that had started is unknown, and does not run again.
      expect(effects.toSorted()).toEqual(['book 1', 'book 1', 'book 1', 'pay 2']);
      expect(await run(store)).toBe('Done.');
      dying.bury();
      await Promise.allSettled([first]);
    },
  );
});

it('refuses a run whose plain tools answer differently, and names the remedy', async () => {
  const [row] = hosts;
  if (row === undefined) throw new Error('No host.');
  const { run, effects } = await createAgent(row, { isStream: false, scripts: scripts() });
  const store = await openStore();
  await run(store, { wraps: false });
  await expect(run(store, { wraps: false })).rejects.toThrow('differs from its records at message 2 (tool)');
  expect(effects.filter(effect => effect === 'pay 2')).toHaveLength(1);
});

describe('a recorded tool of the host', () => {
  const wrap = async <Tools extends object>(tools: Tools, settings: Partial<JournalSettings> = {}) => {
    const store = await openStore();
    return (turnId: string | undefined = 'turn-1') =>
      createJournal({ store, ...settings }).tools(tools, { turnId });
  };
  const options = (toolCallId: string) => ({ toolCallId, messages: [] });

  it('passes everything but calls through', async () => {
    const tools = {
      plain: { description: 'No function.' },
      book: { description: 'A', execute: async () => 1, toModelOutput: () => 'x', needsApproval: true },
    };
    const open = await wrap(tools);
    const wrapped = open();
    expect(wrapped.plain).toBe(tools.plain);
    expect(wrapped.book).toEqual({ ...tools.book, execute: expect.any(Function) });
    expect(createJournal({ store: await openStore() }).tools(tools, { turnId: undefined })).toBe(tools);
  });

  it('is identified by position, name and arguments, whatever the ids of its calls are', async () => {
    let runs = 0;
    const open = await wrap({ book: { execute: async (_: object, __: object) => ++runs } });
    const first = open();
    expect(await first.book.execute({ a: 1, b: 2 }, options('a'))).toBe(1);
    expect(await first.book.execute({ b: 2, a: 1 }, options('b'))).toBe(2);
    expect(await first.book.execute({ a: 2 }, options('c'))).toBe(3);
    const second = open();
    expect(await second.book.execute({ b: 2, a: 1 }, options('x'))).toBe(1);
    expect(await second.book.execute({ a: 1, b: 2 }, options('y'))).toBe(2);
    // A run that begins in the middle: the messages contain the calls before.
    const call = { type: 'tool-call', toolName: 'book', input: { a: 1, b: 2 } };
    const messages = [{ role: 'assistant', content: [{ ...call, toolCallId: 'a' }] }];
    expect(await open().book.execute({ a: 1, b: 2 }, { toolCallId: 'z', messages } as never)).toBe(2);
    expect(runs).toBe(3);
  });

  it.each(['approve', 'execute'])(
    'is identified by its arguments even if `%s` changes them',
    async changer => {
      const store = await openStore();
      const ran: unknown[] = [];
      const run = async () => {
        const change = (by: string, input: unknown): true => {
          if (by === changer) Object.assign(input as object, { n: 99 });
          return true;
        };
        const execute = (input: { n: number }) => {
          ran.push(input.n);
          change('execute', input);
          return ran.length;
        };
        const inputSchema = ai5.jsonSchema<{ n: number }>({ type: 'object' });
        const provider = createKelivoResponsesProvider({
          apiKey: 'test',
          tools: { pay: { inputSchema, needsApproval: true, execute } },
        });
        onTestFinished(() => provider.close());
        const approve = ({ input }: { input: unknown }) => change('approve', input);
        const tools = await provider.tools({ runBy: 'host', approve });
        const { pay } = createJournal({ store }).tools(tools, { turnId: 'turn-1' });
        return (pay as { execute: (input: object, given: object) => unknown }).execute(
          { n: 1 },
          options('c1'),
        );
      };
      expect([await run(), await run(), ran.length]).toEqual([1, 1, 1]);
    },
  );

  it('keeps the last value of a stream, and its error', async () => {
    const open = await wrap({
      count: {
        async *execute(_: object, __: object) {
          yield 1;
          yield 2;
        },
      },
      fail: {
        execute: async (_: object, __: object): Promise<never> => {
          throw new Error('no seats');
        },
      },
    });
    const valuesOf = async (values: AsyncIterable<unknown>) => {
      const all: unknown[] = [];
      for await (const value of values) all.push(value);
      return all;
    };
    expect(await valuesOf(open().count.execute({}, options('a')))).toEqual([1, 2]);
    expect(await valuesOf(open().count.execute({}, options('a')))).toEqual([2]);
    await expect(open().fail.execute({}, options('b'))).rejects.toThrow('no seats');
    await expect(open().fail.execute({}, options('b'))).rejects.toThrow('no seats');
  });

  it.each([
    { onUnknownOutcome: 'refuse' as const, runs: 1 },
    { onUnknownOutcome: 'run' as const, runs: 2 },
  ])('follows "$onUnknownOutcome" for a call without an outcome', async ({ onUnknownOutcome, runs }) => {
    const store = await openStore();
    const seen: unknown[] = [];
    const tools = {
      book: {
        execute: async (_: object, given: object) =>
          seen.push((given as { idempotencyKey?: string }).idempotencyKey),
      },
    };
    const dying = dyingAt(store, 'call host.1');
    const open = (used: JournalStore) =>
      createJournal({ store: used }).tools(tools, { turnId: 'turn-1', onUnknownOutcome });
    void open(dying.store)
      .book.execute({}, options('a'))
      .catch(() => {});
    await dying.died;
    const again = open(store).book.execute({}, options('a'));
    if (onUnknownOutcome === 'run') expect(await again).toBe(2);
    else await expect(again).rejects.toThrow('outcome of this call is unknown');
    expect(seen).toHaveLength(runs);
    expect(new Set(seen).size).toBe(1);
  });

  it('needs a scope if the journal has a scope function', async () => {
    const journal = createJournal({ store: await openStore(), scope: () => 'ada' });
    expect(() => journal.tools({}, { turnId: 'turn-1' })).toThrow('`scope`');
    expect(journal.tools({}, { turnId: 'turn-1', scope: 'ada' })).toEqual({});
  });
});

describe('a decision that a journal has recorded', () => {
  /** Runs a call of a tool that the journal has wrapped, and returns what was asked and what ran. */
  async function runWrapped(wrap: (tools: Record<string, { execute: Run }>) => object) {
    const asked: string[] = [];
    const ran: string[] = [];
    const store = await openStore();
    const local = (name: string) => ({
      inputSchema: z.object({ n: z.number() }),
      needsApproval: true,
      execute: ({ n }: { n: number }) => void ran.push(`${name} ${n}`),
    });
    const provider = createKelivoResponsesProvider({
      apiKey: 'test',
      tools: { pay: local('pay'), send: local('send') },
    });
    onTestFinished(() => provider.close());
    const approve = ({ toolName, input }: { toolName: string; input: { n?: unknown } }) => {
      asked.push(`${toolName} ${String(input.n)}`);
      return input.n === 1 && toolName === 'pay';
    };
    const tools = await provider.tools({ runBy: 'host', approve: approve as never });
    const { pay } = createJournal({ store }).tools(
      { pay: wrap(tools as never) },
      { turnId: 'turn-1' },
    ) as unknown as Record<string, { execute: Run }>;
    const outcome = await Promise.resolve(pay?.execute({ n: 1 }, { toolCallId: 'c1', messages: [] })).then(
      () => 'ran',
      error => String(error),
    );
    return { asked, ran, outcome };
  }

  it('is asked for once', async () => {
    const { asked, ran, outcome } = await runWrapped(({ pay }) => pay ?? {});
    expect({ asked, ran, outcome }).toEqual({ asked: ['pay 1'], ran: ['pay 1'], outcome: 'ran' });
  });

  it.each<[string, (tools: Record<string, { execute: Run }>) => object, string[]]>([
    [
      'another tool, to which the options are handed on',
      ({ pay, send }) => ({
        ...pay,
        execute: (input: object, options: object) => send?.execute(input, options),
      }),
      ['pay 1', 'send 1'],
    ],
    [
      'another input',
      ({ pay }) => ({ ...pay, execute: (_: object, options: object) => pay?.execute({ n: 1000 }, options) }),
      ['pay 1', 'pay 1000'],
    ],
    [
      'a tool within one that needs no decision',
      ({ send }) => ({
        inputSchema: z.object({}),
        execute: (input: object, options: object) => send?.execute(input, options),
      }),
      ['send 1'],
    ],
  ])('does not count for %s', async (_, wrap, expected) => {
    const { asked, ran, outcome } = await runWrapped(wrap);
    expect(asked).toEqual(expected);
    expect(ran).toEqual([]);
    expect(outcome).toContain('Error');
  });
});

it('a call whose decision is awaited lets its turn go when the host gives it up', async () => {
  const { opened: asked, open } = gate();
  const provider = createKelivoResponsesProvider({
    apiKey: 'test',
    tools: { pay: { inputSchema: z.object({ n: z.number() }), execute: () => 'paid' } },
  });
  onTestFinished(() => provider.close());
  const tools = await provider.tools({
    runBy: 'host',
    approve: () => (open(), new Promise<boolean>(() => {})),
  });
  const store = await openStore();
  const { pay } = createJournal({ store }).tools(tools as never, { turnId: 'turn-1' }) as unknown as {
    pay: { execute: Run };
  };
  const controller = new AbortController();
  const options = { toolCallId: 'c1', messages: [], abortSignal: controller.signal };
  const ended = expect(pay.execute({ n: 1 }, options)).rejects.toThrow('Stop.');
  await asked;
  controller.abort(new Error('Stop.'));
  await ended;
  const claims = async () => (await store.turns?.list({ limit: 10 }))?.map(({ claim }) => claim);
  await expect.poll(claims).toEqual([undefined]);
});
