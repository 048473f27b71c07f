import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createJournal } from '../../src/tool-loop/durable/index.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { createToolbox } from '../../src/tools/toolbox.js';
import type { ToolOutput } from '../../src/tools/tool-source.js';
import { callRound, call, generate, textRound, scriptedModel, stream } from './_scripted-model.js';
import { openStore } from './durable/_application.js';
import { scriptedTools } from './_tools.js';

describe('an output of an unknown type', () => {
  const outputs: readonly [title: string, output: unknown][] = [
    ['nothing', undefined],
    ['text without a value', { type: 'text', value: undefined }],
    ['JSON without a value', { type: 'json', value: undefined }],
    [
      'a part of an unknown type',
      { type: 'content', value: [{ type: 'hologram', data: '', mediaType: 'image/png' }] },
    ],
    ['a type of another major version', { type: 'execution-denied', reason: 'no' }],
  ];
  it.each(outputs)('is reported to the model, and the turn continues: %s', async (_title, output) => {
    const tools = scriptedTools({});
    const source = {
      ...tools,
      listTools: async () => ({
        tools: [{ name: 'odd', inputSchema: { type: 'object' as const } }],
        warnings: [],
      }),
      callTool: async () => output as ToolOutput,
    };
    const model = scriptedModel(callRound(call('c1', 'odd')), textRound('Done.'));
    await generate(withToolLoop(model, { tools: source }));
    const result = model.requests[1]?.prompt.at(-1)?.content[0];
    expect(result).toMatchObject({
      output: { type: 'error-text', value: expect.stringContaining('"odd" returned an output') },
    });
  });
});

it.each(['plain', 'durable'])(
  'an output of `toModelOutput` loses what JSON lacks, and its call does not look failed (%s)',
  async kind => {
    const circular: Record<string, unknown> = { amount: 5n };
    circular.self = circular;
    const tools = createLocalTools({
      pay: {
        inputSchema: z.object({}),
        execute: () => 'paid',
        toModelOutput: () => ({ type: 'json', value: circular as never }),
      },
    });
    const model = scriptedModel(callRound(call('c1', 'pay')), textRound('Done.'));
    const journal = kind === 'durable' ? createJournal({ store: await openStore() }) : undefined;
    const looping = withToolLoop(model, { tools, ...(journal && { journal }) });
    const { providerMetadata } = await generate(looping, { providerOptions: { kelivo: { turnId: 't' } } });
    const value = { amount: '5', self: '[circular reference]' };
    expect(model.requests[1]?.prompt.at(-1)?.content[0]).toMatchObject({ output: { type: 'json', value } });
    expect(providerMetadata?.kelivo?.warnings).toEqual([
      expect.stringContaining('JSON lacks: BigInt, circular reference'),
    ]);
  },
);

describe('truncated arguments', () => {
  it('do not run, neither during the response nor after it', async () => {
    const inputs: unknown[] = [];
    const tools = scriptedTools({ remove: input => String(inputs.push(input)) });
    const model = scriptedModel(callRound(call('c1', 'remove', '{"path":"/home/me')), textRound('Sorry.'));
    await generate(withToolLoop(model, { tools }));
    expect(inputs).toEqual([]);
    const result = model.requests[1]?.prompt.at(-1)?.content[0];
    expect(result).toMatchObject({
      output: { value: expect.stringContaining('Invalid arguments for tool "remove"') },
    });
  });
});

describe('a toolbox', () => {
  it('never reuses a name for another tool, even while its owner is unavailable', async () => {
    let isUnavailable = true;
    const named = (name: string) => scriptedTools({ search: () => name });
    const [first, second] = [named('first'), named('second')];
    const flaky = {
      ...first,
      listTools: async () => (isUnavailable ? { tools: [], warnings: ['unavailable'] } : first.listTools()),
    };
    const box = createToolbox([flaky, second]);
    const offered = async () => (await box.listTools()).tools.map(({ name }) => name);
    const run = (toolName: string) =>
      box.callTool({ toolCallId: 'c', toolName, input: {} }, { signal: new AbortController().signal });
    expect(await offered()).toEqual(['search']);
    isUnavailable = false;
    expect(await offered()).toEqual(['search_2', 'search']);
    expect([await run('search'), await run('search_2')]).toMatchObject([
      { value: 'second' },
      { value: 'first' },
    ]);
  });
});

it('stops reading a generator of a tool that ignores its signal', async () => {
  let ticks = 0;
  const tools = createLocalTools({
    endless: {
      inputSchema: z.object({}),
      async *execute() {
        for (;;) {
          yield ++ticks;
          await new Promise(resolve => setTimeout(resolve, 5));
        }
      },
    },
  });
  const model = scriptedModel(callRound(call('c1', 'endless')), textRound('Done.'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turn = stream(withToolLoop(model, { tools, timeouts: { tool: 40 } }));
  while (model.requests.length < 2) await vi.advanceTimersByTimeAsync(5);
  await turn;
  const after = ticks;
  expect(after).toBeGreaterThan(1);
  await vi.advanceTimersByTimeAsync(400);
  // One more value may have been requested before the time limit.
  expect(ticks).toBeLessThanOrEqual(after + 1);
});

it('marks a retryable error as not retryable after a tool has run', async () => {
  class GatewayLikeError extends Error {
    readonly isRetryable = true;
  }
  const tools = scriptedTools({ echo: () => 'ran' });
  const model = scriptedModel(callRound(call('c1', 'echo')), () => {
    throw new GatewayLikeError('The gateway is busy.');
  });
  const error: unknown = await generate(withToolLoop(model, { tools })).catch(reason => reason);
  expect(error).toMatchObject({ message: 'The gateway is busy.' });
  expect(error).not.toHaveProperty('isRetryable', true);
});

it('reports a round before its request, and its duration after it', async () => {
  const order: string[] = [];
  const slow = () => new Promise<never[]>(resolve => setTimeout(() => resolve([]), 60));
  const model = scriptedModel(
    async () => (order.push('request'), await slow(), callRound(call('c1', 'echo'))),
    async () => (await slow(), textRound('Done.')),
  );
  const tools = scriptedTools({ echo: () => 'ran' });
  const onEvent = ({ type }: { type: string }) => order.push(type);
  const result = await generate(withToolLoop(model, { tools, onEvent }));
  expect(order.slice(0, 2)).toEqual(['round-start', 'request']);
  const rounds = result.providerMetadata?.kelivo?.rounds as { durationMs: number }[];
  for (const { durationMs } of rounds) expect(durationMs).toBeGreaterThanOrEqual(50);
});
