import { describe, expect, it } from 'vitest';
import type { Part } from '../../src/core/part.js';
import {
  createPartSource,
  partsOf,
  type PartSource,
  type PartTransformer,
  sourceOf,
  transformParts,
} from '../../src/core/source.js';

const part = (id: number): Part => ({ type: 'text-delta', id: String(id), delta: '' });

const parts = (count: number) => Array.from({ length: count }, (_, id) => part(id));

async function collect(source: PartSource): Promise<Part[]> {
  const all: Part[] = [];
  for await (const each of partsOf(source)) all.push(each);
  return all;
}

/** Waits for some turns of the event loop, in which all pending callbacks run. */
async function flushCallbacks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
}

describe('sourceOf', () => {
  it.each([0, 3])('returns %i parts in one batch, and nothing after them', async count => {
    const source = sourceOf(parts(count), { request: { body: 1 } });
    expect(source.request).toEqual({ body: 1 });
    if (count > 0) expect(await source.next()).toEqual(parts(count));
    expect(await source.next()).toBeUndefined();
  });

  it('returns nothing after a cancellation', async () => {
    const source = sourceOf(parts(3));
    source.cancel('enough');
    expect(await source.next()).toBeUndefined();
  });
});

describe('createPartSource', () => {
  it.each([0, 1, 63, 64, 65, 1000])('returns %i parts in order and ends', async count => {
    const source = createPartSource(async sink => {
      for (const each of parts(count)) {
        sink.write(each);
        await sink.ready();
      }
    });
    expect(await collect(source)).toEqual(parts(count));
  });

  it('returns any number of parts that are written synchronously', async () => {
    const source = createPartSource(async sink => parts(1000).forEach(sink.write));
    expect(await collect(source)).toEqual(parts(1000));
  });

  it('passes a part to a waiting reader before the next one is written', async () => {
    let writeMore = () => {};
    const source = createPartSource(async sink => {
      sink.write(part(0));
      await new Promise<void>(resolve => {
        writeMore = resolve;
      });
      sink.write(part(1));
    });
    expect(await source.next()).toEqual([part(0)]);
    const next = source.next();
    await flushCallbacks();
    writeMore();
    expect(await next).toEqual([part(1)]);
    expect(await source.next()).toBeUndefined();
  });

  it('pauses a producer that is far ahead of its reader, and resumes it when the reader catches up', async () => {
    let produced = 0;
    const source = createPartSource(async sink => {
      for (; produced < 1000; produced++) {
        sink.write(part(produced));
        await sink.ready();
      }
    });
    await flushCallbacks();
    expect(produced).toBeLessThan(100);
    expect(await collect(source)).toEqual(parts(1000));
    expect(produced).toBe(1000);
  });

  it('fails with the error of the producer after the written parts', async () => {
    const failure = new Error('no more');
    const source = createPartSource(async sink => {
      sink.write(part(0));
      throw failure;
    });
    expect(await source.next()).toEqual([part(0)]);
    await expect(source.next()).rejects.toBe(failure);
  });

  it('reports a cancellation, and resumes a paused producer', async () => {
    const reasons: unknown[] = [];
    let ended = false;
    const source = createPartSource(
      async sink => {
        for (const each of parts(1000)) {
          sink.write(each);
          await sink.ready();
        }
        ended = true;
      },
      { onCancel: reason => reasons.push(reason) },
    );
    await flushCallbacks();
    expect(ended).toBe(false);
    source.cancel('enough');
    await flushCallbacks();
    expect(reasons).toEqual(['enough']);
    expect(ended).toBe(true);
  });

  it('ignores an error of the producer after a cancellation', async () => {
    let fail = () => {};
    const source = createPartSource(async () => {
      await new Promise((_, reject) => {
        fail = () => reject(new Error('too late'));
      });
    });
    source.cancel(undefined);
    fail();
    // An unhandled rejection would fail the run.
    await flushCallbacks();
    expect(await source.next()).toBeUndefined();
  });
});

const delta = (text: string): Part => ({ type: 'text-delta', id: '0', delta: text });

const textOf = (all: readonly Part[]): string =>
  all.map(each => (each.type === 'text-delta' ? each.delta : `<${each.type}>`)).join('');

const deltas = (text: string): Part[] => [...text].map(delta);

/** Delays each letter until the next one, doubles `b` and drops `x`. */
function createTransformer(): PartTransformer {
  let held: Part | undefined;
  return {
    part(part, emit) {
      if (held !== undefined) emit(held);
      held = undefined;
      if (part.type !== 'text-delta') return emit(part);
      if (part.delta === 'x') return;
      if (part.delta === 'b') emit(part);
      held = part;
    },
    flush(emit) {
      if (held !== undefined) emit(held);
    },
  };
}

/** The kinds of sources that a transformer can receive. */
const origins: Record<string, (parts: readonly Part[]) => PartSource> = {
  'written synchronously': all => createPartSource(async ({ write }) => all.forEach(write)),
  'written one by one': all =>
    createPartSource(async ({ write, ready }) => {
      for (const each of all) {
        write(each);
        await (ready() ?? new Promise(resolve => setImmediate(resolve)));
      }
    }),
  'that is complete': all => sourceOf(all),
};

describe.each(Object.entries(origins))('transformParts of a source %s', (_, toSource) => {
  it('contains the parts that the transformer emits, and those that it flushes at the end', async () => {
    const source = transformParts(toSource(deltas('abxxc')), createTransformer());
    expect(textOf(await collect(source))).toBe('abbc');
  });

  it('applies two transformers one after the other', async () => {
    const once = transformParts(toSource(deltas('abc')), createTransformer());
    expect(textOf(await collect(transformParts(once, createTransformer())))).toBe('abbbbc');
  });

  it('ends if all parts are dropped', async () => {
    const source = transformParts(toSource(deltas('x'.repeat(500))), { part: () => {} });
    expect(await collect(source)).toEqual([]);
  });
});

describe('transformParts', () => {
  it('passes a part to a waiting reader before the next one is written', async () => {
    let writeMore = () => {};
    const source = createPartSource(async ({ write }) => {
      write(delta('a'));
      await new Promise<void>(resolve => {
        writeMore = resolve;
      });
    });
    const transformed = transformParts(source, { part: (each, emit) => emit(each) });
    expect(await transformed.next()).toEqual([delta('a')]);
    const end = transformed.next();
    writeMore();
    expect(await end).toBeUndefined();
  });

  it.each(['part', 'flush'] as const)(
    'ends both sources if `%s` throws, after the parts that were emitted before',
    async hook => {
      const failure = new Error('no transformer of such parts');
      const reasons: unknown[] = [];
      const source = createPartSource(
        async ({ write }) => {
          deltas('abc').forEach(write);
          if (hook === 'part') await new Promise(() => {});
        },
        { onCancel: reason => void reasons.push(reason) },
      );
      const fail = () => {
        throw failure;
      };
      const transformed = transformParts(source, {
        part(each, emit) {
          if (hook === 'part' && each.type === 'text-delta' && each.delta === 'c') fail();
          emit(each);
        },
        ...(hook === 'flush' && { flush: fail }),
      });
      const said: Part[] = [];
      const reading = (async () => {
        for await (const each of partsOf(transformed)) said.push(each);
      })();
      await expect(reading).rejects.toBe(failure);
      expect(textOf(said)).toBe(hook === 'part' ? 'ab' : 'abc');
      expect(reasons).toEqual([failure]);
    },
  );

  it('fails with the error of its source, without a flush', async () => {
    const failure = new Error('broken');
    const source = createPartSource(async ({ write }) => {
      write(delta('a'));
      throw failure;
    });
    const transformed = transformParts(source, createTransformer());
    await expect(collect(transformed)).rejects.toBe(failure);
  });

  it('cancels its source, even during a pending read', async () => {
    const reasons: unknown[] = [];
    const source = createPartSource(() => new Promise(() => {}), {
      onCancel: reason => void reasons.push(reason),
    });
    const transformed = transformParts(source, createTransformer());
    const read = transformed.next();
    transformed.cancel('enough');
    expect(await read).toBeUndefined();
    expect(reasons).toEqual(['enough']);
  });
});
