import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, toStream } from './_fixtures/wire-events.js';

const TWO_CALLS = JSON.stringify({
  tool_uses: [
    { recipient_name: 'functions.get_weather', parameters: { city: 'Rome' } },
    { recipient_name: 'get_time', parameters: {} },
  ],
});

const declaring = (...names: string[]) => ({
  declared: { names: new Set(names), nameById: new Map(), undeclared: 'full' as const },
});

const streamOf = (name: string, args: string) => toSse(toStream([functionCall(name, args)]));

describe('a call that wraps several', () => {
  for (const name of ['parallel', 'multi_tool_use.parallel']) {
    forEachChunking(
      `is emitted as those calls if its name is ${name}`,
      streamOf(name, TWO_CALLS),
      async chunks => {
        const { calls, finishReason } = summarize(await readParts(chunks));
        expect(calls).toEqual([
          { id: 'call_1_1', name: 'get_weather', input: '{"city":"Rome"}' },
          { id: 'call_1_2', name: 'get_time', input: '{}' },
        ]);
        expect(finishReason).toBe('tool-calls');
      },
    );
  }

  it('is an ordinary call if the host declared a tool with that name', async () => {
    const chunks = [new TextEncoder().encode(streamOf('parallel', TWO_CALLS))];
    const { calls } = summarize(await readParts(chunks, declaring('parallel')));
    expect(calls).toEqual([{ id: 'call_1', name: 'parallel', input: TWO_CALLS }]);
  });

  it.each(['{"tool_uses":[]}', '{"tool_uses":[{"parameters":{}}]}', '{"a":1}', '{"tool_uses":'])(
    'is passed on unchanged if it wraps no calls (%s)',
    async args => {
      const { calls } = summarize(await readParts([new TextEncoder().encode(streamOf('parallel', args))]));
      expect(calls).toEqual([{ id: 'call_1', name: 'parallel', input: args }]);
    },
  );
});
