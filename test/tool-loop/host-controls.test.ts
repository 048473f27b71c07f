import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { toolLoopCallOptions, type ToolLoopCallOptions } from '../../src/tool-loop/index.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { fromLanguageModel, toLanguageModel } from '../../src/core/versions/language-model.js';
import {
  call,
  finish,
  type ScriptedRound,
  scriptedModel,
  start,
  text,
  textRound,
} from './_scripted-model.js';
import { serverError } from './_server-error.js';

/* Proves what the guide says in "Controls of the host". Time limits: host-timeouts.test.ts. Steering: steering.test.ts. */

const hosts = [
  { major: 5, ai: ai5, version: 'v2' },
  { major: 6, ai: ai6, version: 'v3' },
  { major: 7, ai: ai7, version: 'v4' },
] as const;

const kelivo = (options: ToolLoopCallOptions) => ({ kelivo: toolLoopCallOptions(options) });

const twoRounds: ScriptedRound[] = [
  [start, ...text('Look.'), ...call('c1', 'look'), finish('tool-calls')],
  textRound('Done.'),
];

interface Streamed {
  readonly text: PromiseLike<string>;
  readonly steps: PromiseLike<unknown[]>;
  consumeStream(options: { onError(): void }): PromiseLike<void>;
}

describe.each(hosts)('a control of ai $major', ({ major, ai, version }) => {
  const execute = vi.fn<
    (input: unknown, options: { context?: unknown; abortSignal?: AbortSignal }) => unknown
  >(() => 'seen');

  /** Runs a turn of the loop in `streamText`. The types of hosts differ. */
  async function run(
    options: Record<string, unknown> = {},
    { rounds = twoRounds, ...loopOptions }: Partial<ToolLoopOptions> & { rounds?: ScriptedRound[] } = {},
  ) {
    execute.mockClear();
    const scripted = scriptedModel(...rounds);
    const tools = createLocalTools({ look: { inputSchema: z.object({}), execute } });
    const model = withToolLoop(toLanguageModel(fromLanguageModel(scripted), version), {
      tools,
      retry: { initialDelay: 0 },
      ...loopOptions,
    });
    const streamText = ai.streamText as unknown as (options: object) => Streamed;
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void errors.push(error);
    const result = streamText({ model, prompt: 'Go.', onError, ...options });
    await result.consumeStream({ onError() {} });
    const steps = errors.length > 0 ? [] : await result.steps;
    return { requests: scripted.requests, errors, steps, text: errors.length > 0 ? '' : await result.text };
  }

  it('that sets up the model reaches each round', async () => {
    const settings = {
      ...{ temperature: 0.5, topP: 0.9, topK: 5, presencePenalty: 0.1, frequencyPenalty: 0.2, seed: 7 },
      ...{ stopSequences: ['END'], maxOutputTokens: 99, providerOptions: { acme: { a: 1 } } },
      headers: { 'x-host': 'yes' },
    };
    const { requests } = await run(settings);
    expect(requests).toMatchObject([settings, settings]);
  });

  it('that requires an object reaches each round', async () => {
    const output = (ai.Output.object as unknown as (options: object) => unknown)({
      schema: z.object({ a: z.number() }),
    });
    const { requests } = await run(major === 5 ? { experimental_output: output } : { output });
    const responseFormat = { type: 'json', schema: { properties: { a: { type: 'number' } } } };
    expect(requests).toMatchObject([{ responseFormat }, { responseFormat }]);
  });

  it('that forces a call does so in the first round', async () => {
    const tools = { other: { inputSchema: z.object({}), execute: () => 'other' } };
    const { requests, text: answer } = await run({ tools, toolChoice: 'required' });
    expect(requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['required', 'auto']);
    expect(answer).toContain('Done.');
  });

  it('that forbids calls forbids them in the turn', async () => {
    const tools = { other: { inputSchema: z.object({}), execute: () => 'other' } };
    const { requests } = await run({ tools, toolChoice: 'none' });
    expect(requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['none']);
    expect(execute).not.toHaveBeenCalled();
  });

  it('between steps sees one step, and its counterpart in the loop sees each round', async () => {
    const seen = { stopWhen: vi.fn(() => true), prepareStep: vi.fn(() => ({})), onStepFinish: vi.fn() };
    const onFinish = vi.fn();
    const prepareRound = vi.fn();
    const { requests, steps } = await run({ ...seen, onFinish }, { prepareRound });
    expect(requests).toHaveLength(2);
    expect(steps).toHaveLength(1);
    // Hosts ask `stopWhen` only if there may be another step.
    expect(seen.stopWhen.mock.calls.length).toBeLessThan(2);
    expect(seen.prepareStep).toHaveBeenCalledTimes(1);
    expect(seen.onStepFinish).toHaveBeenCalledTimes(1);
    expect(onFinish).toHaveBeenCalledTimes(1);
    expect(prepareRound.mock.calls).toMatchObject([[{ round: 1 }], [{ round: 2 }]]);
  });

  it('that stops after a number of steps stops the loop after as many rounds, as `stopWhen` of the loop', async () => {
    const stopWhen = ai.stepCountIs(1) as ToolLoopCallOptions['stopWhen'];
    expect((await run({ providerOptions: kelivo({ stopWhen }) })).requests).toHaveLength(1);
    expect((await run({}, { stopWhen })).requests).toHaveLength(1);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('that observes or changes parts has those of all rounds', async () => {
    const onChunk = vi.fn();
    const changed: string[] = [];
    const experimental_transform = () =>
      new TransformStream({
        transform(part, controller) {
          changed.push(part.type);
          controller.enqueue(part);
        },
      });
    await run({ onChunk, experimental_transform });
    const chunks = onChunk.mock.calls.map(([{ chunk }]) => chunk.text ?? chunk.type);
    expect(chunks).toEqual(expect.arrayContaining(['Look.', 'Done.', 'tool-result']));
    expect(changed.filter(type => type === 'text-delta')).toHaveLength(2);
    expect(changed).toContain('tool-result');
  });

  it('that observes tools sees none of the loop, and `onEvent` does', async () => {
    const observer = vi.fn();
    const onEvent = vi.fn();
    const names = [
      ...['onToolExecutionStart', 'onToolExecutionEnd'],
      ...['experimental_onToolCallStart', 'experimental_onToolCallFinish'],
    ];
    await run(Object.fromEntries(names.map(name => [name, observer])), { onEvent });
    expect(observer).not.toHaveBeenCalled();
    const types = onEvent.mock.calls.map(([{ type }]) => type);
    expect(types).toEqual(expect.arrayContaining(['round-start', 'tool-start', 'tool-end', 'round-end']));
  });

  it('that passes a context does not reach the tools of the loop, and `context` does', async () => {
    const contexts = { experimental_context: { user: 'host' }, runtimeContext: { user: 'host' } };
    await run({ ...contexts, providerOptions: kelivo({ context: { user: 'Ada' } }) });
    expect(execute.mock.calls[0]?.[1]).toMatchObject({ context: { user: 'Ada' } });
    await run(contexts);
    expect(execute.mock.calls[0]?.[1]).not.toHaveProperty('context');
  });

  it('that approves calls does not concern those of the loop, and `toolApproval` of a call does', async () => {
    const toolApproval = { look: 'denied' } as const;
    await run({ toolApproval });
    expect(execute).toHaveBeenCalledTimes(1);
    await run({ providerOptions: kelivo({ toolApproval }) });
    expect(execute).not.toHaveBeenCalled();
  });

  it('that aborts ends the running call', async () => {
    const controller = new AbortController();
    execute.mockImplementationOnce((_, { abortSignal }) => {
      controller.abort();
      expect(abortSignal?.aborted).toBe(true);
      return new Promise(() => {});
    });
    const streamText = ai.streamText as unknown as (options: object) => {
      fullStream: AsyncIterable<{ type: string }>;
    };
    const scripted = scriptedModel(...twoRounds);
    const tools = createLocalTools({ look: { inputSchema: z.object({}), execute } });
    const model = withToolLoop(toLanguageModel(fromLanguageModel(scripted), version), { tools });
    const types: string[] = [];
    const { fullStream } = streamText({ model, prompt: 'Go.', abortSignal: controller.signal, onError() {} });
    for await (const { type } of fullStream) types.push(type);
    expect(types.at(-1)).toBe('abort');
    expect(scripted.requests).toHaveLength(1);
  });

  it('that repeats requests concerns the first one, and `retry` of the loop the later ones', async () => {
    const failing: ScriptedRound = () => {
      throw serverError();
    };
    const [first = [], last = []] = twoRounds;
    const host = await run({ maxRetries: 0 }, { rounds: [failing, first, last] });
    expect([host.requests.length, host.errors.length]).toEqual([1, 1]);
    const loop = await run({ maxRetries: 0 }, { rounds: [first, failing, last] });
    expect([loop.requests.length, loop.text]).toEqual([3, expect.stringContaining('Done.')]);
    const neither = await run(
      { maxRetries: 2 },
      { rounds: [first, failing, last], retry: { maxRetries: false } },
    );
    expect([neither.requests.length, neither.errors.length]).toEqual([2, 1]);
  });
});
