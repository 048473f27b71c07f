import type { LanguageModelV2 } from '@ai-sdk/provider';
import { adaptModel } from 'kelivo-responses/adapters';
import { OPTIONS } from '../_models.js';
import { drain } from '../_transport.js';
import { createWritingModel } from '../_writing-model.js';
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

/**
 * Measures each format on each path: the stream of the adapted model compared to the stream of the model itself, and to
 * a text of half the length. The fastest sample of each side counts. The model only creates parts, so its stream is the
 * cheapest that an adapter can have: streams of endpoints take several times as long.
 */
export async function measureTextFormats({ textFormats, ...scale }: Scale): Promise<Figure[]> {
  const length = textFormats * 1024;
  const shares: Figure[] = [];
  const growth: Figure[] = [];
  for (const [path, write] of Object.entries(PATHS)) {
    for (const [format, calls] of Object.entries(WRITTEN_CALLS)) {
      const text = write(calls, length);
      const half = write(calls, length / 2);
      if (text === undefined || half === undefined) continue;
      const model = createWritingModel(text, calls.modelId);
      const { adapted, bare, shorter } = await compare(
        {
          adapted: reading(adaptModel(model)),
          bare: reading(model),
          shorter: reading(adaptModel(createWritingModel(half, calls.modelId))),
        },
        { samples: Math.min(scale.samples, 3), warmUp: Math.min(scale.warmUp, 1), time: 'processor' },
      );
      const ours = [Math.min(...adapted)];
      shares.push(
        toShare({
          name: `${path}: ${format}`,
          rival: 'model without an adapter',
          ours,
          theirs: [Math.min(...bare)],
        }),
      );
      growth.push(
        toShare({ name: `${path}: ${format}`, rival: 'half the text', ours, theirs: [Math.min(...shorter)] }),
      );
    }
  }
  const paths = Object.keys(PATHS).flatMap(path => [
    ...toSlowest(shares, { path, atMost: 4 }),
    ...toSlowest(growth, { path, atMost: 2.3 }),
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

const reading =
  (model: LanguageModelV2): Contender =>
  async () =>
    drain((await model.doStream(OPTIONS)).stream);
