import { describe, expect, it } from 'vitest';
import {
  createJournal,
  type JournalSettings,
  type JournalStore,
} from '../../../src/tool-loop/durable/index.js';
import type { ToolLoopOptions } from '../../../src/tool-loop/options.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import {
  call,
  callRound,
  exchangeOf,
  finishOf,
  generate,
  scriptedModel,
  stream,
  textRound,
  user,
} from '../_scripted-model.js';
import { flushCallbacks, gate, scriptedTools } from '../_tools.js';
import type { ToolInputEvent } from '../../../src/tools/tool-source.js';
import { createApplication, dyingAt, errorsOf, openStore, outputsOf, payRound } from './_application.js';

describe.each([
  { mode: 'stream', run: stream },
  { mode: 'generate', run: generate as unknown as typeof stream },
])('a turn that is repeated with $mode', ({ run }) => {
  it('gets the same result without requests and effects', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const first = await attempt({ store, run, rounds: [payRound('a', 1), textRound('Done.')] }).running;
    const { model, running } = attempt({ store, run, rounds: [] });
    const withoutEnd = (value: unknown): string =>
      JSON.stringify(value)
        .replaceAll(/"(durationMs|isReplayed)":[^,}]+,?/g, '')
        .replaceAll(',}', '}');
    expect(withoutEnd(await running)).toBe(withoutEnd(first));
    expect(model.requests).toEqual([]);
    expect(paid).toEqual([1]);
  });
});

describe('a turn whose process died', () => {
  it('is not asked for finished rounds, whatever the model would answer now', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const dying = dyingAt(store, 'round 2');
    attempt({ store: dying.store, rounds: [payRound('a', 1), textRound('Lost.')] });
    await dying.died;
    const { model, running } = attempt({ store, rounds: [textRound('Done.')] });
    expect(outputsOf(await running)).toEqual(['paid 1']);
    expect(model.requests).toHaveLength(1);
    expect(exchangeOf(model.requests[0]).outputs).toHaveLength(1);
    expect(paid).toEqual([1]);
  });

  it.each([
    {
      onUnknownOutcome: 'refuse',
      effects: [1],
      output: expect.stringContaining('outcome of this call is unknown'),
    },
    { onUnknownOutcome: 'run', effects: [1, 1], output: 'paid 1' },
    { onUnknownOutcome: 'ask', effects: [1, 1], output: 'paid 1' },
  ] as const)(
    'follows "$onUnknownOutcome" for a call without an outcome',
    async ({ onUnknownOutcome, effects, output }) => {
      const store = await openStore();
      const { attempt, paid } = createApplication();
      const asked: unknown[] = [];
      const options = {
        onUnknownOutcome,
        approvals: 'never' as const,
        approve: ({ unknownOutcome, toolCallId }: { unknownOutcome?: boolean; toolCallId: string }) => {
          asked.push([toolCallId, unknownOutcome]);
          return true;
        },
      };
      const dying = dyingAt(store, 'call 1.1');
      attempt({ ...options, store: dying.store, rounds: [payRound('a', 1)] });
      await dying.died;
      const second = await attempt({ ...options, store, rounds: [textRound('Done.')] }).running;
      expect(outputsOf(second)).toEqual([output]);
      expect(paid).toEqual(effects);
      expect(asked).toEqual(onUnknownOutcome === 'ask' ? [['a', true]] : []);
      // The outcome is recorded now.
      const third = await attempt({ ...options, store, rounds: [] }).running;
      expect(outputsOf(third)).toEqual([output]);
      expect(paid).toEqual(effects);
    },
  );

  describe.each([true, false])('and whose tool is read-only: %s', readOnly => {
    it.each(['onInput', 'needsApproval', 'approvals', 'approve', 'execute'] as const)(
      'runs no call again if `%s` changes its arguments',
      async changer => {
        const store = await openStore();
        const { attempt } = createApplication();
        const ran: unknown[] = [];
        const change = (by: string, input: unknown): true => {
          if (by === changer) Object.assign(input as object, { limit: 10 });
          return true;
        };
        const tools = {
          act: {
            readOnly,
            onInput: (event: ToolInputEvent) => {
              if (event.type === 'available') change('onInput', event.input);
            },
            ...(changer === 'needsApproval' && {
              needsApproval: async ({ input }: { input: unknown }) => change('needsApproval', input),
            }),
            execute: (input: object) => {
              ran.push({ ...input });
              change('execute', input);
              return `ran ${ran.length}`;
            },
          },
        };
        const policies: Partial<ToolLoopOptions> = {
          ...(changer === 'approvals' && { approvals: ({ input }) => change('approvals', input) }),
          ...(changer === 'approve' && { approvals: 'always' }),
          approve: ({ input }) => change('approve', input),
        };
        const dying = dyingAt(store, 'round 2');
        const rounds = [callRound(call('a', 'act', { from: 'x' })), textRound('Lost.')];
        attempt({ ...policies, store: dying.store, tools, rounds });
        await dying.died;
        const last = { ...policies, store, tools, rounds: [textRound('Done.')] };
        expect(outputsOf(await attempt(last).running)).toEqual(['ran 1']);
        // The changes reach the tool, as in the loop of a host.
        expect(ran).toEqual([changer === 'execute' ? { from: 'x' } : { from: 'x', limit: 10 }]);
      },
    );
  });

  it('runs two equal calls of a round as two calls', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const dying = dyingAt(store, 'start 1.2');
    const rounds = [callRound(call('a', 'pay', { n: 1 }), call('b', 'pay', { n: 1 }))];
    attempt({ store: dying.store, rounds });
    await dying.died;
    const parts = await attempt({ store, rounds: [textRound('Done.')] }).running;
    expect(outputsOf(parts)).toEqual(['paid 1', 'paid 1']);
    expect(paid).toEqual([1, 1]);
  });

  it('asks again for an approval that nobody gave, and keeps the one that was given', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const asked: string[] = [];
    const rounds = [callRound(call('a', 'pay', { n: 1 }), call('b', 'pay', { n: 2 }))];
    const waits = gate();
    let claimed = { turn: '', owner: '' };
    attempt({
      store: {
        ...store,
        async claim(turn, owner, options) {
          claimed = { turn, owner };
          return store.claim(turn, owner, options);
        },
      },
      rounds,
      approve({ toolCallId }) {
        asked.push(`first ${toolCallId}`);
        if (toolCallId === 'a') return true;
        waits.open();
        return new Promise<never>(() => {});
      },
    });
    await waits.opened;
    // The turn moves to another process in the middle of the approval.
    await store.release(claimed.turn, claimed.owner);
    const parts = await attempt({
      store,
      rounds: [textRound('Done.')],
      approve({ toolCallId }) {
        asked.push(`second ${toolCallId}`);
        return { approved: false, reason: 'Too much.' };
      },
    }).running;
    expect(asked).toEqual(['first a', 'first b', 'second b']);
    expect(paid).toEqual([1]);
    expect(outputsOf(parts)).toEqual(['paid 1', 'The call was not approved: Too much.']);
    const third = await attempt({ store, rounds: [], approve: () => true }).running;
    expect(outputsOf(third)).toEqual(outputsOf(parts));
  });

  it('gets binary outputs unchanged', async () => {
    const store = await openStore();
    const { attempt } = createApplication();
    const image = {
      readOnly: true,
      execute: () => ({
        type: 'content',
        value: [
          { type: 'text', text: 'A dot' },
          { type: 'media', mediaType: 'image/png', data: 'AAEC/w==' },
        ],
      }),
    };
    const dying = dyingAt(store, 'round 2');
    const rounds = [callRound(call('a', 'image')), textRound('Lost.')];
    const first = attempt({ store: dying.store, rounds, tools: { image } });
    await dying.died;
    const second = attempt({ store, rounds: [textRound('Done.')], tools: { image } });
    await second.running;
    expect(second.model.requests[0]?.prompt).toEqual(first.model.requests[1]?.prompt);
    expect(JSON.stringify(second.model.requests[0]?.prompt)).toContain('AAEC/w==');
  });
});

describe('a turn id', () => {
  it('is required: without one nothing is recorded', async () => {
    const store = await openStore();
    const writes: string[] = [];
    const observed: JournalStore = {
      ...store,
      write: async (turn, step, ...rest) => (writes.push(step), store.write(turn, step, ...rest)),
    };
    const model = scriptedModel(textRound('Hello'));
    await stream(
      withToolLoop(model, { tools: scriptedTools({}), journal: createJournal({ store: observed }) }),
    );
    expect(writes).toEqual([]);
  });
});

describe('a second attempt at a running turn', () => {
  async function startTurn(settings: Omit<JournalSettings, 'store'>) {
    const store = await openStore();
    const application = createApplication();
    const { opened, open } = gate<string>();
    const started = gate();
    const tools = { wait: () => (started.open(), opened) };
    const first = application.attempt({
      store,
      tools,
      rounds: [callRound(call('a', 'wait')), textRound('Done.')],
    });
    await started.opened;
    const second = application.attempt({ store, settings, tools, rounds: [] });
    return { first, second, open };
  }

  it('waits, and gets the same result', async () => {
    const { first, second, open } = await startTurn({});
    await flushCallbacks();
    open('waited');
    expect(outputsOf(await first.running)).toEqual(['waited']);
    expect(outputsOf(await second.running)).toEqual(['waited']);
    expect(second.model.requests).toEqual([]);
  });

  it('is refused if the application asks for it', async () => {
    const { first, second, open } = await startTurn({ onRunningTurn: 'refuse' });
    await expect(second.running).rejects.toMatchObject({ code: 'turn-running' });
    open('waited');
    expect(outputsOf(await first.running)).toEqual(['waited']);
  });
});

describe('a store that fails', () => {
  const failing = (
    store: JournalStore,
    method: keyof JournalStore,
    behave: (() => Promise<never>) | 'none',
    { step = '' } = {},
  ): JournalStore => ({
    ...store,
    async [method](turn: string, ...values: [string]) {
      if (!String(values[0]).startsWith(step))
        return (store[method] as (...all: unknown[]) => unknown)(turn, ...values);
      return behave === 'none' ? undefined : behave();
    },
  });
  const throws = async (): Promise<never> => {
    throw new Error('connection refused');
  };
  const hangs = (): Promise<never> => new Promise<never>(() => {});

  it.each([
    { name: 'throws', behave: throws, reason: 'connection refused' },
    { name: 'hangs', behave: hangs, reason: 'the store did not respond within 2000 ms' },
  ])('when a turn begins and $name: nothing runs', async ({ behave, reason }) => {
    const { attempt, paid } = createApplication();
    for (const method of ['claim', 'read', 'write'] as const) {
      const store = failing(await openStore(), method, behave);
      const { model, running } = attempt({ store, settings: { timeout: 2000 }, rounds: [payRound('a', 1)] });
      await expect(running).rejects.toMatchObject({
        code: 'journal-failed',
        message: expect.stringContaining(reason),
      });
      expect(model.requests).toEqual([]);
    }
    expect(paid).toEqual([]);
  });

  it.each(
    [
      { step: 'round 1', effects: [] },
      { step: 'start 1.1', effects: [] },
      { step: 'call 1.1', effects: [1] },
    ].flatMap(row => [
      { ...row, name: 'throws', behave: throws, reason: 'connection refused' },
      { ...row, name: 'hangs', behave: hangs, reason: 'the store did not respond within 2000 ms' },
    ]),
  )('at the record of $step and $name ends the turn with an error', async row => {
    const { step, effects, behave, reason } = row;
    const store = failing(await openStore(), 'write', behave, { step });
    const { attempt, paid } = createApplication();
    const { model, running } = attempt({
      store,
      settings: { timeout: 2000 },
      rounds: [payRound('a', 1), textRound('Never.')],
    });
    const parts = await running;
    expect(errorsOf(parts)).toEqual([expect.stringContaining(reason)]);
    expect(finishOf(parts).finishReason).toBe('error');
    expect(model.requests).toHaveLength(1);
    expect(paid).toEqual(effects);
  });

  it('by losing all records in mid-turn starts nothing afterwards', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const emptied: JournalStore = {
      ...store,
      async write(turn, step, record, options) {
        if (step.startsWith('start')) await store.release(turn, options.owner);
        return store.write(turn, step, record, options);
      },
    };
    const parts = await attempt({ store: emptied, rounds: [payRound('a', 1)] }).running;
    expect(errorsOf(parts)).toHaveLength(1);
    expect(paid).toEqual([]);
  });

  it('by losing the claim before the first record claims the turn again', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    let writes = 0;
    const late: JournalStore = {
      ...store,
      async write(turn, step, record, options) {
        if (writes++ === 0) await store.release(turn, options.owner);
        return store.write(turn, step, record, options);
      },
    };
    const rounds = [payRound('a', 1), textRound('Done.')];
    const parts = await attempt({ store: late, rounds }).running;
    expect(errorsOf(parts)).toEqual([]);
    expect(paid).toEqual([1]);
  });

  it('does not stop a turn that may continue without it, which reports it', async () => {
    const store = failing(await openStore(), 'write', throws, { step: 'start' });
    const { attempt, paid } = createApplication();
    const rounds = [payRound('a', 1), textRound('Done.')];
    const parts = await attempt({ store, settings: { onStoreFailure: 'continue' }, rounds }).running;
    expect(paid).toEqual([1]);
    expect(finishOf(parts)).toMatchObject({
      finishReason: 'stop',
      providerMetadata: { kelivo: { warnings: [expect.stringContaining('The turn continues without it')] } },
    });
  });

  it('by finding nothing runs no call twice', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    await attempt({ store, rounds: [payRound('a', 1), textRound('Done.')] }).running;
    const blind: JournalStore = { ...store, read: async () => undefined };
    const { running } = attempt({ store: blind, rounds: [payRound('b', 1), textRound('Done.')] });
    await expect(running).rejects.toThrow('was recorded by another process');
    expect(paid).toEqual([1]);
  });

  it('by losing the claim to another process starts nothing afterwards', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    const emptied: JournalStore = {
      ...store,
      async write(turn, step, record, options) {
        if (step.startsWith('start')) {
          await store.release(turn, options.owner);
          await store.claim(turn, 'another process', { lease: 60_000 });
        }
        return store.write(turn, step, record, options);
      },
    };
    const parts = await attempt({ store: emptied, rounds: [payRound('a', 1)] }).running;
    expect(errorsOf(parts)).toEqual([expect.stringContaining('was taken over by another process')]);
    expect(paid).toEqual([]);
  });
});

describe('the records of a turn', () => {
  it('are refused if their format is unknown', async () => {
    const store = await openStore();
    const { attempt } = createApplication();
    await attempt({ store, rounds: [textRound('Done.')] }).running;
    const newer: JournalStore = {
      ...store,
      read: async (turn, step) => (await store.read(turn, step))?.replace('kelivo-2', 'kelivo-3'),
    };
    await expect(attempt({ store: newer, rounds: [] }).running).rejects.toMatchObject({
      code: 'journal-failed',
      message: expect.stringContaining('has another format. Finish the turn with the version that began it'),
    });
  });

  it('expire together, and the turn that continues behind them is stopped', async () => {
    const store = await openStore();
    const { attempt, paid } = createApplication();
    // Longer than the records live after the start of the call.
    const wait = () => new Promise<string>(resolve => setTimeout(() => resolve('waited'), 2100));
    const { running } = attempt({
      store,
      tools: { wait },
      settings: { expiresAfter: 2000 },
      rounds: [callRound(call('a', 'wait'), call('b', 'pay', { n: 1 }))],
    });
    expect(errorsOf(await running)).toEqual([expect.stringContaining('have expired')]);
    expect(paid).toEqual([]);
  });

  it('contain no options of the call', async () => {
    const store = await openStore();
    const records: string[] = [];
    const observed: JournalStore = {
      ...store,
      write: async (turn, step, record, options) => (
        records.push(record),
        store.write(turn, step, record, options)
      ),
    };
    const model = scriptedModel(textRound('Hello'));
    const looped = withToolLoop(model, { tools: [], journal: createJournal({ store: observed }) });
    const { stream: parts } = await looped.doStream({
      prompt: user('Go.'),
      headers: { authorization: 'secret-1' },
      providerOptions: { kelivo: { turnId: 'turn-1', context: { token: 'secret-2' } } },
    });
    for await (const part of parts) void part;
    expect(records.length).toBeGreaterThan(2);
    expect(records.join('')).not.toMatch(/secret-/);
  });
});

it('runs 40 durable turns at once', async () => {
  const store = await openStore();
  const { attempt, paid } = createApplication();
  const attempts = Array.from({ length: 40 }, (_, index) =>
    attempt({ store, turnId: `turn-${index}`, rounds: [payRound('a', index), textRound('Done.')] }),
  );
  const turns = await Promise.all(attempts.map(({ running }) => running));
  expect(turns.flatMap(outputsOf).length).toBe(40);
  expect(new Set(paid).size).toBe(40);
  const again = Array.from({ length: 40 }, (_, index) =>
    attempt({ store, turnId: `turn-${index}`, rounds: [] }),
  );
  await Promise.all(again.map(({ running }) => running));
  expect(paid).toHaveLength(40);
});

it('a recorded call of a tool that a search has found is found again by the name that the model wrote', async () => {
  const { attempt, paid } = createApplication();
  const store = await openStore();
  const tools = { pay: { deferLoading: true, execute: ({ n }: { n?: unknown }) => (paid.push(n), 'paid') } };
  const searching = callRound(call('c1', 'search_tools', { query: 'pay' }));
  const paying = callRound(call('c2', 'functions.pay', { n: 1 }));
  const outage = () => Promise.reject(new Error('The server is down.'));
  const options = { store, tools, toolSearch: 'client' as const, retry: { maxRetries: 0 } };
  await attempt({ ...options, rounds: [searching, paying, outage] }).running;
  const { model, running } = attempt({ ...options, rounds: [textRound('Done.')] });
  expect(outputsOf(await running).at(-1)).toBe('paid');
  expect(JSON.stringify(exchangeOf(model.requests[0]).outputs)).not.toContain('not loaded');
  expect(paid).toEqual([1]);
});

it('a recorded call is not decided again by another policy', async () => {
  const { attempt, paid } = createApplication();
  const store = await openStore();
  const outage = () => Promise.reject(new Error('The server is down.'));
  const retry = { maxRetries: 0 };
  await attempt({ store, retry, rounds: [payRound('a', 1), outage] }).running;
  const asked: string[] = [];
  const approve = ({ toolName }: { toolName: string }) => (asked.push(toolName), false);
  const { running } = attempt({
    store,
    retry,
    approve,
    approvals: 'always',
    rounds: [payRound('b', 2), textRound('Done.')],
  });
  expect(outputsOf(await running)).toEqual(['paid 1', expect.stringContaining('not approved')]);
  expect(asked).toEqual(['pay']);
  expect(paid).toEqual([1]);
});
