import type { LanguageModelV2 } from '@ai-sdk/provider';
import { RESPONSE_KINDS, type ResponseKind, toResponseBody } from '../_responses.js';
import { readAtLimit, readWithEventsourceParser, streamAtLimit } from '../_limit.js';
import {
  createAdaptedModel,
  createBareModel,
  createLoopModel,
  createOfficialModel,
  OPTIONS,
} from '../_models.js';
import { respondWith, drain } from '../_transport.js';
import { compare } from '../compare.js';
import { type Figure, toShare, toSpeed } from '../figure.js';
import type { Scale } from '../scale.js';

interface Chunks {
  readonly name: string;
  readonly size?: number;
}

const CHUNKS: readonly Chunks[] = [
  { name: '512 B', size: 512 },
  { name: '16 KiB', size: 16 * 1024 },
  { name: 'whole' },
];

/** The required speed relative to the official model, by chunk size. */
const GOALS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '512 B': { bare: 4, 'tool loop': 3.5, 'tool loop and adapter': 2.5 },
  '16 KiB': { bare: 5, 'tool loop': 3.5, 'tool loop and adapter': 2.5 },
  whole: { bare: 4, 'tool loop': 3.5, 'tool loop and adapter': 2.5 },
};

/** Measures reading a response with many deltas from `doStream`. */
export async function measureStream(scale: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const kind of RESPONSE_KINDS) {
    for (const chunks of CHUNKS) figures.push(...(await measureResponse(kind, chunks, scale)));
  }
  return figures;
}

async function measureResponse(kind: ResponseKind, { name: chunk, size }: Chunks, scale: Scale) {
  const fetch = respondWith(toResponseBody(kind, scale.deltas), { size });
  const read = (model: LanguageModelV2) => async () => drain((await model.doStream(OPTIONS)).stream);
  const costs = await compare(
    {
      official: read(createOfficialModel(fetch)),
      bare: read(createBareModel(fetch)),
      'tool loop': read(createLoopModel(fetch)),
      'tool loop and adapter': read(createAdaptedModel(fetch)),
      limit: async () => readAtLimit(await fetch('')),
      'limit with a stream': async () => streamAtLimit(await fetch('')),
      'eventsource-parser': async () => readWithEventsourceParser(await fetch('')),
    },
    { ...scale, time: 'processor' },
  );
  const of = `${kind}, ${chunk}`;
  const figures = (['bare', 'tool loop', 'tool loop and adapter'] as const).map(model =>
    toSpeed(
      { name: `${of}: ${model}`, rival: 'official model', ours: costs[model], theirs: costs.official },
      kind === 'text' ? GOALS[chunk]?.[model] : undefined,
    ),
  );
  if (kind !== 'text') return figures;
  const rivals = ['limit', 'limit with a stream', 'eventsource-parser'] as const;
  const limits = rivals.map(rival =>
    toShare(
      { name: `${of}: bare`, rival: RIVALS[rival], ours: costs.bare, theirs: costs[rival] },
      rival === 'limit' && chunk === '16 KiB' ? 1.8 : undefined,
    ),
  );
  return [...figures, ...limits];
}

const RIVALS = {
  limit: 'decode, split, `JSON.parse`',
  'limit with a stream': 'decode, split, `JSON.parse`, stream',
  'eventsource-parser': '`eventsource-parser`, `JSON.parse`',
};
