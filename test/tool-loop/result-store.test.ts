import { describe, expect, it } from 'vitest';
import { type StoredResultsOptions, createStoredResults } from '../../src/tool-loop/result-store.js';
import type { ToolLoopEvent } from '../../src/tool-loop/events.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type { ToolOutput } from '../../src/tools/tool-source.js';
import {
  callRound,
  call,
  exchangeOf,
  finishOf,
  textRound,
  scriptedModel,
  stream,
  user,
} from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const output: ToolOutput = { type: 'json', value: { paid: 5 }, mcp: { _meta: { receipt: 7 } } };

function setup(options: Partial<StoredResultsOptions> = {}) {
  const warnings: string[] = [];
  const results = createStoredResults({
    store: new Map(),
    turnId: 'turn-1',
    position: 1,
    round: 1,
    signal: new AbortController().signal,
    warn: message => warnings.push(message),
    ...options,
  });
  return { results, warnings };
}

const pay = (toolCallId: string, input: Record<string, unknown> = { amount: 5, to: 'a' }) => ({
  toolCallId,
  toolName: 'pay',
  input,
});

/** Returns a store with the finished call `c1`. */
async function filled() {
  const store = new Map<string, unknown>();
  const { results } = setup({ store });
  expect(await results.find(pay('c1'))).toBeUndefined();
  await results.keep(pay('c1'), output);
  return store;
}

describe('stored results', () => {
  it('are JSON values under a key of turn, round and call id', async () => {
    const store = await filled();
    const value = store.get(JSON.stringify(['turn-1', 1, 1, 'c1']));
    expect(value).toEqual({ toolName: 'pay', input: { amount: 5, to: 'a' }, output });
    expect(JSON.parse(JSON.stringify(value))).toEqual(value);
  });

  it.each([
    ['the same id', pay('c1')],
    ['another id, as in a repeated response', pay('c9')],
    ['its arguments in another order', pay('c9', { to: 'a', amount: 5 })],
  ])('are found for a call with %s', async (_, repeated) => {
    expect(await setup({ store: await filled() }).results.find(repeated)).toEqual(output);
  });

  it.each<[string, Parameters<typeof pay>, Partial<StoredResultsOptions>]>([
    ['other arguments', ['c1', { amount: 6, to: 'a' }], {}],
    ['another turn', ['c1'], { turnId: 'turn-2' }],
    ['another round', ['c1'], { round: 2 }],
    ['another step of the host', ['c1'], { position: 3 }],
  ])('are not found for a call with %s', async (_, [id, input], options) => {
    const { results } = setup({ store: await filled(), ...options });
    expect(await results.find(pay(id, input))).toBeUndefined();
  });

  it('are not found for another tool', async () => {
    const { results } = setup({ store: await filled() });
    expect(await results.find({ ...pay('c1'), toolName: 'refund' })).toBeUndefined();
  });

  it('are used once: a second identical call has to run', async () => {
    const { results } = setup({ store: await filled() });
    expect(await results.find(pay('c8'))).toEqual(output);
    expect(await results.find(pay('c9'))).toBeUndefined();
  });

  it('are ignored if they are malformed', async () => {
    const store = await filled();
    for (const key of store.keys()) store.set(key, { toolName: 'pay', input: 'x', output: 'y' });
    expect(await setup({ store }).results.find(pay('c1'))).toBeUndefined();
  });

  it('are skipped with a warning if the store fails', async () => {
    const fail = () => {
      throw new Error('connection refused');
    };
    const { results, warnings } = setup({ store: { get: fail, set: async () => fail() } });
    expect(await results.find(pay('c1'))).toBeUndefined();
    await results.keep(pay('c1'), output);
    const consequence = 'Calls of this turn may run again if it is resumed.';
    expect(warnings).toEqual([
      `The result store could not be read: connection refused. ${consequence}`,
      `The result store could not be written: connection refused. ${consequence}`,
    ]);
  });

  it('are awaited until the timeout', async () => {
    const never = () => new Promise(() => {});
    const { results, warnings } = setup({ store: { get: never, set: never }, timeout: 10 });
    expect(await results.find(pay('c1'))).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('it did not respond within 10 ms')]);
  });

  it('are no longer awaited after an abort', async () => {
    const controller = new AbortController();
    const never = () => new Promise(() => {});
    const { results, warnings } = setup({ store: { get: never, set: never }, signal: controller.signal });
    const finding = results.find(pay('c1'));
    controller.abort(new Error('The user left.'));
    await expect(finding).rejects.toThrow('The user left.');
    expect(warnings).toEqual([]);
  });
});

describe('a turn with a result store', () => {
  async function run({
    store = new Map<string, unknown>(),
    turnId = 'turn-1' as unknown,
    id = 'c1',
    fails = false,
  } = {}) {
    const events: ToolLoopEvent[] = [];
    const asked: string[] = [];
    const tools = scriptedTools({
      pay: () => (fails ? { type: 'error-text', value: 'no money' } : 'paid'),
    });
    const model = scriptedModel(callRound(call(id, 'pay', { amount: 5 })), textRound('Done.'));
    const looped = withToolLoop(model, {
      tools,
      resultStore: store,
      approve: ({ toolName }) => asked.push(toolName) > 0,
      onEvent: event => void events.push(event),
    });
    const providerOptions = turnId === null ? undefined : { kelivo: { turnId: turnId as string } };
    const parts = await stream(looped, { prompt: user('Pay.'), providerOptions });
    return { parts, asked, ran: tools.calls.length, events, outputs: exchangeOf(model.requests[1]).outputs };
  }

  it('does not run a finished call again, and requests no approval for it', async () => {
    const store = new Map<string, unknown>();
    expect(await run({ store })).toMatchObject({ ran: 1, asked: ['pay'] });
    const { ran, asked, outputs, events } = await run({ store, id: 'c2' });
    expect(ran).toBe(0);
    expect(asked).toEqual([]);
    expect(outputs).toEqual([['c2', 'paid']]);
    expect(events.map(({ type }) => type)).not.toContain('tool-start');
    expect(events.find(({ type }) => type === 'tool-end')).toMatchObject({ duration: 0, isError: false });
  });

  it('stores failures of tools, because a failed tool has run', async () => {
    const store = new Map<string, unknown>();
    await run({ store, fails: true });
    expect(await run({ store })).toMatchObject({ ran: 0, outputs: [['c1', 'no money']] });
  });

  it('does not store denials, because the user may decide differently', async () => {
    const store = new Map<string, unknown>();
    const model = scriptedModel(callRound(call('c1', 'pay', { amount: 5 })), textRound('Done.'));
    const tools = scriptedTools({ pay: () => 'paid' });
    const looped = withToolLoop(model, { tools, resultStore: store, approve: () => false });
    await stream(looped, { prompt: user('Pay.'), providerOptions: { kelivo: { turnId: 'turn-1' } } });
    expect(store.size).toBe(0);
    expect((await run({ store })).ran).toBe(1);
  });

  it('stores nothing for a turn without an id', async () => {
    const store = new Map<string, unknown>();
    const { ran } = await run({ store, turnId: null });
    expect(ran).toBe(1);
    expect(store.size).toBe(0);
  });

  it('continues without a failing store, and reports it as an event', async () => {
    const store = new Map<string, unknown>();
    store.set = () => {
      throw new Error('disk full');
    };
    const { parts, events } = await run({ store });
    expect(finishOf(parts).finishReason).toBe('stop');
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      {
        type: 'warning',
        round: 1,
        turnId: 'turn-1',
        at: expect.any(Number),
        message: expect.stringContaining('The result store could not be written: disk full.'),
      },
    ]);
  });

  it.each([7, '', {}])('rejects the turn id %j', async turnId => {
    await expect(run({ turnId })).rejects.toThrow(
      `Expected \`providerOptions.kelivo.turnId\` to be a non-empty string, got ${JSON.stringify(turnId)}.`,
    );
  });
});
