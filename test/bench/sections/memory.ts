import type { LanguageModelV2 } from '@ai-sdk/provider';
import { toSse } from '../../_sse.js';
import {
  toItemEvents,
  message,
  toResponse as toResponseObject,
} from '../../responses/stream/_fixtures/wire-events.js';
import { createBareModel, createLoopModel, createOfficialModel, OPTIONS } from '../_models.js';
import { toResponse } from '../_transport.js';
import type { Figure } from '../figure.js';
import type { Scale } from '../scale.js';

const MEGABYTE = 2 ** 20;
/** Maximum growth while streaming in megabytes. */
const GROWTH_LIMIT = 20;
/** Allows for code and caches that the engine keeps, in megabytes. */
const RETAINED_LIMIT = 1;

/** Measures heap growth while a very long response is read, and what remains after it. The response is created lazily. */
export async function measureMemory({ memoryDeltas }: Scale): Promise<Figure[]> {
  const models = { official: createOfficialModel, bare: createBareModel, 'tool loop': createLoopModel };
  const measured: Record<string, Measured> = {};
  for (const [name, create] of Object.entries(models)) {
    const read = (deltas: number) =>
      measureHeap(
        create(async () => toResponse(toChunks(deltas))),
        deltas,
      );
    // Excludes what the first response loads and compiles.
    await read(memoryDeltas / 20);
    measured[name] = await read(memoryDeltas);
  }
  const { official } = measured;
  return ['bare', 'tool loop'].flatMap((name): Figure[] => {
    const ours = measured[name];
    if (ours === undefined || official === undefined) return [];
    const toFigure = (what: string, kind: keyof Measured, atMost: number): Figure => ({
      name: `${memoryDeltas.toLocaleString('en-US')} deltas, ${name}: ${what}`,
      rival: 'official model',
      value: ours[kind],
      unit: 'MB',
      goal: { atMost },
      measured: `${ours[kind].toFixed(1)} MB / ${official[kind].toFixed(1)} MB`,
    });
    return [
      toFigure('growth while streaming', 'growth', GROWTH_LIMIT),
      toFigure('retained after the turn', 'retained', RETAINED_LIMIT),
    ];
  });
}

/** In megabytes. */
interface Measured {
  readonly growth: number;
  readonly retained: number;
}

async function measureHeap(model: LanguageModelV2, deltas: number): Promise<Measured> {
  const before = collectedHeap();
  let highest = before;
  let count = 0;
  const { stream } = await model.doStream(OPTIONS);
  for await (const { type } of stream) {
    if (type !== 'text-delta' || ++count % Math.ceil(deltas / 20) !== 0) continue;
    highest = Math.max(highest, collectedHeap());
  }
  await new Promise(resolve => setTimeout(resolve, 10));
  return { growth: (highest - before) / MEGABYTE, retained: (collectedHeap() - before) / MEGABYTE };
}

/** Returns the size of the heap without garbage, in bytes. */
export function collectedHeap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const WORDS_PER_CHUNK = 100;

/** Yields a message in chunks of the body. */
function* toChunks(deltas: number): Generator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  const [added, ...events] = toItemEvents(message(['word '.repeat(WORDS_PER_CHUNK)]), 0);
  const words = events.filter(({ type }) => type === 'response.output_text.delta');
  const created = { type: 'response.created', response: { ...toResponseObject([]), status: 'in_progress' } };
  yield encoder.encode(toSse([created, ...(added === undefined ? [] : [added])]));
  for (let sent = 0; sent < deltas; sent += WORDS_PER_CHUNK) {
    yield encoder.encode(
      toSse(words.map((event, index) => ({ ...event, delta: `${(sent + index) % 1000} ` }))),
    );
  }
  yield encoder.encode(toSse([{ type: 'response.completed', response: toResponseObject([]) }]));
  return undefined;
}
