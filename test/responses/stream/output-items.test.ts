import { describe } from 'vitest';
import { functionCall, message, toInterleavedStream, toStream } from './_fixtures/wire-events.js';
import { testServer, without } from './_servers.js';

const calls = ['a', 'b'].map(n =>
  functionCall(`tool_${n}`, `{"${n}":1}`, { id: `fc_${n}`, callId: `call_${n}` }),
);

describe('OutputItems', () => {
  testServer(
    'goes by the item id where the output index contradicts it',
    toInterleavedStream(calls).map(event =>
      event.type === 'response.output_item.added'
        ? { ...event, output_index: 1 - Number(event.output_index) }
        : event,
    ),
    {
      calls: [
        { id: 'call_a', name: 'tool_a', input: '{"a":1}' },
        { id: 'call_b', name: 'tool_b', input: '{"b":1}' },
      ],
      finishReason: 'tool-calls',
    },
  );

  // Gemini through LiteLLM sends deltas with another id than that of their message (BerriAI/litellm#19125).
  testServer(
    'takes the only open item where an id is unknown and there is no index',
    toStream([message(['One moment.'])])
      .map(without('output_index'))
      .map(event => ('item_id' in event ? { ...event, item_id: 'other' } : event)),
    { texts: ['One moment.'], finishReason: 'stop' },
  );
});
