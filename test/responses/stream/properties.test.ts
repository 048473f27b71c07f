import { describe, expect, it } from 'vitest';
import { splitRandomly } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import fc from '../../_property.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import {
  functionCall,
  type ItemScript,
  message,
  reasoning,
  toItemEvents,
  toResponse,
} from './_fixtures/wire-events.js';

/** The content of a response, before it is encoded as events. */
type ContentItem =
  | { kind: 'message'; parts: string[] }
  | { kind: 'reasoning'; summary: string[]; encrypted: string | undefined }
  | { kind: 'call'; name: string; input: Record<string, unknown> };

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const contentItem: fc.Arbitrary<ContentItem> = fc.oneof(
  fc.record({ kind: fc.constant('message' as const), parts: fc.array(text, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    kind: fc.constant('reasoning' as const),
    summary: fc.array(text, { maxLength: 3 }),
    encrypted: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('call' as const),
    name: fc.constantFrom('add', 'read_file', 'search'),
    input: fc.dictionary(
      fc.string({ maxLength: 8 }),
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
      {
        maxKeys: 3,
      },
    ),
  }),
);
const response = fc.array(contentItem, { minLength: 1, maxLength: 5 });

const toScript = (item: ContentItem, index: number): ItemScript => {
  switch (item.kind) {
    case 'message':
      return message(item.parts, { id: `msg_${index}` });
    case 'reasoning':
      return reasoning({ id: `rs_${index}`, summary: item.summary, encrypted: item.encrypted });
    case 'call':
      return functionCall(item.name, JSON.stringify(item.input), {
        id: `fc_${index}`,
        callId: `call_${index}`,
      });
  }
};

/** The parts that must result from any encoding. */
const expectedOf = (items: readonly ContentItem[]) => ({
  texts: items.flatMap(item => (item.kind === 'message' ? [item.parts.join('')] : [])),
  reasoning: items.flatMap(item => (item.kind === 'reasoning' ? [item.summary.join('')] : [])).join(''),
  calls: items.flatMap((item, index) =>
    item.kind === 'call'
      ? [{ id: `call_${index}`, name: item.name, input: JSON.parse(JSON.stringify(item.input)) as unknown }]
      : [],
  ),
  finishReason: items.some(item => item.kind === 'call') ? 'tool-calls' : 'stop',
});

async function read(
  events: readonly WireEvent[],
  { seed, framing = {} }: { seed: number; framing?: object },
) {
  const parts = await readParts(splitRandomly(toSse(events, framing), { seed, longest: 1 + (seed % 200) }));
  const { texts, reasoning: thoughts, calls, finishReason, usage, errors } = summarize(parts);
  return {
    content: {
      texts: [...texts].sort(),
      reasoning: [...thoughts].sort().join(''),
      calls: calls
        .map(call => ({ ...call, input: JSON.parse(call.input) as unknown }))
        .sort((a, b) => a.id.localeCompare(b.id)),
      finishReason,
    },
    usage,
    errors,
  };
}

/** Sorts items for comparison: items that are open together may end in any order. */
const inAnyOrder = (items: readonly ContentItem[]) => {
  const expected = expectedOf(items);
  const blocks = items.flatMap(item =>
    item.kind === 'reasoning' ? (item.summary.length > 0 ? item.summary : ['']) : [],
  );
  return {
    texts: [...expected.texts].sort(),
    reasoning: blocks.sort().join(''),
    calls: [...expected.calls].sort((a, b) => a.id.localeCompare(b.id)),
    finishReason: expected.finishReason,
  };
};

const toEvents = (items: readonly ContentItem[]): WireEvent[][] => items.map(toScript).map(toItemEvents);

const framed = (
  items: readonly ContentItem[],
  middle: readonly WireEvent[],
  output = items.map(toScript),
): WireEvent[] => [
  { type: 'response.created', response: { ...toResponse([]), status: 'in_progress' } },
  ...middle,
  { type: 'response.completed', response: toResponse(output) },
];

/** Fields that a server may omit from every event of a stream. */
const OPTIONAL_FIELDS = [
  'sequence_number',
  'content_index',
  'obfuscation',
  'logprobs',
  'annotations',
  'status',
  'role',
];

/** Events that a server may omit. */
const OPTIONAL_EVENTS = [
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.done',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_part.done',
  'response.reasoning_summary_text.done',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
];

const without = (value: unknown, fields: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map(entry => without(entry, fields));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !fields.has(name))
      .map(([name, entry]) => [name, without(entry, fields)]),
  );
};

/** Interleaves queues according to `picks`. The order within a queue stays the same. */
function interleave(queues: readonly WireEvent[][], picks: readonly number[]): WireEvent[] {
  const left = queues.map(queue => [...queue]);
  const events: WireEvent[] = [];
  for (let turn = 0; left.some(queue => queue.length > 0); turn++) {
    const filled = left.filter(queue => queue.length > 0);
    const queue = filled[(picks[turn % picks.length] ?? 0) % filled.length];
    const event = queue?.shift();
    if (event !== undefined) events.push(event);
  }
  return events;
}

const seed = fc.integer({ min: 0, max: 1_000_000 });
const usage = {
  inputTokens: 75,
  outputTokens: 40,
  totalTokens: 115,
  reasoningTokens: 30,
  cachedInputTokens: 25,
};

// Every run uses the same seed; FC_SEED selects another one.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_121) });

describe('a valid stream produces the same content', () => {
  it('in any chunking and framing, without any optional field or event', async () => {
    await fc.assert(
      fc.asyncProperty(
        response,
        seed,
        fc.subarray(OPTIONAL_FIELDS),
        fc.subarray(OPTIONAL_EVENTS),
        fc.constantFrom('none' as const, 'output_index' as const, 'item_id' as const),
        fc.record({
          eventLine: fc.constantFrom('before' as const, 'after' as const, 'none' as const),
          doneMarker: fc.boolean(),
          comment: fc.option(fc.constant('keep-alive'), { nil: undefined }),
        }),
        async (items, chunkSeed, fields, omitted, name, framing) => {
          const dropped = new Set([...fields, name]);
          const middle = toEvents(items)
            .flat()
            .filter(event => !omitted.includes(event.type))
            .map(event => without(event, dropped) as WireEvent);
          const result = await read(framed(items, middle), { seed: chunkSeed, framing });
          expect(result).toEqual({ content: inAnyOrder(items), usage, errors: [] });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('with its items open at the same time, in any order of their events', async () => {
    await fc.assert(
      fc.asyncProperty(
        response,
        seed,
        fc.array(fc.nat(5), { minLength: 1, maxLength: 40 }),
        fc.constantFrom('none', 'item_id'),
        async (items, chunkSeed, picks, name) => {
          const middle = interleave(toEvents(items), picks).map(
            event => without(event, new Set([name])) as WireEvent,
          );
          const result = await read(framed(items, middle), { seed: chunkSeed });
          expect(result).toEqual({ content: inAnyOrder(items), usage, errors: [] });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('if items are announced late or only the terminal response finishes them', async () => {
    await fc.assert(
      fc.asyncProperty(
        response,
        seed,
        fc.constantFrom('response.output_item.added', 'response.output_item.done'),
        async (items, chunkSeed, missing) => {
          const middle = toEvents(items)
            .flat()
            .filter(event => event.type !== missing);
          const result = await read(framed(items, middle), { seed: chunkSeed });
          expect(result).toEqual({ content: inAnyOrder(items), usage, errors: [] });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('if only the terminal response arrives, and if its output is empty', async () => {
    await fc.assert(
      fc.asyncProperty(response, seed, fc.boolean(), async (items, chunkSeed, hasEvents) => {
        const events = hasEvents ? framed(items, toEvents(items).flat(), []) : framed(items, []);
        const result = await read(events, { seed: chunkSeed });
        expect(result).toEqual({ content: inAnyOrder(items), usage, errors: [] });
      }),
      { numRuns: 200 },
    );
  });
});
