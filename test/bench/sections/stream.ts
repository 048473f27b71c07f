import { createOpenAI as createOpenAI3 } from 'openai3';
import { createOpenAI as createOpenAI4 } from 'openai4';
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
  '512 B': { bare: 4.5, 'tool loop': 4, 'tool loop and adapter': 2.5 },
  '16 KiB': { bare: 5, 'tool loop': 4, 'tool loop and adapter': 2.5 },
  whole: { bare: 5, 'tool loop': 4, 'tool loop and adapter': 2.5 },
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
  const read = (model: ReadableModel) => async () => drain((await model.doStream(OPTIONS as never)).stream);
  const costs = await compare(
    {
      official: read(createOfficialModel(fetch)),
      official3: read(createOpenAI3({ ...LATER, fetch }).responses('gpt-4.1')),
      official4: read(createOpenAI4({ ...LATER, fetch }).responses('gpt-4.1')),
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
  const figures = (['bare', 'tool loop', 'tool loop and adapter'] as const).flatMap(model =>
    (['official', 'official3', 'official4'] as const).map(official =>
      toSpeed(
        { name: `${of}: ${model}`, rival: OFFICIAL[official], ours: costs[model], theirs: costs[official] },
        kind === 'text' ? GOALS[chunk]?.[model] : undefined,
      ),
    ),
  );
  if (kind !== 'text') return figures;
  const rivals = ['limit', 'limit with a stream', 'eventsource-parser'] as const;
  const limits = rivals.map(rival =>
    toShare(
      { name: `${of}: bare`, rival: RIVALS[rival], ours: costs.bare, theirs: costs[rival] },
      rival === 'limit' && chunk === '16 KiB' ? 1.6 : undefined,
    ),
  );
  return [...figures, ...limits];
}

/** A model of any version. */
interface ReadableModel {
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

const LATER = { baseURL: 'https://api.openai.com/v1', apiKey: 'sk-bench' };

const OFFICIAL = {
  official: 'official model',
  official3: 'official model of version 3',
  official4: 'official model of version 4',
};

const RIVALS = {
  limit: 'decode, split, `JSON.parse`',
  'limit with a stream': 'decode, split, `JSON.parse`, stream',
  'eventsource-parser': '`eventsource-parser`, `JSON.parse`',
};
