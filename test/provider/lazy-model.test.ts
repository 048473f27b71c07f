import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { expect, it, vi } from 'vitest';
import { createLazyLanguageModel } from '../../src/provider/lazy-model.js';

const prompt: LanguageModelV2CallOptions['prompt'] = [];
const facts = { provider: 'test', modelId: 'model', supportedUrls: { 'image/*': [/^https:/] } };
const inner = {
  ...facts,
  specificationVersion: 'v2',
  doGenerate: vi.fn(async () => ({ content: [], finishReason: 'stop' })),
  doStream: vi.fn(async () => ({ stream: new ReadableStream() })),
} as unknown as LanguageModelV2;

it('returns the properties of the model without loading it', () => {
  const load = vi.fn(async () => inner);
  expect(createLazyLanguageModel(facts, load)).toMatchObject({ specificationVersion: 'v2', ...facts });
  expect(load).not.toHaveBeenCalled();
});

it('loads the model once, for calls of both kinds', async () => {
  const load = vi.fn(async () => inner);
  const model = createLazyLanguageModel(facts, load);
  await Promise.all([model.doGenerate({ prompt }), model.doStream({ prompt }), model.doGenerate({ prompt })]);
  expect(load).toHaveBeenCalledTimes(1);
  expect(inner.doGenerate).toHaveBeenCalledTimes(2);
});

it('loads again after a failed load', async () => {
  const load = vi.fn(async () => inner).mockRejectedValueOnce(new Error('offline'));
  const model = createLazyLanguageModel(facts, load);
  await expect(model.doStream({ prompt })).rejects.toThrow('offline');
  await expect(model.doStream({ prompt })).resolves.toHaveProperty('stream');
});
