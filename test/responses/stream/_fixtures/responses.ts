import type { WireEvent } from '../../../_sse.js';
import {
  functionCall,
  type ItemScript,
  message,
  reasoning,
  toInterleavedStream,
  toResponse,
  toStream,
} from './wire-events.js';

/** One response in both wire formats, and the parts that a host must receive from either. */
export interface ResponseFixture {
  readonly title: string;
  readonly events: readonly WireEvent[];
  readonly response: Record<string, unknown>;
  readonly expected: {
    readonly texts?: string[];
    readonly reasoning?: string[];
    readonly calls?: { id: string; name: string; input: string }[];
    readonly sources?: string[];
    readonly finishReason: string;
  };
}

const fixture = (
  title: string,
  scripts: readonly ItemScript[],
  expected: ResponseFixture['expected'],
  { interleaved = false, terminal = {} }: { interleaved?: boolean; terminal?: Record<string, unknown> } = {},
): ResponseFixture => ({
  title,
  events: interleaved ? toInterleavedStream(scripts) : toStream(scripts, terminal),
  response: toResponse(scripts, terminal),
  expected,
});

const incomplete = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason } });

/** A call in which the response was truncated: no `arguments.done`, and an incomplete item. */
function truncatedCall(): ItemScript {
  const { begun, item, deltas } = functionCall('write_file', '{"path":"a.txt","content":"It was');
  return { begun, item: { ...item, status: 'incomplete' }, deltas: deltas.slice(0, -1) };
}

const page = (url: string, start_index: number) => ({
  type: 'url_citation',
  url,
  title: `About ${url}`,
  start_index,
  end_index: start_index + 5,
});

export const RESPONSE_FIXTURES: readonly ResponseFixture[] = [
  fixture('text', [message(['Grüße aus Zürich 🏔️, und 你好!'])], {
    texts: ['Grüße aus Zürich 🏔️, und 你好!'],
    finishReason: 'stop',
  }),
  fixture('several content parts as one text', [message(['First part. ', 'Second part.'])], {
    texts: ['First part. Second part.'],
    finishReason: 'stop',
  }),
  fixture('two messages', [message(['One.'], { id: 'msg_1' }), message(['Two.'], { id: 'msg_2' })], {
    texts: ['One.', 'Two.'],
    finishReason: 'stop',
  }),
  fixture(
    'a reasoning summary of several parts',
    [
      reasoning({ summary: ['**Plan** look first', '**Act** then leap'], encrypted: 'gAAAA-final' }),
      message(['Done.']),
    ],
    { reasoning: ['**Plan** look first', '**Act** then leap'], texts: ['Done.'], finishReason: 'stop' },
  ),
  fixture('encrypted reasoning without text', [reasoning({ encrypted: 'gAAAA-final' }), message(['Done.'])], {
    reasoning: [''],
    texts: ['Done.'],
    finishReason: 'stop',
  }),
  fixture('reasoning as full text', [reasoning({ text: 'Let me think. 12 times 12 …' }), message(['144'])], {
    reasoning: ['Let me think. 12 times 12 …'],
    texts: ['144'],
    finishReason: 'stop',
  }),
  fixture(
    'reasoning as full text and as a summary',
    [reasoning({ text: 'First this, then that.', summary: ['Order'] }), message(['Fine.'])],
    { reasoning: ['First this, then that.', 'Order'], texts: ['Fine.'], finishReason: 'stop' },
  ),
  fixture(
    'the same reasoning as full text and as a summary',
    [reasoning({ text: 'First this, then that.', summary: ['First this, then that.'] }), message(['Fine.'])],
    { reasoning: ['First this, then that.'], texts: ['Fine.'], finishReason: 'stop' },
  ),
  fixture('a function call', [functionCall('get_weather', '{"city":"Zürich","days":2}')], {
    calls: [{ id: 'call_1', name: 'get_weather', input: '{"city":"Zürich","days":2}' }],
    finishReason: 'tool-calls',
  }),
  fixture('a call without arguments', [functionCall('now', '')], {
    calls: [{ id: 'call_1', name: 'now', input: '{}' }],
    finishReason: 'tool-calls',
  }),
  fixture(
    'parallel calls with interleaved events',
    [
      functionCall('get_weather', '{"city":"Rome"}', { id: 'fc_1', callId: 'call_1' }),
      functionCall('get_weather', '{"city":"Oslo, the capital"}', { id: 'fc_2', callId: 'call_2' }),
      functionCall('get_time', '{}', { id: 'fc_3', callId: 'call_3' }),
    ],
    {
      // In the order in which they are complete.
      calls: [
        { id: 'call_3', name: 'get_time', input: '{}' },
        { id: 'call_1', name: 'get_weather', input: '{"city":"Rome"}' },
        { id: 'call_2', name: 'get_weather', input: '{"city":"Oslo, the capital"}' },
      ],
      finishReason: 'tool-calls',
    },
    { interleaved: true },
  ),
  fixture(
    'reasoning, text and a call',
    [reasoning({ summary: ['Look it up'] }), message(['One moment.']), functionCall('search', '{"q":"x"}')],
    {
      reasoning: ['Look it up'],
      texts: ['One moment.'],
      calls: [{ id: 'call_1', name: 'search', input: '{"q":"x"}' }],
      finishReason: 'tool-calls',
    },
  ),
  fixture('a refusal as text', [message([{ refusal: "I'm sorry, I can't help with that." }])], {
    texts: ["I'm sorry, I can't help with that."],
    finishReason: 'content-filter',
  }),
  fixture(
    'citations of pages, one of them repeated, and of a file',
    [
      message([
        {
          text: 'As described here and there and here.',
          annotations: [
            page('https://a.test/', 3),
            page('https://b.test/', 12),
            page('https://a.test/', 20),
            { type: 'file_citation', file_id: 'file-1', filename: 'notes.txt', index: 9 },
          ],
        },
      ]),
    ],
    {
      texts: ['As described here and there and here.'],
      sources: ['https://a.test/', 'https://b.test/', 'https://a.test/', 'notes.txt'],
      finishReason: 'stop',
    },
  ),
  fixture(
    'a response that the token limit truncates within arguments, without the call',
    [message(['Writing.']), truncatedCall()],
    { texts: ['Writing.'], finishReason: 'length' },
    { terminal: incomplete('max_output_tokens') },
  ),
  fixture(
    'a response that the content filter stops',
    [message(['Once upon'])],
    { texts: ['Once upon'], finishReason: 'content-filter' },
    { terminal: incomplete('content_filter') },
  ),
];
