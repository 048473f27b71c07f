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

const shown = (parts: readonly LanguageModelV2StreamPart[]): string =>
  parts.map(part => (part.type === 'tool-input-delta' ? part.delta : '')).join('');

describe('createFunctionCallItem', () => {
  forEachChunking(
    'shows the arguments as they come and the call when they are complete',
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

  it('gives a tool its own name back', async () => {
    const body = toSse(toStream([functionCall('files_read', '{}')]));
    const parts = await readParts([new TextEncoder().encode(body)], {
      toToolName: name => name.replace('_', '.'),
    });
    expect(parts.filter(part => 'toolName' in part)).toMatchObject([
      { toolName: 'files.read' },
      { toolName: 'files.read' },
    ]);
  });

  it('takes arguments that are an object for what they mean', async () => {
    const { begun, item } = functionCall('add', '');
    const script = { begun, item: { ...item, arguments: { a: 1 } }, deltas: [] };
    const [call] = summarize(await read(toStream([script]))).calls;
    expect(call).toEqual({ id: 'call_1', name: 'add', input: '{"a":1}' });
  });

  it('lets the end of the response tell whether half its arguments are all there is of a call', async () => {
    const { begun, item, deltas } = functionCall('add', '{"a":');
    const script = { begun, item: { ...item, status: undefined }, deltas: deltas.slice(0, -1) };
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(summarize(await read(toStream([script], cut)))).toMatchObject({
      calls: [],
      finishReason: 'length',
    });
    expect(summarize(await read(toStream([script])))).toMatchObject({
      calls: [{ id: 'call_1', name: 'add', input: '{"a":' }],
      finishReason: 'tool-calls',
    });
  });

  it('makes an empty object of arguments that are white space', async () => {
    const events = toStream([functionCall('now', ' \n ')]);
    expect(summarize(await read(events)).calls).toEqual([{ id: 'call_1', name: 'now', input: '{}' }]);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['null', null],
  ])('goes by the item id where the call id is %s', async (_, call_id) => {
    const events = toStream([changeItems(functionCall('now', '{}', { id: 'fc_9' }), { call_id })]);
    expect(summarize(await read(events)).calls).toEqual([{ id: 'fc_9', name: 'now', input: '{}' }]);
  });

  it('makes an id up where there is none at all', async () => {
    const events = toStream([changeItems(functionCall('now', '{}'), { call_id: '', id: '' })]);
    expect(summarize(await read(events)).calls).toEqual([{ id: 'generated-0', name: 'now', input: '{}' }]);
  });

  it('takes a finished item without a status', async () => {
    const events = toStream([changeItems(functionCall('now', '{"a":1}'), { status: undefined })]);
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":1}' }]);
  });

  it('prefers the arguments of the finished item to those that were streamed', async () => {
    const events = toStream([functionCall('now', '{"a":1}')]).map(event =>
      event.type === 'response.function_call_arguments.done' ? { ...event, arguments: '{"a":2}' } : event,
    );
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":1}' }]);
  });

  it('prefers the arguments that are declared done to the sum of the deltas', async () => {
    const events = toStream([functionCall('now', '{"a":1}')], { output: [] }).filter(
      ({ type, delta }) => type !== 'response.output_item.done' && delta === undefined,
    );
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":1}' }]);
  });

  it('goes by the sum of the deltas where a whole response brings nothing else', async () => {
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
  ])('tells a call once whose arguments are %j in the stream and %j at the end', async (streamed, final) => {
    const { item } = functionCall('now', final, { id: 'fc_other', callId: 'call_other' });
    const events = toStream([functionCall('now', streamed)], { output: [item] });
    expect(summarize(await read(events)).calls).toMatchObject([{ id: 'call_1' }]);
  });

  it('tells a call once that has other arguments in the terminal response', async () => {
    const { item } = functionCall('now', '{"a":2}');
    const events = toStream([functionCall('now', '{"a":1}')], { output: [item] });
    expect(summarize(await read(events)).calls).toEqual([{ id: 'call_1', name: 'now', input: '{"a":1}' }]);
  });

  it('tells a call once whose deltas are ciphertext and whose arguments are never declared done', async () => {
    const events = toStream([functionCall('now', '{"a":1}')])
      .filter(({ type }) => type !== 'response.function_call_arguments.done')
      .map(event =>
        event.type === 'response.function_call_arguments.delta' ? { ...event, delta: 'gAAAAABo' } : event,
      );
    expect(summarize(await read(events)).calls).toEqual([{ id: 'call_1', name: 'now', input: '{"a":1}' }]);
  });

  it('passes arguments on that are no JSON', async () => {
    const events = toStream([functionCall('now', '{"a":')]);
    expect(summarize(await read(events)).calls).toMatchObject([{ input: '{"a":' }]);
  });

  it('shows no arguments that do not begin an object, until the final ones are there', async () => {
    const events = toStream([functionCall('now', '{"a":1}')]).map(event =>
      event.type === 'response.function_call_arguments.delta' ? { ...event, delta: 'gAAAAABo' } : event,
    );
    const parts = await read(events);
    expect(shown(parts)).toBe('{"a":1}');
    expect(summarize(parts).calls).toMatchObject([{ input: '{"a":1}' }]);
  });
});
