import { objectOf } from '../core/shared/json.js';
import { addLazy } from '../core/shared/once.js';
import {
  effectiveAnnotations,
  type ToolCallContext,
  type ToolCallOptions,
  type ToolDefinition,
  type ToolInvocation,
} from './tool-source.js';

/*
 * What approvals mean, wherever the call runs: in the tool loop or in the loop of the host.
 */

/** A call that may need approval. */
export interface CallForApproval extends ToolInvocation, Pick<ToolCallContext, 'context'> {
  /** The MCP server of the tool, by its name in the configuration. @default none, a tool of the application */
  readonly server?: string;
  /** The tool's name at its source. `toolName` is the name that the model uses. */
  readonly originalName: string;
  /** The hints that the tool states about itself. */
  readonly annotations: StatedAnnotations;
  readonly tool: ToolDefinition;
  /** The messages that the model had received when it made the call, without system messages. */
  readonly messages: NonNullable<ToolCallOptions['messages']>;
}

/** Hints as a tool states them. Missing ones are undefined. */
export interface StatedAnnotations extends Pick<
  ToolDefinition,
  'readOnly' | 'destructive' | 'idempotent' | 'openWorld'
> {
  /** False if the hints are unverified claims of a server, which the policies ignore. */
  readonly trusted: boolean;
}

export function toCallForApproval(
  call: ToolInvocation,
  tool: ToolDefinition,
  turn: Pick<CallForApproval, 'messages' | 'context'>,
): CallForApproval {
  const { name, server, originalName = name, readOnly, destructive, idempotent, openWorld } = tool;
  const trusted = tool.trustAnnotations !== false;
  const request = {
    ...call,
    ...(server !== undefined && { server }),
    originalName,
    annotations: { readOnly, destructive, idempotent, openWorld, trusted },
    tool,
    ...(turn.context !== undefined && { context: turn.context }),
  };
  // They are converted when a policy reads them.
  return addLazy(request, 'messages', () => turn.messages);
}

/** The status words of `toolApproval` in `ai` 7. */
export type ApprovalStatus = 'approved' | 'denied' | 'user-approval' | 'not-applicable';

/**
 * Approves or refuses a call. Only `true`, `'approved'` and objects with them approve it. The model reads the reason of a
 * refusal.
 */
export type ApprovalDecision =
  | boolean
  | { readonly approved: boolean; readonly reason?: string }
  | ApprovalStatus
  | { readonly type: ApprovalStatus; readonly reason?: string };

/** A policy for the calls that need approval. */
export type ApprovalPolicy = 'never' | 'destructive' | 'unless-read-only' | 'always';

/** The calls that need approval: a policy, or a function that returns false for calls that need none. */
type ApprovalsOf<Call> = ApprovalPolicy | ((call: Call) => boolean | PromiseLike<boolean>);

/** Returns true if the application requires approval for a call. */
export const requiresApproval = async <Call extends CallForApproval>(
  approvals: ApprovalsOf<Call>,
  call: Call,
): Promise<boolean> =>
  typeof approvals === 'function' ? (await approvals(call)) !== false : isAskedByPolicy(approvals, call.tool);

/** Returns false if no call of a tool needs approval by the tool or the application, whatever its arguments are. */
export const mayRequireApproval = (approvals: ApprovalsOf<never>, tool: ToolDefinition): boolean =>
  tool.needsApproval !== undefined || typeof approvals === 'function' || isAskedByPolicy(approvals, tool);

function isAskedByPolicy(policy: ApprovalPolicy, tool: ToolDefinition): boolean {
  const { readOnly, destructive } = effectiveAnnotations(tool);
  if (policy === 'destructive') return destructive;
  return policy === 'unless-read-only' ? !readOnly : policy !== 'never';
}

/** Returns the policy of an application that states none. */
export const defaultPolicy = (options: { readonly approve?: unknown }): ApprovalPolicy =>
  options.approve === undefined ? 'never' : 'unless-read-only';

/** A decision that was read. */
export interface Decision {
  readonly isApproved: boolean;
  readonly reason?: string;
}

/** Only an explicit approval counts: a forgotten `return` must not run a tool. Of contradictory fields, a denial counts. */
export function readDecision(decision: unknown): Decision {
  const { approved, type, reason } =
    objectOf(decision) ?? (typeof decision === 'string' ? { type: decision } : { approved: decision });
  const isApproved =
    type === 'approved'
      ? approved === true || approved === undefined
      : type === undefined && approved === true;
  if (isApproved) return { isApproved };
  if (typeof reason === 'string') return { isApproved: false, reason };
  if (type !== 'user-approval' && type !== 'not-applicable') return { isApproved: false };
  return {
    isApproved: false,
    reason: `\`approve\` returned "${type}", which approves nothing. Set \`approve: 'host'\` to let the host ask.`,
  };
}

/** Returns the text that the model reads about a call that was not approved. */
export const toRefusalText = (reason: string | undefined): string =>
  reason === undefined || reason === ''
    ? 'The call was not approved.'
    : `The call was not approved: ${reason}`;
