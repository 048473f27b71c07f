import type { LanguageModelV2Prompt, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import type { ResponsesProviderOptions } from '../../src/responses/request/options.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { everyValue } from '../_products.js';
import { collect } from '../_parts.js';
import { startEmulator } from '../testing/_emulator.js';

const ROUNDS = 200;
const questionOf = (rounds: number): string =>
  `get the weather${', then get the weather'.repeat(rounds - 1)}`;
/** The question has 1,100 tokens, each round about 80. */
const CONTEXT_WINDOW = 5_000;

interface Way {
  readonly toolLoop?: Omit<ToolLoopOptions, 'tools'>;
  readonly options?: ResponsesProviderOptions;
  readonly rounds?: number;
  /** Words in the output of a call. */
  readonly words?: number;
}

async function converse(
  { toolLoop, options = {}, rounds = ROUNDS, words = 20 }: Way,
  mode: 'stream' | 'generate',
) {
  const emulator = await startEmulator({ contextWindow: CONTEXT_WINDOW });
  let runs = 0;
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: 'test',
    tools: {
      get_weather: tool({
        inputSchema: z.object({}),
        execute: async () => `${'sunny '.repeat(words)} ${++runs}`,
      }),
    },
    toolLoop: { maxRounds: 300, ...toolLoop },
  });
  onTestFinished(() => provider.close());
  const text = questionOf(rounds);
  const prompt: LanguageModelV2Prompt = [{ role: 'user', content: [{ type: 'text', text }] }];
  const call = { prompt, providerOptions: { openai: options as never } };
  const model = provider('gpt-4o');
  const parts: readonly LanguageModelV2StreamPart[] =
    mode === 'stream' ? await collect((await model.doStream(call)).stream) : [];
  const end = parts.at(-1);
  const result = mode === 'generate' ? await model.doGenerate(call) : end;
  const inputs = emulator.requests.map(({ body }) => JSON.stringify(body).length);
  const compactions = emulator.requests.filter(({ body }) =>
    JSON.stringify(body).includes('"compaction_trigger"'),
  ).length;
  return { runs, inputs, compactions, result, errors: parts.filter(({ type }) => type === 'error') };
}

const ways: readonly (Way & { name: string })[] = [
  { name: 'compactThreshold of the loop', toolLoop: { compactThreshold: 4_000 } },
  {
    name: 'contextManagement of the server',
    options: { contextManagement: [{ type: 'compaction', compactThreshold: 4_000 }] },
  },
];

describe(`a turn of ${ROUNDS} rounds`, () => {
  it.each(everyValue(ways.flatMap(way => (['stream', 'generate'] as const).map(mode => ({ ...way, mode })))))(
    'stays within the context window: $name, $mode',
    async ({ mode, ...way }) => {
      const { runs, inputs, result, errors } = await converse(way, mode);
      expect(errors).toEqual([]);
      expect(result).toMatchObject({ finishReason: 'stop' });
      expect(runs).toBe(ROUNDS);
      // Each compaction makes the next request shorter than the one before.
      const compactions = inputs.filter((length, index) => length < (inputs[index - 1] ?? 0));
      expect(compactions.length).toBeGreaterThan(ROUNDS / 60);
    },
  );

  it.each(['stream', 'generate'] as const)(
    'compacts less often if old outputs are cleared before: %s',
    async mode => {
      const cleared: number[] = [];
      const toolLoop: Way['toolLoop'] = {
        compactThreshold: 4_000,
        clearToolOutputs: { trigger: 3_000, keep: 2, clearAtLeast: 200 },
        onEvent: event => void (event.type === 'context-cleared' && cleared.push(event.outputs)),
      };
      const way = { rounds: 40, words: 200 };
      const both = await converse({ ...way, toolLoop }, mode);
      const alone = await converse({ ...way, toolLoop: { compactThreshold: 4_000 } }, mode);
      expect([both.errors, both.runs, alone.runs]).toEqual([[], 40, 40]);
      expect(both.result).toMatchObject({ finishReason: 'stop' });
      expect(cleared.length).toBeGreaterThan(1);
      expect(both.compactions).toBeGreaterThan(0);
      expect(both.compactions).toBeLessThan(alone.compactions);
    },
  );

  it('exceeds the context window without a compaction', async () => {
    const { runs, errors } = await converse({}, 'stream');
    expect(errors).toMatchObject([{ error: { message: expect.stringContaining('context window') } }]);
    expect(runs).toBeLessThan(ROUNDS);
  });
});
