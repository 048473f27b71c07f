import { expect, it } from 'vitest';
import { RunningCalls } from '../../../src/tools/mcp/session/running-calls.js';

const send = (calls: RunningCalls, id: number, input: object) =>
  calls.onSend({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask', arguments: input } });

/** Starts the calls of two users in one session. */
async function startTwo() {
  const calls = new RunningCalls();
  const inputs = [{}, {}] as const;
  const alice = await calls.start({ server: 'web', toolCallId: 'alice' }, { arguments: inputs[0] });
  const bob = await calls.start({ server: 'web', toolCallId: 'bob' }, { arguments: inputs[1] });
  send(calls, 1, inputs[0]);
  send(calls, 2, inputs[1]);
  return { calls, alice, bob };
}

it('a request belongs to the call on whose stream it arrived, once', async () => {
  const { calls, bob } = await startTwo();
  calls.onDelivery(7, { callId: 2 });
  expect(calls.find(7)).toBe(bob);
  expect(calls.find(7)).toBeUndefined();
});

it('a request with an id that arrived on the streams of two calls belongs to none', async () => {
  const { calls } = await startTwo();
  calls.onDelivery(7, { callId: 1 });
  calls.onDelivery(7, { callId: 2 });
  expect(calls.find(7)).toBeUndefined();
});

it('a request that arrived on the stream of a request without a call belongs to no other call', async () => {
  const { calls, alice, bob } = await startTwo();
  alice.end({ isSettled: true });
  calls.onDelivery(7, { callId: 3 });
  expect(calls.find(7)).toBeUndefined();
  expect(calls.find(8)).toBe(bob);
});

it('a request that names a task belongs to the call that follows it', async () => {
  const calls = new RunningCalls();
  const input = {};
  const facts = { server: 'web', toolCallId: 'alice' };
  const called = await calls.start(facts, { arguments: input });
  send(calls, 1, input);
  expect(calls.find(7, 'task-of-bob')).toBeUndefined();
  called.end({ isSettled: true });
  const following = await calls.start(facts, { taskId: 'task-1' });
  expect(calls.find(8, 'task-of-bob')).toBeUndefined();
  expect(calls.find(9, 'task-1')).toBe(following);
});
