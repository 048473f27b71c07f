import { expect, it } from 'vitest';
import { RunningCalls } from '../../../src/tools/mcp/session/running-calls.js';

const send = (calls: RunningCalls, id: number, input: object) =>
  calls.onSend({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask', arguments: input } });

/** Starts the calls of two users in one session. */
async function startTwo() {
  const calls = new RunningCalls();
  const inputs = [{}, {}] as const;
  const alice = await calls.start(
    { server: 'web', toolCallId: 'alice' },
    { params: { arguments: inputs[0] } },
  );
  const bob = await calls.start({ server: 'web', toolCallId: 'bob' }, { params: { arguments: inputs[1] } });
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
  const called = await calls.start(facts, { params: { arguments: input } });
  send(calls, 1, input);
  expect(calls.find(7, 'task-of-bob')).toBeUndefined();
  called.end({ isSettled: true });
  const following = await calls.start(facts, { params: { taskId: 'task-1' } });
  expect(calls.find(8, 'task-of-bob')).toBeUndefined();
  expect(calls.find(9, 'task-1')).toBe(following);
});

it.each([
  ['a resource', 'resources/read', { uri: 'file:///a' }, { uri: 'file:///b' }],
  ['a prompt without arguments', 'prompts/get', { name: 'ask' }, { name: 'other' }],
  ['the result of a task', 'tasks/result', { taskId: 'task-1' }, { taskId: 'task-2' }],
  ['an extension', 'extension/run', { _meta: { key: 'a' }, steps: [1] }, { steps: [1] }],
])('a request that arrived on the stream of %s belongs to it', async (_what, method, params, otherParams) => {
  const calls = new RunningCalls();
  const alice = await calls.start({ server: 'web', toolCallId: 'alice' }, { method, params });
  await calls.start(
    { server: 'web', toolCallId: 'bob' },
    { method: 'tools/call', params: { arguments: {} } },
  );
  calls.onSend({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { progressToken: 1 } } });
  calls.onSend({ jsonrpc: '2.0', id: 2, method, params: otherParams });
  calls.onSend({ jsonrpc: '2.0', id: 3, method: 'tools/call', params });
  for (const callId of [1, 2, 3]) calls.onDelivery(10 + callId, { callId });
  expect([11, 12, 13].map(id => calls.find(id))).toEqual([alice, undefined, undefined]);
});
