import { describe } from 'vitest';
import type { WireEvent } from '../../_sse.js';
import {
  functionCall,
  message,
  reasoning,
  toItemEvents,
  toResponse,
  toStream,
} from './_fixtures/wire-events.js';
import { changeItems, inTerminal, testServer, WEATHER, weather, without } from './_servers.js';

describe('responses of servers for open models', () => {
  testServer(
    'reads vLLM, whose call ids and item ids change between the deltas and the end',
    toStream([weather]).map(
      changeItems((item, event) =>
        event.type === 'response.output_item.added'
          ? item
          : { ...item, id: `late_${event.type}`, ...(inTerminal(event) && { call_id: 'call_late' }) },
      ),
    ),
    { calls: [WEATHER], finishReason: 'tool-calls' },
  );

  testServer(
    'reads vLLM, whose reasoning ends with another output index and without an id',
    toStream([reasoning({ text: 'Rome, then.' }), message(['In Rome.'])])
      .map(changeItems(item => (item.type === 'reasoning' ? { ...item, id: null } : item)))
      .map(event =>
        event.type === 'response.output_item.done' && event.output_index === 0
          ? { ...event, output_index: 8 }
          : event,
      )
      .map(event => (event.type.startsWith('response.reasoning') ? { ...event, item_id: null } : event)),
    { reasoning: ['Rome, then.'], texts: ['In Rome.'], finishReason: 'stop' },
  );

  testServer(
    'reads vLLM, which does not announce an item before its deltas',
    toStream([reasoning({ text: 'Rome, then.' }), message(['In Rome.'])]).filter(
      ({ type }) => type !== 'response.output_item.added',
    ),
    { reasoning: ['Rome, then.'], texts: ['In Rome.'], finishReason: 'stop' },
  );

  testServer(
    'reads vLLM, which increments the content index with every delta',
    toStream([reasoning({ text: 'Rome it is then.' }), message(['In Rome, of course.'])]).map(
      (event, content_index) => (event.type.endsWith('text.delta') ? { ...event, content_index } : event),
    ),
    { reasoning: ['Rome it is then.'], texts: ['In Rome, of course.'], finishReason: 'stop' },
  );

  testServer(
    'reads vLLM, which sends an empty message before a call, and events unknown to the API',
    toStream([message(['\n\n']), weather]).flatMap(event =>
      event.type === 'response.output_item.added'
        ? [
            {
              type: 'response.reasoning_part.added',
              output_index: event.output_index,
              part: { type: 'reasoning_text' },
            },
            event,
          ]
        : [event],
    ),
    { texts: ['\n\n'], calls: [WEATHER], finishReason: 'tool-calls' },
  );

  testServer(
    'reads responses.js, which announces every item at index 0, in data lines only',
    toStream([message(['One moment.']), weather]).map(event =>
      event.type === 'response.output_item.added' ? { ...event, output_index: 0 } : event,
    ),
    { texts: ['One moment.'], calls: [WEATHER], finishReason: 'tool-calls' },
    { eventLine: 'none' },
  );

  testServer(
    'reads responses.js, which never closes a message that a call follows, and sends empty call ids',
    toStream([message(['One moment.']), weather])
      .filter(({ type, output_index }) => type !== 'response.output_item.done' || output_index !== 0)
      .map(changeItems(item => (item.type === 'function_call' ? { ...item, call_id: '' } : item))),
    { texts: ['One moment.'], calls: [{ ...WEATHER, id: 'fc_1' }], finishReason: 'tool-calls' },
    { eventLine: 'none' },
  );

  testServer(
    'reads Ollama, whose message is never done and shares its output index with the call',
    toStream([message(['One moment.']), weather])
      .filter(({ type, output_index }) => type !== 'response.output_item.done' || output_index !== 0)
      .map(event => ('output_index' in event ? { ...event, output_index: 0 } : event)),
    { texts: ['One moment.'], calls: [WEATHER], finishReason: 'tool-calls' },
  );

  testServer(
    'reads Ollama, which reuses an output index for a second batch of calls',
    [
      ...toStream([]).slice(0, 2),
      ...toItemEvents(weather, 0),
      ...toItemEvents(functionCall('get_time', '{"zone":"CET"}', { id: 'fc_2', callId: 'call_2' }), 0),
      { type: 'response.completed', response: toResponse([], { output: [] }) },
    ],
    {
      calls: [WEATHER, { id: 'call_2', name: 'get_time', input: '{"zone":"CET"}' }],
      finishReason: 'tool-calls',
    },
  );

  testServer(
    'reads Ollama, which streams a summary without announcing its part, and sends it as encrypted content',
    toStream([reasoning({ summary: ['Rome it is'], encrypted: 'Rome it is' }), message(['In Rome.'])])
      .filter(({ type }) => !type.includes('summary_part'))
      .map(without('summary_index')),
    { reasoning: ['Rome it is'], texts: ['In Rome.'], finishReason: 'stop' },
  );

  testServer(
    'reads llama.cpp, which sends neither indexes nor ids of calls, and ends all items at the very end',
    (() => {
      const events = toStream([
        reasoning({ text: 'Rome, then.', encrypted: '' }),
        message(['One moment.']),
        weather,
      ])
        .map(without('output_index', 'content_index', 'sequence_number'))
        .filter(({ type }) => !/arguments\.done|reasoning_text\.done|in_progress/.test(type))
        .map(
          changeItems(item => (item.type === 'function_call' ? without('id')(item as WireEvent, 0) : item)),
        )
        .map(event => (event.item_id === 'fc_1' ? { ...event, item_id: 'call_1' } : event))
        .map(event =>
          event.type === 'response.created'
            ? { ...event, response: { id: 'resp_1', object: 'response', status: 'in_progress' } }
            : event,
        );
      const isDone = ({ type }: WireEvent) => type === 'response.output_item.done';
      return [
        ...events.filter(event => !isDone(event)).slice(0, -1),
        ...events.filter(isDone),
        ...events.slice(-1),
      ];
    })(),
    {
      reasoning: ['Rome, then.'],
      texts: ['One moment.'],
      calls: [WEATHER],
      finishReason: 'tool-calls',
    },
  );

  testServer(
    'reads llama.cpp, whose usage has no details',
    toStream([message(['Hi'])], { usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } }),
    { texts: ['Hi'], usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 }, finishReason: 'stop' },
  );

  testServer(
    'reads Lemonade, which sends no index with any event',
    toStream([reasoning({ summary: ['Rome', 'it is'] }), message(['One moment.']), weather]).map(
      without('output_index', 'content_index'),
    ),
    { reasoning: ['Rome', 'it is'], texts: ['One moment.'], calls: [WEATHER], finishReason: 'tool-calls' },
  );

  testServer(
    'reads LM Studio, which sends arguments only when they are done',
    toStream([reasoning({ text: 'Rome, then.' }), message(['One moment.']), weather]).filter(
      ({ type }) => type !== 'response.function_call_arguments.delta',
    ),
    { reasoning: ['Rome, then.'], texts: ['One moment.'], calls: [WEATHER], finishReason: 'tool-calls' },
  );
});
