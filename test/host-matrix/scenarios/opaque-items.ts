import type { ModelMessage } from 'ai';
import { expect } from 'vitest';
import { formsOf } from '../_host.js';
import type { Scenario } from '../_scenario.js';

const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAABopaque' };
/** An item without a part in any host. */
const unknown = {
  type: 'agent_message',
  id: 'amsg_1',
  author: 'worker',
  recipient: '/root',
  content: [{ type: 'input_text', text: 'Done.' }],
};

export const opaqueItems: Scenario = {
  name: 'items without a function form',
  async play({ run, emulator, inputOf, major, version, mode }) {
    emulator.enqueue(
      [compaction, unknown, { call: 'get-sum', arguments: { a: 1, b: 2 } }],
      [{ text: 'Three.' }],
      [{ text: 'Bye.' }],
    );
    const prompt: ModelMessage = { role: 'user', content: 'Add 1 and 2.' };
    const first = await run({ messages: [prompt] });
    expect(first).toMatchObject({ text: 'Three.', finishReason: 'stop', errors: [] });
    const itemsOf = (request: number) =>
      inputOf(request).filter(({ type }) => type === 'compaction' || type === 'agent_message');
    // In the next round, in place and unchanged.
    expect(itemsOf(1)).toEqual([compaction, unknown]);
    expect(inputOf(1).map(({ type }) => type ?? 'message')).toEqual(
      expect.arrayContaining(['compaction', 'agent_message', 'function_call', 'function_call_output']),
    );
    expect(first.steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).not.toContain(
      'compaction',
    );

    const custom = first.messages
      .flatMap(({ content }) => (typeof content === 'string' ? [] : (content as object[])))
      .filter(part => 'kind' in part);
    expect(custom).toMatchObject(
      formsOf({ major, version }, mode) === 'V4'
        ? [
            {
              type: 'custom',
              kind: 'openai.compaction',
              providerOptions: {
                openai: { type: 'compaction', itemId: 'cmp_1', encryptedContent: 'gAAAAABopaque' },
              },
            },
            { type: 'custom', kind: 'openai.agent_message' },
          ]
        : [],
    );

    // In the next turn, from the history of the host.
    const next = await run({ messages: [prompt, ...first.messages, { role: 'user', content: 'Bye.' }] });
    expect(next).toMatchObject({ text: 'Bye.', errors: [] });
    expect(itemsOf(2)).toEqual([compaction, unknown]);
  },
};
