import { RESPONSE_KINDS, type ResponseKind, toResponseBody } from '../_responses.js';
import { readAtLimit, readWithEventsourceParser, streamAtLimit } from '../_limit.js';
import { createVersions, OPTIONS, type ReadableModel } from '../_models.js';
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

/** The required speed relative to the official model of the same major, by chunk size. */
const GOALS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '512 B': { bare: 4.5, 'tool loop': 3.5, 'tool loop and adapter': 3.5 },
  '16 KiB': { bare: 5, 'tool loop': 4, 'tool loop and adapter': 4 },
  whole: { bare: 5, 'tool loop': 4, 'tool loop and adapter': 4 },
};

const VERSIONS = ['V2', 'V3', 'V4'] as const;
const MODELS = ['bare', 'tool loop', 'tool loop and adapter'] as const;

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
  const versions = createVersions(fetch);
  const read = (model: ReadableModel) => async () => drain((await model.doStream(OPTIONS as never)).stream);
  const models = VERSIONS.flatMap(version =>
    (['official', ...MODELS] as const).map(
      model => [`${version} ${model}`, read(versions[version][model])] as const,
    ),
  );
  const costs = await compare<string>(
    {
      ...Object.fromEntries(models),
      limit: async () => readAtLimit(await fetch('')),
      'limit with a stream': async () => streamAtLimit(await fetch('')),
      'eventsource-parser': async () => readWithEventsourceParser(await fetch('')),
    },
    { ...scale, time: 'processor' },
  );
  const costOf = (name: string): readonly number[] => costs[name] ?? [];
  const of = `${kind}, ${chunk}`;
  const figures = VERSIONS.flatMap(version =>
    MODELS.map(model =>
      toSpeed(
        {
          name: `${of}: ${version} ${model}`,
          rival: `official model, ${version}`,
          ours: costOf(`${version} ${model}`),
          theirs: costOf(`${version} official`),
        },
        kind === 'text' ? GOALS[chunk]?.[model] : undefined,
      ),
    ),
  );
  if (kind !== 'text') return figures;
  const limits = VERSIONS.flatMap(version =>
    (['limit', 'limit with a stream', 'eventsource-parser'] as const).map(rival =>
      toShare(
        {
          name: `${of}: ${version} bare`,
          rival: RIVALS[rival],
          ours: costOf(`${version} bare`),
          theirs: costOf(rival),
        },
        rival === 'limit' && chunk === '16 KiB' ? 1.6 : undefined,
      ),
    ),
  );
  return [...figures, ...limits];
}

const RIVALS = {
  limit: 'decode, split, `JSON.parse`',
  'limit with a stream': 'decode, split, `JSON.parse`, stream',
  'eventsource-parser': '`eventsource-parser`, `JSON.parse`',
};
