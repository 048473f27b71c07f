import { expect, it } from 'vitest';
import { start } from 'workflow/api';
import { ask } from './workflows/agent.mjs';
import { durableTurn } from './workflows/durable-turn.mjs';

const run = async (...args) => JSON.stringify(await (await start(ask, args)).returnValue);

it.each(['main', 'v3', 'v4', 'default'])('a WorkflowAgent calls a model of %s', async provider => {
  expect(await run(provider, 'Say hello.')).toContain('You said: Say hello.');
});

it.each(['main', 'v3', 'v4'])('a WorkflowAgent runs a tool with a model of %s', async provider => {
  const messages = await run(provider, 'Use the tool add with 20 and 22.');
  expect(messages).toContain('"type":"tool-result"');
  expect(messages).toMatch(/42[^"]*"}\]}\]$/);
});

it('a model of a provider that is not registered is refused', async () => {
  await expect(run('unregistered', 'Say hello.')).rejects.toThrow('Failed to serialize step arguments');
});

it('a step that is repeated continues its turn from the journal', async () => {
  const run = await start(durableTurn, ['turn-1', 'Use book with the seat "12A".']);
  const { text, rounds, observed } = await run.returnValue;
  // The first attempt booked the seat, and failed with its next request.
  expect(observed).toEqual({ failures: 1, effects: ['12A'] });
  expect(rounds).toMatchObject([{ isReplayed: true, toolCalls: [{ isReplayed: true }] }, { toolCalls: [] }]);
  expect(text).toContain('booking 1');
});
