import type { Part } from '../../../src/core/part.js';
import type { ApprovalMark, Prompt, ToolCallPart, ToolPart } from '../../../src/core/prompt.js';
import {
  createHostApprovals,
  type HostApprovalOptions,
  type HostApprovals,
  type PendingCall,
} from '../../../src/tool-loop/approvals/host-approvals.js';
import type { ToolDefinition } from '../../../src/tools/tool-source.js';

export const secret = 'a secret of more than thirty-two characters';
export const { signal } = new AbortController();

export const pay: ToolDefinition = {
  name: 'bank_pay',
  originalName: 'pay',
  server: 'bank',
  inputSchema: { type: 'object' },
};

export const toolsOf = (...tools: readonly ToolDefinition[]) => new Map(tools.map(tool => [tool.name, tool]));

/** Returns a claim that several processes share, and the ids that were claimed. */
export function sharedClaim() {
  const claimed: string[] = [];
  const claim: HostApprovalOptions['claim'] = id => !claimed.includes(id) && claimed.push(id) > 0;
  return { claim, claimed };
}

/** Requests the approval of a call. Returns the written parts and the call as the host keeps it. */
export async function ask(approvals: HostApprovals, input: Record<string, unknown> = { amount: 1 }) {
  const written: Part[] = [];
  const call = { toolCallId: 'c1', toolName: 'bank_pay', input };
  const output = await approvals.ask(call, {
    tool: pay,
    write: part => written.push(part),
    keepId: async create => create(),
  });
  const [part] = written;
  if (part?.type !== 'tool-call' || part.own?.approval === undefined)
    throw new Error('Expected a call with a mark.');
  return { written, output, mark: part.own.approval, part: toCallPart(part.own.approval, { input }) };
}

export const toCallPart = (
  approval: ApprovalMark,
  { toolCallId = 'c1', input = { amount: 1 } }: Partial<Pick<ToolCallPart, 'toolCallId' | 'input'>> = {},
): ToolCallPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'bank_pay',
  input,
  providerExecuted: true,
  own: { approval },
});

export const toPending = (part: ToolCallPart, mark: ApprovalMark, isApproved = true): PendingCall => ({
  part,
  mark,
  isApproved,
  placeholder: { type: 'error-text', value: 'The call waits for approval.' },
});

/** Checks an approval in a process that did not ask. */
export const admitElsewhere = (
  call: PendingCall,
  options: HostApprovalOptions | undefined,
  tools = toolsOf(pay),
) => createHostApprovals(options).admit(call, { tools, signal });

/** Returns a conversation in which the host was asked to approve calls, and its answers. */
export const promptOf = (calls: readonly ToolCallPart[], ...answers: readonly ToolPart[]): Prompt => [
  { role: 'user', content: [{ type: 'text', text: 'Pay.' }] },
  { role: 'assistant', content: calls },
  ...(answers.length > 0 ? [{ role: 'tool' as const, content: answers }] : []),
];

export const answer = (approvalId: string, approved: boolean, reason?: string): ToolPart => ({
  type: 'tool-approval-response',
  approvalId,
  approved,
  ...(reason !== undefined && { reason }),
});
