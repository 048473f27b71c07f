import { describe, expect, it } from 'vitest';
import { createItemGroups } from '../../../playground/web/traces/event-items.js';
import type { WireEvent } from '../../../playground/shared/trace.js';

const toEvents = (...all: readonly object[]): WireEvent[] =>
  all.map((data, at) => ({ at, name: String((data as { type?: string } | null)?.type), data }));

const added = {
  type: 'response.output_item.added',
  output_index: 0,
  item: { id: 'fc_1', type: 'function_call' },
};
const toDelta = (delta: string, fields: object = { output_index: 0 }) => ({
  type: 'response.function_call_arguments.delta',
  delta,
  ...fields,
});

describe('the items of a stream', () => {
  it('grow with their events, and events of no item stay between them', () => {
    const group = createItemGroups();
    const events = toEvents({ type: 'response.created', response: {} }, added, toDelta('{"a"'));
    expect(group(events)).toMatchObject([1, { numbers: [2, 3], text: '{"a"', isComplete: false }]);
    const more = [
      ...events,
      ...toEvents(
        toDelta(':1}', { item_id: 'x', output_index: 0 }),
        { type: 'keepalive' },
        { type: 'response.output_item.done', output_index: 0, item: { type: 'function_call', name: 'get' } },
      ),
    ];

    expect(group(more)).toMatchObject([
      1,
      { numbers: [2, 3, 4, 6], text: '{"a":1}', value: { name: 'get' }, isComplete: true },
      5,
    ]);
    expect(group(toEvents(added))).toMatchObject([{ numbers: [1], text: '' }]);
  });

  it('are also made of the parts of the AI SDK', () => {
    const events = toEvents(
      { type: 'tool-input-start', id: 'call_1', toolName: 'get' },
      { type: 'text-start', id: 'call_1' },
      { type: 'tool-input-delta', id: 'call_1', delta: '{}' },
      { type: 'tool-input-end', id: 'call_1' },
      { type: 'tool-call', toolCallId: 'call_1' },
    );

    expect(createItemGroups()(events)).toMatchObject([
      { numbers: [1, 3, 4], text: '{}', value: { type: 'tool-input', name: 'get' }, isComplete: true },
      { numbers: [2], text: '', value: { type: 'text' }, isComplete: false },
      5,
    ]);
  });

  it('have the text of servers without deltas, and of servers without an index', () => {
    const group = createItemGroups();
    const done = { type: 'response.output_text.done', item_id: 'msg_1', text: 'Yes.' };

    expect(group(toEvents(done, 'text' as never, null as never))).toMatchObject([
      { key: 'msg_1', text: 'Yes.' },
      2,
      3,
    ]);
  });
});
