import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createPartStream } from '../../src/parts/part-stream.js';
import { type PartTransformer, transformParts } from '../../src/parts/transform.js';
import { collect } from '../_parts.js';

type Part = LanguageModelV2StreamPart;

const delta = (text: string): Part => ({ type: 'text-delta', id: '0', delta: text });

const textOf = (parts: readonly Part[]): string =>
  parts.map(part => (part.type === 'text-delta' ? part.delta : `<${part.type}>`)).join('');

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

/** The kinds of streams that a transformer can receive. */
const origins: Record<string, (parts: readonly Part[]) => ReadableStream<Part>> = {
  'written synchronously': parts => createPartStream(async ({ write }) => parts.forEach(write)),
  'written one by one': parts =>
    createPartStream(async ({ write, ready }) => {
      for (const part of parts) {
        write(part);
        await (ready() ?? new Promise(resolve => setImmediate(resolve)));
      }
    }),
  'of another package': parts =>
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    }),
};

describe.each(Object.keys(origins))('transformParts of a stream %s', origin => {
  const toStream = (parts: readonly Part[]) => origins[origin]?.(parts) ?? new ReadableStream<Part>();

  it('contains the parts that the transformer emits, and those that it flushes at the end', async () => {
    const stream = transformParts(toStream(deltas('abxxc')), createTransformer());
    expect(textOf(await collect(stream))).toBe('abbc');
  });

  it('applies two transformers one after the other', async () => {
    const once = transformParts(toStream(deltas('abc')), createTransformer());
    expect(textOf(await collect(transformParts(once, createTransformer())))).toBe('abbbbc');
  });

  it('closes if all parts are dropped', async () => {
    const stream = transformParts(toStream(deltas('x'.repeat(500))), { part: () => {} });
    expect(await collect(stream)).toEqual([]);
  });
});

describe('transformParts', () => {
  it('passes a part to a waiting reader before the next one is written', async () => {
    let writeMore = () => {};
    const source = createPartStream(async ({ write }) => {
      write(delta('a'));
      await new Promise<void>(resolve => {
        writeMore = resolve;
      });
    });
    const reader = transformParts(source, { part: (part, emit) => emit(part) }).getReader();
    expect((await reader.read()).value).toEqual(delta('a'));
    const end = reader.read();
    writeMore();
    expect((await end).done).toBe(true);
  });

  it.each(['part', 'flush'] as const)(
    'ends both streams if `%s` throws, after the parts that were emitted before',
    async hook => {
      const failure = new Error('no transformer of such parts');
      const reasons: unknown[] = [];
      const source = createPartStream(
        async ({ write }) => {
          deltas('abc').forEach(write);
          if (hook === 'part') await new Promise(() => {});
        },
        { onCancel: reason => void reasons.push(reason) },
      );
      const fail = () => {
        throw failure;
      };
      const stream = transformParts(source, {
        part(part, emit) {
          if (hook === 'part' && part.type === 'text-delta' && part.delta === 'c') fail();
          emit(part);
        },
        ...(hook === 'flush' && { flush: fail }),
      });
      const reader = stream.getReader();
      const said: Part[] = [];
      const reading = (async () => {
        for (;;) {
          const { value } = await reader.read();
          if (value !== undefined) said.push(value);
        }
      })();
      await expect(reading).rejects.toBe(failure);
      expect(textOf(said)).toBe(hook === 'part' ? 'ab' : 'abc');
      expect(reasons).toEqual([failure]);
    },
  );

  it('fails with the error of its source, without a flush', async () => {
    const failure = new Error('broken');
    const source = createPartStream(async ({ write }) => {
      write(delta('a'));
      throw failure;
    });
    const stream = transformParts(source, createTransformer());
    await expect(collect(stream)).rejects.toBe(failure);
  });

  it('cancels its source, even during a pending read', async () => {
    const reasons: unknown[] = [];
    const source = createPartStream(() => new Promise(() => {}), {
      onCancel: reason => void reasons.push(reason),
    });
    const reader = transformParts(source, createTransformer()).getReader();
    const read = reader.read();
    await reader.cancel('enough');
    expect((await read).done).toBe(true);
    expect(reasons).toEqual(['enough']);
  });
});
