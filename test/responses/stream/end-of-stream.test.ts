import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { errorOf, hello, toBytes } from './_broken.js';
import { functionCall, message, toStream } from './_fixtures/wire-events.js';

/** Returns the events up to and including the first of a type. */
const upTo = (events: readonly WireEvent[], type: string) =>
  events.slice(0, events.findIndex(event => event.type === type) + 1);

const NO_USAGE = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

describe('a response without a terminal event', () => {
  forEachChunking(
    'ends with a retryable error after its parts, with usage',
    toSse(hello.slice(0, -1)),
    async chunks => {
      const parts = await readParts(chunks);
      const error = errorOf(parts);
      expect(error.message).toBe(
        'Expected a Responses API response from http://server.test/v1/responses to end with "response.completed", ' +
          'but the stream ended after "response.output_item.done". ' +
          'The connection probably broke; the request can be retried.',
      );
      expect(error.isRetryable).toBe(true);
      expect(summarize(parts)).toMatchObject({ texts: ['Hello there'], usage: NO_USAGE });
    },
  );

  forEachChunking(
    'is an error even if [DONE] arrives',
    toSse(hello.slice(0, -1), { doneMarker: true }),
    async chunks => {
      expect(errorOf(await readParts(chunks)).isRetryable).toBe(true);
    },
  );

  forEachChunking(
    'is an error if the terminal event is truncated',
    toSse(hello).slice(0, -40),
    async chunks => {
      expect(errorOf(await readParts(chunks)).isRetryable).toBe(true);
    },
  );

  it('is an error if a second lifecycle has begun', async () => {
    const events = [...hello, ...toStream([message(['More'])]).slice(0, -1)];
    const parts = await readParts(toBytes(toSse(events)));
    expect(errorOf(parts).message).toContain('the stream ended after "response.output_item.done"');
  });

  forEachChunking(
    'does not pass a truncated call to the host',
    toSse(
      upTo(toStream([functionCall('rm', '{"path":"/tmp/abc"}')]), 'response.function_call_arguments.delta'),
    ),
    async chunks => {
      const parts = await readParts(chunks);
      errorOf(parts);
      expect(summarize(parts).calls).toEqual([]);
      expect(parts.map(({ type }) => type)).toContain('tool-input-end');
    },
  );

  it('does not pass on a call with complete arguments that were not declared done', async () => {
    const events = toStream([functionCall('rm', '{}')]).filter(
      ({ type }) => !type.endsWith('arguments.done'),
    );
    const parts = await readParts(toBytes(toSse(upTo(events, 'response.function_call_arguments.delta'))));
    errorOf(parts);
    expect(summarize(parts).calls).toEqual([]);
  });

  it('reports why the connection broke', async () => {
    const waiting = toBytes(toSse(hello.slice(0, 6)));
    const broken = new Error('socket hang up');
    const parts = await readParts([], {
      read: async () => {
        const next = waiting.shift();
        if (next === undefined) throw broken;
        return next;
      },
    });
    expect(summarize(parts)).toMatchObject({
      errors: [broken],
      finishReason: 'error',
      texts: ['Hello there'],
    });
  });
});

describe('events after the terminal event', () => {
  const late = toStream([message(['More.'], { id: 'msg_2' }), functionCall('add', '{}')]).slice(2, -1);
  forEachChunking('add no text and no call', toSse([...hello, ...late]), async chunks => {
    expect(summarize(await readParts(chunks))).toMatchObject({
      texts: ['Hello there'],
      calls: [],
      finishReason: 'stop',
    });
  });
});
