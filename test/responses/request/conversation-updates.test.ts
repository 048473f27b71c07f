import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { build, user } from './_build.js';

type Prompt = LanguageModelV2CallOptions['prompt'];

const system = (openai: Record<string, unknown>, content = '') =>
  [user('a'), { role: 'system', content, providerOptions: { openai } }, user('b')] as Prompt;
const itemOf = (openai: Record<string, unknown>, content?: string) =>
  build({ prompt: system(openai, content) }, { modelId: 'gpt-6-sol' }).body.input[1];

const weather = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: {}, $schema: 'x' },
};

describe('a change within a conversation', () => {
  it('replaces the format of the response', () => {
    const schema = { type: 'object', properties: {} };
    const format = { type: 'json_schema', name: 'answer', schema };
    expect(itemOf({ textFormatUpdate: format, reasoningEffortUpdate: 'low' })).toEqual({
      type: 'configuration_update',
      reasoning: { effort: 'low' },
      text: { format },
    });
    expect(() => itemOf({ textFormatUpdate: { type: 'json_schema' } })).toThrow('textFormatUpdate');
  });

  it('adds tools, whatever the model is', () => {
    const additionalTools = [
      weather,
      { type: 'custom', name: 'sql' },
      { type: 'namespace', name: 'crm', description: 'd', tools: [{ type: 'function', name: 'list' }] },
    ];
    const { body } = build({ prompt: system({ additionalTools }) }, { modelId: 'gpt-5' });
    expect(body.input[1]).toEqual({
      type: 'additional_tools',
      role: 'developer',
      tools: [
        { ...weather, parameters: { type: 'object', properties: {} } },
        { type: 'custom', name: 'sql' },
        { type: 'namespace', name: 'crm', description: 'd', tools: [{ type: 'function', name: 'list' }] },
      ],
    });
  });

  it('adds tools after the result of a tool', () => {
    const ids = { toolCallId: 'c', toolName: 'find' };
    const prompt = [
      { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: {} }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            ...ids,
            output: { type: 'text', value: 'found' },
            providerOptions: { openai: { additionalTools: [{ type: 'custom', name: 'sql' }] } },
          },
        ],
      },
    ] as Prompt;
    expect(build({ prompt }).body.input).toMatchObject([
      { type: 'function_call' },
      { type: 'function_call_output' },
      { type: 'additional_tools', tools: [{ name: 'sql' }] },
    ]);
  });

  it('sends an added tool under the name that its calls are mapped back from', () => {
    const name = 'files.read text';
    const { body, toolNames } = build({
      prompt: system({ additionalTools: [{ ...weather, name }] }),
      tools: [
        {
          type: 'function',
          name,
          inputSchema: { type: 'object' },
          providerOptions: { openai: { omitFromRequestTools: true } },
        },
      ],
    });
    const wire = toolNames.toWire(name);
    expect(wire).not.toBe(name);
    expect(body).not.toHaveProperty('tools');
    expect(body.input[1]).toMatchObject({ tools: [{ name: wire }] });
    expect(toolNames.fromWire(wire)).toBe(name);
  });

  it('needs an empty message and valid tools', () => {
    for (const option of ['textFormatUpdate', 'additionalTools']) {
      expect(() => itemOf({ [option]: { type: 'text' } }, 'text')).toThrow(
        `Message-level ${option} requires empty system message content.`,
      );
    }
    expect(() => itemOf({ additionalTools: [{ type: 'web_search' }] })).toThrow('additionalTools.0');
  });

  it('of the format is refused for models that do not support it', () => {
    const prompt = system({ textFormatUpdate: { type: 'text' } });
    expect(() => build({ prompt })).toThrow('only supported by GPT-6');
  });
});
