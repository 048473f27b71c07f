import { describe, expect, it } from 'vitest';
import { parseTextCalls } from '../../src/adapters/index.js';
import { WRITTEN_CALLS } from '../bench/_written-calls.js';

const tools = [
  {
    name: 'save',
    inputSchema: { type: 'object' as const, properties: { content: { type: 'string' as const } } },
  },
];
/** Gemini calls natively, without markup. */
const families = Object.entries(WRITTEN_CALLS).filter(([name]) => name !== 'gemini');

describe('parseTextCalls', () => {
  it.each(families)('reads a call as %s writes it, and no half of it', async (format, { modelId, call }) => {
    // The prompt of Kimi K3 opens the reasoning, so that a response starts with its end.
    const start = format === 'kimi-k3' ? '<|close|>think<|sep|>' : '';
    const written = start + call('save', 'a note');
    const { text, calls, failed } = await parseTextCalls(written, { modelId, tools });
    expect(calls).toMatchObject([
      { toolName: 'save', args: { content: 'a note' }, isComplete: true, isDeclared: true, index: 0 },
    ]);
    expect([text.trim(), failed]).toEqual(['', []]);

    const half = written.slice(0, written.indexOf(' note'));
    const cut = await parseTextCalls(half, { modelId, tools });
    expect(cut.calls).toEqual([]);
    expect(cut.text + cut.reasoning).toContain('a');
    // The text of a response that was ended early is incomplete in any case.
    expect((await parseTextCalls(half, { modelId, tools, isTruncated: true })).calls).toEqual([]);
  });

  it('separates text, reasoning and several calls', async () => {
    const call = (content: string) =>
      `<tool_call>{"name": "save", "arguments": {"content": "${content}"}}</tool_call>`;
    const written = `<think>Two notes.</think>I save them.\n${call('one')}\n${call('two')}`;
    const { text, reasoning, calls } = await parseTextCalls(written, { modelId: 'qwen3-32b', tools });
    expect(reasoning).toBe('Two notes.');
    expect(text.trim()).toBe('I save them.');
    expect(calls.map(({ args, index }) => [args, index])).toEqual([
      [{ content: 'one' }, 0],
      [{ content: 'two' }, 1],
    ]);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
  });

  it('takes the family of an alias from `adapters`, and detects markers without either', async () => {
    const written = '[TOOL_CALLS]save{"content": "a note"}';
    const counts = await Promise.all(
      [
        { modelId: 'assistant' },
        { modelId: 'assistant', adapters: ['mistral'] },
        {},
        { adapters: false as const },
      ].map(async options => (await parseTextCalls(written, { tools, ...options })).calls.length),
    );
    expect(counts).toEqual([1, 1, 1, 0]);
    const qwen = '<function=save>\n<parameter=content>\na note\n</parameter>\n</function>';
    expect((await parseTextCalls(qwen, { tools, adapters: ['qwen'] })).calls).toHaveLength(1);
  });

  it('returns calls of undeclared tools as `undeclared` says, and repairs arguments by the schema', async () => {
    const written = '<tool_call>{"name": "delete", "arguments": {}}</tool_call>';
    const read = (undeclared: 'call' | 'text' | 'drop') =>
      parseTextCalls(written, { modelId: 'qwen3-32b', tools, undeclared });
    expect((await read('call')).calls).toMatchObject([{ toolName: 'delete', isDeclared: false }]);
    expect(await read('text')).toMatchObject({ text: written, calls: [] });
    expect(await read('drop')).toMatchObject({ text: '', calls: [] });
    const number = '<tool_call>{"name": "save", "arguments": {"content": 3}}</tool_call>';
    expect((await parseTextCalls(number, { modelId: 'qwen3-32b', tools })).calls[0]?.args).toEqual({
      content: '3',
    });
  });

  it('leaves text without calls as it is, and rejects an unknown adapter', async () => {
    const written = 'Write <tool_call> before a call.';
    expect(await parseTextCalls(written, { modelId: 'qwen3-32b', tools })).toEqual({
      text: written,
      reasoning: '',
      calls: [],
      failed: [],
    });
    expect(await parseTextCalls('')).toEqual({ text: '', reasoning: '', calls: [], failed: [] });
    await expect(parseTextCalls('', { adapters: ['qwn'] })).rejects.toThrow('Did you mean "qwen"?');
  });
});
