import type { LanguageModelV2 } from '@ai-sdk/provider';
import { createFamilyModel, OPTIONS } from '../_models.js';
import { toTextBody } from '../_responses.js';
import { drain, respondWith } from '../_transport.js';
import { WRITTEN_CALLS, type WrittenCalls } from '../_written-calls.js';
import { compare, type Contender } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

/** The paths of a parser. Each returns a text of about `length` characters, or undefined if the format has no such text. */
const PATHS: Readonly<Record<string, (format: WrittenCalls, length: number) => string | undefined>> = {
  prose: (_, length) => fill(PROSE, length),
  'one call': ({ call }, length) => call('write_file', fill(LINE, length)),
  'undeclared tool': ({ call }, length) => call('unknown', fill(LINE, length)),
  'unclosed call': ({ call }, length) => call('write_file', fill(LINE, length)).slice(0, length),
  'fenced calls': ({ call }, length) => `\`\`\`\n${fill(`${call('write_file', 'x').trim()}\n`, length)}`,
  'many calls': ({ call }, length) => fill(call('write_file', 'x'), length),
  'many undeclared calls': ({ call }, length) => fill(call('unknown', 'x'), length),
  'open reasoning': ({ think }, length) =>
    think === undefined ? undefined : `${think}\n${fill(PROSE, length)}`,
  'calls in open reasoning': ({ think, call }, length) =>
    think === undefined ? undefined : `${think}\n${fill(`Hm. ${call('write_file', 'x')}Then `, length)}`,
  'single quotes': ({ call }, length) =>
    call('write_file', '').includes('{"')
      ? call('write_file', fill(LINE, length)).replaceAll('"', "'")
      : undefined,
};

const PROSE = 'The quick brown fox (a < b) jumps over it. It has a lazy dog, and "quotes".\n';
const LINE = 'if (a < b && c) return x; // a line of a program, ';

const fill = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** The size of the chunks of a response. */
const CHUNK = 16 * 1024;

const MOST_SHARE = 4;
const MOST_GROWTH = 2.3;

/** The number of samples of each figure, whatever they show. Their median counts. A trial has fewer. */
const SAMPLES = 5;

/**
 * Measures each parser on each path: the stream of a model with adapters compared to the stream without, and to a text
 * of half the length. Both are streams of the provider, which reads events with deltas of four characters. Each
 * figure has the same number of samples, of which the median counts. The environment variable `FORMATS`, a regular expression, selects rows of `WRITTEN_CALLS`.
 */
export async function measureTextFormats({ textFormats, samples, formats }: Scale): Promise<Figure[]> {
  const length = textFormats * 1024;
  const chosen = new RegExp(process.env.FORMATS ?? '');
  const shares: Figure[] = [];
  const growth: Figure[] = [];
  for (const [path, write] of Object.entries(PATHS)) {
    let count = 0;
    for (const [format, calls] of Object.entries(WRITTEN_CALLS)) {
      if (!chosen.test(format) || count === formats) continue;
      const text = calls.like === undefined ? write(calls, length) : undefined;
      const half = text && write(calls, length / 2);
      if (text === undefined || half === undefined) continue;
      count++;
      const contenders = toContenders({ modelId: calls.modelId, text, half });
      const { adapted, bare, shorter } = await compare(contenders, {
        samples: Math.min(SAMPLES, samples),
        warmUp: Math.min(1, samples - 1),
        time: 'processor',
      });
      const name = `${path}: ${format}`;
      shares.push(toShare({ name, rival: 'no adapter', ours: adapted, theirs: bare }));
      growth.push(toShare({ name, rival: 'half the text', ours: adapted, theirs: shorter }));
    }
  }
  const paths = Object.keys(PATHS).flatMap(path => [
    ...toSlowest(shares, { path, atMost: MOST_SHARE }),
    ...toSlowest(growth, { path, atMost: MOST_GROWTH }),
  ]);
  return [...paths, ...shares, ...growth];
}

/** Returns the figure of the slowest format on a path, with a goal. */
function toSlowest(figures: readonly Figure[], { path, atMost }: { path: string; atMost: number }): Figure[] {
  const [slowest] = figures
    .filter(({ name }) => name.startsWith(`${path}: `))
    .sort((a, b) => b.value - a.value);
  return slowest === undefined ? [] : [{ ...slowest, name: `slowest, ${slowest.name}`, goal: { atMost } }];
}

type Contenders = Record<'adapted' | 'bare' | 'shorter', Contender>;

function toContenders({ modelId, text, half }: Record<'modelId' | 'text' | 'half', string>): Contenders {
  const fetch = respondWith(toTextBody(text), { size: CHUNK });
  const fetchHalf = respondWith(toTextBody(half), { size: CHUNK });
  return {
    adapted: reading(createFamilyModel(fetch, { modelId, isAdapted: true })),
    bare: reading(createFamilyModel(fetch, { modelId, isAdapted: false })),
    shorter: reading(createFamilyModel(fetchHalf, { modelId, isAdapted: true })),
  };
}

const reading =
  (model: LanguageModelV2): Contender =>
  async () =>
    drain((await model.doStream(OPTIONS)).stream);
