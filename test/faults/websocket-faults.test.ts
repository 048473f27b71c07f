import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { tool } from 'ai';
import { expect, describe, it, onTestFinished } from 'vitest';
import type { Duplex } from 'node:stream';
import { z } from 'zod';
import { RESPONSE_LIMITS } from '../../src/core/http/text-stream.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { checkParts, collect, summarize } from '../_parts.js';
import { functionCall, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { type Received, sendEvents, sendText, serveWebSocket, toTextEvents } from '../_websocket-server.js';
import type { Expected } from './endpoint-faults.js';

interface WebSocketFault {
  readonly fault: string;
  /** Refuses an upgrade. */
  readonly refuse?: (socket: Duplex) => void;
  /** Responds to a frame. */
  readonly respond?: (received: Received) => void;
  readonly timeouts?: { connect?: number; idle?: number };
  /** The longest message that the server accepts, in bytes. */
  readonly maxPayload?: number;
  /** Limit for messages of the server. */
  readonly eventLength?: number;
  readonly first: Expected;
  readonly followUp: Expected;
  /** True if the response comes over HTTP. */
  readonly isOverHttp?: true;
}

const transient = { first: 'retryable rejection', followUp: 'complete response' } as const;
const final = { first: 'final rejection', followUp: 'error part' } as const;
const late = { first: 'error part', followUp: 'error part' } as const;
const overHttp = { first: 'complete response', followUp: 'complete response', isOverHttp: true } as const;

const refusal = (status: number) => ({
  fault: `upgrade refused with ${status}`,
  refuse: (socket: Duplex) =>
    socket.end(
      `HTTP/1.1 ${status} No\r\ncontent-length: 21\r\nconnection: close\r\n\r\n{"error":{"code":"c"}}`,
    ),
});

const begin = ({ socket, body }: Received): void =>
  sendEvents(socket, toTextEvents('one two three', { previousId: body.previous_response_id }).slice(0, 6));

const closing = (code: number, reason = '') => [
  {
    fault: `close code ${code} before the output`,
    respond: ({ socket }: Received) => socket.close(code, reason),
    ...transient,
  },
  {
    fault: `close code ${code} within the text`,
    respond(received: Received) {
      begin(received);
      received.socket.close(code, reason);
    },
    ...late,
  },
];

const FAULTS: readonly WebSocketFault[] = [
  { ...refusal(404), ...overHttp },
  { ...refusal(426), ...overHttp },
  { ...refusal(503), ...overHttp },
  { ...refusal(200), ...overHttp },
  { fault: 'upgrade cut', refuse: socket => socket.destroy(), ...overHttp },
  { ...refusal(401), ...final },
  { ...refusal(402), ...final },
  { ...refusal(429), ...transient },
  ...[1000, 1001, 1008, 1011, 1012, 1013].flatMap(code => closing(code, 'Bearer sk-secret-12345')),
  { fault: 'socket destroyed before the output', respond: ({ socket }) => socket.terminate(), ...transient },
  {
    fault: 'socket destroyed within the text',
    respond(received) {
      begin(received);
      setImmediate(() => received.socket.terminate());
    },
    ...late,
  },
  { fault: 'silent peer', respond: () => {}, timeouts: { connect: 2000 }, ...transient },
  { fault: 'silence within the text', respond: begin, timeouts: { idle: 2000 }, ...late },
  { fault: 'request too large for the server', maxPayload: 100, ...overHttp },
  {
    fault: 'message too large',
    respond: ({ socket }) =>
      socket.send(JSON.stringify({ type: 'response.created', text: 'x'.repeat(5_000) })),
    eventLength: 4_000,
    ...final,
  },
  {
    fault: 'message too large within the text',
    respond(received) {
      begin(received);
      received.socket.send(JSON.stringify({ type: 'response.in_progress', text: 'x'.repeat(5_000) }));
    },
    eventLength: 4_000,
    ...late,
  },
  { fault: 'binary frame', respond: ({ socket }) => socket.send(Buffer.from('{}')), ...transient },
  {
    fault: 'binary frame within the text',
    respond(received) {
      begin(received);
      received.socket.send(Buffer.from('{}'));
    },
    ...late,
  },
  {
    fault: 'a second response within the text',
    respond(received) {
      begin(received);
      sendText(received);
    },
    ...late,
  },
];

const rows = FAULTS.flatMap(fault =>
  (['first', 'followUp'] as const).map(place => ({ ...fault, place, expected: fault[place] })),
);

describe('WebSocket faults', () => {
  it.each(rows)('$place request: $fault → $expected', async row => {
    const { refuse, respond = sendText, place, maxPayload, eventLength, timeouts = {} } = row;
    const before = RESPONSE_LIMITS.eventLength;
    RESPONSE_LIMITS.eventLength = eventLength ?? before;
    onTestFinished(() => {
      RESPONSE_LIMITS.eventLength = before;
    });
    // A fault of the upgrade affects the first connection, or with a tool call that of the second request.
    const isFollowUp = place === 'followUp';
    let requests = 0;
    const server = await serveWebSocket({
      refuse(socket, upgrade) {
        if (refuse === undefined || upgrade !== (isFollowUp ? 2 : 1)) return false;
        refuse(socket);
        return true;
      },
      respond(received) {
        requests++;
        if (!isFollowUp) return (requests === 1 ? respond : sendText)(received);
        if (requests > 1) return (requests === 2 && refuse === undefined ? respond : sendText)(received);
        sendEvents(received.socket, toStream([functionCall('count', '{}', { callId: 'call_1' })]));
        // The connection is lost while the tool runs, so that the second request opens another one.
        if (refuse !== undefined) received.socket.close(1001);
      },
      server: { ...(maxPayload !== undefined && { maxPayload: isFollowUp ? 500 : maxPayload }) },
    });
    let runs = 0;
    const provider = createKelivoResponsesProvider({
      baseURL: server.baseURL,
      apiKey: 'sk-secret-12345',
      transport: 'websocket',
      timeouts,
      tools: {
        count: tool({
          inputSchema: z.object({}),
          async execute() {
            runs++;
            while (refuse !== undefined && server.sockets.size > 0)
              await new Promise(resolve => setTimeout(resolve, 1));
            // A long output makes the second frame longer than the first.
            return maxPayload === undefined ? 'counted' : 'counted '.repeat(100);
          },
        }),
      },
      toolLoop: { retry: { initialDelay: 1, streamRetries: 0 } },
    });
    onTestFinished(() => provider.close());

    const { actual, errors, text, warnings } = await read(provider);
    expect(actual).toBe(row.expected);
    expect(runs).toBe(isFollowUp ? 1 : 0);
    for (const error of errors) {
      expect(APICallError.isInstance(error) && error.message.length > 10).toBe(true);
      expect(JSON.stringify([error, String(error)])).not.toContain('sk-secret');
    }
    if (actual === 'complete response') expect(text).toBe(row.isOverHttp ? 'over HTTP' : 'over a WebSocket');
    expect(server.posts.length).toBe(row.isOverHttp ? 1 : 0);
    if (row.isOverHttp && !isFollowUp) expect(JSON.stringify(warnings)).toContain('sent over HTTP');
  });
});

async function read(provider: ReturnType<typeof createKelivoResponsesProvider>) {
  try {
    const { stream } = await provider('gpt-5').doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Count.' }] }],
    });
    return judge(await collect(stream));
  } catch (error) {
    if (!APICallError.isInstance(error)) throw error;
    const actual: Expected = error.isRetryable ? 'retryable rejection' : 'final rejection';
    return { actual, errors: [error], text: '', warnings: [] };
  }
}

function judge(parts: readonly LanguageModelV2StreamPart[]) {
  checkParts(parts);
  const { texts, finishReason } = summarize(parts);
  const errors = parts.flatMap(part => (part.type === 'error' ? [part.error] : []));
  const actual =
    errors.length === 0 && finishReason === 'stop'
      ? 'complete response'
      : errors.length === 1 && finishReason === 'error'
        ? 'error part'
        : `finish ${finishReason}`;
  const [start] = parts;
  return {
    actual,
    errors,
    text: texts.join(''),
    warnings: start?.type === 'stream-start' ? start.warnings : [],
  };
}
