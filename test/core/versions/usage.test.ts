import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { toProviderV3 } from '../../../src/v3.js';
import { toProviderV4 } from '../../../src/v4.js';
import { startEmulator } from '../../testing/_emulator.js';

const wireUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 150,
};
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }];

/** Plays one call with the given number of rounds in every version. */
async function play(rounds: number) {
  const emulator = await startEmulator();
  const echo = { inputSchema: z.object({}), execute: () => 'echo' };
  const v2 = createKelivoResponsesProvider({ baseURL: emulator.baseURL, tools: { echo } });
  onTestFinished(() => v2.close());
  const script = () => {
    for (let round = 1; round < rounds; round++)
      emulator.enqueue({ output: [{ call: 'echo', arguments: {} }], usage: wireUsage });
    emulator.enqueue({ output: [{ text: 'Done.' }], usage: wireUsage });
  };
  const usages = async (model: {
    doGenerate(options: never): PromiseLike<{ usage: unknown }>;
    doStream(options: never): PromiseLike<{ stream: ReadableStream<{ type: string; usage?: unknown }> }>;
  }) => {
    script();
    const { usage: generated } = await model.doGenerate({ prompt } as never);
    script();
    const { stream } = await model.doStream({ prompt } as never);
    let streamed: unknown;
    for await (const part of stream) streamed = part.type === 'finish' ? part.usage : streamed;
    expect(streamed).toEqual(generated);
    return generated;
  };
  return {
    v2: await usages(v2('gpt-5')),
    v3: await usages(toProviderV3(v2)('gpt-5')),
    v4: await usages(toProviderV4(v2)('gpt-5')),
  };
}

describe('usage with cache reads and writes', () => {
  it('has all counts and the object of the server in later versions', async () => {
    const { v2, v3, v4 } = await play(1);
    expect(v2).toEqual({
      inputTokens: 100,
      outputTokens: 50,
      totalTokens: 150,
      reasoningTokens: 10,
      cachedInputTokens: 20,
    });
    const details = {
      inputTokens: { total: 100, noCache: 50, cacheRead: 20, cacheWrite: 30 },
      outputTokens: { total: 50, text: 40, reasoning: 10 },
      raw: wireUsage,
    };
    expect(v3).toEqual(details);
    expect(v4).toEqual(details);
  });

  it('is the sum of all rounds', async () => {
    const { v2, v3, v4 } = await play(2);
    expect(v2).toEqual({
      inputTokens: 200,
      outputTokens: 100,
      totalTokens: 300,
      reasoningTokens: 20,
      cachedInputTokens: 40,
    });
    const details = {
      inputTokens: { total: 200, noCache: 100, cacheRead: 40, cacheWrite: 60 },
      outputTokens: { total: 100, text: 80, reasoning: 20 },
      raw: {
        input_tokens: 200,
        input_tokens_details: { cached_tokens: 40, cache_write_tokens: 60 },
        output_tokens: 100,
        output_tokens_details: { reasoning_tokens: 20 },
        total_tokens: 300,
      },
    };
    expect(v3).toEqual(details);
    expect(v4).toEqual(details);
  });
});
