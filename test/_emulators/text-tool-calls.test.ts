import { describe, expect, it } from 'vitest';
import type { ToolCallFormat } from './text-tool-calls.js';
import { post, startEmulator, textOf } from '../testing/_emulator.js';

type Json = Record<string, unknown>;

const input = { path: 'a "b".txt', lines: [1, 2], force: true };

const written: Readonly<Record<ToolCallFormat, string>> = {
  hermes: `<tool_call>
{"name": "write", "arguments": {"path":"a \\"b\\".txt","lines":[1,2],"force":true}}
</tool_call>
<tool_call>
{"name": "now", "arguments": {}}
</tool_call>`,
  'qwen-xml': `<tool_call>
<function=write>
<parameter=path>
a "b".txt
</parameter>
<parameter=lines>
[1,2]
</parameter>
<parameter=force>
true
</parameter>
</function>
</tool_call>
<tool_call>
<function=now>
</function>
</tool_call>`,
  mistral:
    '[TOOL_CALLS][{"name": "write", "arguments": {"path":"a \\"b\\".txt","lines":[1,2],"force":true}}, {"name": "now", "arguments": {}}]',
  'mistral-args':
    '[TOOL_CALLS]write[ARGS]{"path":"a \\"b\\".txt","lines":[1,2],"force":true}[TOOL_CALLS]now[ARGS]{}',
  glm: `<tool_call>write
<arg_key>path</arg_key>
<arg_value>a "b".txt</arg_value>
<arg_key>lines</arg_key>
<arg_value>[1,2]</arg_value>
<arg_key>force</arg_key>
<arg_value>true</arg_value>
</tool_call>
<tool_call>now
</tool_call>`,
  deepseek:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write<｜tool▁sep｜>{"path":"a \\"b\\".txt","lines":[1,2],"force":true}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  'deepseek-dsml': `<｜DSML｜function_calls>
<｜DSML｜invoke name="write">
<｜DSML｜parameter name="path" string="true">a "b".txt</｜DSML｜parameter>
<｜DSML｜parameter name="lines" string="false">[1,2]</｜DSML｜parameter>
<｜DSML｜parameter name="force" string="false">true</｜DSML｜parameter>
</｜DSML｜invoke>
<｜DSML｜invoke name="now">
</｜DSML｜invoke>
</｜DSML｜function_calls>`,
  kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.write:0<|tool_call_argument_begin|>{"path":"a \\"b\\".txt","lines":[1,2],"force":true}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
  minimax: `<minimax:tool_call>
<invoke name="write">
<parameter name="path">a "b".txt</parameter>
<parameter name="lines">[1,2]</parameter>
<parameter name="force">true</parameter>
</invoke>
<invoke name="now">
</invoke>
</minimax:tool_call>`,
  'seed-oss': `<seed:tool_call>
<function=write>
<parameter=path>a "b".txt</parameter>
<parameter=lines>[1,2]</parameter>
<parameter=force>true</parameter>
</function>
</seed:tool_call>
<seed:tool_call>
<function=now>
</function>
</seed:tool_call>`,
  llama: `{"type": "function", "name": "write", "parameters": {"path":"a \\"b\\".txt","lines":[1,2],"force":true}}
{"type": "function", "name": "now", "parameters": {}}`,
};

describe('a server without a parser for tool calls', () => {
  it.each(Object.entries(written))('returns %s calls as text', async (format, text) => {
    const emulator = await startEmulator({ toolCallFormat: format as ToolCallFormat });
    emulator.enqueue([{ text: 'I write.' }, { call: 'write', arguments: input }, { call: 'now' }]);
    const { json } = await post(emulator, { body: { model: 'qwen3', input: 'Hi' } });
    expect(textOf(json)).toBe(`I write.\n${text}`);
    expect(json.output).toHaveLength(1);
  });

  it('returns the calls of the rule-based model as text, on both routes', async () => {
    const emulator = await startEmulator({ toolCallFormat: 'hermes' });
    const parameters = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const called = '<tool_call>\n{"name": "add", "arguments": {"a":3}}\n</tool_call>';
    const responses = await post(emulator, {
      body: { model: 'qwen3', input: 'add 3', tools: [{ type: 'function', name: 'add', parameters }] },
    });
    expect(textOf(responses.json)).toBe(called);
    const chat = await post(emulator, {
      path: '/chat/completions',
      body: {
        model: 'qwen3',
        messages: [{ role: 'user', content: 'add 3' }],
        tools: [{ type: 'function', function: { name: 'add', parameters } }],
      },
    });
    expect(chat.json.choices).toMatchObject([{ message: { content: called }, finish_reason: 'stop' }]);
  });

  it('can be configured per model', async () => {
    const emulator = await startEmulator({ toolCallFormat: id => (id === 'qwen3' ? 'hermes' : undefined) });
    const typesOf = async (model: string) => {
      emulator.enqueue([{ call: 'now' }]);
      const { json } = await post(emulator, { body: { model, input: 'Hi' } });
      return (json.output as Json[]).map(({ type }) => type);
    };
    expect(await typesOf('qwen3')).toEqual(['message']);
    expect(await typesOf('gpt-4o')).toEqual(['function_call']);
  });

  it('does not change a response without calls', async () => {
    const emulator = await startEmulator({ toolCallFormat: 'hermes' });
    emulator.enqueue([{ reasoning: 'Hm.' }, { text: 'one' }, { text: 'two' }]);
    const { json } = await post(emulator, { body: { model: 'qwen3', input: 'Hi' } });
    expect((json.output as Json[]).map(({ type }) => type)).toEqual(['reasoning', 'message', 'message']);
  });

  it('writes invalid arguments unchanged', async () => {
    const emulator = await startEmulator({ toolCallFormat: 'hermes' });
    emulator.enqueue([{ call: 'write', arguments: '{"path": ' }]);
    const { json } = await post(emulator, { body: { model: 'qwen3', input: 'Hi' } });
    expect(textOf(json)).toBe('<tool_call>\n{"name": "write", "arguments": {"path": }\n</tool_call>');
  });
});
