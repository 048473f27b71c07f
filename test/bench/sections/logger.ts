import { toAnswer } from '../_answers.js';
import { createBareModel, OPTIONS } from '../_models.js';
import { answering, drain } from '../_transport.js';
import { compare, type Contender } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

/** How many short answers one sample is made of. */
const ANSWERS = 100;

/** Requests without a logger beside those with one that does nothing: the least that logging can cost. */
export async function measureLogger(scale: Scale): Promise<Figure[]> {
  const fetch = answering(toAnswer('text', 3));
  const costs = await compare(
    {
      off: asking(createBareModel(fetch)),
      on: asking(createBareModel(fetch, { logger: () => {} })),
    },
    { ...scale, samples: scale.samples * 2 + 1, time: 'processor' },
  );
  const name = 'short answers, no logger';
  return [toShare({ name, rival: 'a logger that does nothing', ours: costs.off, theirs: costs.on }, 1.02)];
}

const asking =
  (model: ReturnType<typeof createBareModel>): Contender =>
  async () => {
    for (let count = 0; count < ANSWERS; count++) await drain((await model.doStream(OPTIONS)).stream);
  };
