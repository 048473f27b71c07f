import type { Part, ToolCall } from '../../core/part.js';
import type { ApprovalMark, ToolCallPart } from '../../core/prompt.js';
import { messageOf } from '../../core/shared/errors.js';
import { createTimeLimit, untilAborted } from '../../core/shared/abort.js';
import { secretOfProcess, SigningKeys } from '../../core/shared/signing.js';
import { toFingerprint } from '../../tools/fingerprints.js';
import type { ToolDefinition, ToolInvocation, ToolOutput } from '../../tools/tool-source.js';

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

/** Options of a call that say whom it belongs to. */
interface CallOwner {
  readonly context?: unknown;
  readonly scope?: string | undefined;
}

/** Approvals that the host requests in one turn and passes back in a later prompt. */
export function createHostApprovals(options: HostApprovalOptions | undefined, owner: CallOwner = {}) {
  const ids = createApprovalIds(options, owner);
  const asked = new Set<string>();

  return {
    /** Returns true for a call of this turn that waits for an approval. */
    isAsked: (toolCallId: string): boolean => asked.has(toolCallId),

    /** True if a call of this turn waits for an approval. */
    get isWaiting(): boolean {
      return asked.size > 0;
    },

    /** Requests an approval. Returns the output that the call has until then. */
    async ask(
      { toolCallId, toolName, input, ...rest }: ToolInvocation & CallFacts,
      askOptions: AskOptions,
    ): Promise<ToolOutput> {
      if (!ids.hasAudience) return { type: 'error-text', value: `Not run: ${NO_AUDIENCE}` };
      const { server, originalName = askOptions.tool.name } = askOptions.tool;
      const facts = {
        originalName,
        ...(server !== undefined && { server, definition: await toFingerprint(askOptions.tool) }),
      };
      const id = await askOptions.keepId(async () =>
        ids.create(toApprovable({ toolCallId, toolName, input }, facts)),
      );
      const mark = { id, ...facts };
      writeRequest({ toolCallId, toolName, input, ...rest }, mark, askOptions.write);
      return { type: 'error-text', value: WAITING };
    },

    /** Requests an approval again that nobody has answered. */
    askAgain(call: PendingCall, askOptions: Pick<AskOptions, 'write'>): void {
      // The id stays the same: a new one would be valid for longer than the claim of the first one is kept.
      const { toolCallId, toolName, input, providerOptions: providerMetadata, own } = call.part;
      const { answered: _, ...unanswered } = call.mark;
      writeRequest({ toolCallId, toolName, input, providerMetadata, own }, unanswered, askOptions.write);
    },

    /** Verifies the request for a call, and claims the call if it was approved. */
    async admit({ part, mark, isApproved }: PendingCall, admitOptions: AdmitOptions): Promise<ApprovalCheck> {
      const tool = admitOptions.tools.get(part.toolName);
      if (tool === undefined || !isSameTool(tool, mark)) return toRefused(toMissingToolText(part.toolName));
      // A client may have written the request as well, so it is not repeated unless it is genuine.
      const verified = ids.verify(mark.id, toApprovable(part, mark));
      if (verified === undefined) return refuse(ids.isShared ? INVALID : `${INVALID} ${NOT_SHARED}`);
      if (mark.definition !== undefined && mark.definition !== (await toFingerprint(tool)))
        return refuse(CHANGED);
      if (verified.isExpired) return refuse(isApproved ? LATE : EXPIRED);
      if (!isApproved) return { type: 'asked', output: { type: 'error-text', value: WAITING } };
      const { nonce } = verified;
      try {
        return { type: (await ids.claim(nonce, admitOptions.signal)) ? 'run' : 'repeated' };
      } catch (error) {
        if (admitOptions.signal.aborted) throw admitOptions.signal.reason;
        return refuse(`the approval could not be claimed (${messageOf(error)}).`);
      }
    },

    /** Claims denied calls, so that a changed answer runs nothing. Rejects if that fails. */
    async recordDenials(calls: readonly RequestedCall[], signal: AbortSignal): Promise<void> {
      for (const { part, mark } of calls) {
        const verified = ids.verify(mark.id, toApprovable(part, mark));
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
    mark: ApprovalMark,
    write: Write,
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
const CHANGED = 'the MCP server has changed the tool since the approval was requested.';
const INVALID = 'the approval does not belong to this call and its arguments.';
const NO_AUDIENCE =
  'this tool needs approval, and nobody may answer: `hostApprovals.audience` returned no text for the context of the call.';
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
  { toolCallId, toolName, input }: Pick<ToolCallPart, 'toolCallId' | 'toolName' | 'input'>,
  { server, originalName, definition }: Omit<ApprovalMark, 'id'>,
): ApprovableCall => ({ toolCallId, toolName, server, originalName, definition, input });

const isSameTool = (tool: ToolDefinition, mark: ApprovalMark): boolean =>
  tool.server === mark.server && (tool.originalName ?? tool.name) === mark.originalName;

/** Settings for verifying a host's approvals in every process that may receive them. */
export interface HostApprovalOptions {
  /**
   * Signs the approval ids: a random text of at least 32 characters, the same in all processes of the application and
   * unknown to its clients.
   */
  readonly secret: string;
  /**
   * Claims an approval, so that it is used once. It must be atomic over all processes, and return true for the first
   * caller only, for example with `SET key 1 NX PXAT expiresAt` of Redis. `expiresAt` is the time in milliseconds since
   * 1970 until which the claim has to be kept. If it fails or takes more than five seconds, the call does not run.
   */
  readonly claim: (
    approvalId: string,
    options: { readonly expiresAt: number },
  ) => boolean | PromiseLike<boolean>;
  /**
   * Time in milliseconds for which an approval request can be answered.
   * @default 86400000, one day
   */
  readonly expiresAfter?: number;
  /**
   * Returns who may answer, for example a session or user, from the `context` of the call. It is signed into the approval
   * id: an answer in a call with another audience runs nothing and is not used up. A call for which it throws or returns
   * no text can neither ask nor answer.
   * @default anyone who has the conversation may answer, in a call with the same `scope`
   */
  readonly audience?: (context: unknown) => string;
}

/** A call as a person approves it. */
interface ApprovableCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly server: string | undefined;
  readonly originalName: string;
  readonly definition: string | undefined;
  readonly input: unknown;
}

const DAY = 86_400_000;
/** Time limit of a claim in milliseconds. */
const CLAIM_TIMEOUT = 5000;

/** Creates and verifies the ids of approval requests. They are signed, because they return in the messages of a client. */
function createApprovalIds(options: HostApprovalOptions | undefined, callOwner: CallOwner) {
  const { secret, claim = claimInProcess, expiresAfter = DAY } = options ?? {};
  const keys = new SigningKeys(() => [secret ?? secretOfProcess()]);
  const audience = audienceOf(options, callOwner.context);
  const { scope } = callOwner;
  const owner = scope === undefined ? (audience ?? []) : [...(audience ?? []), { scope }];

  return {
    /** True if other processes can verify the ids. */
    isShared: options !== undefined,
    /** False if nobody may answer a request of this call. */
    hasAudience: audience !== undefined,

    create(call: ApprovableCall): string {
      const [nonce, time] = [crypto.randomUUID(), Date.now().toString(36)];
      const signature = keys.sign(KIND, toSigned(call), [nonce, time, ...owner]);
      return [PREFIX, nonce, time, signature].join('.');
    },

    /** Returns undefined if the id was not created for exactly this call, audience and scope, with the secret of this process. */
    verify(approvalId: string, call: ApprovableCall) {
      const [prefix, nonce = '', time = '', signature = ''] = approvalId.split('.');
      if (
        audience === undefined ||
        prefix !== PREFIX ||
        approvalId !== [prefix, nonce, time, signature].join('.')
      )
        return undefined;
      const fault = keys.verify(signature, KIND, toSigned(call), [nonce, time, ...owner]);
      const isExpired = Date.now() > Number.parseInt(time, 36) + expiresAfter;
      return fault === undefined ? { nonce, isExpired } : undefined;
    },

    /** Returns true for the first caller. Rejects if the claim cannot be stored. */
    async claim(nonce: string, signal: AbortSignal): Promise<boolean> {
      const message = `the claim was not stored within ${CLAIM_TIMEOUT} ms`;
      const limit = createTimeLimit(signal, { milliseconds: CLAIM_TIMEOUT, message });
      try {
        const claiming = (async () =>
          claim(`${PREFIX}.${nonce}`, { expiresAt: Date.now() + expiresAfter }))();
        return (await untilAborted(claiming, limit.signal)) === true;
      } finally {
        limit.release();
      }
    },
  };
}

const PREFIX = 'kelivo';
const KIND = 'approval';

/** Returns the audience of a call as a list, which is empty if the setting is missing. Undefined if there is none. */
function audienceOf(options: Partial<HostApprovalOptions> = {}, context: unknown): string[] | undefined {
  if (options.audience === undefined) return [];
  try {
    const value: unknown = options.audience(context);
    return typeof value === 'string' && value !== '' ? [value] : undefined;
  } catch {
    return undefined;
  }
}

const toSigned = (call: ApprovableCall): unknown[] => [
  call.toolCallId,
  call.toolName,
  call.server ?? null,
  call.originalName,
  call.definition ?? null,
  call.input,
];

/** Claims of this process with the times at which they expire. */
const claims = new Map<string, number>();

function claimInProcess(approvalId: string, options: { expiresAt: number }): boolean {
  for (const [claimed, end] of claims) {
    if (end > Date.now()) break;
    claims.delete(claimed);
  }
  if (claims.has(approvalId)) return false;
  claims.set(approvalId, options.expiresAt);
  return true;
}
