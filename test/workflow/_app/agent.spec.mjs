import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { start } from 'workflow/api';
import { ask } from './workflows/agent.mjs';
import { durableTurn } from './workflows/durable-turn.mjs';
import { bookSeats } from './workflows/step-agent.mjs';
import { useServers } from './workflows/mcp-agent.mjs';

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

it('a WorkflowAgent takes the rounds of a provider as steps, without functions of tools', async () => {
  const run = await start(bookSeats, ['steps-1', 'Use book with the seat "14C".']);
  const { messages, steps } = await run.returnValue;
  expect(steps).toBe(2);
  expect(JSON.stringify(messages)).toMatch(/"type":"tool-result".*booking 1/);
  expect(JSON.stringify(messages)).not.toContain('booking 2');
});

const runWithServers = async (...messages) => (await start(useServers, [messages])).returnValue;
const user = content => ({ role: 'user', content });
const outputsOf = messages =>
  messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content)
    .map(({ output }) => output);

it('a WorkflowAgent shows images of an MCP server to the model', async () => {
  const { messages } = await runWithServers(user('Call get-tiny-image.'));
  expect(outputsOf(messages)).toMatchObject([
    {
      type: 'content',
      value: [{ type: 'text' }, { type: 'file', mediaType: 'image/png' }, { type: 'text' }],
    },
  ]);
});

it('a WorkflowAgent continues when an MCP server is killed during a call', async () => {
  const prompt = 'Use the tool trigger-long-running-operation with duration 1 and steps 4.';
  const { messages, observed } = await runWithServers(user(prompt));
  expect(outputsOf(messages)).toMatchObject([{ type: 'text', value: expect.stringContaining('completed') }]);
  expect(observed).toMatchObject({ starts: 2 });
  expect(observed.progress).toBeGreaterThan(1);
});

it('a WorkflowAgent asks for an approval, and then runs the call with its dialog', async () => {
  const asked = await runWithServers(user('Call trigger-elicitation-request.'));
  expect(outputsOf(asked.messages)).toEqual([]);
  expect(asked.observed.dialogs).toEqual([]);

  const [question, { content }] = asked.messages;
  const [{ toolCallId }] = content;
  const approvalId = `approval-${toolCallId}`;
  const request = { type: 'tool-approval-request', approvalId, toolCallId };
  const { messages, observed } = await runWithServers(
    question,
    { role: 'assistant', content: [...content, request] },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true }] },
  );
  expect(outputsOf(messages)).toMatchObject([{ type: 'text', value: expect.stringContaining('Ada') }]);
  expect(observed.dialogs).toEqual([toolCallId]);
});

it('a WorkflowAgent asks before an MCP server writes a file, and not before it reads one', async () => {
  const file = process.env.MCP_FILE;
  const read = await runWithServers(user(`Use the tool read_text_file with path "${file}".`));
  expect(outputsOf(read.messages)).toEqual([{ type: 'text', value: 'Hello.' }]);
  const write = await runWithServers(user(`Use the tool write_file with path "${file}" and content "Bye.".`));
  expect(outputsOf(write.messages)).toEqual([]);
  expect(await readFile(file, 'utf8')).toBe('Hello.');
});
