import { describe } from 'vitest';
import type { WireEvent } from '../../_sse.js';
import {
  functionCall,
  message,
  reasoning,
  toInterleavedStream,
  toStream,
  USAGE,
} from './_fixtures/wire-events.js';
import { changeItems, inTerminal, testServer, WEATHER, weather } from './_servers.js';

describe('responses of hosted services', () => {
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
    'reads the Codex backend, whose terminal response has an empty output',
    toStream([reasoning({ summary: ['Rome it is'] }), weather], { output: [] }),
    { reasoning: ['Rome it is'], calls: [WEATHER], finishReason: 'tool-calls' },
  );

  testServer(
    'reads AWS Bedrock, whose event line follows its data',
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
    'reads xAI, which ends items in a different order than it starts them',
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
    'reads a gateway that runs tools itself, with several lifecycles in one stream',
    [
      ...toStream([message(['Let me look.'], { id: 'msg_1' })]),
      ...toStream([message(['In Rome.'], { id: 'msg_2' })]).map(event =>
        'response' in event ? { ...event, response: { ...(event.response as object), id: 'resp_2' } } : event,
      ),
    ],
    {
      texts: ['Let me look.', 'In Rome.'],
      usage: { inputTokens: 150, outputTokens: 80 },
      finishReason: 'stop',
    },
    { doneMarker: true },
  );

  testServer(
    'treats `response.done` as the end of a response',
    toStream([message(['Hi'])]).map(event =>
      inTerminal(event) ? { ...event, type: 'response.done' } : event,
    ),
    { texts: ['Hi'], usage: { inputTokens: USAGE.input_tokens }, finishReason: 'stop' },
  );

  testServer(
    'ignores keep-alive events',
    toStream([message(['Hi there'])]).flatMap((event, n) => [
      event,
      { type: 'keepalive', sequence_number: n },
      { type: 'response.keep_alive' },
    ]),
    { texts: ['Hi there'], finishReason: 'stop' },
  );

  testServer(
    'uses the event line if the data has no type',
    toStream([message(['Hi'])]),
    { texts: ['Hi'], finishReason: 'stop' },
    { typeInData: false },
  );
});
