import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const embeddings: Scenario = {
  name: 'embeddings',
  modes: ['generate'],
  async play({ sdk, provider, emulator, version }) {
    const create = version === 'V4' ? 'embeddingModel' : 'textEmbeddingModel';
    const model = (provider as unknown as Record<typeof create, typeof provider.textEmbeddingModel>)[create](
      'text-embedding-3-small',
    );
    const { embedding, usage } = await sdk.embed({ model, value: 'Hello' });
    expect(embedding).toHaveLength(1536);
    expect(usage.tokens).toBeGreaterThan(0);
    const { embeddings } = await sdk.embedMany({
      model,
      values: ['Hello', 'Bye'],
      providerOptions: { openai: { dimensions: 8 } },
    });
    expect(embeddings.map(({ length }) => length)).toEqual([8, 8]);
    expect(emulator.requests.map(({ path }) => path)).toEqual(['/v1/embeddings', '/v1/embeddings']);
  },
};
