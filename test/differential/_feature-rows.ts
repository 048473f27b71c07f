import { toSse, type WireEvent } from '../_sse.js';
import {
  functionCall,
  message,
  reasoning,
  toResponse,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';
import type { Seen } from './_normalize-parts.js';

/** One row of the README's table: a body that servers really send, and how to tell that it was read. */
export interface FeatureRow {
  readonly what: string;
  /** Who sends such a thing. */
  readonly who: string;
  readonly body: string;
  readonly isRight: (seen: readonly Seen[]) => boolean;
}

const hello = message(['Hello']);
const add = functionCall('add', '{"a":1}');
const has =
  (kind: string, fields: Record<string, unknown> = {}) =>
  (seen: readonly Seen[]) =>
    seen.some(
      entry => entry.kind === kind && Object.entries(fields).every(([name, value]) => entry[name] === value),
    );
const all =
  (...checks: ((seen: readonly Seen[]) => boolean)[]) =>
  (seen: readonly Seen[]) =>
    checks.every(check => check(seen));
const saysHello = all(has('text', { text: 'Hello' }), has('finish', { reason: 'stop' }));
const callsAdd = all(has('call', { toolName: 'add' }), has('finish', { reason: 'tool-calls' }));
/** An error that the host gets to know: before anything was shown, as a rejection that it may repeat. */
const isLoud = (seen: readonly Seen[]) =>
  has('rejected')(seen) || all(has('error'), has('finish', { reason: 'error' }))(seen);

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
    what: 'function call without `output_index`',
    who: 'llama.cpp, Lemonade',
    body: dropping(toStream([add]), 'output_index'),
    isRight: callsAdd,
  },
  {
    what: 'function call whose item has no `status`',
    who: 'vLLM',
    body: edit(toStream([add]), event => {
      if (event.type !== 'response.output_item.done') return event;
      const { status: _, ...item } = event.item as Record<string, unknown>;
      return { ...event, item };
    }),
    isRight: callsAdd,
  },
  {
    what: 'function call without a `call_id`',
    who: 'responses.js',
    body: edit(toStream([add]), event =>
      event.item === undefined
        ? event
        : { ...event, item: { ...(event.item as object), call_id: undefined } },
    ),
    isRight: callsAdd,
  },
  {
    what: 'call that only the terminal response has',
    who: 'early vLLM',
    body: toSse([
      { type: 'response.created', response: { ...toResponse([]), status: 'in_progress' } },
      { type: 'response.completed', response: toResponse([add]) },
    ]),
    isRight: callsAdd,
  },
  {
    what: 'text deltas without `item_id`',
    who: 'OpenAI recordings',
    body: dropping(toStream([hello]), 'item_id'),
    isRight: saysHello,
  },
  {
    what: 'text deltas before `output_item.added`',
    who: 'responses.js',
    body: without(toStream([hello]), 'response.output_item.added'),
    isRight: saysHello,
  },
  {
    what: 'terminal response without `usage`',
    who: 'xAI',
    body: toSse(toStream([hello], { usage: undefined })),
    isRight: saysHello,
  },
  {
    what: '`response.created` without `created_at`',
    who: 'llama.cpp',
    body: edit(toStream([hello]), event =>
      event.type === 'response.created'
        ? { ...event, response: { id: 'resp_1', object: 'response' } }
        : event,
    ),
    isRight: all(saysHello, has('response', { id: 'resp_1' })),
  },
  {
    what: 'reasoning as full text (`reasoning_text`)',
    who: 'LM Studio, vLLM, DeepSeek',
    body: toSse(toStream([reasoning({ text: 'I think' }), hello])),
    isRight: all(saysHello, has('reasoning', { text: 'I think' })),
  },
  {
    what: 'reasoning finished without being announced',
    who: 'GitHub Copilot, xAI',
    body: without(toStream([reasoning({ summary: ['I think'] }), hello]), 'response.output_item.added'),
    isRight: all(saysHello, has('reasoning', { text: 'I think' })),
  },
  {
    what: 'refusal',
    who: 'OpenAI',
    body: toSse(toStream([message([{ refusal: 'No.' }])])),
    isRight: has('text', { text: 'No.' }),
  },
  {
    what: 'hosted MCP call',
    who: 'OpenAI',
    body: toSse(
      toStream([
        {
          begun: { type: 'mcp_call', id: 'mcp_1', name: 'ask', server_label: 'wiki', arguments: '' },
          item: {
            type: 'mcp_call',
            id: 'mcp_1',
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
    isRight: all(saysHello, has('result', { toolCallId: 'mcp_1' })),
  },
  {
    what: 'stream cut before its terminal event',
    who: 'any network',
    body: without(toStream([hello]), 'response.completed'),
    isRight: isLoud,
  },
  {
    what: '`response.failed`',
    who: 'OpenAI, responses.js',
    body: edit(toStream([hello]), event =>
      event.type === 'response.completed'
        ? {
            type: 'response.failed',
            response: toResponse([], { status: 'failed', error: { code: 'server_error', message: 'Oops' } }),
          }
        : event,
    ),
    isRight: isLoud,
  },
  {
    what: '`error` event in its documented, flat form',
    who: 'OpenAI',
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
    isRight: isLoud,
  },
  {
    what: 'a line of broken JSON in mid-stream',
    who: 'any proxy',
    body: toSse(toStream([hello])).replace(
      'event: response.in_progress',
      'data: {"type":\n\nevent: response.in_progress',
    ),
    isRight: all(saysHello, seen => !has('error')(seen)),
  },
  {
    what: 'chat completions where Responses were asked for',
    who: 'Azure deployments',
    body: ['a', 'b', 'c']
      .map(
        content =>
          `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ delta: { content } }] })}\n\n`,
      )
      .join(''),
    isRight: seen => has('rejected')(seen) && seen.length === 1,
  },
];
