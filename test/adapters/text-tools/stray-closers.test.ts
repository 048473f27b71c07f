import { describe, expect, it } from 'vitest';
import { readerOf } from '../_read-with.js';

const call = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';
const ping = { call: 'ping', input: {} };
const read = readerOf('Qwen/Qwen2.5-7B-Instruct');

describe('the end of a call that did not start', () => {
  it.each([
    ['Qwen/Qwen2.5-7B-Instruct', 'Done.\n</tool_call>', 'Done.\n'],
    ['Qwen/Qwen2.5-7B-Instruct', 'Done.</tool_call>', 'Done.'],
    ['Qwen/Qwen3-Coder-480B', 'Done.\n</function>\n</tool_call>', 'Done.\n\n'],
    ['Qwen/Qwen2.5-7B-Instruct', '</tool_call>\nDone.', '\nDone.'],
    ['Qwen/Qwen2.5-7B-Instruct', 'Done.\n</tool_call>\nMore text.', 'Done.\n\nMore text.'],
    ['zai-org/GLM-4.6', 'Done.\n</tool_call>', 'Done.\n'],
    ['deepseek-ai/DeepSeek-V3.1', 'Done.<｜tool▁call▁end｜><｜tool▁calls▁end｜>', 'Done.'],
    ['moonshotai/Kimi-K2-Instruct', 'Done.<|tool_call_end|><|tool_calls_section_end|>', 'Done.'],
    ['claude-3-haiku', 'Done.\n</function_calls>', 'Done.\n'],
    ['tencent/Hunyuan-A13B-Instruct', 'Done.\n</tool_calls>', 'Done.\n'],
  ])('is dropped from a text of %s: %j', async (modelId, text, shown) => {
    expect(await readerOf(modelId)(text)).toEqual([{ text: shown }]);
  });

  it('is dropped after a call, and between a text and a call', async () => {
    expect(await read(`${call}\n</tool_call>\n</tool_call>`)).toEqual([ping]);
    expect(await read(`Now.\n</tool_call>\n${call}`)).toEqual([{ text: 'Now.\n\n' }, ping]);
  });

  it.each([
    'It ends with </tool_call>.',
    'It ends with </tool_call>',
    'The tag </tool_call> is a closing tag.',
    'It is “</tool_call>”',
    'As in `</tool_call>`',
    'So:\n```\n</tool_call>\n```',
    '</tool_call> ends a call.',
    'Write <tool_call>, the JSON, and\n</tool_call>',
    'Write `<tool_call>`, the JSON, and\n</tool_call>',
    '<tool_call>{"name": "ping", "arg</tool_call>',
    '<tool>ping</tool>',
  ])('is shown where the text mentions it: %j', async text => {
    expect(await read(text)).toEqual([{ text }]);
  });
});

describe('an indented fence', () => {
  it.each([
    `- As in:\n    \`\`\`xml\n    ${call.replaceAll('\n', '\n    ')}\n    \`\`\``,
    `1. As in:\n\n\t~~~\n\t${call.replaceAll('\n', '\n\t')}\n\t~~~\n`,
  ])('contains no calls: %j', async text => {
    expect(await read(text)).toEqual([{ text }]);
  });

  it('ends before a line with less indentation', async () => {
    const item = '- As in:\n    ```xml\n    <x>\n\n    y\n';
    expect(await read(`${item}${call}`)).toEqual([{ text: item }, ping]);
  });

  it('is not an indented call', async () => {
    const indented = `    ${call.replaceAll('\n', '\n    ')}`;
    expect(await read(`Now:\n\n${indented}`)).toEqual([{ text: 'Now:\n\n    ' }, ping]);
  });
});
