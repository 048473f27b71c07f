import { describe, expect, it } from 'vitest';
import type { LanguageModelV3CallOptions } from '../../src/v3/index.js';
import { toLanguageModelV3 } from '../../src/v3/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import {
  call,
  callRound,
  exchangeOf,
  finish,
  textRound,
  scriptedModel,
  start,
} from '../tool-loop/_scripted-model.js';
import { scriptedTools } from '../tool-loop/_tools.js';

type Options = Partial<LanguageModelV3CallOptions>;

const prompt: LanguageModelV3CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Go.' }] as never },
];
const hostedMcp = { type: 'provider', id: 'openai.mcp', name: 'docs', args: {} } as const;
const request = call('mcpr_1', 'mcp_approval_request', {
  serverLabel: 'docs',
  name: 'search',
  arguments: { query: 'a' },
});

async function run(options: Options, round = [start, ...request, finish('tool-calls')]) {
  const model = scriptedModel(round, round);
  const facade = toLanguageModelV3(model);
  const { content } = await facade.doGenerate({ prompt, ...options });
  const parts = [];
  for await (const part of (await facade.doStream({ prompt, ...options })).stream) parts.push(part);
  return { content, parts: parts.slice(1, -1), given: model.requests[0] };
}

describe('an approval request of a hosted MCP server', () => {
  it('becomes a call and a request of version 3', async () => {
    const { content, parts, given } = await run({ tools: [hostedMcp] });
    const expected = [
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
    expect(content).toEqual(expected);
    expect(parts).toEqual(expected);
    expect(given?.tools).toMatchObject([
      { type: 'provider-defined', id: 'openai.mcp' },
      { type: 'provider-defined', id: 'openai.mcp_approval_request', name: 'mcp_approval_request' },
    ]);
  });

  it('stays a call if the host declared the approval tool', async () => {
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
      'denied, as a response and as a result',
      [
        { type: 'tool-approval-response', approvalId: 'mcpr_1', approved: false, reason: 'No.' },
        { type: 'tool-result', toolCallId: 'mcpr_1', output: { type: 'execution-denied', reason: 'No.' } },
      ],
      { approve: false, reason: 'No.' },
    ],
    [
      'denied, as a result only',
      [{ type: 'tool-result', toolCallId: 'mcpr_1', output: { type: 'execution-denied' } }],
      { approve: false },
    ],
  ])('receives one response: %s', async (_, responses, value) => {
    const approvalCall = {
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
        prompt: [
          ...prompt,
          { role: 'assistant', content: [approvalCall] },
          { role: 'tool', content: responses },
        ],
      },
      textRound('Done.'),
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
            providerOptions: approvalCall.providerOptions,
          },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', ...name, output: { type: 'json', value } }] },
    ]);
  });
});

describe('an approval request of the tool loop', () => {
  it('with contradictory responses runs nothing', async () => {
    const tools = scriptedTools({ wipe: () => 'ran' });
    const model = scriptedModel(callRound(call('c1', 'wipe')), textRound('Done.'));
    const facade = toLanguageModelV3(withToolLoop(model, { tools, approve: 'host' }));
    const { content } = await facade.doGenerate({ prompt });
    const [asked] = content as unknown as { toolCallId: string; providerMetadata: object }[];
    const { approvalId } = content[1] as unknown as { approvalId: string };
    const identity = { toolCallId: 'c1', toolName: 'wipe' };
    const pending = { type: 'tool-call', ...identity, input: {}, providerOptions: asked?.providerMetadata };
    const approved = { type: 'tool-approval-response', approvalId, approved: true };
    const denied = { type: 'tool-result', ...identity, output: { type: 'execution-denied', reason: 'No.' } };
    await facade.doGenerate({
      prompt: [
        ...prompt,
        { role: 'assistant', content: [pending] },
        { role: 'tool', content: [approved, denied] },
      ],
    });
    expect(tools.calls).toEqual([]);
    expect(exchangeOf(model.requests[1]).outputs).toEqual([['c1', 'The call was not approved: No.']]);
  });
});
