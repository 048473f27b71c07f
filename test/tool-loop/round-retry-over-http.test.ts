import { jsonSchema, stepCountIs, streamText, tool } from 'ai7';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';

const callItem = (id: string, name: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name,
  arguments: '{}',
  status: 'completed',
});

const toCallEvents = (item: ReturnType<typeof callItem>, output_index: number) => [
  {
    type: 'response.output_item.added',
    output_index,
    item: { ...item, arguments: '', status: 'in_progress' },
  },
  { type: 'response.function_call_arguments.delta', output_index, item_id: item.id, delta: '{}' },
  { type: 'response.function_call_arguments.done', output_index, item_id: item.id, arguments: '{}' },
  { type: 'response.output_item.done', output_index, item },
];

const toResponseEvents = (id: string, output: object[], events: object[]) => [
  { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
  ...events,
  {
    type: 'response.completed',
    response: {
      id,
      status: 'completed',
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    },
  },
];

const look = callItem('look', 'look');
const pay = callItem('pay', 'pay');
const payAgain = callItem('pay_again', 'pay');
const answer = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'All is paid.', annotations: [] }],
};

const rounds = [
  toResponseEvents('resp_1', [look, pay], [...toCallEvents(look, 0), ...toCallEvents(pay, 1)]),
  toResponseEvents('resp_2', [payAgain], toCallEvents(payAgain, 0)),
  toResponseEvents(
    'resp_3',
    [answer],
    [
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...answer, content: [], status: 'in_progress' },
      },
      {
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: 0,
        item_id: 'msg_1',
        delta: 'All is ',
      },
      {
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: 0,
        item_id: 'msg_1',
        delta: 'paid.',
      },
      { type: 'response.output_item.done', output_index: 0, item: answer },
    ],
  ),
];

/** The ways in which a server breaks a response. */
const endings = {
  'a closed connection': [],
  'an error event': [{ type: 'error', error: { code: 'server_is_overloaded', message: 'Overloaded.' } }],
  'response.failed': [
    {
      type: 'response.failed',
      response: {
        id: 'resp_x',
        status: 'failed',
        output: [],
        error: { code: 'server_error', message: 'Failed.' },
      },
    },
  ],
};

describe.each(Object.entries(endings))(
  'under ai 7 with `streamRetries`, a response that ends with %s',
  (_, ending) => {
    const cuts = rounds.flatMap((events, round) =>
      events.slice(1).map((_event, index) => [round, index + 1] as const),
    );

    it.each(cuts)('runs each paid call once: round %i, event %i', async (round, cut) => {
      let next = 0;
      let isCut = false;
      const { url, requests } = await serve(response => {
        const events = rounds[next] ?? [];
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (next === round && !isCut) {
          isCut = true;
          response.end(toSse([...events.slice(0, cut), ...ending] as never));
          return;
        }
        next++;
        response.end(toSse(events as never));
      });
      const ran: string[] = [];
      const inputSchema = { type: 'object' as const, properties: {} };
      const provider = createKelivoResponsesProvider({
        baseURL: `${url}/v1`,
        apiKey: 'test-key',
        tools: {
          look: {
            inputSchema: jsonSchema(inputSchema),
            readOnly: true,
            execute: async () => (ran.push('look'), 'seen'),
          },
          pay: { inputSchema: jsonSchema(inputSchema), execute: async () => (ran.push('pay'), 'paid') },
        },
        toolLoop: { retry: { initialDelay: 0 } },
      });
      const errors: unknown[] = [];
      const result = streamText({
        model: provider('gpt-5'),
        prompt: 'Pay twice.',
        streamRetries: 2,
        maxRetries: 2,
        stopWhen: stepCountIs(5),
        tools: { unused: tool({ inputSchema: jsonSchema(inputSchema) }) },
        onError: ({ error }) => void errors.push(error),
      });
      expect(await result.text).toMatch(/All is paid\.$/);
      expect(errors).toEqual([]);
      expect(ran.filter(name => name === 'pay')).toHaveLength(2);
      expect(ran.filter(name => name === 'look').length).toBeLessThanOrEqual(2);
      expect(requests).toHaveLength(4);
    });
  },
);
