import { describe, expect, it } from 'vitest';
import type { LanguageModelV3CallOptions } from '../../src/v3/index.js';
import { toLanguageModelV3 } from '../../src/v3/index.js';
import { call, finish, say, scriptedModel, start } from '../tool-loop/_scripted-model.js';

type Options = Partial<LanguageModelV3CallOptions>;

const prompt: LanguageModelV3CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Go.' }] as never },
];
const hostedMcp = { type: 'provider', id: 'openai.mcp', name: 'docs', args: {} } as const;
const question = call('mcpr_1', 'mcp_approval_request', {
  serverLabel: 'docs',
  name: 'search',
  arguments: { query: 'a' },
});

async function run(options: Options, round = [start, ...question, finish('tool-calls')]) {
  const model = scriptedModel(round, round);
  const facade = toLanguageModelV3(model);
  const { content } = await facade.doGenerate({ prompt, ...options });
  const parts = [];
  for await (const part of (await facade.doStream({ prompt, ...options })).stream) parts.push(part);
  return { content, parts: parts.slice(1, -1), given: model.requests[0] };
}

describe('a hosted MCP server that asks', () => {
  it('has its question told in the words of version 3', async () => {
    const { content, parts, given } = await run({ tools: [hostedMcp] });
    const told = [
      {
        type: 'tool-call',
        toolCallId: 'mcpr_1',
        toolName: 'mcp.search',
        input: '{"query":"a"}',
        providerExecuted: true,
        dynamic: true,
        providerMetadata: { kelivo: { approvalFor: 'docs' } },
      },
      { type: 'tool-approval-request', approvalId: 'mcpr_1', toolCallId: 'mcpr_1' },
    ];
    expect(content).toEqual(told);
    expect(parts).toEqual(told);
    expect(given?.tools).toMatchObject([
      { type: 'provider-defined', id: 'openai.mcp' },
      { type: 'provider-defined', id: 'openai.mcp_approval_request', name: 'mcp_approval_request' },
    ]);
  });

  it('asks by the tool of a host that declared one for it', async () => {
    const own = { type: 'function', name: 'mcp_approval_request' } as const;
    const { content, parts, given } = await run({ tools: [hostedMcp, own] });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: 'mcp_approval_request' }]);
    expect(parts.map(({ type }) => type)).toEqual([
      ...['tool-input-start', 'tool-input-delta', 'tool-input-end'],
      'tool-call',
    ]);
    expect(given?.tools).toHaveLength(2);
  });

  it.each([
    [
      'approved',
      [{ type: 'tool-approval-response', approvalId: 'mcpr_1', approved: true }],
      { approve: true },
    ],
    [
      'refused, which a host tells in two ways',
      [
        { type: 'tool-approval-response', approvalId: 'mcpr_1', approved: false, reason: 'No.' },
        { type: 'tool-result', toolCallId: 'mcpr_1', output: { type: 'execution-denied', reason: 'No.' } },
      ],
      { approve: false, reason: 'No.' },
    ],
    [
      'refused, which a host tells as a result',
      [{ type: 'tool-result', toolCallId: 'mcpr_1', output: { type: 'execution-denied' } }],
      { approve: false },
    ],
  ])('reads once that its call is %s', async (_, answers, value) => {
    const asked = {
      type: 'tool-call',
      toolCallId: 'mcpr_1',
      toolName: 'mcp.search',
      input: { query: 'a' },
      providerExecuted: true,
      providerOptions: { kelivo: { approvalFor: 'docs' } },
    };
    const { given } = await run(
      {
        tools: [hostedMcp],
        prompt: [...prompt, { role: 'assistant', content: [asked] }, { role: 'tool', content: answers }],
      },
      say('Done.'),
    );
    const name = { toolCallId: 'mcpr_1', toolName: 'mcp_approval_request' };
    expect(given?.prompt.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            ...name,
            input: { serverLabel: 'docs', name: 'search', arguments: { query: 'a' } },
            providerOptions: asked.providerOptions,
          },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', ...name, output: { type: 'json', value } }] },
    ]);
  });
});
