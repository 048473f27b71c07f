import type { LanguageModelV2 } from '@ai-sdk/provider';
import { ANSWER_KINDS, type AnswerKind, toAnswer } from '../_answers.js';
import { readAtLimit, readWithEventsourceParser, streamAtLimit } from '../_limit.js';
import {
  createAdaptedModel,
  createBareModel,
  createLoopModel,
  createOfficialModel,
  OPTIONS,
} from '../_models.js';
import { answering, drain } from '../_transport.js';
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

/** How many times faster than the official model each of ours has to be, by the size of the chunks. */
const GOALS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '512 B': { bare: 4, 'tool loop': 3.5, 'tool loop and adapter': 2.5 },
  '16 KiB': { bare: 5, 'tool loop': 3.5, 'tool loop and adapter': 2.5 },
  whole: { bare: 4, 'tool loop': 3.5, 'tool loop and adapter': 2.5 },
};

/** An answer of many deltas, drained from `doStream`. */
export async function measureStream(scale: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const kind of ANSWER_KINDS) {
    for (const chunks of CHUNKS) figures.push(...(await measureAnswer(kind, chunks, scale)));
  }
  return figures;
}

async function measureAnswer(kind: AnswerKind, { name: chunk, size }: Chunks, scale: Scale) {
  const fetch = answering(toAnswer(kind, scale.deltas), { size });
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
  'limit with a stream': 'the same and a stream of the results',
  'eventsource-parser': '`eventsource-parser`, `JSON.parse`',
};
