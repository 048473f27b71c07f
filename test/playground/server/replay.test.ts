import { describe, expect, it } from 'vitest';
import { toReplayScript } from '../../../playground/server/emulator/replay.js';
import { RAW_REQUEST } from '../../testing/_contract.js';
import { startEmulator } from '../../testing/_emulator.js';

/** Replays a recorded response with a fault. Returns the received types of events, and whether the connection was dropped. */
async function replay(types: readonly string[], fault: string) {
  const body = types.map(type => `data: ${JSON.stringify({ type })}\n\n`).join('');
  const exchange = { round: 1, request: { method: 'POST', url: '/', headers: {}, body: {} }, status: 200 };
  const emulator = await startEmulator();
  const script = toReplayScript([{ ...exchange, body, end: 'complete' }], { fault });
  emulator.enqueue(...script);
  const response = await fetch(`${emulator.baseURL}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...RAW_REQUEST },
    body: JSON.stringify({ model: 'gpt-5', input: 'Hello', stream: true }),
  });
  let text = '';
  const decoder = new TextDecoder();
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  const isDropped = await read().then(
    () => false,
    () => true,
  );
  return { received: [...text.matchAll(/^event: (.+)$/gm)].map(([, type]) => type), isDropped };
}

const deltas = (count: number): string[] => Array.from({ length: count }, () => 'response.output_text.delta');

describe('the fault “cut” of a replay', () => {
  it('drops the connection after six events', async () => {
    const types = ['response.created', ...deltas(10), 'response.completed'];
    expect(await replay(types, 'cut')).toEqual({ received: types.slice(0, 6), isDropped: true });
  });

  it.each([0, 1, 4])('omits the last event of a response with %i more', async count => {
    const types = ['response.created', ...deltas(count), 'response.completed'];
    expect(await replay(types, 'cut')).toEqual({ received: types.slice(0, -1), isDropped: true });
  });
});
