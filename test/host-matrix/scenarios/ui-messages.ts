import type { UIMessage } from 'ai';
import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

const userMessage = (text: string): UIMessage => ({
  id: text,
  role: 'user',
  parts: [{ type: 'text', text }],
});

export const uiMessages: Scenario = {
  name: 'UI message stream round trip',
  modes: ['stream'],
  async play({ sdk, provider, version, inputOf }) {
    const { streamText, readUIMessageStream, convertToModelMessages } = sdk;
    const prompt = 'Use get-sum with 2 and 3';
    const tools = version !== 'V2' ? {} : await provider.tools();
    const turn = async (messages: UIMessage[]): Promise<UIMessage> => {
      const result = streamText({
        model: provider('gpt-5'),
        // Asynchronous since `ai@6`.
        messages: await convertToModelMessages(messages),
        tools,
        providerOptions: { openai: { reasoningSummary: 'auto' } },
      });
      let last: UIMessage | undefined;
      for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() })) last = message;
      if (last === undefined) throw new Error('Expected a message, got none.');
      return last;
    };

    const first = await turn([userMessage(prompt)]);
    const toolPart = first.parts.find(({ type }) => type === 'tool-get-sum' || type === 'dynamic-tool');
    expect(toolPart).toMatchObject({
      // Undeclared tools are dynamic.
      type: version !== 'V2' ? 'dynamic-tool' : 'tool-get-sum',
      state: 'output-available',
      input: { a: 2, b: 3 },
      output: 'The sum of 2 and 3 is 5.',
      providerExecuted: true,
    });

    const second = await turn([userMessage(prompt), first, userMessage('Thanks')]);
    expect(second.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'You said: Thanks' }));
    expect(inputOf(2).map(({ type, role }) => role ?? type)).toEqual([
      'user',
      ...['reasoning', 'function_call', 'function_call_output'],
      ...['reasoning', 'assistant'],
      'user',
    ]);
  },
};
