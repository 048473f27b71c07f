import type { ModelMessage, ToolSet } from 'ai';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../_scenario.js';

interface AgentResult {
  readonly text: PromiseLike<string> | string;
  readonly steps: PromiseLike<readonly unknown[]> | readonly unknown[];
  readonly response: PromiseLike<{ messages: ModelMessage[] }> | { messages: ModelMessage[] };
}

interface Agent {
  generate(options: { messages: ModelMessage[] }): PromiseLike<AgentResult>;
  stream(options: {
    messages: ModelMessage[];
  }): PromiseLike<AgentResult & { consumeStream(): PromiseLike<void> }>;
}

type AgentClass = new (settings: Record<string, unknown>) => Agent;

export const agents: Scenario = {
  name: 'agents with tools of both sides and approvals',
  async play({ sdk, mode, major, provider, emulator, inputOf }) {
    const classes = sdk as unknown as Record<'ToolLoopAgent' | 'Experimental_Agent', AgentClass>;
    const AgentOfHost = major === 5 ? classes.Experimental_Agent : classes.ToolLoopAgent;
    const executed: string[] = [];
    const note = sdk.tool({
      inputSchema: z.object({ text: z.string() }),
      execute: async ({ text }) => {
        executed.push(text);
        return 'noted';
      },
    });
    const remove = { ...note, ...(major > 5 && { needsApproval: true }) } as typeof note;
    // In `ai@5`, a call of an undeclared tool is an error.
    const stubs = major === 5 ? await provider.tools() : {};
    const agent = new AgentOfHost({
      model: provider('gpt-5'),
      ...{ [major === 5 ? 'system' : 'instructions']: 'Be brief.' },
      // Agents of `ai@5` end after one step by default.
      stopWhen: sdk.stepCountIs(5),
      tools: { ...stubs, note, remove } as unknown as ToolSet,
    });
    const ask = async (messages: ModelMessage[]) => {
      if (mode === 'generate') return agent.generate({ messages });
      const result = await agent.stream({ messages });
      await result.consumeStream();
      return result;
    };

    // The provider runs its tool within a step, and the agent runs the others between the steps.
    emulator.enqueue(
      [{ call: 'get-sum', arguments: { a: 1, b: 2 } }],
      [{ call: 'note', arguments: { text: 'three' } }],
      [{ text: 'Noted.' }],
    );
    const prompt: ModelMessage = { role: 'user', content: 'Add and note.' };
    const first = await ask([prompt]);
    expect(await first.text).toBe('Noted.');
    expect(await first.steps).toHaveLength(2);
    expect(executed).toEqual(['three']);
    expect(
      inputOf(2).flatMap(({ type, output }) => (type === 'function_call_output' ? [output] : [])),
    ).toEqual(['The sum of 1 and 2 is 3.', 'noted']);
    if (major === 5) return;

    emulator.enqueue([{ call: 'remove', arguments: { text: 'a' } }], [{ text: 'Removed.' }]);
    const requested = await ask([prompt]);
    const { messages } = await requested.response;
    const request = messages
      .flatMap(({ content }) => (typeof content === 'string' ? [] : (content as { type: string }[])))
      .find(({ type }) => type === 'tool-approval-request') as { approvalId: string } | undefined;
    expect(executed).toEqual(['three']);
    const response = { type: 'tool-approval-response', approvalId: request?.approvalId, approved: true };
    const resumed = await ask([
      prompt,
      ...messages,
      { role: 'tool', content: [response] } as unknown as ModelMessage,
    ]);
    expect(await resumed.text).toBe('Removed.');
    expect(executed).toEqual(['three', 'a']);
  },
};
