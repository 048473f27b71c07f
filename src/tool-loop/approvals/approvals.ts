import { InvalidArgumentError } from '@ai-sdk/provider';
import { messageOf } from '../../core/shared/errors.js';
import { untilAborted } from '../../core/shared/abort.js';
import { isPlainObject, objectOf, type PlainObject } from '../../core/shared/json.js';
import { type DeclaredStub, stubIdentityOf } from '../../tools/tool-stubs.js';
import {
  type ApprovalDecision,
  type ApprovalPolicy,
  type ApprovalStatus,
  type CallForApproval,
  type Decision,
  defaultPolicy,
  requiresApproval,
  mayRequireApproval,
  readDecision,
  toRefusalText,
} from '../../tools/approval.js';
import type {
  ToolCallContext,
  ToolCallOptions,
  ToolDefinition,
  ToolInvocation,
  ToolOutput,
} from '../../tools/tool-source.js';

/** A call of a turn that may need approval. */
export interface ApprovalRequest extends CallForApproval, Pick<ToolCallContext, 'turnId' | 'round'> {
  /**
   * True if the call was started before a crash, so that it may have had its effect, and approval means that it runs again.
   * With `onUnknownOutcome: 'ask'` only.
   * @default false
   */
  readonly unknownOutcome?: boolean;
}

/** Decides on a call, immediately or after asking a person. The signal aborts when the turn ends. */
export type Approve = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalDecision | PromiseLike<ApprovalDecision>;

/** Calls that need approval: a policy, or a function that returns false for calls that need none. */
export type Approvals = ApprovalPolicy | ((request: ApprovalRequest) => boolean | PromiseLike<boolean>);

/** `toolApproval` of `ai` 7: a status for each tool, or functions that return one. */
export type ToolApproval =
  | ((call: {
      readonly toolCall: PlainObject & ToolInvocation;
      readonly tools: undefined;
      readonly toolsContext: object;
      readonly runtimeContext: unknown;
      readonly messages: readonly unknown[];
    }) => unknown)
  | PlainObject;

/**
 * Returns the value of `providerOptions.kelivo.toolApproval`.
 *
 * @throws InvalidArgumentError if it is neither a function nor an object.
 */
export function toToolApproval(value: unknown): ToolApproval {
  if (isFunction(value) || isPlainObject(value)) return value;
  const argument = 'providerOptions.kelivo.toolApproval';
  throw new InvalidArgumentError({
    argument,
    message: `Expected \`${argument}\` to be a function or an object of statuses by tool name, got ${typeof value}.`,
  });
}

const isFunction = (value: unknown): value is (...values: readonly unknown[]) => unknown =>
  typeof value === 'function';

export interface ApprovalSettings {
  /** `host`: the host asks. Undefined: nobody can approve a call. */
  readonly approve: Approve | 'host' | undefined;
  readonly approvals: Approvals | undefined;
  readonly toolApproval: ToolApproval | undefined;
  /** Declarations of the host for the loop's tools, by identity. */
  readonly stubs: Map<string, DeclaredStub>;
}

/** Returns true if calls of a tool need no approval, whatever their arguments are. */
export function isFreeOfApproval(tool: ToolDefinition, settings: ApprovalSettings): boolean {
  const { isCopy = false, needsApproval } = settings.stubs.get(stubIdentityOf(tool)) ?? {};
  if (isCopy || needsApproval || settings.toolApproval !== undefined) return false;
  return !mayRequireApproval(settings.approvals ?? defaultPolicy(settings), tool);
}

/** `run`: no approval is needed, or it was given. `ask-host`: the host has to ask. Else the text for the model. */
export type ApprovalVerdict = 'run' | 'ask-host' | { readonly refusal: string };

/**
 * Decides on a call. Everything but an explicit permission refuses it. Rejects only on abort, without delay.
 *
 * @param decide Runs `approve` and keeps its decision.
 * @param isRequired True if the call needs approval regardless of the policy.
 */
export async function decideOnCall(
  request: ApprovalRequest,
  settings: ApprovalSettings & Pick<ToolCallOptions, 'callContext'>,
  decide: (run: () => Promise<Decision>) => Promise<Decision>,
  signal: AbortSignal,
  isRequired: boolean,
): Promise<ApprovalVerdict> {
  const { approve } = settings;
  try {
    const need = isRequired ? 'approval' : await untilAborted(findNeed(request, settings), signal);
    if (need === 'none') return 'run';
    if (need !== 'approval') return toRefusal(need.refusal);
    if (approve === undefined) return toRefusal('this tool needs approval, and `approve` is not set.');
    if (approve === 'host') return 'ask-host';
    const deciding = decide(async () => readDecision(await approve(request, { signal })));
    const { isApproved, reason } = await untilAborted(deciding, signal);
    return isApproved ? 'run' : toRefusal(reason);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return toRefusal(messageOf(error));
  }
}

/** Returns the text for the model if `toolApproval` denies a call that was approved earlier, as in `ai` 7. */
export async function findDenial(
  request: ApprovalRequest,
  settings: Pick<ApprovalSettings, 'toolApproval'> & Pick<ToolCallOptions, 'signal'>,
): Promise<string | undefined> {
  try {
    const { type, reason } = await untilAborted(statusOf(request, settings.toolApproval), settings.signal);
    return type === 'denied' ? toRefusalText(reason) : undefined;
  } catch (error) {
    if (settings.signal.aborted) throw settings.signal.reason;
    return toRefusalText(messageOf(error));
  }
}

type Need = 'none' | 'approval' | { readonly refusal: string | undefined };

/** `toolApproval` takes precedence over the policy and over `needsApproval`, as in `ai` 7. */
async function findNeed(
  request: ApprovalRequest,
  settings: ApprovalSettings & Pick<ToolCallOptions, 'callContext'>,
): Promise<Need> {
  if (settings.toolApproval !== undefined) {
    const { type, reason } = await statusOf(request, settings.toolApproval);
    if (type === 'approved') return 'none';
    if (type === 'user-approval') return 'approval';
    if (type !== 'not-applicable') return { refusal: reason };
  }
  const stub = settings.stubs.get(stubIdentityOf(request.tool));
  // `ai@6` adds its own request to the call of a copy with `needsApproval`, and only one of the two could be answered.
  if (stub?.isCopy) return typeof settings.approve === 'function' ? 'approval' : { refusal: COPIED_STUB };
  if (stub !== undefined && (await isNeededByStub(request, stub))) return 'approval';

  const { tool } = request;
  if (await tool.needsApproval?.(request, { messages: request.messages, callContext: settings.callContext }))
    return 'approval';
  return (await requiresApproval(settings.approvals ?? defaultPolicy(settings), request))
    ? 'approval'
    : 'none';
}

const COPIED_STUB =
  'the application declares this tool with a changed copy of its stub, which may need approval. Pass the result of ' +
  '`provider.tools()` or `provider.agentSettings()` unchanged and use the option `needsApproval` of `provider.tools()` or ' +
  '`toolLoop.approvals`, or set `approve` to a function.';

/** Evaluates `needsApproval` as hosts do. */
async function isNeededByStub(
  { toolCallId, input, messages, context }: ApprovalRequest,
  { needsApproval }: DeclaredStub,
): Promise<boolean> {
  if (!isFunction(needsApproval)) return Boolean(needsApproval);
  return Boolean(
    await needsApproval(input, { toolCallId, messages, experimental_context: context, context }),
  );
}

async function statusOf(
  { toolCallId, toolName, originalName, input, messages, context }: ApprovalRequest,
  toolApproval: ToolApproval | undefined,
): Promise<{ type: ApprovalStatus; reason?: string }> {
  if (typeof toolApproval === 'function') {
    const toolCall = { type: 'tool-call', toolCallId, toolName, input, providerExecuted: true };
    return toStatus(
      await toolApproval({ toolCall, tools: undefined, toolsContext: {}, runtimeContext: context, messages }),
    );
  }
  const name = [toolName, originalName].find(key => toolApproval && Object.hasOwn(toolApproval, key));
  const entry = name === undefined ? undefined : toolApproval?.[name];
  const status = toStatus(
    isFunction(entry)
      ? await entry(input, { toolCallId, messages, toolContext: undefined, runtimeContext: context })
      : entry,
  );
  // Under the original name, the entry may mean another server's tool. It can forbid the call, but not approve it.
  return status.type === 'approved' && name !== toolName ? { type: 'not-applicable' } : status;
}

/** Reads a status of `toolApproval`. An unknown one counts as denied. */
function toStatus(status: unknown): { type: ApprovalStatus; reason?: string } {
  if (status === undefined || status === null) return { type: 'not-applicable' };
  const { type, reason } =
    typeof status === 'string' ? { type: status, reason: undefined } : (objectOf(status) ?? {});
  switch (type) {
    case 'approved':
    case 'denied':
    case 'user-approval':
    case 'not-applicable':
      return { type, ...(typeof reason === 'string' && { reason }) };
    default:
      return {
        type: 'denied',
        reason: `\`toolApproval\` returned an unknown status: ${JSON.stringify(status)}.`,
      };
  }
}

/** The output of a call that needs an approval of the host, which cannot be asked. */
export const HOST_REQUIRED: ToolOutput = {
  type: 'error-text',
  value: toRefusalText(
    "this tool needs approval, and the host cannot be asked. `approve: 'host'` requires `ai` 6 or 7 and a model of " +
      '`kelivo-responses/v3` or `/v4`. With other hosts, set `approve` to a function.',
  ),
};

const toRefusal = (reason: string | undefined): ApprovalVerdict => ({ refusal: toRefusalText(reason) });
