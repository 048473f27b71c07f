import { toSse, type WireEvent } from '../_sse.js';
import {
  functionCall,
  message,
  reasoning,
  toResponse,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';
import type { NormalizedPart } from './_normalize-parts.js';

/** One row of the table: a stream that servers send, and a check of what a host receives. */
export interface FeatureRow {
  readonly title: string;
  /** Servers that send such a stream. */
  readonly senders: string;
  readonly body: string;
  readonly isComplete: (parts: readonly NormalizedPart[]) => boolean;
}

const hello = message(['Hello']);
const add = functionCall('add', '{"a":1}');
const has =
  (kind: string, fields: Record<string, unknown> = {}) =>
  (parts: readonly NormalizedPart[]) =>
    parts.some(
      entry => entry.kind === kind && Object.entries(fields).every(([name, value]) => entry[name] === value),
    );
const all =
  (...checks: ((parts: readonly NormalizedPart[]) => boolean)[]) =>
  (parts: readonly NormalizedPart[]) =>
    checks.every(check => check(parts));
const receivesHello = all(has('text', { text: 'Hello' }), has('finish', { reason: 'stop' }));
const receivesCall = all(has('call', { toolName: 'add' }), has('finish', { reason: 'tool-calls' }));
/** The host receives an error, or a rejection that it can retry if nothing was emitted before. `ai` 7 names cut streams. */
const reportsError = (parts: readonly NormalizedPart[]) =>
  has('rejected')(parts) ||
  (has('error')(parts) && ['error', 'interrupted'].some(reason => has('finish', { reason })(parts)));

const edit = (events: readonly WireEvent[], change: (event: WireEvent) => WireEvent | WireEvent[]): string =>
  toSse(events.flatMap(change));
const dropping = (events: readonly WireEvent[], field: string): string =>
  edit(events, event => {
    const { [field]: _, ...rest } = event;
    return rest as WireEvent;
  });
const without = (events: readonly WireEvent[], type: string): string =>
  edit(events, event => (event.type === type ? [] : event));

export const FEATURE_ROWS: readonly FeatureRow[] = [
  {
    title: 'function call without `output_index`',
    senders: 'llama.cpp, Lemonade',
    body: dropping(toStream([add]), 'output_index'),
    isComplete: receivesCall,
  },
  {
    title: 'function call whose item has no `status`',
    senders: 'vLLM',
    body: edit(toStream([add]), event => {
      if (event.type !== 'response.output_item.done') return event;
      const { status: _, ...item } = event.item as Record<string, unknown>;
      return { ...event, item };
    }),
    isComplete: receivesCall,
  },
  {
    title: 'function call without a `call_id`',
    senders: 'responses.js',
    body: edit(toStream([add]), event =>
      event.item === undefined
        ? event
        : { ...event, item: { ...(event.item as object), call_id: undefined } },
    ),
    isComplete: receivesCall,
  },
  {
    title: 'call that only the terminal response contains',
    senders: 'early vLLM',
    body: toSse([
      { type: 'response.created', response: { ...toResponse([]), status: 'in_progress' } },
      { type: 'response.completed', response: toResponse([add]) },
    ]),
    isComplete: receivesCall,
  },
  {
    title: 'text deltas without `item_id`',
    senders: 'OpenAI recordings',
    body: dropping(toStream([hello]), 'item_id'),
    isComplete: receivesHello,
  },
  {
    title: 'text deltas before `output_item.added`',
    senders: 'responses.js',
    body: without(toStream([hello]), 'response.output_item.added'),
    isComplete: receivesHello,
  },
  {
    title: 'terminal response without `usage`',
    senders: 'xAI',
    body: toSse(toStream([hello], { usage: undefined })),
    isComplete: receivesHello,
  },
  {
    title: '`response.created` without `created_at`',
    senders: 'llama.cpp',
    body: edit(toStream([hello]), event =>
      event.type === 'response.created'
        ? { ...event, response: { id: 'resp_1', object: 'response' } }
        : event,
    ),
    isComplete: all(receivesHello, has('response', { id: 'resp_1' })),
  },
  {
    title: 'reasoning as plain text (`reasoning_text`)',
    senders: 'LM Studio, vLLM, DeepSeek',
    body: toSse(toStream([reasoning({ text: 'I think' }), hello])),
    isComplete: all(receivesHello, has('reasoning', { text: 'I think' })),
  },
  {
    title: 'reasoning without `output_item.added`',
    senders: 'GitHub Copilot, xAI',
    body: without(toStream([reasoning({ summary: ['I think'] }), hello]), 'response.output_item.added'),
    isComplete: all(receivesHello, has('reasoning', { text: 'I think' })),
  },
  {
    title: 'refusal',
    senders: 'OpenAI',
    body: toSse(toStream([message([{ refusal: 'No.' }])])),
    isComplete: has('text', { text: 'No.' }),
  },
  {
    title: 'hosted MCP call',
    senders: 'OpenAI',
    body: toSse(
      toStream([
        {
          begun: {
            type: 'mcp_call',
            id: 'mcp_1',
            status: 'in_progress',
            name: 'ask',
            server_label: 'wiki',
            arguments: '',
          },
          item: {
            type: 'mcp_call',
            id: 'mcp_1',
            status: 'completed',
            name: 'ask',
            server_label: 'wiki',
            arguments: '{}',
            output: 'It is.',
          },
          deltas: [],
        },
        hello,
      ]),
    ),
    isComplete: all(receivesHello, has('result', { toolCallId: 'mcp_1' })),
  },
  {
    title: 'stream truncated before its terminal event',
    senders: 'any network',
    body: without(toStream([hello]), 'response.completed'),
    isComplete: reportsError,
  },
  {
    title: '`response.failed`',
    senders: 'OpenAI, responses.js',
    body: edit(toStream([hello]), event =>
      event.type === 'response.completed'
        ? {
            type: 'response.failed',
            response: toResponse([], { status: 'failed', error: { code: 'server_error', message: 'Oops' } }),
          }
        : event,
    ),
    isComplete: reportsError,
  },
  {
    title: '`error` event in its documented flat format',
    senders: 'OpenAI',
    body: edit(toStream([hello]), event =>
      event.type === 'response.completed'
        ? {
            type: 'error',
            code: 'rate_limit_exceeded',
            message: 'Slow down',
            param: null,
            sequence_number: 9,
          }
        : event,
    ),
    isComplete: reportsError,
  },
  {
    title: 'invalid JSON in the middle of a stream',
    senders: 'any proxy',
    body: toSse(toStream([hello])).replace(
      'event: response.in_progress',
      'data: {"type":\n\nevent: response.in_progress',
    ),
    isComplete: all(receivesHello, parts => !has('error')(parts)),
  },
  {
    title: 'chat completions instead of a Responses stream',
    senders: 'Azure deployments',
    body: ['a', 'b', 'c']
      .map(
        content =>
          `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ delta: { content } }] })}\n\n`,
      )
      .join(''),
    isComplete: parts => has('rejected')(parts) && parts.length === 1,
  },
];
