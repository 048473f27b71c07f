import { streamText } from 'ai';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import { toResponseBody } from '../_responses.js';
import { createBareModel, createLoopModel, createOfficialModel } from '../_models.js';
import { respondWith } from '../_transport.js';
import { compare } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

/** Measures the response of the stream section through `streamText` of `ai@5`. */
export async function measureHost(scale: Scale): Promise<Figure[]> {
  const fetch = respondWith(toResponseBody('text', scale.deltas), { size: 16 * 1024 });
  const read = (model: LanguageModelV2) => async () => {
    const { fullStream } = streamText({ model, prompt: 'Write a long text.' });
    for await (const part of fullStream) if (part.type === 'error') throw part.error;
  };
  const costs = await compare(
    {
      official: read(createOfficialModel(fetch)),
      bare: read(createBareModel(fetch)),
      'tool loop': read(createLoopModel(fetch)),
    },
    { ...scale, time: 'processor' },
  );
  return (['bare', 'tool loop'] as const).map(name =>
    toShare({ name, rival: 'official model', ours: costs[name], theirs: costs.official }, 0.85),
  );
}
