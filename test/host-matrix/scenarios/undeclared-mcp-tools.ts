import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const undeclaredMcpTools: Scenario = {
  name: 'MCP rounds, undeclared tools',
  async play({ run, form, mode, inputOf }) {
    const prompt = 'Use get-sum with 2 and 3';
    const first = await run({ prompt });
    expect(first).toMatchObject({
      text: 'The tool get-sum answered: The sum of 2 and 3 is 5.',
      finishReason: 'stop',
      errors: [],
      steps: [{}],
    });
    const { toolCalls = [], toolResults = [] } = first.steps[0] ?? {};
    if (form === 'V3') {
      // A host from 6 on shows calls of tools that it does not know, if they say so.
      expect(toolCalls).toMatchObject([
        { toolName: 'get-sum', input: { a: 2, b: 3 }, providerExecuted: true, dynamic: true },
      ]);
      expect(toolCalls[0]).not.toHaveProperty('invalid', true);
      expect(toolResults).toMatchObject([{ output: 'The sum of 2 and 3 is 5.', dynamic: true }]);
    } else {
      // No form of a call is safe in `ai@5`; that of a result is, in streams.
      expect(toolCalls).toEqual([]);
      expect(toolResults).toHaveLength(mode === 'stream' ? 1 : 0);
    }

    const next = await run({
      messages: [{ role: 'user', content: prompt }, ...first.messages, { role: 'user', content: 'Thanks' }],
    });
    expect(next).toMatchObject({ text: 'You said: Thanks', errors: [] });
    const replayed = inputOf(2).filter(({ type }) => type?.startsWith('function_call'));
    const isKept = form === 'V3' || mode === 'stream';
    expect(replayed.map(({ type }) => type)).toEqual(isKept ? ['function_call', 'function_call_output'] : []);
    if (isKept) expect(replayed[0]).toMatchObject({ name: 'get-sum', arguments: '{"a":2,"b":3}' });
  },
};
