import { getEventListeners } from 'node:events';
import { APICallError, type LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { checkParts, collect } from '../_parts.js';
import { combine } from '../_products.js';
import { startEmulator } from '../testing/_emulator.js';
import { ENDPOINT_FAULTS, type EndpointFault, type Expected } from './endpoint-faults.js';

type Place = 'first' | 'followUp';

const transports = ['http', 'websocket'] as const;

/** Each fault in the first request of a turn and in the request after a tool call, each of them over a transport. */
const rows = combine({ row: ENDPOINT_FAULTS, where: ['first', 'followUp'], transport: transports }).map(
  ({ row, where, transport }) => ({ row, where, transport, fault: row.fault, expected: row[where] }),
);

async function runTurn({ response }: EndpointFault, place: Place, isOverWebSocket: boolean) {
  const emulator = await startEmulator();
  const call = [{ call: 'count', arguments: {}, callId: 'call_1' }];
  emulator.enqueue(...(place === 'first' ? [response] : [call, response]), [{ text: 'Done.' }]);
  let runs = 0;
  const isSilent = 'fault' in response && (response.fault === 'headers-never' || response.fault === 'stall');
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: 'sk-test',
    transport: isOverWebSocket ? 'websocket' : 'http',
    timeouts: isSilent ? { connect: 2000, idle: 2000 } : {},
    tools: { count: tool({ inputSchema: z.object({}), execute: async () => ++runs }) },
    toolLoop: { retry: { initialDelay: 1, streamRetries: 0 } },
  });
  onTestFinished(() => provider.close());
  const { signal } = new AbortController();
  const outcome = await read(provider, signal);
  expect(getEventListeners(signal, 'abort'), 'remaining listeners').toEqual([]);
  return { ...outcome, runs };
}

async function read(provider: ReturnType<typeof createKelivoResponsesProvider>, signal: AbortSignal) {
  try {
    const { stream } = await provider('gpt-5').doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Count.' }] }],
      abortSignal: signal,
    });
    const parts = await collect(stream);
    return { parts, ...judge(parts) };
  } catch (error) {
    if (!APICallError.isInstance(error)) throw error;
    const expected: Expected = error.isRetryable ? 'retryable rejection' : 'final rejection';
    return { actual: expected, errors: [error] };
  }
}

function judge(parts: readonly LanguageModelV2StreamPart[]) {
  checkParts(parts);
  const errors = parts.flatMap(part => (part.type === 'error' ? [part.error] : []));
  const finish = parts.at(-1);
  if (finish?.type !== 'finish') throw new Error('Expected a finish part.');
  const isComplete = errors.length === 0 && finish.finishReason === 'stop';
  const isError = errors.length === 1 && finish.finishReason === 'error';
  const actual: Expected | string = isComplete
    ? 'complete response'
    : isError
      ? 'error part'
      : `finish ${finish.finishReason}`;
  return { actual, errors };
}

describe.each(transports)('endpoint faults over %s', transport => {
  const own = rows.filter(row => row.transport === transport);

  it.each(own)('$where request: $fault → $expected', async ({ expected, where, row }) => {
    const { actual, errors, runs } = await runTurn(row, where, transport === 'websocket');
    expect(actual).toBe(expected);
    // No tool runs twice, even if a request is retried.
    expect(runs).toBe(where === 'followUp' ? 1 : 0);
    for (const error of errors) {
      expect(APICallError.isInstance(error) && error.message.length > 10).toBe(true);
      if (where === 'followUp') expect(error).toMatchObject({ isRetryable: false });
    }
  });

  it('cover every fault of the emulator in both requests', () => {
    expect(ENDPOINT_FAULTS.length).toBeGreaterThanOrEqual(30);
    for (const place of ['first', 'followUp'])
      expect(new Set(rows.filter(({ where }) => where === place).map(({ fault }) => fault)).size).toBe(
        ENDPOINT_FAULTS.length,
      );
  });
});
