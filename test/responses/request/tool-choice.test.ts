import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createTurn } from '../../_core.js';
import { build } from './_build.js';

type Tools = NonNullable<LanguageModelV2CallOptions['tools']>;

const functionTool = (name: string, openai: Record<string, unknown> = {}) =>
  ({
    type: 'function',
    name,
    inputSchema: { type: 'object' },
    providerOptions: { openai },
  }) as Tools[number];
const hostedTool = (id: string, name: string, args: object = {}) =>
  ({ type: 'provider-defined', id, name, args }) as Tools[number];
const namespace = { name: 'crm', description: 'Customers' };

const tools: Tools = [
  functionTool('plain'),
  functionTool('needs.renaming'),
  functionTool('crm.list', { namespace }),
  functionTool('deferred', { deferLoading: true }),
  functionTool('omitted', { omitFromRequestTools: true }),
  hostedTool('openai.web_search', 'search'),
  hostedTool('openai.mcp', 'docs', { serverLabel: 'docs', serverUrl: 'https://docs.test' }),
  hostedTool('openai.custom', 'sql'),
];

const allow = (
  toolNames: string[],
  { mode, ...options }: Partial<LanguageModelV2CallOptions> & { mode?: string } = {},
  round = 1,
) =>
  build(
    {
      tools,
      ...options,
      providerOptions: { openai: { allowedTools: { toolNames, ...(mode && { mode }) } } },
    },
    { turn: createTurn(round) },
  );

describe('allowedTools', () => {
  it('restricts the tools under the names of the request', () => {
    const { body, warnings, toolNames } = allow(['plain', 'needs.renaming', 'search', 'docs', 'sql']);
    expect(body.tool_choice).toEqual({
      type: 'allowed_tools',
      mode: 'auto',
      tools: [
        { type: 'function', name: 'plain' },
        { type: 'function', name: toolNames.toWire('needs.renaming') },
        { type: 'web_search' },
        { type: 'mcp', server_label: 'docs' },
        { type: 'custom', name: 'sql' },
      ],
    });
    expect(warnings).toEqual([]);
    expect(body.tools).toHaveLength(7);
  });

  it('accepts the type of a hosted tool', () => {
    expect(allow(['web_search']).body.tool_choice).toMatchObject({ tools: [{ type: 'web_search' }] });
  });

  it.each([
    ['crm.list', 'namespace'],
    ['deferred', 'deferred'],
    ['omitted', 'omitted'],
    ['missing', 'not part of the tools'],
  ])('leaves out %s with a warning', (name, reason) => {
    const { body, warnings } = allow(['plain', name]);
    expect(body.tool_choice).toMatchObject({ tools: [{ name: 'plain' }] });
    expect(warnings).toMatchObject([{ message: expect.stringContaining(reason) }]);
    expect(warnings).toMatchObject([{ message: expect.stringContaining(`allowedTools entry "${name}"`) }]);
  });

  it('fails if no tool is left, instead of allowing all', () => {
    expect(() => allow(['crm.list', 'missing'])).toThrow('crm.list, missing');
  });

  it('overrides the tool choice, except `none`', () => {
    const modeOf = (options: Parameters<typeof allow>[1], round?: number) => {
      const choice = allow(['plain'], options, round).body.tool_choice;
      return typeof choice === 'object' && 'mode' in choice ? choice.mode : choice;
    };
    expect(modeOf({ toolChoice: { type: 'tool', toolName: 'sql' } })).toBe('auto');
    expect(modeOf({ toolChoice: { type: 'required' } })).toBe('required');
    expect(modeOf({ toolChoice: { type: 'required' }, mode: 'auto' })).toBe('auto');
    expect(modeOf({ mode: 'required' })).toBe('required');
    expect(modeOf({ toolChoice: { type: 'none' } })).toBe('none');
    // The tool loop would never end.
    expect(modeOf({ mode: 'required' }, 2)).toBe('auto');
  });
});

describe('the choice of a function', () => {
  const choose = (toolName: string, declared = tools) =>
    build({ tools: declared, toolChoice: { type: 'tool', toolName } }).body.tool_choice;

  it('contains its name in the namespace', () => {
    expect(choose('crm.list')).toEqual({ type: 'function', name: 'list' });
  });

  it('is refused for a function that is not in the request', () => {
    expect(() => choose('omitted')).toThrow('omitted from the request tools array');
  });

  it('is refused if two functions have the name', () => {
    expect(() => choose('crm.list', [...tools, functionTool('list')])).toThrow('another namespace');
  });
});
