import { NoSuchModelError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { KelivoError } from '../../../src/core/shared/errors.js';
import { createKelivoResponsesProvider } from '../../../src/v3.js';
import { startEmulator } from '../../testing/_emulator.js';

describe('the version 3 provider', () => {
  it('returns version 3 models and no image models', () => {
    const provider = createKelivoResponsesProvider({ name: 'mine' });
    const names = { specificationVersion: 'v3', provider: 'mine', modelId: 'm' };
    expect(provider.specificationVersion).toBe('v3');
    expect(provider('m')).toMatchObject(names);
    expect(provider.languageModel('m')).toMatchObject(names);
    expect(provider.responses('m')).toMatchObject(names);
    expect(provider.embeddingModel('m')).toMatchObject(names);
    expect(provider.textEmbeddingModel('m')).toMatchObject(names);
    expect(() => provider.imageModel('dall-e')).toThrow(NoSuchModelError);
  });

  it('rejects invalid settings', () => {
    expect(() => createKelivoResponsesProvider({ baseURL: 'api.test/v1' })).toThrow(KelivoError);
  });

  it('embeds', async () => {
    const { baseURL } = await startEmulator();
    const provider = createKelivoResponsesProvider({ baseURL });
    const model = provider.embeddingModel('text-embedding-3-small');
    const { embeddings, usage, warnings } = await model.doEmbed({
      values: ['a', 'b'],
      providerOptions: { openai: { dimensions: 4 } },
    });
    expect(embeddings.map(({ length }) => length)).toEqual([4, 4]);
    expect(usage?.tokens).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
  });

  it('runs its tools, declares them, and runs none in its bare models', async () => {
    const emulator = await startEmulator();
    const echo = { inputSchema: z.object({}), execute: () => 'echo' };
    const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, tools: { echo } });
    expect(Object.keys(await provider.tools())).toEqual(['echo']);
    const prompt = [{ role: 'user' as const, content: [{ type: 'text', text: 'Use echo' }] }];
    const { content, finishReason } = await provider('gpt-5').doGenerate({ prompt });
    expect(content).toContainEqual(
      expect.objectContaining({ type: 'text', text: 'The tool echo returned: echo' }),
    );
    expect(finishReason).toEqual({ unified: 'stop', raw: undefined });
    await provider.responses('gpt-5').doGenerate({ prompt });
    expect(emulator.requests.at(-1)?.body).not.toHaveProperty('tools');
    await provider.close();
  });
});
