import { describe, expect } from 'vitest';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { type Framing, toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import {
  functionCall,
  message,
  reasoning,
  toInterleavedStream,
  toItemEvents,
  toResponse,
  toStream,
  USAGE,
} from './_fixtures/wire-events.js';

type Change = (event: WireEvent, position: number) => WireEvent;

const WEATHER = { id: 'call_1', name: 'get_weather', input: '{"city":"Rome"}' };
const weather = functionCall('get_weather', '{"city":"Rome"}');

/** One test over all chunkings: what the server does, and what a host must see of it. */
function testServer(
  title: string,
  events: readonly WireEvent[],
  expected: Record<string, unknown>,
  framing?: Framing,
): void {
  forEachChunking(title, toSse(events, framing), async chunks => {
    expect(summarize(await readParts(chunks))).toMatchObject({ errors: [], ...expected });
  });
}

const without =
  (...fields: string[]): Change =>
  event =>
    Object.fromEntries(Object.entries(event).filter(([name]) => !fields.includes(name))) as WireEvent;

/** Applies a change to the item of an event, and to those of the terminal response. */
const changeItems =
  (change: (item: Record<string, unknown>, event: WireEvent) => Record<string, unknown>): Change =>
  event => {
    const { item, response } = event as {
      item?: Record<string, unknown>;
      response?: { output: Record<string, unknown>[] };
    };
    return {
      ...event,
      ...(item !== undefined && { item: change(item, event) }),
      ...(response !== undefined && {
        response: { ...response, output: response.output.map(entry => change(entry, event)) },
      }),
    };
  };

const inTerminal = ({ type }: WireEvent) => type === 'response.completed';

describe('the event mapper', () => {
  testServer(
    'reads GitHub Copilot, whose response id and item ids change with every event',
    toInterleavedStream([reasoning({ summary: ['Rome it is'] }), message(['One moment.']), weather])
      .map((event, n) => ('item_id' in event ? { ...event, item_id: `opaque_${n}` } : event))
      .map((event, n) => changeItems(item => ({ ...item, id: `opaque_${n}_${item.type}` }))(event, n))
      .map((event, n) =>
        'response' in event
          ? { ...event, response: { ...(event.response as object), id: `opaque_${n}` } }
          : event,
      ),
    { reasoning: ['Rome it is'], texts: ['One moment.'], calls: [WEATHER], finishReason: 'tool-calls' },
  );

  testServer(
    'reads GitHub Copilot, whose argument deltas are ciphertext',
    toStream([weather]).map(event =>
      event.type.endsWith('arguments.delta')
        ? { ...event, delta: 'gAAAAABoZx0=', obfuscation: 'gh7' }
        : event,
    ),
    { calls: [WEATHER], finishReason: 'tool-calls' },
  );

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
    'reads vLLM, whose reasoning has another output index at its end and no id',
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
    'reads vLLM, whose content index grows with every delta',
    toStream([reasoning({ text: 'Rome it is then.' }), message(['In Rome, of course.'])]).map(
      (event, content_index) => (event.type.endsWith('text.delta') ? { ...event, content_index } : event),
    ),
    { reasoning: ['Rome it is then.'], texts: ['In Rome, of course.'], finishReason: 'stop' },
  );

  testServer(
    'reads vLLM, which sends an empty message before a call, and events that the API does not have',
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
    'reads the Codex backend, whose terminal response has an empty output',
    toStream([reasoning({ summary: ['Rome it is'] }), weather], { output: [] }),
    { reasoning: ['Rome it is'], calls: [WEATHER], finishReason: 'tool-calls' },
  );

  testServer(
    'reads responses.js, which announces every item at index 0, in data lines alone',
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
    'reads Ollama, which uses an output index again for a second batch of calls',
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

  testServer(
    'reads AWS Bedrock, whose event line stands after its data',
    toStream([message(['Hi'])]),
    { texts: ['Hi'], finishReason: 'stop' },
    { eventLine: 'after' },
  );

  testServer(
    'reads OpenRouter, which sends comments, no event lines, reasoning after the message and [DONE]',
    toStream([message(['In Rome.']), reasoning({ encrypted: 'gAAAA' })]),
    { texts: ['In Rome.'], reasoning: [''], finishReason: 'stop' },
    { eventLine: 'none', doneMarker: true, comment: 'OPENROUTER PROCESSING' },
  );

  testServer(
    'reads xAI, where reasoning and two messages share an id',
    toStream([
      reasoning({ id: 'shared', summary: ['Rome it is'] }),
      message(['In Rome.'], { id: 'shared' }),
      message(['Or in Oslo.'], { id: 'shared' }),
    ]),
    { reasoning: ['Rome it is'], texts: ['In Rome.', 'Or in Oslo.'], finishReason: 'stop' },
  );

  testServer('reads xAI, which may send no usage', toStream([message(['Hi'])], { usage: null }), {
    texts: ['Hi'],
    usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
    finishReason: 'stop',
  });

  testServer(
    'reads xAI, which ends items in another order than it began them',
    (() => {
      const scripts = [1, 2, 3].map(n =>
        functionCall(`tool_${n}`, `{"n":${n}}`, { id: `fc_${n}`, callId: `call_${n}` }),
      );
      const events = toStream(scripts);
      const [first, second, third] = events.filter(({ type }) => type === 'response.output_item.done');
      const others = events.filter(({ type }) => type !== 'response.output_item.done');
      return [...others.slice(0, -1), third, first, second, ...others.slice(-1)].filter(
        event => event !== undefined,
      );
    })(),
    {
      calls: [3, 1, 2].map(n => ({ id: `call_${n}`, name: `tool_${n}`, input: `{"n":${n}}` })),
      finishReason: 'tool-calls',
    },
  );

  testServer(
    'reads the agentic-api gateway, whose last event is a bare response object',
    toStream([message(['Hi'])]).map(event =>
      event.type === 'response.completed' ? (event.response as WireEvent) : event,
    ),
    { texts: ['Hi'], usage: { inputTokens: 75 }, finishReason: 'stop' },
    { eventLine: 'none', doneMarker: true },
  );

  testServer(
    'reads a gateway that runs tools itself, with one lifecycle after the other in a stream',
    [
      ...toStream([message(['Let me look.'], { id: 'msg_1' })]),
      ...toStream([message(['In Rome.'], { id: 'msg_2' })]).map(event =>
        'response' in event ? { ...event, response: { ...(event.response as object), id: 'resp_2' } } : event,
      ),
    ],
    { texts: ['Let me look.', 'In Rome.'], finishReason: 'stop' },
    { doneMarker: true },
  );

  testServer(
    'takes `response.done` for the end of a response',
    toStream([message(['Hi'])]).map(event =>
      inTerminal(event) ? { ...event, type: 'response.done' } : event,
    ),
    { texts: ['Hi'], usage: { inputTokens: USAGE.input_tokens }, finishReason: 'stop' },
  );

  testServer(
    'takes keep-alive events for nothing',
    toStream([message(['Hi there'])]).flatMap((event, n) => [
      event,
      { type: 'keepalive', sequence_number: n },
      { type: 'response.keep_alive' },
    ]),
    { texts: ['Hi there'], finishReason: 'stop' },
  );

  testServer(
    'goes by the event line where the data has no type',
    toStream([message(['Hi'])]),
    { texts: ['Hi'], finishReason: 'stop' },
    { typeInData: false },
  );
});
