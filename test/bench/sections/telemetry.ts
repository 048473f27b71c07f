import { createTelemetry } from 'kelivo-responses/telemetry';
import { toResponseBody } from '../_responses.js';
import { createBareModel, OPTIONS } from '../_models.js';
import { respondWith, drain } from '../_transport.js';
import { compare, type Contender } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

/** Streams of a long text per sample. */
const RESPONSES = 3;

/** Compares streams with telemetry but without an SDK of OpenTelemetry, whose tracer does nothing, to those without. */
export async function measureTelemetry(scale: Scale): Promise<Figure[]> {
  const fetch = respondWith(toResponseBody('text', 1000));
  const costs = await compare(
    {
      off: requesting(createBareModel(fetch)),
      on: requesting(createBareModel(fetch, { telemetry: createTelemetry() })),
    },
    { ...scale, samples: scale.samples * 2 + 1, time: 'processor' },
  );
  const name = 'long responses, no-op tracer';
  return [toShare({ name, rival: 'no telemetry', ours: costs.on, theirs: costs.off }, 1.05)];
}

const requesting =
  (model: ReturnType<typeof createBareModel>): Contender =>
  async () => {
    for (let count = 0; count < RESPONSES; count++) await drain((await model.doStream(OPTIONS)).stream);
  };
