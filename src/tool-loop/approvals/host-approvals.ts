import type { Part, ToolCall } from '../../core/part.js';
import type { ApprovalMark, ToolCallPart } from '../../core/prompt.js';
import type { ToolDefinition, ToolInvocation, ToolOutput } from '../../tools/tool-source.js';
import { type ApprovableCall, createApprovalIds, type HostApprovalOptions } from './approval-ids.js';

// A call that the host has to approve ends its turn without a result. The host keeps it with a mark in its facts and
// adds the response of a person to the next prompt. The call runs at the start of that turn. It is then written again,
// with its result, because hosts expect a call and its result in one response.

/** A call of the prompt with the request for its approval. */
export interface RequestedCall {
  readonly part: ToolCallPart;
  /** The request that was answered, or else the first one. */
  readonly mark: ApprovalMark;
}

/** A call of the prompt that was approved, or that nobody has answered yet. */
export interface PendingCall extends RequestedCall {
  readonly isApproved: boolean;
  /** Stands in the prompt for the output of the call. */
  readonly placeholder: ToolOutput;
}

/** `run`: the call may run now. `repeated`: it was run before. Else the output of a call that does not run now. */
export type ApprovalCheck =
  { readonly type: 'run' | 'repeated' } | { readonly type: 'refused' | 'asked'; readonly output: ToolOutput };

type Write = (part: Part) => void;

type CallFacts = Pick<ToolCall, 'providerMetadata' | 'own'>;

export type HostApprovals = ReturnType<typeof createHostApprovals>;

interface AskOptions {
  readonly tool: ToolDefinition;
  readonly write: Write;
  readonly keepId: (create: () => Promise<string>) => Promise<string>;
}

interface AdmitOptions {
  readonly tools: { get(name: string): ToolDefinition | undefined };
  readonly signal: AbortSignal;
}

/** Approvals that the host requests in one turn and passes back in a later prompt. */
export function createHostApprovals(options: HostApprovalOptions | undefined) {
  const ids = createApprovalIds(options);
  const asked = new Set<string>();

  return {
    /** Returns true for a call of this turn that waits for an approval. */
    isAsked: (toolCallId: string): boolean => asked.has(toolCallId),

    /** Requests an approval. Returns the output that the call has until then. */
    async ask(
      { toolCallId, toolName, input, ...facts }: ToolInvocation & CallFacts,
      { tool, write, keepId }: AskOptions,
    ): Promise<ToolOutput> {
      const { server, originalName = tool.name } = tool;
      const id = await keepId(() => ids.create({ toolCallId, toolName, server, originalName, input }));
      const mark = { id, originalName, ...(server !== undefined && { server }) };
      writeRequest({ toolCallId, toolName, input, ...facts }, { mark, write });
      return { type: 'error-text', value: WAITING };
    },

    /** Requests an approval again that nobody has answered. */
    askAgain({ part, mark }: PendingCall, { write }: Pick<AskOptions, 'write'>): void {
      // The id stays the same: a new one would be valid for longer than the claim of the first one is kept.
      const { toolCallId, toolName, input, providerOptions: providerMetadata, own } = part;
      const { answered: _, ...unanswered } = mark;
      writeRequest({ toolCallId, toolName, input, providerMetadata, own }, { mark: unanswered, write });
    },

    /** Verifies the request for a call, and claims the call if it was approved. */
    async admit(
      { part, mark, isApproved }: PendingCall,
      { tools, signal }: AdmitOptions,
    ): Promise<ApprovalCheck> {
      const tool = tools.get(part.toolName);
      if (tool === undefined || !isSameTool(tool, mark)) return toRefused(toMissingToolText(part.toolName));
      // A client may have written the request as well, so it is not repeated unless it is genuine.
      const verified = await ids.verify(mark.id, toApprovable(part, mark));
      if (verified === undefined) return refuse(ids.isShared ? INVALID : `${INVALID} ${NOT_SHARED}`);
      if (verified.isExpired) return refuse(isApproved ? LATE : EXPIRED);
      if (!isApproved) return { type: 'asked', output: { type: 'error-text', value: WAITING } };
      const { nonce } = verified;
      try {
        return { type: (await ids.claim(nonce, signal)) ? 'run' : 'repeated' };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const reason = error instanceof Error ? error.message : String(error);
        return refuse(`the approval could not be claimed (${reason}).`);
      }
    },

    /** Claims denied calls, so that a changed answer runs nothing. Rejects if that fails. */
    async recordDenials(calls: readonly RequestedCall[], signal: AbortSignal): Promise<void> {
      for (const { part, mark } of calls) {
        const verified = await ids.verify(mark.id, toApprovable(part, mark));
        if (verified?.isExpired !== false) continue;
        await ids.claim(verified.nonce, signal).catch(cause => {
          signal.throwIfAborted();
          const message = `The denial of the call of "${part.toolName}" could not be recorded. Send the messages again.`;
          throw new Error(message, { cause });
        });
      }
    },
  };

  function writeRequest(
    { toolCallId, toolName, input, providerMetadata, own }: RequestContents,
    { mark, write }: { mark: ApprovalMark; write: Write },
  ): void {
    asked.add(toolCallId);
    write({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: JSON.stringify(input),
      providerExecuted: true,
      ...(providerMetadata !== undefined && { providerMetadata }),
      own: { ...own, approval: mark },
    });
    write({ type: 'tool-approval-request', approvalId: mark.id, toolCallId });
  }
}

type RequestContents = Pick<ToolCall, 'toolCallId' | 'toolName'> & CallFacts & { readonly input: unknown };

export const WAITING = 'The call waits for approval.';
const LATE = 'the approval was given after the request had expired.';
const EXPIRED = 'nobody approved it before the request expired.';
const INVALID = 'the approval does not belong to this call and its arguments.';
const NOT_SHARED =
  'If another process asked for it, set `toolLoop.hostApprovals`, so that all processes accept the same approvals.';

const toRefused = (value: string): ApprovalCheck => ({
  type: 'refused',
  output: { type: 'error-text', value },
});

const refuse = (reason: string): ApprovalCheck => toRefused(`Not run: ${reason}`);

/** Returns the text that the model reads if the tool of a request is gone, or if its name means another tool now. */
export const toMissingToolText = (toolName: string): string =>
  `Not run: the tool of the approval request is no longer available under the name "${toolName}".`;

const toApprovable = (
  { toolCallId, toolName, input }: ToolCallPart,
  { server, originalName }: ApprovalMark,
): ApprovableCall => ({ toolCallId, toolName, server, originalName, input });

const isSameTool = (tool: ToolDefinition, { server, originalName }: ApprovalMark): boolean =>
  tool.server === server && (tool.originalName ?? tool.name) === originalName;
