import { expect, it } from 'vitest';
import { start } from 'workflow/api';
import { ask } from './workflows/agent.mjs';

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
