import { untilAborted } from '../shared/abort.js';
import type { ToolCallOptions, ToolDefinition, ToolInvocation } from '../tools/tool-source.js';

/** A call that waits for leave to run. */
export interface ApprovalRequest extends ToolInvocation {
  /** What is known of the tool. Its hints are the server's own word. */
  readonly tool: ToolDefinition;
}

/** Whether a call may run. The model reads the reason of a refusal. */
export type ApprovalDecision = boolean | { readonly approved: boolean; readonly reason?: string };

/** Decides on a call, at once or after asking somebody. The signal aborts when the turn ends. */
export type Approve = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalDecision | PromiseLike<ApprovalDecision>;

/** Which calls need approval. */
export type Approvals = 'none' | 'destructive' | 'all';

const ofKind: Readonly<Record<Approvals, (tool: ToolDefinition) => boolean>> = {
  none: () => false,
  destructive: tool => tool.destructive === true,
  all: tool => tool.readOnly !== true,
};

/**
 * Asks whether a call may run. Rejects on abort alone, at once.
 *
 * @returns undefined if it may, else the text that the model reads.
 */
export async function requestApproval(
  request: ApprovalRequest,
  {
    approve,
    approvals = approve === undefined ? 'none' : 'all',
    signal,
    messages,
  }: { approve?: Approve; approvals?: Approvals } & Pick<ToolCallOptions, 'signal' | 'messages'>,
): Promise<string | undefined> {
  const { tool } = request;
  try {
    const asksItself = async () => tool.needsApproval?.(request, { messages });
    const isNeeded =
      ofKind[approvals](tool) || (tool.needsApproval && (await untilAborted(asksItself(), signal)));
    if (!isNeeded) return undefined;
    if (approve === undefined) return toRefusal(NOBODY_TO_ASK);
    const asking = (async () => approve(request, { signal }))();
    const decision = await untilAborted(asking, signal);
    const { approved, reason }: { approved?: boolean; reason?: string } =
      typeof decision === 'boolean' ? { approved: decision } : (decision ?? {});
    // Nothing but a plain yes is one: a forgotten `return` must not run a tool.
    return approved === true ? undefined : toRefusal(reason);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return toRefusal(error instanceof Error ? error.message : String(error));
  }
}

const NOBODY_TO_ASK = 'tools of this kind need approval, and nobody can be asked.';

const toRefusal = (reason: string | undefined): string =>
  reason === undefined || reason === ''
    ? 'The call was not approved.'
    : `The call was not approved: ${reason}`;
