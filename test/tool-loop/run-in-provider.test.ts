import { InvalidArgumentError, type LanguageModelV2ToolResultOutput } from '@ai-sdk/provider';
import { tool } from 'ai';
import { tool as toolOf6 } from 'ai6';
import { tool as toolOf7 } from 'ai7';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { KelivoError } from '../../src/core/shared/errors.js';
import type { ApprovalRequest } from '../../src/tool-loop/approvals/approvals.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { runInProvider, withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools, type LocalToolCallOptions, type LocalTools } from '../../src/tools/local-tools.js';
import {
  callRound,
  call,
  exchangeOf,
  generate,
  textRound,
  scriptedModel,
  stream,
  user,
} from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const inputSchema = z.object({ city: z.string() });
const weather = tool({
  description: 'Tells the weather.',
  inputSchema,
  execute: async ({ city }) => `Sun in ${city}.`,
});

interface NeedsApprovalOptions {
  toolCallId: string;
  messages: unknown[];
  experimental_context?: unknown;
}

/** Runs a turn in which the model calls `weather` once, and returns what the model reads of it. */
async function runTurn(
  tools: LocalTools,
  options: Parameters<typeof runInProvider>[1] = {},
  loop: Omit<ToolLoopOptions, 'tools'> = {},
) {
  const model = scriptedModel(callRound(call('c1', 'weather', { city: 'Oslo' })), textRound('Done.'));
  const { providerOptions } = runInProvider(tools, options);
  const parts = await stream(withToolLoop(model, { tools: [], ...loop }), { providerOptions });
  const tool = model.requests[1]?.prompt.at(-1);
  const [result] = tool?.role === 'tool' ? tool.content : [];
  return { model, parts, output: result?.output };
}

describe('runInProvider', () => {
  it('declares the tools with an `execute` for models that run none', async () => {
    const { tools } = runInProvider({ weather });
    expect(tools.weather.description).toBe('Tells the weather.');
    const { execute } = tools.weather as { execute?: (input: object, options: object) => Promise<unknown> };
    expect(JSON.stringify(await execute?.({ city: 'Oslo' }, { toolCallId: 'c1', messages: [] }))).toContain(
      'Sun in Oslo.',
    );
    expect(tools.weather.inputSchema.safeParse({ anything: 'goes' }).success).toBe(true);
  });

  it('rejects a tool without `execute`', () => {
    expect(() => runInProvider({ weather: tool({ inputSchema }) })).toThrow(KelivoError);
  });

  it.each([
    ['true', true],
    ['a function', async ({ city }: { city: string }) => city === 'Oslo'],
  ])('does not run a tool with `needsApproval` (%s) before it is approved', async (_, needsApproval) => {
    const tools = {
      weather: toolOf6({ inputSchema, needsApproval, execute: ({ city }) => `Sun in ${city}.` }),
    };
    const { output } = await runTurn(tools);
    expect(output).toEqual({ type: 'error-text', value: expect.stringContaining('`approve` is not set') });

    const asked: unknown[] = [];
    const approve = ({ input }: ApprovalRequest) => asked.push(input) > 0;
    const approved = await runTurn(tools, {}, { approve, approvals: 'never' });
    expect(approved.output).toEqual({ type: 'text', value: 'Sun in Oslo.' });
    expect(asked).toEqual([{ city: 'Oslo' }]);
  });

  it('runs a tool if `needsApproval` returns false, but not if it throws', async () => {
    const seen: unknown[] = [];
    const needsApproval = (
      input: object,
      { toolCallId, messages, experimental_context }: NeedsApprovalOptions,
    ) => {
      seen.push(input, toolCallId, messages.length, experimental_context);
      return false;
    };
    const execute = () => 'ran';
    const { output } = await runTurn(
      { weather: toolOf6({ inputSchema, needsApproval, execute }) },
      { context: 'mine' },
    );
    expect(output).toEqual({ type: 'text', value: 'ran' });
    expect(seen).toEqual([{ city: 'Oslo' }, 'c1', 1, 'mine']);

    const fail = () => {
      throw new Error('no idea');
    };
    const failed = await runTurn({ weather: toolOf6({ inputSchema, needsApproval: fail, execute }) });
    expect(failed.output).toEqual({ type: 'error-text', value: expect.stringContaining('no idea') });
  });

  it('runs the tools in the loop, streamed and generated', async () => {
    const { model, output } = await runTurn({ weather });
    expect(output).toEqual({ type: 'text', value: 'Sun in Oslo.' });
    expect(model.requests[0]?.tools).toMatchObject([
      { name: 'weather', inputSchema: { properties: { city: { type: 'string' } } } },
    ]);

    const again = scriptedModel(callRound(call('c1', 'weather', { city: 'Rome' })), textRound('Done.'));
    const { providerOptions } = runInProvider({ weather });
    const { content, finishReason } = await generate(withToolLoop(again, { tools: [] }), { providerOptions });
    expect(content).toMatchObject([{ type: 'text', text: 'Done.' }]);
    expect(finishReason).toBe('stop');
    expect(exchangeOf(again.requests[1]).outputs).toEqual([['c1', 'Sun in Rome.']]);
  });

  it('runs the tools together with those of the loop, and keeps their names', async () => {
    const own = scriptedTools({ weather: () => 'Rain, says the loop.', echo: () => 'echo' });
    const model = scriptedModel(
      callRound(call('c1', 'weather', { city: 'Oslo' }), call('c2', 'weather_2'), call('c3', 'echo')),
      textRound('Done.'),
    );
    const { providerOptions } = runInProvider({ weather });
    await stream(withToolLoop(model, { tools: own }), { providerOptions });
    expect(exchangeOf(model.requests[1]).outputs).toEqual([
      ['c1', 'Sun in Oslo.'],
      ['c2', 'Rain, says the loop.'],
      ['c3', 'echo'],
    ]);
  });

  it('applies to one call only', async () => {
    const model = scriptedModel(textRound('One.'), textRound('Two.'));
    const looped = withToolLoop(model, { tools: [] });
    const { providerOptions } = runInProvider({ weather });
    await stream(looped, { providerOptions });
    await stream(looped);
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ['weather'],
      undefined,
    ]);
  });

  it('passes the context of the call to `execute` and `needsApproval`, by reference', async () => {
    const context = { user: 'ada' };
    const seen: LocalToolCallOptions[] = [];
    const tool = {
      inputSchema,
      needsApproval: (_input: object, options: LocalToolCallOptions) => seen.push(options) === 0,
      execute: (_input: object, options: LocalToolCallOptions) => seen.push(options),
    };
    const rounds = () => [callRound(call('c1', 'weather', { city: 'Oslo' })), textRound('Done.')];
    const providerOptions = { kelivo: { turnId: 'turn-1', context } };
    await stream(withToolLoop(scriptedModel(...rounds()), { tools: createLocalTools({ weather: tool }) }), {
      providerOptions,
    });
    await generate(withToolLoop(scriptedModel(...rounds()), { tools: [] }), {
      providerOptions: {
        kelivo: { ...providerOptions.kelivo, ...runInProvider({ weather: tool }).providerOptions.kelivo },
      },
    });
    expect(seen).toHaveLength(4);
    for (const options of seen) {
      expect(options).toMatchObject({ turnId: 'turn-1', round: 1, toolCallId: 'c1' });
      expect(options.experimental_context).toBe(context);
      expect(options.context).toBe(context);
    }
  });

  it('calls `execute` with the same options as the AI SDK, and the facts of the turn', async () => {
    const execute = vi.fn((_input: unknown, _options: unknown) => 'Sun.');
    const context = { user: 'ada' };
    const model = scriptedModel(
      callRound(call('c1', 'weather', { city: 'Oslo' })),
      callRound(call('c2', 'weather', { city: 'Rome' })),
      textRound('Done.'),
    );
    await stream(withToolLoop(model, { tools: [] }), {
      providerOptions: {
        kelivo: {
          ...runInProvider({ weather: { inputSchema, execute } }, { context }).providerOptions.kelivo,
          ...{ turnId: 'turn-1', context: { user: 'the context of the tools wins' } },
        },
      },
      prompt: [{ role: 'system', content: 'Be kind.' }, ...user('Go.')],
    });
    expect(execute.mock.calls[0]).toEqual([
      { city: 'Oslo' },
      {
        toolCallId: 'c1',
        messages: user('Go.'),
        abortSignal: expect.any(AbortSignal),
        turnId: 'turn-1',
        round: 1,
        idempotencyKey: expect.stringMatching(/ 1\.1 weather$/),
        experimental_context: context,
        context,
      },
    ]);
    // The prompt of the second round contains the first one.
    expect(execute.mock.calls[1]?.[1]).toMatchObject({
      toolCallId: 'c2',
      turnId: 'turn-1',
      round: 2,
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }],
    });
  });

  it('uses the last value of a generator as the result', async () => {
    const { output } = await runTurn({
      weather: {
        inputSchema,
        async *execute() {
          yield 'Looking.';
          yield 'Sun.';
        },
      },
    });
    expect(output).toEqual({ type: 'text', value: 'Sun.' });
  });

  it('stops a tool when the turn is aborted', async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const model = scriptedModel(callRound(call('c1', 'weather', { city: 'Oslo' })));
    const { providerOptions } = runInProvider({
      weather: {
        inputSchema,
        execute: (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
          setTimeout(() => controller.abort(new Error('The user left.')), 0);
          return new Promise(() =>
            abortSignal?.addEventListener('abort', () => void seen.push(abortSignal.reason), { once: true }),
          );
        },
      },
    });
    const turn = stream(withToolLoop(model, { tools: [] }), {
      providerOptions,
      abortSignal: controller.signal,
    });
    await expect(turn).rejects.toThrow('The user left.');
    expect(seen).toHaveLength(1);
  });

  const png = 'iVBORw0KGgo=';
  const media: LanguageModelV2ToolResultOutput = {
    type: 'content',
    value: [{ type: 'media', data: png, mediaType: 'image/png' }],
  };

  it.each([
    [
      'ai 5, which passes the output',
      5,
      tool({
        inputSchema,
        execute: async () => ({ png }),
        toModelOutput: output => ({
          type: 'content',
          value: [{ type: 'media', data: output.png, mediaType: 'image/png' }],
        }),
      }),
    ],
    [
      'ai 6, which passes the call and the output, and has another type for images',
      6,
      toolOf6({
        inputSchema,
        execute: async () => ({ png }),
        toModelOutput: ({ output }) => ({
          type: 'content',
          value: [{ type: 'image-data', data: output.png, mediaType: 'image/png' }],
        }),
      }),
    ],
    [
      'ai 7, which has a type for the data of a file',
      7,
      toolOf7({
        inputSchema,
        execute: async () => ({ png }),
        toModelOutput: async ({ output }) => ({
          type: 'content',
          value: [{ type: 'file', data: { type: 'data', data: output.png }, mediaType: 'image/png' }],
        }),
      }),
    ],
  ] as const)('uses `toModelOutput` of a tool for %s', async (_, aiVersion, weather) => {
    const { output } = await runTurn({ weather }, { aiVersion });
    expect(output).toEqual(media);
  });

  it('rejects invalid executors', async () => {
    const looped = withToolLoop(scriptedModel(), { tools: [] });
    for (const executors of ['weather', ['weather']]) {
      const turn = stream(looped, { providerOptions: { kelivo: { executors } } });
      await expect(turn).rejects.toThrow(InvalidArgumentError);
      await expect(turn).rejects.toThrow('providerOptions.kelivo.executors');
    }
  });
});

describe('a loop without tools', () => {
  it('passes calls on unchanged unless they contain tools', async () => {
    const model = scriptedModel(textRound('Hi'));
    const options = { prompt: user('Go.') };
    const result = await withToolLoop(model, { tools: [] }).doStream(options);
    expect(model.requests[0]).toMatchObject(options);
    expect(await new Response(result.stream.pipeThrough(countParts())).text()).toBe('5');
  });
});

/** Counts the parts of a stream and returns the number as text. */
function countParts(): TransformStream<unknown, Uint8Array> {
  let count = 0;
  return new TransformStream({
    transform: () => void count++,
    flush: controller => controller.enqueue(new TextEncoder().encode(String(count))),
  });
}
