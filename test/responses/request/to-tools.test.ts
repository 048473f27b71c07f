import type { LanguageModelV2CallOptions, LanguageModelV2FunctionTool } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { build } from './_build.js';

type Tools = NonNullable<LanguageModelV2CallOptions['tools']>;

const functionTool = (name: string, rest: object = {}): LanguageModelV2FunctionTool => ({
  type: 'function',
  name,
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
  ...rest,
});
const hostedTool = (id: string, args: object = {}, type = 'provider-defined') =>
  ({ type, id, name: id.split('.')[1], args }) as unknown as Tools[number];

describe('function tools', () => {
  it('are always explicit about being strict', () => {
    const tools = [functionTool('a', { description: 'does a' })];
    expect(build({ tools }).body.tools).toEqual([
      {
        type: 'function',
        name: 'a',
        description: 'does a',
        parameters: { type: 'object', properties: { a: { type: 'string' } } },
        strict: false,
      },
    ]);
    const strict = { providerOptions: { openai: { strictJsonSchema: true } } };
    expect(build({ tools, ...strict }).body.tools).toMatchObject([{ strict: true }]);
    expect(build({ tools: [functionTool('a', { strict: true })] }).body.tools).toMatchObject([
      { strict: true },
    ]);
  });

  it('under names the API refuses are mapped alike in tools, choice and history', () => {
    const name = 'files.read text';
    const { body, toolNames } = build({
      tools: [functionTool(name)],
      toolChoice: { type: 'tool', toolName: name },
      prompt: [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: name, input: {} }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c', toolName: name, output: { type: 'text', value: '' } },
          ],
        },
      ],
    });
    const wire = toolNames.toWire(name);
    expect(wire).toMatch(/^files_read_text_[0-9a-f]{8}$/);
    expect(toolNames.fromWire(wire)).toBe(name);
    expect(body.tools).toMatchObject([{ name: wire }]);
    expect(body.tool_choice).toEqual({ type: 'function', name: wire });
    expect(body.input[0]).toMatchObject({ type: 'function_call', name: wire });
  });

  it('run asynchronously only where the model can', () => {
    const tools = [functionTool('a', { providerOptions: { openai: { async: true } } })];
    expect(build({ tools }, { modelId: 'gpt-6-sol' }).body.tools).toMatchObject([{ async: true }]);
    const { body, warnings } = build({ tools });
    expect(body.tools?.[0]).not.toHaveProperty('async');
    expect(warnings).toMatchObject([{ type: 'unsupported-tool' }]);
  });
});

describe('hosted tools', () => {
  it.each([
    [
      'openai.file_search',
      {
        vectorStoreIds: ['v'],
        maxNumResults: 2,
        ranking: { ranker: 'auto', scoreThreshold: 0.5 },
        filters: { key: 'k', type: 'eq', value: 1 },
      },
      {
        type: 'file_search',
        vector_store_ids: ['v'],
        max_num_results: 2,
        ranking_options: { ranker: 'auto', score_threshold: 0.5 },
        filters: { key: 'k', type: 'eq', value: 1 },
      },
    ],
    ['openai.local_shell', {}, { type: 'local_shell' }],
    [
      'openai.web_search_preview',
      { searchContextSize: 'low', userLocation: { type: 'approximate', city: 'Rome' } },
      {
        type: 'web_search_preview',
        search_context_size: 'low',
        user_location: { type: 'approximate', city: 'Rome' },
      },
    ],
    [
      'openai.web_search',
      { filters: { allowedDomains: ['a.org'] }, externalWebAccess: false },
      { type: 'web_search', filters: { allowed_domains: ['a.org'] }, external_web_access: false },
    ],
    ['openai.code_interpreter', {}, { type: 'code_interpreter', container: { type: 'auto' } }],
    ['openai.code_interpreter', { container: 'cntr_1' }, { type: 'code_interpreter', container: 'cntr_1' }],
    [
      'openai.code_interpreter',
      { container: { fileIds: ['f'] } },
      { type: 'code_interpreter', container: { type: 'auto', file_ids: ['f'] } },
    ],
    [
      'openai.image_generation',
      { outputFormat: 'png', inputImageMask: { fileId: 'f' }, size: 'auto' },
      { type: 'image_generation', output_format: 'png', input_image_mask: { file_id: 'f' }, size: 'auto' },
    ],
  ])('%s takes the form of the request', (id, args, expected) => {
    for (const type of ['provider-defined', 'provider']) {
      const { body, warnings } = build({ tools: [hostedTool(id, args, type)] });
      expect(body.tools).toEqual([expected]);
      expect(warnings).toEqual([]);
    }
  });

  it('bring what their items are sent with', () => {
    const tools = [hostedTool('openai.web_search'), hostedTool('openai.code_interpreter')];
    expect(build({ tools }).body.include).toEqual([
      'web_search_call.action.sources',
      'code_interpreter_call.outputs',
      'reasoning.encrypted_content',
    ]);
  });

  it('of other providers are left out with a warning', () => {
    const tool = hostedTool('google.search');
    const { body, warnings } = build({ tools: [tool], toolChoice: { type: 'auto' } });
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
    expect(warnings).toEqual([{ type: 'unsupported-tool', tool }]);
  });
});

describe('the choice of a tool', () => {
  it.each(['auto', 'none', 'required'] as const)('is sent as %s', type => {
    expect(build({ tools: [functionTool('a')], toolChoice: { type } }).body.tool_choice).toBe(type);
  });

  it('is not sent without tools', () => {
    for (const tools of [undefined, []]) {
      expect(build({ tools, toolChoice: { type: 'none' } }).body).not.toHaveProperty('tool_choice');
    }
  });

  it('names a hosted tool by its type', () => {
    const tools = [functionTool('a'), hostedTool('openai.web_search')];
    const toolChoice = { type: 'tool' as const, toolName: 'web_search' };
    expect(build({ tools, toolChoice }).body.tool_choice).toEqual({ type: 'web_search' });
  });

  it('prefers a declared function to the hosted tool of its name', () => {
    const toolChoice = { type: 'tool' as const, toolName: 'web_search' };
    expect(build({ tools: [functionTool('web_search')], toolChoice }).body.tool_choice).toEqual({
      type: 'function',
      name: 'web_search',
    });
  });
});
