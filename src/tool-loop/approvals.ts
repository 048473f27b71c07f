import { untilAborted } from '../shared/abort.js';
import type { ToolCallOptions, ToolDefinition, ToolInvocation } from '../tools/tool-source.js';

/** A call that waits for approval. */
export interface ApprovalRequest extends ToolInvocation {
  /** Definition of the tool. Its hints are unverified claims of the server. */
  readonly tool: ToolDefinition;
}

/** Approves or refuses a call. The model reads the reason of a refusal. */
export type ApprovalDecision = boolean | { readonly approved: boolean; readonly reason?: string };

/** Decides on a call, immediately or after asking a person. The signal aborts when the turn ends. */
export type Approve = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalDecision | PromiseLike<ApprovalDecision>;

/** Calls that need approval. */
export type Approvals = 'none' | 'destructive' | 'all';

const needsApprovalByKind: Readonly<Record<Approvals, (tool: ToolDefinition) => boolean>> = {
  none: () => false,
  destructive: tool => tool.destructive === true,
  all: tool => tool.readOnly !== true,
};

export interface ApprovalOptions extends Pick<ToolCallOptions, 'signal' | 'messages' | 'callContext'> {
  readonly approve?: Approve;
  readonly approvals?: Approvals;
}

/**
 * Requests approval for a call if it needs one. Rejects only on abort, without delay.
 *
 * @returns undefined if the call may run, else the text that the model reads.
 */
export async function requestApproval(
  request: ApprovalRequest,
  options: ApprovalOptions,
): Promise<string | undefined> {
  const { approve, signal } = options;
  try {
    if (!(await isApprovalNeeded(request, options))) return undefined;
    if (approve === undefined) return toRefusal('this tool needs approval, and `approve` is not set.');
    const deciding = (async () => approve(request, { signal }))();
    const { isApproved, reason } = readDecision(await untilAborted(deciding, signal));
    return isApproved ? undefined : toRefusal(reason);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return toRefusal(error instanceof Error ? error.message : String(error));
  }
}

async function isApprovalNeeded(
  request: ApprovalRequest,
  {
    approve,
    approvals = approve === undefined ? 'none' : 'all',
    signal,
    messages,
    callContext,
  }: ApprovalOptions,
): Promise<boolean> {
  const { tool } = request;
  if (needsApprovalByKind[approvals](tool)) return true;
  if (tool.needsApproval === undefined) return false;
  const asking = (async () => tool.needsApproval?.(request, { messages, callContext }))();
  return Boolean(await untilAborted(asking, signal));
}

/** Only an explicit approval counts: a forgotten `return` must not run a tool. */
function readDecision(decision: ApprovalDecision | undefined): { isApproved: boolean; reason?: string } {
  if (typeof decision !== 'object') return { isApproved: decision === true };
  const { approved, reason }: Partial<typeof decision> = decision ?? {};
  return { isApproved: approved === true, ...(reason !== undefined && { reason }) };
}

const toRefusal = (reason: string | undefined): string =>
  reason === undefined || reason === ''
    ? 'The call was not approved.'
    : `The call was not approved: ${reason}`;
