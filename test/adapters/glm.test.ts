import { describe, expect, it } from 'vitest';
import { readAs } from './_read-as.js';

const tools = { plan: { items: { type: 'array' }, note: { type: 'string' } }, ping: {} };

describe('GLM', () => {
  const read = readAs('glm-4.6', tools);

  it.each<[string, object]>([
    // Servers that leave escapes in the text.
    [
      String.raw`<tool_call>plan\n<arg_key>items</arg_key>\n<arg_value>[{\"id\": \"1\", \"path\": \"C:\\\\a\"}]</arg_value>\n</tool_call>`,
      { items: [{ id: '1', path: 'C:\\a' }] },
    ],
    [
      String.raw`<tool_call>plan<arg_key>note</arg_key><arg_value>[\"a\"]\n</arg_value></tool_call>`,
      { note: String.raw`[\"a\"]\n` },
    ],
    [
      '<tool_call>plan\n<arg_key>items</arg_key>\n<arg_value>["\\"a\\""]</arg_value>\n</tool_call>',
      { items: ['"a"'] },
    ],
  ])('reads %s', async (text, input) => expect(await read(text)).toEqual([{ call: 'plan', input }]));

  it.each([
    ['glm-4.7', true],
    ['zai-org/GLM-4.7-Flash', true],
    ['glm-5', true],
    ['zai-org/GLM-5.1-FP8', true],
    ['glm-4.6', false],
    ['glm-4.5-air', false],
    ['glm-4-9b-chat', false],
  ])('%s starts in reasoning: %s', async (id, starts) => {
    const text = 'Hm.\n\n<tool_call>ping</tool_call></think>Done.';
    const [first] = await readAs(id, tools)(text);
    expect(first !== undefined && 'reasoning' in first).toBe(starts);
  });
});
