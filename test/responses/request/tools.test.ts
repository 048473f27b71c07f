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
  it.each([
    [128, 0],
    [129, 1],
  ])('give a warning above the number that the API accepts: %i', (length, count) => {
    const tools = Array.from({ length }, (_, index) => functionTool(`tool_${index}`));
    const { body, warnings } = build({ tools });
    expect(body.tools).toHaveLength(length);
    expect(warnings.filter(warning => JSON.stringify(warning).includes(`${length} tools`))).toHaveLength(
      count,
    );
  });

  it('always set `strict`', () => {
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

  it('with names that the API rejects get the same name in tools, choice and history', () => {
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

  it('send their options', () => {
    const openai = {
      allowedCallers: ['direct', 'programmatic'],
      deferLoading: true,
      outputSchema: { type: 'string', $schema: 'x', pattern: '(?=a)' },
    };
    const { body, warnings } = build({ tools: [functionTool('a', { providerOptions: { openai } })] });
    expect(body.tools).toMatchObject([
      {
        allowed_callers: ['direct', 'programmatic'],
        defer_loading: true,
        output_schema: { type: 'string' },
      },
    ]);
    expect(warnings).toMatchObject([{ message: expect.stringContaining('Affected: a.') }]);
  });

  it('have options under `kelivo` and, for Azure, `azure`, too', () => {
    const providerOptions = { azure: { deferLoading: true }, kelivo: { allowedCallers: ['programmatic'] } };
    const tools = [functionTool('a', { providerOptions })];
    expect(build({ tools }, { official: 'azure' }).body.tools).toMatchObject([
      { defer_loading: true, allowed_callers: ['programmatic'] },
    ]);
    expect(build({ tools }).body.tools?.[0]).not.toHaveProperty('defer_loading');
  });

  it('report invalid and unknown options', () => {
    const withOption = (option: object) => () =>
      build({ tools: [functionTool('a', { providerOptions: { openai: option } })] });
    expect(withOption({ namespace: 'crm' })).toThrow('of the tool "a".namespace');
    expect(withOption({ deferLoadin: true })().warnings).toMatchObject([
      { message: expect.stringContaining('Did you mean `deferLoading`?') },
    ]);
  });

  it('form namespaces at the place of their first tool', () => {
    const crm = { providerOptions: { openai: { namespace: { name: 'crm', description: 'Customers' } } } };
    const { body, toolNames } = build({
      tools: [
        functionTool('list'),
        functionTool('crm.list', crm),
        functionTool('b'),
        functionTool('other', crm),
      ],
    });
    expect(body.tools).toMatchObject([
      { type: 'function', name: 'list' },
      {
        type: 'namespace',
        name: 'crm',
        description: 'Customers',
        tools: [{ name: 'list' }, { name: 'other' }],
      },
      { type: 'function', name: 'b' },
    ]);
    expect(toolNames.fromWire('list')).toBe('list');
    expect(toolNames.fromWire('list', 'crm')).toBe('crm.list');
    expect(toolNames.fromWire('other', 'crm')).toBe('other');
  });

  it('with different descriptions of their namespace are refused', () => {
    const inCrm = (description: string) => ({
      providerOptions: { openai: { namespace: { name: 'crm', description } } },
    });
    expect(() => build({ tools: [functionTool('a', inCrm('x')), functionTool('b', inCrm('y'))] })).toThrow(
      'Expected all tools of the namespace "crm" to have the same description of it, got "x" and "y".',
    );
  });

  it('send JSON text if their output has a schema', () => {
    const tools = [functionTool('a', { providerOptions: { openai: { outputSchema: { type: 'string' } } } })];
    const outputOf = (output: object) =>
      build({
        tools,
        prompt: [
          { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'a', input: {} }] },
          { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'a', output }] },
        ] as unknown as LanguageModelV2CallOptions['prompt'],
      }).body.input[1];
    expect(outputOf({ type: 'text', value: 'abc' })).toMatchObject({ output: '"abc"' });
    expect(outputOf({ type: 'json', value: 'abc' })).toMatchObject({ output: '"abc"' });
  });

  it('run asynchronously only if the model supports it', () => {
    const tools = [functionTool('a', { providerOptions: { openai: { async: true } } })];
    expect(build({ tools }, { modelId: 'gpt-6-sol' }).body.tools).toMatchObject([{ async: true }]);
    const { body, warnings } = build({ tools });
    expect(body.tools?.[0]).not.toHaveProperty('async');
    expect(warnings).toMatchObject([{ type: 'unsupported-tool' }]);
  });
});

describe('hosted tools', () => {
  it('may have no arguments', () => {
    const withoutArgs = (args: unknown) => [{ ...hostedTool('openai.web_search'), args }] as unknown as Tools;
    for (const args of [undefined, null]) {
      expect(build({ tools: withoutArgs(args) }).body.tools).toEqual([{ type: 'web_search' }]);
    }
  });

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
    [
      'openai.mcp',
      {
        serverLabel: 'docs',
        serverUrl: 'https://docs.test/mcp',
        serverDescription: 'The manual',
        authorization: 'token',
        headers: { 'x-team': 'a' },
        allowedTools: { readOnly: true, toolNames: ['ask'] },
        requireApproval: { always: { toolNames: ['write'] }, never: { readOnly: true } },
      },
      {
        type: 'mcp',
        server_label: 'docs',
        server_url: 'https://docs.test/mcp',
        server_description: 'The manual',
        authorization: 'token',
        headers: { 'x-team': 'a' },
        allowed_tools: { read_only: true, tool_names: ['ask'] },
        require_approval: { always: { tool_names: ['write'] }, never: { read_only: true } },
      },
    ],
    [
      'openai.mcp',
      {
        serverLabel: 'mail',
        connectorId: 'connector_gmail',
        allowedTools: ['read'],
        requireApproval: 'always',
      },
      {
        type: 'mcp',
        server_label: 'mail',
        connector_id: 'connector_gmail',
        allowed_tools: ['read'],
        require_approval: 'always',
      },
    ],
    [
      'openai.mcp',
      { serverLabel: 'docs', serverUrl: 'https://docs.test/mcp' },
      { type: 'mcp', server_label: 'docs', server_url: 'https://docs.test/mcp', require_approval: 'never' },
    ],
    [
      'openai.custom',
      { description: 'Runs SQL', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
      {
        type: 'custom',
        name: 'custom',
        description: 'Runs SQL',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
      },
    ],
    ['openai.shell', {}, { type: 'shell' }],
    [
      'openai.shell',
      { environment: { type: 'containerReference', containerId: 'cntr_1' } },
      { type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } },
    ],
    [
      'openai.shell',
      {
        environment: {
          type: 'containerAuto',
          fileIds: ['f'],
          memoryLimit: '4g',
          networkPolicy: { type: 'allowlist', allowedDomains: ['a.org'] },
          skills: [
            { type: 'skillReference', skillId: 'skill_1', version: '2' },
            {
              type: 'inline',
              name: 'n',
              description: 'd',
              source: { type: 'base64', mediaType: 'application/zip', data: 'AAEC' },
            },
          ],
        },
      },
      {
        type: 'shell',
        environment: {
          type: 'container_auto',
          file_ids: ['f'],
          memory_limit: '4g',
          network_policy: { type: 'allowlist', allowed_domains: ['a.org'] },
          skills: [
            { type: 'skill_reference', skill_id: 'skill_1', version: '2' },
            {
              type: 'inline',
              name: 'n',
              description: 'd',
              source: { type: 'base64', media_type: 'application/zip', data: 'AAEC' },
            },
          ],
        },
      },
    ],
    [
      'openai.shell',
      { environment: { type: 'local', skills: [{ name: 'n', description: 'd', path: '/s' }] } },
      {
        type: 'shell',
        environment: { type: 'local', skills: [{ name: 'n', description: 'd', path: '/s' }] },
      },
    ],
    ['openai.apply_patch', {}, { type: 'apply_patch' }],
    ['openai.computer', {}, { type: 'computer' }],
    [
      'openai.computer_use',
      { displayWidth: 800, displayHeight: 600, environment: 'browser' },
      { type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'browser' },
    ],
  ])('%s is converted to the format of the request', (id, args, expected) => {
    for (const type of ['provider-defined', 'provider']) {
      const { body, warnings } = build({ tools: [hostedTool(id, args, type)] });
      expect(body.tools).toEqual([expected]);
      expect(warnings).toEqual([]);
    }
  });

  it('add the `include` values of their items', () => {
    const tools = [hostedTool('openai.web_search'), hostedTool('openai.code_interpreter')];
    expect(build({ tools }).body.include).toEqual([
      'web_search_call.action.sources',
      'code_interpreter_call.outputs',
      'reasoning.encrypted_content',
    ]);
  });

  it('that concern only the host are omitted without a warning', () => {
    const { body, warnings } = build({ tools: [hostedTool('openai.mcp_approval_request')] });
    expect(body).not.toHaveProperty('tools');
    expect(warnings).toEqual([]);
  });

  it('that the host names get a name that the API accepts, or the one in their arguments', () => {
    const custom = (name: string, args: object) => ({ ...hostedTool('openai.custom', args), name });
    const { body, toolNames } = build({
      tools: [custom('my.sql', {}), custom('search', { name: 'find' }), functionTool('find')],
    });
    const names = body.tools?.map(({ name }) => name);
    expect(names).toEqual([
      expect.stringMatching(/^my_sql_[0-9a-f]{8}$/),
      'find',
      expect.stringMatching(/^find_/),
    ]);
    expect(names?.map(name => toolNames.fromWire(String(name)))).toEqual(['my.sql', 'search', 'find']);
  });

  it('of other providers are omitted with a warning', () => {
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

  it('identifies a hosted tool by its type', () => {
    const tools = [functionTool('a'), hostedTool('openai.web_search')];
    const toolChoice = { type: 'tool' as const, toolName: 'web_search' };
    expect(build({ tools, toolChoice }).body.tool_choice).toEqual({ type: 'web_search' });
  });

  it.each([
    ['openai.custom', {}, { type: 'custom', name: 'custom' }],
    ['openai.mcp', { serverLabel: 'docs' }, { type: 'mcp', server_label: 'docs' }],
    ['openai.shell', {}, { type: 'shell' }],
    ['openai.computer_use', {}, { type: 'computer_use_preview' }],
  ])('identifies %s by its distinctive fields', (id, args, expected) => {
    const tool = hostedTool(id, args);
    const toolChoice = { type: 'tool' as const, toolName: tool.name };
    expect(build({ tools: [tool], toolChoice }).body.tool_choice).toEqual(expected);
  });

  it('of a tool that the request does not contain is refused', () => {
    const tools = [functionTool('a'), hostedTool('google.search')];
    const toolChoice = { type: 'tool' as const, toolName: 'search' };
    for (const offered of [tools, tools.slice(1)])
      expect(() => build({ tools: offered, toolChoice })).toThrow('forcing the tool "search"');
  });

  it('prefers a declared function to a hosted tool with the same name', () => {
    const toolChoice = { type: 'tool' as const, toolName: 'web_search' };
    expect(build({ tools: [functionTool('web_search')], toolChoice }).body.tool_choice).toEqual({
      type: 'function',
      name: 'web_search',
    });
  });
});
