import { createTelemetry } from 'kelivo-responses/telemetry';
import { toResponseBody } from '../_responses.js';
import { createBareModel, createLoopModel, OPTIONS } from '../_models.js';
import { respondWith, drain } from '../_transport.js';
import { compare, type Contender } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

/** Streams of a long text per sample. */
const RESPONSES = 3;

/** Chunk sizes: about an event, and all. */
const CHUNKS = { 'tiny deltas': 160, 'whole responses': undefined };

/** Compares streams with telemetry but without an SDK of OpenTelemetry, whose tracer does nothing, to those without. */
export async function measureTelemetry(scale: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [chunks, size] of Object.entries(CHUNKS)) {
    const fetch = respondWith(toResponseBody('text', 1000), size === undefined ? {} : { size });
    for (const [model, create] of Object.entries(MODELS)) {
      const costs = await compare(
        { off: requesting(create(fetch)), on: requesting(create(fetch, createTelemetry())) },
        { ...scale, samples: scale.samples * 4 + 1, time: 'processor' },
      );
      const name = `${chunks}, ${model}, no-op tracer`;
      figures.push(toShare({ name, rival: 'no telemetry', ours: costs.on, theirs: costs.off }, 1.03));
    }
  }
  return figures;
}

const MODELS = {
  bare: (fetch: typeof globalThis.fetch, telemetry?: ReturnType<typeof createTelemetry>) =>
    createBareModel(fetch, telemetry && { telemetry }),
  'tool loop': (fetch: typeof globalThis.fetch, telemetry?: ReturnType<typeof createTelemetry>) =>
    createLoopModel(fetch, undefined, {}, telemetry),
};

const requesting =
  (model: ReturnType<typeof createBareModel>): Contender =>
  async () => {
    for (let count = 0; count < RESPONSES; count++) await drain((await model.doStream(OPTIONS)).stream);
  };
