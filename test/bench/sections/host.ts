import { streamText } from 'ai';
import { streamText as streamText6 } from 'ai6';
import { streamText as streamText7 } from 'ai7';
import { toResponseBody } from '../_responses.js';
import { createVersions } from '../_models.js';
import { respondWith } from '../_transport.js';
import { compare } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

/** `streamText` of each major, which receives models of its version. */
const HOSTS: Readonly<Record<'V2' | 'V3' | 'V4', Host>> = {
  V2: streamText,
  V3: streamText6,
  V4: streamText7,
};

interface Host {
  (options: { model: never; prompt: string }): {
    readonly fullStream: AsyncIterable<{ readonly type: string; readonly error?: unknown }>;
  };
}

/** Measures the response of the stream section through `streamText` of each major of `ai`. */
export async function measureHost(scale: Scale): Promise<Figure[]> {
  const fetch = respondWith(toResponseBody('text', scale.deltas), { size: 16 * 1024 });
  const versions = createVersions(fetch);
  const read = (version: keyof typeof HOSTS, model: unknown) => async () => {
    const { fullStream } = HOSTS[version]({ model: model as never, prompt: 'Write a long text.' });
    for await (const part of fullStream) if (part.type === 'error') throw part.error;
  };
  const figures: Figure[] = [];
  for (const version of ['V2', 'V3', 'V4'] as const) {
    const models = versions[version];
    const costs = await compare(
      {
        official: read(version, models.official),
        bare: read(version, models.bare),
        'tool loop': read(version, models['tool loop']),
      },
      { ...scale, time: 'processor' },
    );
    for (const name of ['bare', 'tool loop'] as const)
      figures.push(
        toShare(
          {
            name: `${version} ${name}`,
            rival: `official model, ${version}`,
            ours: costs[name],
            theirs: costs.official,
          },
          0.85,
        ),
      );
  }
  return figures;
}
