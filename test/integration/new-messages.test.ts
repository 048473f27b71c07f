import { describe, expect, it } from 'vitest';
import { startConversation, typesOf } from './_conversation.js';
import { hostTools, loopTools } from './_tools.js';

describe('with `previousResponseId` and the complete history', () => {
  it.each(['ours', 'official'] as const)('sends only the messages after the response of %s', async first => {
    const conversation = await startConversation({ store: true });
    const one = await conversation.send('Add 1 and 2', { by: first, tools: hostTools });
    const openai = { previousResponseId: String(one.responseId) };
    const two = await conversation.send('Add 3 and 4, and get the weather in Rome', {
      by: 'ours',
      tools: hostTools,
      openai,
    });
    expect(typesOf(two.inputs[0])).toEqual(['user']);
    expect(typesOf(two.inputs[1])).toEqual([
      'user',
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ]);
    expect(two.text).toBe('The tool add returned: 7\nThe tool get_weather returned: Rome: 18 degrees');
  });

  it('appends the rounds of our loop to the new messages', async () => {
    const conversation = await startConversation({ store: true, settings: { tools: loopTools } });
    const one = await conversation.send('Find the book "Momo"', { by: 'ours' });
    const openai = { previousResponseId: String(one.responseId) };
    const two = await conversation.send('Find the book "Emil"', { by: 'ours', openai });
    expect(two.inputs.map(typesOf)).toEqual([
      ['user'],
      ['user', 'reasoning', 'function_call', 'function_call_output'],
    ]);
    expect(two.text).toContain('Emil');
  });

  it('sends only the results of calls that the server stores', async () => {
    const conversation = await startConversation({ store: true });
    const { get_weather: weather } = hostTools;
    const one = await conversation.send('Get the weather in Rome', {
      by: 'ours',
      tools: { get_weather: { ...weather, execute: undefined } },
    });
    const calls = conversation.messages.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter(part => part.type === 'tool-call'),
    );
    conversation.messages.push({
      role: 'tool',
      content: calls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: 'Rain' },
      })),
    });
    const openai = { previousResponseId: String(one.responseId) };
    const two = await conversation.send('And what now?', { by: 'ours', tools: hostTools, openai });
    expect(typesOf(two.inputs[0])).toEqual(['function_call_output', 'user']);
  });
});

it('sends a `conversation` only the messages after its last response', async () => {
  const conversation = await startConversation({ store: true });
  await conversation.send('Hello', { by: 'ours' });
  const openai = { conversation: 'conv_1' };
  const { inputs } = await conversation.send('And now?', { by: 'ours', openai });
  expect(inputs.map(typesOf)).toEqual([['user']]);
});
