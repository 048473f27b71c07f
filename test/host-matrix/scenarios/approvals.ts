import type { ModelMessage, ToolSet } from 'ai';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../_scenario.js';

export const approvals: Scenario = {
  name: 'approved and denied calls',
  async play({ run, major, sdk, createProvider, emulator, inputOf }) {
    const executed: string[] = [];
    const remove = {
      inputSchema: z.object({ file: z.string() }),
      execute: async ({ file }: { file: string }) => {
        executed.push(file);
        return 'removed';
      },
    };
    const calls = [
      { call: 'remove', arguments: { file: 'a.txt' } },
      { call: 'remove', arguments: { file: 'b.txt' } },
    ];
    const outputsOf = (request: number) =>
      inputOf(request).flatMap(({ type, output }) => (type === 'function_call_output' ? [output] : []));

    // Tools of the provider: its `approve` decides.
    const provider = createProvider({
      tools: { remove },
      toolLoop: {
        approve: ({ input }) => (input.file === 'a.txt' ? true : { approved: false, reason: 'Keep b.' }),
      },
    });
    emulator.enqueue(calls);
    await run({ model: provider('gpt-5'), prompt: 'Remove both.' });
    expect(executed).toEqual(['a.txt']);
    expect(outputsOf(1)).toEqual(['removed', '{"error":"The call was not approved: Keep b."}']);

    // Tools of the host: since `ai@6`, the host requests approvals and continues with the responses.
    if (major === 5) return;
    emulator.enqueue(calls);
    const tools = {
      remove: sdk.tool({ ...remove, needsApproval: true } as typeof remove),
    } as unknown as ToolSet;
    const prompt: ModelMessage = { role: 'user', content: 'Remove both.' };
    const requested = await run({ messages: [prompt], tools });
    const requests = requested.messages
      .flatMap(({ content }) => (typeof content === 'string' ? [] : (content as { type: string }[])))
      .filter(({ type }) => type === 'tool-approval-request') as unknown as { approvalId: string }[];
    expect(requests).toHaveLength(2);
    const responses = requests.map(({ approvalId }, index) => ({
      type: 'tool-approval-response',
      approvalId,
      approved: index === 0,
      reason: index === 0 ? undefined : 'Keep b.',
    }));
    const { errors } = await run({
      messages: [
        prompt,
        ...requested.messages,
        { role: 'tool', content: responses } as unknown as ModelMessage,
      ],
      tools,
    });
    expect(errors).toEqual([]);
    expect(executed).toEqual(['a.txt', 'a.txt']);
    expect(outputsOf(3).sort()).toEqual(['Keep b.', 'removed']);
  },
};
