import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, type ItemScript, toStream } from './_fixtures/wire-events.js';

const read = (events: readonly WireEvent[]) => readParts([new TextEncoder().encode(toSse(events))]);

const changeItems = (script: ItemScript, change: Record<string, unknown>): ItemScript => ({
  ...script,
  begun: { ...script.begun, ...change },
  item: { ...script.item, ...change },
});

const streamedInput = (parts: readonly LanguageModelV2StreamPart[]): string =>
  parts.map(part => (part.type === 'tool-input-delta' ? part.delta : '')).join('');

describe('FunctionCallItem', () => {
  forEachChunking(
    'emits arguments as they arrive and the call when they are complete',
    toSse(toStream([functionCall('search', '{"q":"a b c"}')])),
    async chunks => {
      const parts = await readParts(chunks);
      expect(parts.filter(({ type }) => type.startsWith('tool-'))).toEqual([
        { type: 'tool-input-start', id: 'call_1', toolName: 'search' },
        { type: 'tool-input-delta', id: 'call_1', delta: '{"q":"a' },
        { type: 'tool-input-delta', id: 'call_1', delta: ' b c"}' },
        { type: 'tool-input-end', id: 'call_1' },
        {
          type: 'tool-call',
          toolCallId: 'call_1',
          toolName: 'search',
          input: '{"q":"a b c"}',
          providerMetadata: { openai: { itemId: 'fc_1' } },
        },
      ]);
    },
  );

  // earendil-works/pi#917: LM Studio sends `{}` in the closing item.
  describe.each(['{}', '', 'null', ' { } ', undefined, null, {}])('keeps the arguments beside %j', empty => {
    const { begun, item, deltas } = functionCall('add', '{"a":1}');
    const emptied = { ...item, arguments: empty };
    const done = { type: 'response.function_call_arguments.done', item_id: item.id, arguments: '{"a":1}' };

    it.each<[string, WireEvent[]]>([
      ['in the closing item, after deltas', toStream([{ begun, deltas, item: emptied }])],
      [
        'in the closing item, after the event of the arguments',
        toStream([{ begun, deltas: [{ ...done, output_index: 0 }], item: emptied }]),
      ],
      [
        'in the last event',
        toStream([{ begun, deltas, item }]).map(event =>
          event.type === 'response.completed'
            ? { ...event, response: { ...(event.response as object), output: [emptied] } }
            : event,
        ),
      ],
      [
        'in the last event, without a closing item',
        toStream([{ begun, deltas, item }]).flatMap(event => {
          if (event.type === 'response.output_item.done') return [];
          return event.type === 'response.completed'
            ? [{ ...event, response: { ...(event.response as object), output: [emptied] } }]
            : [event];
        }),
      ],
      ['in the event of the arguments', toStream([{ begun, deltas: [{ ...done, arguments: empty }], item }])],
    ])('%s', async (_, events) => {
      const { calls } = summarize(await read(events));
      expect(calls).toEqual([{ id: 'call_1', name: 'add', input: '{"a":1}' }]);
    });
  });

  it('restores the original name of a tool', async () => {
    const body = toSse(toStream([functionCall('files_read', '{}')]));
    const parts = await readParts([new TextEncoder().encode(body)], {
      toToolName: name => name.replace('_', '.'),
    });
    expect(parts.filter(part => 'toolName' in part)).toMatchObject([
      { toolName: 'files.read' },
      { toolName: 'files.read' },
    ]);
  });

  it('accepts arguments that are an object', async () => {
    const { begun, item } = functionCall('add', '');
    const script = { begun, item: { ...item, arguments: { a: 1 } }, deltas: [] };
    const [call] = summarize(await read(toStream([script]))).calls;
    expect(call).toEqual({ id: 'call_1', name: 'add', input: '{"a":1}' });
  });

  it('decides at the end of the response whether a call with partial arguments is complete', async () => {
    const { begun, item, deltas } = functionCall('add', '{"a":');
    const script = { begun, item: { ...item, status: undefined }, deltas: deltas.slice(0, -1) };
    const truncated = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(summarize(await read(toStream([script], truncated)))).toMatchObject({
      calls: [],
      finishReason: 'length',
    });
    expect(summarize(await read(toStream([script])))).toMatchObject({
      calls: [{ id: 'call_1', name: 'add', input: '{"a":' }],
      finishReason: 'tool-calls',
    });
  });

  it('converts blank arguments to an empty object', async () => {
    const events = toStream([functionCall('now', ' \n ')]);
    expect(summarize(await read(events)).calls).toEqual([{ id: 'call_1', name: 'now', input: '{}' }]);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['null', null],
  ])('uses the item id if the call id is %s', async (_, call_id) => {
    const events = toStream([changeItems(functionCall('now', '{}', { id: 'fc_9' }), { call_id })]);
    expect(summarize(await read(events)).calls).toEqual([{ id: 'fc_9', name: 'now', input: '{}' }]);
  });

  it('generates an id if there is none', async () => {
    const events = toStream([changeItems(functionCall('now', '{}'), { call_id: '', id: '' })]);
    expect(summarize(await read(events)).calls).toEqual([{ id: 'generated-0', name: 'now', input: '{}' }]);
  });

  it('accepts a finished item without a status', async () => {
    const events = toStream([changeItems(functionCall('now', '{"a":1}'), { status: undefined })]);
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":1}' }]);
  });

  it('prefers the arguments of the finished item to the streamed ones', async () => {
    const events = toStream([functionCall('now', '{"a":1}')]).map(event =>
      event.type === 'response.function_call_arguments.done' ? { ...event, arguments: '{"a":2}' } : event,
    );
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":1}' }]);
  });

  it('prefers the arguments of the done event to the deltas', async () => {
    const events = toStream([functionCall('now', '{"a":1}')], { output: [] }).filter(
      ({ type, delta }) => type !== 'response.output_item.done' && delta === undefined,
    );
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":1}' }]);
  });

  it('uses the deltas if the complete response contains no arguments', async () => {
    const events = toStream([functionCall('now', '{"a":1}')], { output: [] }).filter(
      ({ type }) => !/arguments\.done|item\.done/.test(type),
    );
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":1}' }]);
  });

  it.each([
    ['{"a": 1, "b": [1, 2]}', '{"a":1,"b":[1,2]}'],
    ['{}', ''],
    ['', '{}'],
    ['{"a":1}', ''],
  ])('emits a call once if its arguments are %j in the stream and %j at the end', async (streamed, final) => {
    const { item } = functionCall('now', final, { id: 'fc_other', callId: 'call_other' });
    const events = toStream([functionCall('now', streamed)], { output: [item] });
    expect(summarize(await read(events)).calls).toMatchObject([{ id: 'call_1' }]);
  });

  it('emits a call once if the terminal response contains other arguments', async () => {
    const { item } = functionCall('now', '{"a":2}');
    const events = toStream([functionCall('now', '{"a":1}')], { output: [item] });
    expect(summarize(await read(events)).calls).toEqual([{ id: 'call_1', name: 'now', input: '{"a":1}' }]);
  });

  it('emits a call once if its deltas are encrypted and its arguments are never declared done', async () => {
    const events = toStream([functionCall('now', '{"a":1}')])
      .filter(({ type }) => type !== 'response.function_call_arguments.done')
      .map(event =>
        event.type === 'response.function_call_arguments.delta' ? { ...event, delta: 'gAAAAABo' } : event,
      );
    expect(summarize(await read(events)).calls).toEqual([{ id: 'call_1', name: 'now', input: '{"a":1}' }]);
  });

  it('passes on arguments that are not JSON', async () => {
    const events = toStream([functionCall('now', '{"a":')]);
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":' }]);
  });

  it('emits no arguments that do not begin an object before the final ones arrive', async () => {
    const events = toStream([functionCall('now', '{"a":1}')]).map(event =>
      event.type === 'response.function_call_arguments.delta' ? { ...event, delta: 'gAAAAABo' } : event,
    );
    const parts = await read(events);
    expect(streamedInput(parts)).toBe('{"a":1}');
    expect(summarize(parts).calls).toMatchObject([{ input: '{"a":1}' }]);
  });
});
