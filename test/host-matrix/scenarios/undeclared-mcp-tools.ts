import { expect } from 'vitest';
import { formsOf } from '../_host.js';
import type { Scenario } from '../_scenario.js';

export const undeclaredMcpTools: Scenario = {
  name: 'MCP rounds, undeclared tools',
  async play({ run, major, version, mode, inputOf }) {
    const prompt = 'Use get-sum with 2 and 3';
    const first = await run({ prompt });
    expect(first).toMatchObject({
      text: 'The tool get-sum returned: The sum of 2 and 3 is 5.',
      finishReason: 'stop',
      errors: [],
      steps: [{}],
    });
    const { toolCalls = [], toolResults = [] } = first.steps[0] ?? {};
    if (formsOf({ major, version }, mode) !== 'V2') {
      // Since `ai@6`, a host includes calls of unknown tools if they are marked as dynamic.
      expect(toolCalls).toMatchObject([
        { toolName: 'get-sum', input: { a: 2, b: 3 }, providerExecuted: true, dynamic: true },
      ]);
      expect(toolCalls[0]).not.toHaveProperty('invalid', true);
      expect(toolResults).toMatchObject([{ output: 'The sum of 2 and 3 is 5.', dynamic: true }]);
    } else {
      // In `ai@5`, an undeclared call always causes an error, and a result is accepted in streams only.
      expect(toolCalls).toEqual([]);
      expect(toolResults).toHaveLength(mode === 'stream' ? 1 : 0);
    }

    const next = await run({
      messages: [{ role: 'user', content: prompt }, ...first.messages, { role: 'user', content: 'Thanks' }],
    });
    expect(next).toMatchObject({ text: 'You said: Thanks', errors: [] });
    const replayed = inputOf(2).filter(({ type }) => type?.startsWith('function_call'));
    expect(replayed.map(({ type }) => type)).toEqual(['function_call', 'function_call_output']);
    expect(replayed[0]).toMatchObject({ name: 'get-sum', arguments: '{"a":2,"b":3}' });
  },
};
