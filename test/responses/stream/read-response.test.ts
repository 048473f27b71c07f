import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { RESPONSE_FIXTURES } from './_fixtures/responses.js';
import { message, toResponse, toStream } from './_fixtures/wire-events.js';

const USAGE = {
  inputTokens: 75,
  outputTokens: 40,
  totalTokens: 115,
  reasoningTokens: 30,
  cachedInputTokens: 25,
};

describe('readResponse', () => {
  for (const { title, events, response, expected } of RESPONSE_FIXTURES) {
    const whole = { texts: [], reasoning: [], calls: [], sources: [], errors: [], usage: USAGE, ...expected };

    forEachChunking(`streams ${title}`, toSse(events), async chunks => {
      expect(summarize(await readParts(chunks))).toEqual(whole);
    });

    forEachChunking(`reads ${title} from a JSON document`, JSON.stringify(response), async chunks => {
      const summary = summarize(await readParts(chunks));
      // A document has the calls in the order of the output, a stream in the order in which they end.
      const byId = (calls: typeof summary.calls) => calls.toSorted((a, b) => a.id.localeCompare(b.id));
      expect({ ...summary, calls: byId(summary.calls) }).toEqual({ ...whole, calls: byId(whole.calls) });
    });
  }

  forEachChunking('emits the response metadata once', toSse(toStream([message(['Hi'])])), async chunks => {
    const parts = await readParts(chunks);
    expect(parts.filter(({ type }) => type === 'response-metadata')).toEqual([
      {
        type: 'response-metadata',
        id: 'resp_1',
        modelId: 'test-model-2025-06-15',
        timestamp: new Date(1_750_000_000_000),
      },
    ]);
  });

  it('adds a raw part for every event if requested', async () => {
    const events = toStream([message(['Hi there'])]);
    const parts = await readParts([new TextEncoder().encode(toSse(events, { doneMarker: true }))], {
      includeRawChunks: true,
    });
    expect(parts.filter(part => part.type === 'raw').map(({ rawValue }) => rawValue)).toEqual(events);
  });

  it('adds the response id and the service tier to the metadata of the finish', async () => {
    const events = toStream([message(['Hi'])], { service_tier: 'flex' });
    const parts = await readParts([new TextEncoder().encode(toSse(events))]);
    expect(parts.at(-1)).toMatchObject({
      providerMetadata: { openai: { responseId: 'resp_1', serviceTier: 'flex' } },
    });
  });

  it('collects the log probabilities of the text', async () => {
    const logprobs = [{ token: 'Hi', logprob: -0.1, top_logprobs: [] }];
    const events = toStream([message(['Hi'])]).map(event =>
      event.type === 'response.output_text.delta' ? { ...event, logprobs } : event,
    );
    const parts = await readParts([new TextEncoder().encode(toSse(events))]);
    expect(parts.at(-1)).toMatchObject({ providerMetadata: { openai: { logprobs: [logprobs] } } });
  });

  forEachChunking(
    'ignores a byte order mark and blank lines before the first event',
    `\uFEFF\r\n\n${toSse(toStream([message(['Hi'])]))}`,
    async chunks => {
      expect(summarize(await readParts(chunks))).toMatchObject({ texts: ['Hi'], errors: [] });
    },
  );

  forEachChunking(
    'reads a JSON document after a byte order mark and white space',
    `\uFEFF \n${JSON.stringify(toResponse([message(['Hi'])]))}\n`,
    async chunks => {
      expect(summarize(await readParts(chunks))).toMatchObject({ texts: ['Hi'], errors: [] });
    },
  );

  it('waits for the end of a body only for a limited time after the terminal event', async () => {
    const limits: (number | undefined)[] = [];
    const waiting = [new TextEncoder().encode(toSse(toStream([message(['Hi'])])))];
    const parts = await readParts([], {
      read: async limit => {
        limits.push(limit?.within);
        const next = waiting.shift();
        // Simulates a server that keeps the connection open until the limit.
        if (next === undefined) throw new Error('timed out');
        return next;
      },
    });
    expect(limits).toEqual([undefined, 1_000]);
    expect(summarize(parts)).toMatchObject({ texts: ['Hi'], errors: [], finishReason: 'stop' });
  });

  it('reads comments only for a limited time after the terminal event', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const bytes = (text: string) => new TextEncoder().encode(text);
    const limits: (number | undefined)[] = [];
    const next = toStream([message(['More.'], { id: 'msg_2' })], { id: 'resp_2' });
    const parts = await readParts([], {
      read: async limit => {
        limits.push(limit?.within);
        now += 400;
        if (limits.length > 10) throw new Error('It is read without an end.');
        if (limits.length === 1) return bytes(toSse(toStream([message(['Hi'])])));
        return bytes(limits.length === 3 ? toSse(next) : ': ping\n\n');
      },
    });
    // The limit begins again with another response.
    expect(limits).toEqual([undefined, 1_000, 600, 1_000, 600, 200]);
    expect(summarize(parts)).toMatchObject({ texts: ['Hi', 'More.'], errors: [], finishReason: 'stop' });
  });

  it('does not wait for the end of a body after `[DONE]`', async () => {
    let reads = 0;
    const body = new TextEncoder().encode(toSse(toStream([message(['Hi'])]), { doneMarker: true }));
    const parts = await readParts([], { read: async () => (reads++ === 0 ? body : new Promise(() => {})) });
    expect(summarize(parts)).toMatchObject({ finishReason: 'stop' });
  });
});
