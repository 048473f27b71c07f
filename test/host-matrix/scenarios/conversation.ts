import type { ModelMessage } from 'ai';
import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

const user = (content: string): ModelMessage => ({ role: 'user', content });

export const conversation: Scenario = {
  name: 'conversation of several turns',
  async play({ run, provider, inputOf }) {
    const tools = await provider.tools();
    const providerOptions = { openai: { reasoningSummary: 'auto' } };
    const messages = [user('Use get-sum with 2 and 3')];
    messages.push(...(await run({ messages, tools, providerOptions })).messages, user('Use echo "Hi"'));
    messages.push(...(await run({ messages, tools, providerOptions })).messages, user('Thanks'));
    const { text, errors } = await run({ messages, tools, providerOptions });
    expect({ text, errors }).toEqual({ text: 'You said: Thanks', errors: [] });
    const turn = ['reasoning', 'function_call', 'function_call_output', 'reasoning', 'assistant'];
    const sent = inputOf(4);
    expect(sent.map(({ type, role }) => role ?? type)).toEqual(['user', ...turn, 'user', ...turn, 'user']);
    // The server checks that it created the reasoning, and that every call has an output.
    expect(sent.filter(({ type }) => type === 'reasoning').every(item => 'encrypted_content' in item)).toBe(
      true,
    );
  },
};
