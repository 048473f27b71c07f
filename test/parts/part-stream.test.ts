import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createPartStream } from '../../src/parts/part-stream.js';
import { collect } from '../_parts.js';

const part = (id: number): LanguageModelV2StreamPart => ({ type: 'text-delta', id: String(id), delta: '' });

const parts = (count: number) => Array.from({ length: count }, (_, id) => part(id));

/** Waits for some turns of the event loop, in which all pending callbacks run. */
async function flushCallbacks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
}

describe('createPartStream', () => {
  it.each([0, 1, 63, 64, 65, 1000])('streams %i parts in order and closes', async count => {
    const stream = createPartStream(async sink => {
      for (const each of parts(count)) {
        sink.write(each);
        await sink.ready();
      }
    });
    expect(await collect(stream)).toEqual(parts(count));
  });

  it('streams any number of parts that are written synchronously', async () => {
    const stream = createPartStream(async sink => parts(1000).forEach(sink.write));
    expect(await collect(stream)).toEqual(parts(1000));
  });

  it('passes a part to a waiting reader before the next one is written', async () => {
    let writeMore = () => {};
    const stream = createPartStream(async sink => {
      sink.write(part(0));
      await new Promise<void>(resolve => {
        writeMore = resolve;
      });
      sink.write(part(1));
    });
    const reader = stream.getReader();
    expect((await reader.read()).value).toEqual(part(0));
    const next = reader.read();
    await flushCallbacks();
    writeMore();
    expect((await next).value).toEqual(part(1));
    expect((await reader.read()).done).toBe(true);
  });

  it('pauses a producer that is far ahead of its reader, and resumes it when the reader catches up', async () => {
    let produced = 0;
    const stream = createPartStream(async sink => {
      for (; produced < 1000; produced++) {
        sink.write(part(produced));
        await sink.ready();
      }
    });
    await flushCallbacks();
    expect(produced).toBeLessThan(100);
    expect(await collect(stream)).toEqual(parts(1000));
    expect(produced).toBe(1000);
  });

  it('fails with the error of the producer after the written parts', async () => {
    const failure = new Error('no more');
    const stream = createPartStream(async sink => {
      sink.write(part(0));
      throw failure;
    });
    const reader = stream.getReader();
    expect((await reader.read()).value).toEqual(part(0));
    await expect(reader.read()).rejects.toBe(failure);
  });

  it('reports a cancellation, and resumes a paused producer', async () => {
    const reasons: unknown[] = [];
    let ended = false;
    const stream = createPartStream(
      async sink => {
        for (const each of parts(1000)) {
          sink.write(each);
          await sink.ready();
        }
        ended = true;
      },
      { onCancel: reason => reasons.push(reason) },
    );
    const reader = stream.getReader();
    await reader.read();
    await flushCallbacks();
    expect(ended).toBe(false);
    await reader.cancel('enough');
    await flushCallbacks();
    expect(reasons).toEqual(['enough']);
    expect(ended).toBe(true);
  });

  it('ignores an error of the producer after a cancellation', async () => {
    let fail = () => {};
    const stream = createPartStream(async () => {
      await new Promise((_, reject) => {
        fail = () => reject(new Error('too late'));
      });
    });
    await stream.cancel();
    fail();
    // An unhandled rejection would fail the run.
    await flushCallbacks();
    expect(await stream.getReader().read()).toEqual({ done: true, value: undefined });
  });
});
