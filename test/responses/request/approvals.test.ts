import { describe, expect, it } from 'vitest';
import type { Message, Prompt, ToolCallPart, ToolPart } from '../../../src/core/prompt.js';
import type { Warning } from '../../../src/core/part.js';
import { type KnownByServer, withAnsweredApprovals } from '../../../src/responses/request/approvals.js';

const user: Message = { role: 'user', content: [{ type: 'text', text: 'Write it.' }] };
const call = (fields: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: 'tool-call',
  toolCallId: 'mcpr_1',
  toolName: 'mcp.write',
  input: { path: 'a' },
  providerExecuted: true,
  own: { approvalFor: 'docs' },
  ...fields,
});
const assistant = (...content: ToolCallPart[]): Message => ({ role: 'assistant', content });
const tool = (...content: ToolPart[]): Message => ({ role: 'tool', content });
const response = (approvalId: string, approved: boolean, reason?: string): ToolPart => ({
  type: 'tool-approval-response',
  approvalId,
  approved,
  ...(reason !== undefined && { reason }),
});
const denial = (toolCallId: string, toolName = 'mcp.write'): ToolPart => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: { type: 'execution-denied', reason: 'No.' },
});

function convert(prompt: Prompt, known: KnownByServer = 'nothing') {
  const warnings: Warning[] = [];
  return { prompt: withAnsweredApprovals(prompt, { known, warn: one => void warnings.push(one) }), warnings };
}

const request = (id: string) => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'mcp_approval_request',
  input: { serverLabel: 'docs', name: 'write', arguments: { path: 'a' } },
});
const answer = (id: string, value: object) => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'mcp_approval_request',
  output: { type: 'json', value },
});

describe('an approval of a hosted MCP server', () => {
  it.each([
    ['approved', [response('mcpr_1', true)], { approve: true }],
    ['denied', [response('mcpr_1', false, 'No.')], { approve: false, reason: 'No.' }],
    ['denied twice', [response('mcpr_1', false, 'No.'), denial('mcpr_1')], { approve: false, reason: 'No.' }],
    ['denied by a result only', [denial('mcpr_1')], { approve: false, reason: 'No.' }],
  ])('that is %s becomes a call and its result', (_, parts, value) => {
    const { prompt, warnings } = convert([user, assistant(call()), tool(...parts)]);
    expect(prompt).toMatchObject([
      user,
      { role: 'assistant', content: [request('mcpr_1')] },
      { role: 'tool', content: [answer('mcpr_1', value)] },
    ]);
    expect(prompt[1]?.content[0]).not.toHaveProperty('providerExecuted');
    expect(warnings).toEqual([]);
  });

  // A client may have written both. The official provider sends the response and, if the server stores items, a reference.
  it.each([
    ['the official provider', call({ toolCallId: 'generated', own: undefined })],
    ['a function call with the id of a request', call({ own: undefined, providerExecuted: false })],
    ['no call', undefined],
  ])('that was requested by %s is only sent to a server that has the request', (_, unmarked) => {
    const history: Message[] = [user, ...(unmarked === undefined ? [] : [assistant(unmarked)])];
    const answered = [...history, tool(response('mcpr_1', true))];
    const kept = unmarked?.toolCallId === 'generated' ? history : [user];
    const { prompt, warnings } = convert(answered);
    expect(prompt).toEqual(kept);
    expect(warnings).toMatchObject([{ message: expect.stringContaining('mcpr_1') as string }]);

    const sent = tool({ ...answer('mcpr_1', { approve: true }), own: { approvalFor: '' } } as ToolPart);
    expect(convert(answered, 'messages').prompt).toEqual([...kept, sent]);
    const reference = { ...request('mcpr_1'), input: {}, own: { approvalFor: '' } } as ToolCallPart;
    expect(convert(answered, 'items').prompt).toEqual([...kept, assistant(reference), sent]);
  });
});

describe('an approval of the tool loop', () => {
  const looped = call({
    toolCallId: 'call_1',
    toolName: 'wipe',
    own: { approval: { id: 'approval_1', originalName: 'wipe' } },
  });

  it('is left out without a warning', () => {
    const { prompt, warnings } = convert([user, assistant(looped), tool(response('approval_1', true))]);
    expect(prompt).toEqual([user, assistant(looped)]);
    expect(warnings).toEqual([]);
  });

  it('keeps the denial that the history contains as a result', () => {
    const denied = tool(response('approval_1', false), denial('call_1', 'wipe'));
    const { prompt } = convert([user, assistant(looped), denied]);
    expect(prompt).toEqual([user, assistant(looped), tool(denial('call_1', 'wipe'))]);
  });
});

it('returns messages without approvals as the same objects', () => {
  const plain: Prompt = [user, assistant(call({ toolCallId: 'call_1', providerExecuted: false, own: {} }))];
  expect(convert(plain).prompt).toBe(plain);
  const mixed: Prompt = [...plain, assistant(call()), tool(response('mcpr_1', true))];
  const { prompt } = convert(mixed);
  expect(prompt[0]).toBe(mixed[0]);
  expect(prompt[1]).toBe(mixed[1]);
});

it('an id that only contains the beginning of a request is that of a call', () => {
  const plain: Prompt = [
    user,
    assistant(call({ toolCallId: 'call_mcpr_1', providerExecuted: false, own: {} })),
  ];
  expect(convert(plain).prompt).toBe(plain);
});
