import { AsyncLocalStorage } from 'node:async_hooks';
import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toolLoopCallOptions } from '../../src/tool-loop/index.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { createEngine, type StepRecord, withStep } from './_engine.js';
import {
  call,
  callRound,
  exchangeOf,
  finish,
  finishOf,
  generate,
  ofType,
  scriptedModel,
  start,
  stream,
  text,
  textRound,
  user,
} from './_scripted-model.js';
import { declareTool, flushCallbacks, gate, type ScriptedTool, scriptedTools } from './_tools.js';

type Part = LanguageModelV2StreamPart;

const readOnly = { readOnly: true, destructive: false };

/** A workflow of one turn with three rounds and five calls. Every request gets other ids and arguments. */
function createWorkflow(options: Partial<ToolLoopOptions> = {}) {
  const records: (StepRecord | undefined)[] = [];
  const effects: string[] = [];
  const keys: string[] = [];
  let requests = 0;
  const effect =
    (name: string): ScriptedTool['execute'] =>
    async ({ n }, { idempotencyKey }) => {
      effects.push(`${name} ${n}`);
      keys.push(`${name} ${idempotencyKey}`);
      await flushCallbacks();
      return `${name} ${n} done`;
    };
  const tools = scriptedTools({
    read: { ...readOnly, execute: effect('read') },
    pay: { execute: effect('pay') },
  });
  const round = (parts: (id: number) => Part[]) => () => parts(++requests);

  async function attempt({
    dies,
    run = stream,
  }: { dies?: (name: string) => boolean; run?: typeof stream } = {}) {
    const death = gate<undefined>();
    const engine = createEngine(records, {
      dies(name) {
        const isLast = dies?.(name) === true;
        if (isLast) death.open(undefined);
        return isLast;
      },
    });
    const done = records.filter(record => record?.name.startsWith('round')).length;
    const model = scriptedModel(
      ...[
        round(id => callRound(call(`a${id}`, 'read', { n: id }), call(`b${id}`, 'pay', { n: id }))),
        round(id =>
          callRound(
            call(`c${id}`, 'pay', { n: id }),
            call(`d${id}`, 'read', { n: id }),
            call(`e${id}`, 'pay', { n: id }),
          ),
        ),
        round(id => textRound(`Done ${id}.`)),
      ].slice(done),
    );
    const running = run(
      withToolLoop(model, { tools, ...options }),
      withStep(engine.step, { turnId: 'turn-1' }),
    );
    const parts = await Promise.race([running, death.opened]);
    await flushCallbacks();
    return { parts, engine, model };
  }

  return { attempt, records, effects, keys, requests: () => requests, tools };
}

const STEPS = [
  'tools',
  'round 1',
  'call 1.1 read',
  'start 1.2 pay',
  'call 1.2 pay',
  'round 2',
  'call 2.2 read',
  'start 2.1 pay',
  'call 2.1 pay',
  'start 2.3 pay',
  'call 2.3 pay',
  'round 3',
];

/** Calls that run at the same time end in any order, so that adjacent results are sorted by call. */
function withSortedResults(parts: readonly Part[] = []): Part[] {
  const idOf = (part: Part | undefined): string => (part?.type === 'tool-result' ? part.toolCallId : '');
  return parts.reduce<Part[]>((sorted, part) => {
    let index = sorted.length;
    while (idOf(part) !== '' && idOf(sorted[index - 1]) > idOf(part)) index -= 1;
    return sorted.toSpliced(index, 0, part);
  }, []);
}

describe('a turn with the step function of a workflow engine', () => {
  it('records the tools, each round and each call, in an order that does not depend on durations', async () => {
    const { attempt, effects, requests } = createWorkflow();
    const { engine, parts } = await attempt();
    expect(engine.names).toEqual(STEPS);
    expect(requests()).toBe(3);
    expect(effects).toEqual(['read 1', 'pay 1', 'read 2', 'pay 2', 'pay 2']);
    expect(finishOf(parts ?? [])).toMatchObject({
      finishReason: 'stop',
      providerMetadata: { kelivo: { turnId: 'turn-1' } },
    });
  });

  it.each(STEPS.map(name => ({ name })))(
    'continues if the process dies before $name is recorded',
    async ({ name }) => {
      const { attempt, effects, requests, keys } = createWorkflow();
      const first = await attempt({ dies: step => step === name });
      expect(first.parts).toBeUndefined();
      const { parts = [], engine, model } = await attempt();
      expect(engine.names).toEqual(STEPS);
      // The round in flight is requested again, and no other one.
      expect(requests()).toBe(name.startsWith('round') ? 4 : 3);
      // A payment ran once, and if its outcome was lost, it did not run again.
      expect(effects.filter(effect => effect.startsWith('pay'))).toHaveLength(3);
      expect(new Set(keys.filter(key => key.startsWith('pay'))).size).toBe(3);
      // A read that ran again had the same key.
      if (/^call .* read$/.test(name)) expect(new Set(keys).size).toBe(effects.length - 1);
      const outputs = ofType(parts, 'tool-result').map(({ result }) => String(result));
      const unknown = outputs.filter(output => output.includes('The outcome of this call is unknown'));
      // A payment may be in flight while a read dies.
      if (!name.endsWith('read')) expect(unknown).toHaveLength(/^call .* pay$/.test(name) ? 1 : 0);
      expect(finishOf(parts)).toMatchObject({ finishReason: 'stop' });
      if (name === 'round 3') expect(exchangeOf(model.requests.at(-1)).outputs).toHaveLength(5);
    },
  );

  it('replays a finished turn without requests, with the same parts', async () => {
    const { attempt, effects, requests } = createWorkflow();
    const first = await attempt();
    const second = await attempt();
    expect(requests()).toBe(3);
    expect(effects).toHaveLength(5);
    expect(withSortedResults(second.parts).slice(0, -1)).toEqual(withSortedResults(first.parts).slice(0, -1));
    const { rounds } = finishOf(second.parts ?? []).providerMetadata?.kelivo ?? {};
    expect(rounds).toMatchObject([
      { isReplayed: true, toolCalls: [{ isReplayed: true }, { isReplayed: true }] },
      { isReplayed: true, toolCalls: [{ isReplayed: true }, { isReplayed: true }, { isReplayed: true }] },
      { isReplayed: true, toolCalls: [] },
    ]);
  });
});

describe('steps', () => {
  it('are used if only the call has a step function, and for models without tools', async () => {
    const records: StepRecord[] = [];
    const run = async (...rounds: Part[][]) => {
      const engine = createEngine(records);
      const model = scriptedModel(...rounds);
      const parts = await stream(withToolLoop(model, { tools: [] }), {
        providerOptions: { kelivo: toolLoopCallOptions({ step: engine.step }) },
      });
      return { engine, parts };
    };
    const first = await run(textRound('Hello'));
    expect(first.engine.names).toEqual(['turn', 'tools', 'round 1']);
    const second = await run();
    expect(ofType(second.parts, 'text-delta').map(({ delta }) => delta)).toEqual(['Hello']);
  });

  it('pass deltas on before the round is recorded, and `finish` after it', async () => {
    const recorded = gate();
    const seen: string[] = [];
    const model = scriptedModel(textRound('Hello'));
    const step = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
      const result = await run();
      if (name === 'round 1') await recorded.opened;
      return result;
    };
    const { stream: parts } = await withToolLoop(model, { tools: [] }).doStream({
      prompt: user('Go.'),
      ...withStep(step),
    });
    const reading = (async () => {
      for await (const part of parts) seen.push(part.type);
    })();
    await flushCallbacks();
    // The end of the text waits for the end of the round, because it may still be marked.
    expect(seen).toContain('text-delta');
    expect(seen).not.toContain('finish');
    recorded.open();
    await reading;
    expect(seen.at(-1)).toBe('finish');
  });

  it('keep dates, bytes, missing counts and errors', async () => {
    const records: StepRecord[] = [];
    const error = new APICallError({
      message: 'Overloaded',
      url: 'https://example.com?key=secret-1',
      requestBodyValues: { prompt: 'secret-2' },
      responseHeaders: { cookie: 'secret-3' },
      statusCode: 529,
      responseBody: 'busy',
      isRetryable: true,
    });
    const timestamp = new Date('2026-11-01T00:00:00.000Z');
    const parts: Part[] = [
      start,
      { type: 'response-metadata', id: 'r', timestamp },
      { type: 'file', mediaType: 'image/png', data: Uint8Array.of(1, 2, 255) },
      ...text('Hm'),
      { type: 'error', error },
      finish('error'),
    ];
    const run = async (...rounds: Part[][]) =>
      stream(
        withToolLoop(scriptedModel(...rounds), { tools: [], retry: { streamRetries: 0 } }),
        withStep(createEngine(records).step),
      );
    const first = await run(parts);
    const second = await run();
    const strip = (shown: Part[]) => shown.filter(({ type }) => type !== 'error' && type !== 'finish');
    expect(strip(second)).toStrictEqual(strip(first));
    const [replayed] = ofType(second, 'error');
    expect(APICallError.isInstance(replayed?.error)).toBe(true);
    expect(replayed?.error).toMatchObject({ statusCode: 529, responseBody: 'busy', isRetryable: true });
    expect(finishOf(second).usage).toStrictEqual(finishOf(first).usage);
    expect(JSON.stringify(records)).not.toMatch(/secret-/);
  });

  it('record a request that failed, so that the engine does not retry it by itself', async () => {
    const records: StepRecord[] = [];
    const refused = new APICallError({
      ...{ message: 'No.', url: '', requestBodyValues: {}, statusCode: 400, isRetryable: false },
    });
    const run = async (...rounds: (() => Part[])[]) =>
      generate(withToolLoop(scriptedModel(...rounds), { tools: [] }), withStep(createEngine(records).step));
    const fail = () => {
      throw refused;
    };
    await expect(run(fail)).rejects.toThrow('No.');
    await expect(run()).rejects.toMatchObject({ name: 'AI_APICallError', statusCode: 400 });
  });

  it('leave no record of a round that was aborted', async () => {
    const records: (StepRecord | undefined)[] = [];
    const controller = new AbortController();
    const model = scriptedModel(async function* () {
      yield* text('Hm');
      controller.abort();
      await new Promise(() => {});
    });
    const running = stream(withToolLoop(model, { tools: [] }), {
      ...withStep(createEngine(records).step),
      abortSignal: controller.signal,
    });
    await expect(running).rejects.toThrow();
    expect(records.map(record => record?.name)).toEqual(['turn', 'tools']);
  });

  it('hold back calls of the host until the round is recorded', async () => {
    const seen: string[] = [];
    const recorded = gate();
    const model = scriptedModel(callRound(call('c1', 'of_the_host', {})));
    const step = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
      const result = await run();
      if (name === 'round 1') await recorded.opened;
      return result;
    };
    const looped = withToolLoop(model, { tools: [] });
    const { stream: parts } = await looped.doStream({
      ...withStep(step),
      prompt: user('Go.'),
      tools: [declareTool('of_the_host')],
    });
    const reading = (async () => {
      for await (const part of parts) seen.push(part.type);
    })();
    await flushCallbacks();
    expect(seen).not.toContain('tool-call');
    recorded.open();
    await reading;
    expect(seen).toContain('tool-call');
  });

  it('let read-only calls start while the round streams, and record them after it', async () => {
    const started = gate();
    const names: string[] = [];
    const model = scriptedModel(async function* () {
      yield* [start, ...call('c1', 'read', { n: 1 }), ...call('c2', 'pay', { n: 1 })];
      // The response continues only when the read has started.
      await started.opened;
      names.push('round streamed');
      yield finish('tool-calls');
    }, textRound('Done.'));
    const tools = scriptedTools({
      read: { ...readOnly, execute: () => (started.open(), names.push('read'), 'read') },
      pay: () => (names.push('pay'), 'paid'),
    });
    const engine = createEngine([]);
    const step = <Result>(name: string, run: () => Promise<Result>) => (
      names.push(name),
      engine.step(name, run)
    );
    await stream(withToolLoop(model, { tools }), withStep(step));
    expect(names).toEqual([
      ...['turn', 'tools', 'round 1', 'read', 'round streamed', 'call 1.1 read'],
      ...['start 1.2 pay', 'call 1.2 pay', 'pay', 'round 2'],
    ]);
  });

  it('run tools and `approve` in the context of the turn', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const step = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> =>
      context.run(`step ${name}`, run);
    const model = scriptedModel(
      callRound(call('c1', 'pay', { n: 1 }), call('c2', 'pay', { n: 2 })),
      textRound('Done.'),
    );
    const tools = scriptedTools({ pay: () => (seen.push(`pay in ${context.getStore()}`), 'paid') });
    const approve = () => (seen.push(`approve in ${context.getStore()}`), true);
    await context.run('workflow', () =>
      stream(withToolLoop(model, { tools, approve, approvals: 'always' }), withStep(step)),
    );
    expect(seen).toEqual([
      ...['approve in workflow', 'pay in step call 1.1 pay'],
      ...['approve in workflow', 'pay in step call 1.2 pay'],
    ]);
  });

  it.each([
    ['the tools that were recorded', true],
    ['tools that the next process no longer checks', false],
  ])('ask the function of a tool whether its calls need approval, with %s', async (_, isChecked) => {
    const records: (StepRecord | undefined)[] = [];
    const ran: number[] = [];
    const asked: unknown[] = [];
    const attempt = (needsApproval: object, dies: (name: string) => boolean): Promise<unknown> => {
      const pay = {
        inputSchema: z.object({ n: z.number() }),
        execute: ({ n }: { n: number }) => (ran.push(n), 'paid'),
      };
      const tools = createLocalTools({ pay: { ...pay, ...needsApproval } } as never);
      const approve = ({ input }: { input: unknown }) => (asked.push(input), false);
      const model = scriptedModel(
        callRound(call('c1', 'pay', { n: 1 }), call('c2', 'pay', { n: 2 })),
        textRound('Done.'),
      );
      const engine = createEngine(records, { dies });
      return stream(withToolLoop(model, { tools, approve, approvals: 'never' }), withStep(engine.step));
    };
    const needsApproval = ({ n }: { n: number }) => n > 1;
    const died = gate<undefined>();
    const dies = (name: string) => name.startsWith('round') && (died.open(undefined), true);
    void attempt({ needsApproval }, dies);
    await died.opened;
    expect([ran, records.at(-1)?.name]).toEqual([[], 'tools']);

    await attempt(isChecked ? { needsApproval } : {}, () => false);
    expect(ran).toEqual(isChecked ? [1] : []);
    expect(asked).toEqual(isChecked ? [{ n: 2 }] : [{ n: 1 }, { n: 2 }]);
  });
});
