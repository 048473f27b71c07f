import { toResponseBody } from '../_responses.js';
import { createBareModel, OPTIONS } from '../_models.js';
import { respondWith, drain } from '../_transport.js';
import { compare, type Contender } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

/** Responses per sample. */
const RESPONSES = 100;

/** Compares requests without a logger to requests with an empty logger, the least that logging can cost. */
export async function measureLogger(scale: Scale): Promise<Figure[]> {
  const fetch = respondWith(toResponseBody('text', 3));
  const costs = await compare(
    {
      off: requesting(createBareModel(fetch)),
      on: requesting(createBareModel(fetch, { logger: () => {} })),
    },
    { ...scale, samples: scale.samples * 2 + 1, time: 'processor' },
  );
  const name = 'short responses, no logger';
  return [toShare({ name, rival: 'empty logger', ours: costs.off, theirs: costs.on }, 1.02)];
}

const requesting =
  (model: ReturnType<typeof createBareModel>): Contender =>
  async () => {
    for (let count = 0; count < RESPONSES; count++) await drain((await model.doStream(OPTIONS)).stream);
  };
