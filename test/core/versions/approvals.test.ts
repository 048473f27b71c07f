import { admitHistory, createHistoryKeys } from '../../../src/core/versions/history/signatures.js';
import { describe, expect, it } from 'vitest';
import type { LanguageModelV3CallOptions } from '../../../src/core/versions/specification.js';
import { toLanguageModelV3 } from '../../../src/v3.js';
import { withToolLoop } from '../../../src/tool-loop/index.js';
import type { Part } from '../../../src/core/part.js';
import { NO_USAGE } from '../../../src/core/finish.js';
import { toLanguageModel } from '../../../src/core/versions/language-model.js';
import { call, callRound, exchangeOf, textRound, scriptedModel } from '../../tool-loop/_scripted-model.js';
import { scriptedTools } from '../../tool-loop/_tools.js';
import { scriptedCore } from './_core-model.js';

type Options = Partial<LanguageModelV3CallOptions>;

const prompt: LanguageModelV3CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Go.' }] as never },
];
const hostedMcp = { type: 'provider', id: 'openai.mcp', name: 'docs', args: {} } as const;
const finish: Part = {
  type: 'finish',
  finishReason: { unified: 'tool-calls', raw: undefined },
  usage: NO_USAGE,
};
const request: Part[] = [
  {
    type: 'tool-call',
    toolCallId: 'mcpr_1',
    toolName: 'mcp.search',
    input: '{"query":"a"}',
    providerExecuted: true,
    dynamic: true,
    own: { approvalFor: 'docs' },
  },
  { type: 'tool-approval-request', approvalId: 'mcpr_1', toolCallId: 'mcpr_1' },
];

async function run(options: Options, parts: readonly Part[] = request) {
  const core = scriptedCore([{ type: 'stream-start', warnings: [] }, ...parts, finish]);
  const facade = toLanguageModel(core, 'v3');
  const { content } = await facade.doGenerate({ prompt, ...options });
  const streamed = [];
  for await (const part of (await facade.doStream({ prompt, ...options })).stream) streamed.push(part);
  return { content, parts: streamed.slice(1, -1), given: core.calls[0] };
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
    expect(given?.tools).toMatchObject([{ type: 'provider', id: 'openai.mcp' }]);
  });

  it.each([
    ['approved', { approved: true }],
    ['denied', { approved: false, reason: 'No.' }],
  ])('receives the response: %s', async (_, answer) => {
    const approvalCall = {
      type: 'tool-call',
      toolCallId: 'mcpr_1',
      toolName: 'mcp.search',
      input: { query: 'a' },
      providerExecuted: true,
    };
    const response = { type: 'tool-approval-response', approvalId: 'mcpr_1', ...answer };
    const { given } = await run({
      tools: [hostedMcp],
      prompt: [
        ...prompt,
        {
          role: 'assistant',
          content: [{ ...approvalCall, providerOptions: { kelivo: { approvalFor: 'docs' } } } as never],
        },
        { role: 'tool', content: [response] },
      ],
    });
    expect(given?.prompt.slice(1)).toEqual([
      { role: 'assistant', content: [{ ...approvalCall, own: { approvalFor: 'docs' } }] },
      { role: 'tool', content: [response] },
    ]);
  });

  it('is a call of the approval tool in version 2, and its result is the response', async () => {
    const core = scriptedCore([...request, finish]);
    const model = toLanguageModel(core, 'v2');
    const { content } = await model.doGenerate({ prompt: prompt as never });
    const name = { toolCallId: 'mcpr_1', toolName: 'mcp_approval_request' };
    const input = { serverLabel: 'docs', name: 'search', arguments: { query: 'a' } };
    const marked = { kelivo: { approvalFor: 'docs' } };
    const expected = { type: 'tool-call', ...name, input: JSON.stringify(input), providerMetadata: marked };
    expect(content).toEqual([expected]);
    await model.doGenerate({
      prompt: [
        ...(prompt as never[]),
        { role: 'assistant', content: [{ type: 'tool-call', ...name, input, providerOptions: marked }] },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              ...name,
              output: { type: 'json', value: { approve: false, reason: 'No.' } },
            },
          ],
        },
      ],
    });
    expect(core.calls[1]?.prompt.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          {
            toolCallId: 'mcpr_1',
            toolName: 'mcp.search',
            input: { query: 'a' },
            own: { approvalFor: 'docs' },
          },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-approval-response', approvalId: 'mcpr_1', approved: false, reason: 'No.' }],
      },
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

it('a history that contains nothing but a request without a mark keeps neither it nor its answer', () => {
  const ids = { toolCallId: 'mcpr_1', toolName: 'mcp_approval_request' };
  const { prompt, faults } = admitHistory(
    [
      { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: { serverLabel: 'docs' } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', ...ids, output: { type: 'json', value: { approve: true } } }],
      },
    ],
    { keys: createHistoryKeys('a secret of thirty-two characters')(), scope: undefined, tools: [] },
  );
  expect(prompt).toEqual([]);
  expect([...faults]).toEqual([['unsigned', 1]]);
});
